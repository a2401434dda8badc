// Reads typed values out of a configuration tree, and collects everything that is wrong with it.
//
// A reader that stops at the first mistake makes its user run it ten times. Here each look-up
// answers with a value or with nothing, and in the latter case has said why; reading goes on. A
// `map_reader` also knows which keys were asked for, so that unknown ones are found, with the word
// that was probably meant, and secrets are refused wherever they stand.
//
// Threads: used by one at a time.

#pragma once

#include "trunnion/site/config_value.hpp"
#include "trunnion/site/expression.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

template <class T> struct range_of {
  T least{};
  T most{};
};

/// A word and where it stands, to be looked up later.
struct reference {
  std::string name;
  place where;
};

/// Checks single values. `label` is the key, shown in brackets behind the message.
class value_checker {
public:
  /// `source` is the text that the values come from, for places inside of a value.
  explicit value_checker(site_problems& problems, std::string_view source = {})
    : problems_(problems), source_(source) {}

  void problem(const place& where, std::string text);

  /// `; did you mean 'x'?` or nothing; nothing too once there are so many problems that looking for
  /// likely words would take long.
  [[nodiscard]] std::string hint(std::string_view word,
                                 std::span<const std::string> candidates) const;

  std::optional<std::chrono::nanoseconds> duration(const config_value& value,
                                                   std::string_view label,
                                                   range_of<std::chrono::nanoseconds> range);
  std::optional<double> number(const config_value& value, std::string_view label,
                               range_of<double> range);
  std::optional<std::int64_t> integer(const config_value& value, std::string_view label,
                                      range_of<std::int64_t> range);
  std::optional<bool> boolean(const config_value& value, std::string_view label);
  std::optional<std::string> text(const config_value& value, std::string_view label);

  /// A condition on readings; what is wrong with it is told at its place in the file.
  std::optional<expression> condition(const config_value& value, std::string_view label);

  /// One of some words; the index of it.
  std::optional<std::size_t> choice(const config_value& value, std::string_view label,
                                    std::span<const std::string> words);

  /// A list of words, none of them twice. Bad items are left out.
  std::vector<reference> texts(const config_value& value, std::string_view label,
                               bool may_repeat = false);

  /// Whether it has this kind; says what was expected if not.
  bool expect(const config_value& value, value_kind kind, std::string_view label);

private:
  /// Whether it is text without quotes; `what` says what it should be.
  bool expect_plain(const config_value& value, std::string_view what, std::string_view label);
  void wrong_kind(const config_value& value, std::string_view what, std::string_view label);
  [[nodiscard]] place place_inside(const config_value& value, std::size_t column) const;

  site_problems& problems_;
  std::string_view source_;
};

/// Reads one map, key by key, then `finish`.
class map_reader {
public:
  /// `what` is for messages: `service 'dome'`. A value that is no map reads as an empty one.
  map_reader(value_checker& check, const config_value& map, std::string_view label,
             std::string what);

  /// The value of a key, or nothing if it is not there.
  const config_value* find(std::string_view key);

  /// The same; says so if it is missing.
  const config_value* require(std::string_view key);

  /// Reports all keys that were not asked for.
  void finish();

  [[nodiscard]] const config_value& map() const { return map_; }
  [[nodiscard]] const std::string& what() const { return what_; }
  [[nodiscard]] bool usable() const { return usable_; }

private:
  value_checker& check_;
  const config_value& map_;
  std::string what_;
  std::vector<std::string> known_;
  bool usable_;
};

/// Whether a key is to hold a secret itself, and not the name of a file or variable that does.
[[nodiscard]] bool names_secret(std::string_view key);

} // namespace trunnion
