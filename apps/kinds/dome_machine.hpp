// A simulated dome: a shutter that takes time, a turning slit, and a motor that must be allowed to
// run.
//
// The motor runs only with power, and only until the moment to which it is permitted, as one does
// that needs its button held: who stops permitting, because he has lost his lease or stands still,
// leaves it where it is. Closing is the safe direction. So power may not go while the shutter is
// not closed, and a dome that nobody has commanded for `close_after` is to be closed
// (`is_forsaken`).
//
// Clock: none inside; every call takes `now`, which never goes back. Threads: one user at a time.

#pragma once

#include "trunnion/kinds/devices.hpp"
#include "trunnion/messages/errors.hpp"

#include <optional>

namespace trunnion {

struct dome_settings {
  nanoseconds open_time = std::chrono::seconds{10}; ///< From closed to open, and back.
  double turn_deg_per_s = 6;
  nanoseconds close_after = std::chrono::seconds{30}; ///< Without a command.
  bool has_power = true;                              ///< At the start.
};

class dome_machine {
public:
  /// Closed.
  explicit dome_machine(const dome_settings& settings);

  // -- commands ---------------------------------------------------------------

  /// Whoever commands stands behind the dome being open for another `close_after`. Fails with
  /// `unsupported` without power.
  outcome<void> open(instant now);

  /// From wherever the shutter is. Fails with `unsupported` without power; then it is closed.
  outcome<void> close(instant now);

  /// Fails with `permission_denied` if power is to go while the shutter is not closed.
  outcome<void> set_power(instant now, bool on);

  /// Turns the slit the shorter way; ignored without power.
  void turn_to(instant now, double az_deg);

  // -- permission -------------------------------------------------------------

  /// The motor may run until then, in place of what was permitted before. What it had not finished
  /// goes on.
  void permit(instant now, instant until);

  // -- how it stands ----------------------------------------------------------

  [[nodiscard]] shutter_phase shutter(instant now) const;
  [[nodiscard]] double open_ratio(instant now) const { return shutter_.at(runs_until(now)); }
  [[nodiscard]] double az_deg(instant now) const;
  [[nodiscard]] bool has_power() const { return has_power_; }

  /// Whether it is open or opens, and nobody has commanded it for too long.
  [[nodiscard]] bool is_forsaken(instant now) const;

private:
  /// A quantity that moves at one rate.
  struct ramp {
    double per_s;
    double from = 0;
    double to = 0;
    instant began{};
    [[nodiscard]] double at(instant now) const;
    void go(instant now, double target);
  };

  [[nodiscard]] instant runs_until(instant now) const { return std::min(now, permitted_); }
  outcome<void> move_shutter(instant now, double target);
  void begin_again(instant now);

  dome_settings settings_;
  ramp shutter_; // 0 closed, 1 open.
  ramp azimuth_; // Degrees, not wrapped.
  bool has_power_;
  instant permitted_{};
  instant commanded_{};
};

} // namespace trunnion
