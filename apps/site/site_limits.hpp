// The ranges of numbers in a site file: what the reader demands, and its JSON Schema says.
//
// Threads: constants.

#pragma once

#include "trunnion/site/value_checker.hpp"

#include <cstdint>

namespace trunnion::site_limits {

inline constexpr std::int64_t version = 1;
inline constexpr range_of<double> latitude_deg{-90, 90};
inline constexpr range_of<double> longitude_deg{-180, 360};
inline constexpr range_of<double> altitude_m{-500, 100'000};
inline constexpr range_of<std::int64_t> standby{0, 16};
inline constexpr range_of<std::int64_t> restart_max{0, 1'000};
inline constexpr range_of<std::int64_t> kept_messages{1, 1'000'000'000};

} // namespace trunnion::site_limits
