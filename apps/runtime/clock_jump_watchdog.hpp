// Notices that the whole process stood still.
//
// CAF's timers stop while the computer is suspended or the process is stopped, so a lease that ran
// out meanwhile would learn of it only when its timer comes at last. The watchdog looks at the
// clocks four times a second. When the boot clock ran ahead of the monotonic one, the computer was
// suspended; when a look comes far too late, the process did not run. Either way it says so, and
// the leases look at their deadlines.
//
// Clocks: handed in; by default the computer's. A jump that is reported although nobody was harmed,
// as on a very busy machine, costs every lease one look at the time and nothing else.
// Threads: one of its own, asleep nearly always. The report is made on that thread, and must
// neither block nor throw; none is made after the destructor has returned.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

namespace trunnion {

/// Both clocks at one moment.
struct clock_reading {
  nanoseconds boot{};  ///< Counts the time suspended.
  nanoseconds awake{}; ///< Does not.
};

/// Decides whether there was a jump between two looks. Pure.
class jump_detector {
public:
  static constexpr nanoseconds most_suspended = milliseconds{50}; ///< Drift between the clocks.
  static constexpr nanoseconds most_late = milliseconds{200};     ///< Lateness of a busy machine.

  explicit jump_detector(clock_reading start) : last_(start) {}

  /// A look that was meant to come `planned` after the one before. The answer is for how long the
  /// process stood still, if it did for longer than the bounds above.
  [[nodiscard]] std::optional<nanoseconds> look(clock_reading now, nanoseconds planned);

private:
  clock_reading last_;
};

/// What the watchdog lives on.
struct watchdog_means {
  std::function<clock_reading()> clocks;
  /// Waits for the time, or until the stop is requested.
  std::function<void(std::stop_token, nanoseconds)> wait;
};

/// Those of this computer.
[[nodiscard]] watchdog_means real_watchdog_means();

class clock_jump_watchdog {
public:
  static constexpr nanoseconds interval = milliseconds{250};

  /// Calls `on_jump` with the size of every jump.
  explicit clock_jump_watchdog(std::function<void(nanoseconds)> on_jump,
                               watchdog_means means = real_watchdog_means());

private:
  std::jthread thread_; // Ends, and is waited for, with the watchdog.
};

} // namespace trunnion
