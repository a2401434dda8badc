// The latest readings of a site's services, by name, for conditions.
//
// A reading that nobody refreshes is no longer true. So each source says how often its samples
// come, and a reading older than three such periods is missing: a condition that uses it is unknown
// (`expression.hpp`).
//
// A sample is a JSON object. Its members have names, inner ones by their path: `memory.free`,
// `disks.0.name`. Truth values, finite numbers and texts are readings; `null` is none.
//
//     readings latest;
//     latest.take("weather", R"({"rain":false})", now, 2s);
//     condition.evaluate(latest.lookup(now));        // Knows `weather.rain`.
//     condition.evaluate(latest.lookup(now, "weather")); // Knows it as `rain`.
//
// Bounds: `max_reading_sources`, `max_readings` of each; a sample's text is as large as a payload.
// Clock: none; the time is handed in. Threads: used by one at a time.

#pragma once

#include "trunnion/messages/errors.hpp"
#include "trunnion/messages/runtime/runtime.hpp"
#include "trunnion/site/expression.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trunnion {

inline constexpr std::size_t max_reading_sources = 1'000; ///< As many as a site has services.
inline constexpr std::size_t max_readings = 1'000;   ///< Of one sample; further ones are left out.
inline constexpr std::size_t max_reading_name = 256; ///< Bytes; longer ones are left out.
inline constexpr int max_reading_age = 3;            ///< Periods.

using flat_sample = std::map<std::string, expression_value, std::less<>>;

/// The readings of one sample by their names; `invalid_argument` unless it is a JSON object.
[[nodiscard]] outcome<flat_sample> flatten_sample(std::string_view json);

class readings {
public:
  /// A sample of `source`, taken `at`, replaces the one before, unless that is newer. `period` is
  /// how often samples come. An error leaves all as it was: `invalid_argument` for what is no
  /// sample, `overloaded` for a source too many.
  outcome<void> take(std::string_view source, std::string_view json, instant at,
                     nanoseconds period);

  /// The reading `member` of `source`; nothing if it is missing or too old.
  [[nodiscard]] std::optional<expression_value> find(std::string_view source,
                                                     std::string_view member, instant now) const;

  /// For names `source.member`. The readings must outlive it.
  [[nodiscard]] name_lookup lookup(instant now) const;

  /// For names of one source's members. The readings must outlive it.
  [[nodiscard]] name_lookup lookup(instant now, std::string source) const;

  /// The first moment after `now` at which a reading becomes too old; nothing if none will. Without
  /// a new sample no answer changes before it.
  [[nodiscard]] std::optional<instant> next_change(instant now) const;

private:
  struct source {
    flat_sample sample;
    instant at{};
    nanoseconds period{};
    [[nodiscard]] instant ends() const { return at + period * max_reading_age; }
  };

  std::map<std::string, source, std::less<>> sources_;
};

} // namespace trunnion
