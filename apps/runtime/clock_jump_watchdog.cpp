#include "trunnion/runtime/clock_jump_watchdog.hpp"

#include "trunnion/runtime/boot_clock.hpp"

#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <utility>

namespace trunnion {
namespace {

void wait_for(const std::stop_token& stop, nanoseconds span) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock{mutex};
  stopped.wait_for(lock, stop, span, [] { return false; });
}

void watch(const std::stop_token& stop, const std::function<void(nanoseconds)>& on_jump,
           const watchdog_means& means) {
  jump_detector detector{means.clocks()};
  while (!stop.stop_requested()) {
    means.wait(stop, clock_jump_watchdog::interval);
    const auto jump = detector.look(means.clocks(), clock_jump_watchdog::interval);
    if (jump && !stop.stop_requested())
      on_jump(*jump);
  }
}

} // namespace

std::optional<nanoseconds> jump_detector::look(clock_reading now, nanoseconds planned) {
  const auto boot = now.boot - last_.boot;
  const auto awake = now.awake - last_.awake;
  last_ = now;
  if (boot - awake > most_suspended || awake - planned > most_late)
    return boot - planned;
  return std::nullopt;
}

watchdog_means real_watchdog_means() {
  return {.clocks =
            [] {
              return clock_reading{boot_clock{}.now().time_since_epoch(), awake_time()};
            },
          .wait = wait_for};
}

clock_jump_watchdog::clock_jump_watchdog(std::function<void(nanoseconds)> on_jump,
                                         watchdog_means means)
  : thread_([on_jump = std::move(on_jump), means = std::move(means)](std::stop_token stop) {
      pthread_setname_np(pthread_self(), "clock-watch");
      watch(stop, on_jump, means);
    }) {}

} // namespace trunnion
