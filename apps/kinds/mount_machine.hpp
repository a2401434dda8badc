// A simulated mount: two axes that move at one rate, a time to settle, limits.
//
// Clock: none inside; every call takes `now`. Threads: one user at a time.

#pragma once

#include "trunnion/kinds/devices.hpp"
#include "trunnion/messages/errors.hpp"

#include <optional>

namespace trunnion {

struct mount_settings {
  double slew_deg_per_s = 3;
  nanoseconds settle = milliseconds{800};
  double alt_min_deg = 0;
  double alt_max_deg = 90;
};

class mount_machine {
public:
  explicit mount_machine(const mount_settings& settings)
    : settings_(settings), from_{settings.alt_min_deg, 0}, to_(from_) {}

  /// Moves on from wherever it is; returns when it will stand still. Fails with `invalid_argument`
  /// for a target beyond the limits, and stays on its way then.
  outcome<instant> slew(instant now, const sky_position& target);

  [[nodiscard]] sky_position position(instant now) const;
  [[nodiscard]] bool is_moving(instant now) const { return now < still_at_; }

private:
  mount_settings settings_;
  sky_position from_; // Where the present slew began,
  sky_position to_;   // where it goes,
  instant began_{};
  instant arrives_{};
  instant still_at_{}; // and when it has settled.
};

/// The shorter way from one azimuth to another, in degrees, -180 to 180.
[[nodiscard]] double azimuth_way(double from_deg, double to_deg);

} // namespace trunnion
