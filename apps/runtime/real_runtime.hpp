// The real world, for programs: clock, chance, log and figures in one place.
//
// Make it before the actor system and let it outlive that, but after any fork: the log has a
// thread, which a child would lack. What `watch_clock` is given usually sends to an actor: call
// `unwatch_clock` before its actor system ends.
//
// Threads: `rt` may be called from any; `watch_clock` and `unwatch_clock` from one at a time.

#pragma once

#include "trunnion/runtime/boot_clock.hpp"
#include "trunnion/runtime/clock_jump_watchdog.hpp"
#include "trunnion/runtime/plain_metrics.hpp"
#include "trunnion/runtime/spdlog_sink.hpp"
#include "trunnion/runtime/system_random.hpp"

#include <utility>

namespace trunnion {

struct real_runtime_options {
  log_level least_level = log_level::info;
  limits bounds{};
};

class real_runtime {
public:
  explicit real_runtime(const real_runtime_options& options = {})
    : log(options.least_level), bounds_(options.bounds) {}

  /// What actors are handed. Refers to this object.
  [[nodiscard]] runtime rt() {
    return {.time = time, .random = random, .log = log, .metrics = metrics, .bounds = bounds_};
  }

  /// Calls `on_jump` with the size of every jump, on a thread of its own, in place of what was
  /// called before.
  void watch_clock(std::function<void(nanoseconds)> on_jump) {
    unwatch_clock();
    watchdog_.emplace(std::move(on_jump));
  }

  /// No call is under way or follows once this has returned. Not to be called from within one.
  void unwatch_clock() { watchdog_.reset(); }

  boot_clock time;
  system_random random;
  spdlog_sink log;
  plain_metrics metrics;

private:
  limits bounds_;
  std::optional<clock_jump_watchdog> watchdog_; // Ends first.
};

} // namespace trunnion
