// JSON: a check for what comes from outside, and a small writer for what we say.
//
// What a user, a file or a peer hands in is validated whole by simdjson's DOM: one value, valid
// UTF-8, nesting at most 64 deep, no object with two members of one name. Errors are values that
// name the place as far as it is known: the byte, or the member as a JSON pointer. Numbers must fit
// 64 bits or a double, since readers could not keep others apart.
//
// Threads: any; `json_writer` is used by one at a time.

#pragma once

#include "trunnion/messages/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trunnion {

inline constexpr std::size_t max_json_depth = 64; ///< Objects and arrays inside each other.

/// Whether `text` is one JSON value by the rules above; else `invalid_argument`. A `max_depth` over
/// the usual one is for values that stand inside an object of ours.
[[nodiscard]] outcome<void> check_json(std::string_view text,
                                       std::size_t max_depth = max_json_depth);

/// Writes one JSON value, compact, member by member. Text that is not UTF-8 is mended with U+FFFD;
/// a number that is not finite is written as `null`.
class json_writer {
public:
  json_writer& begin_object();
  json_writer& end_object();
  json_writer& begin_array();
  json_writer& end_array();
  json_writer& key(std::string_view name);
  json_writer& text(std::string_view value);
  json_writer& number(std::int64_t value);
  json_writer& unsigned_number(std::uint64_t value);
  json_writer& real(double value);
  json_writer& boolean(bool value);
  json_writer& null();

  /// JSON that was checked before, as it is.
  json_writer& raw(std::string_view json);

  [[nodiscard]] const std::string& str() const { return out_; }

private:
  void separate();

  std::string out_;
  bool needs_comma_ = false;
};

/// `value` as UTF-8, where each maximal ill-formed part is replaced by U+FFFD (as WHATWG and Python
/// do).
[[nodiscard]] std::string mend_utf8(std::string_view value);

} // namespace trunnion
