// What every actor is handed at its start: time, chance, a place for log lines, one for figures,
// and the bounds of its queues.
//
// An actor that reads a clock by itself cannot be tested in virtual time, nor run twice with one
// result. So all of it comes in from outside, as interfaces without an implementation here; the
// real ones are in `apps/runtime`, those of tests in `tests/fixtures`.
//
// Threads: CAF moves actors between threads, so implementations are called from several at once.
// They must neither block nor throw, and must outlive the actor system.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunnion {

using nanoseconds = std::chrono::nanoseconds;
using milliseconds = std::chrono::milliseconds;

/// Makes our instants a type of their own. It has no `now()`: only a `clock` makes instants.
struct boot_time {
  using duration = nanoseconds;
};

/// A moment on this computer's clock. Never leaves it: what crosses actor systems is a duration.
using instant = std::chrono::time_point<boot_time, nanoseconds>;

/// A moment of the calendar, for people and for records; nothing is ever decided by it.
using wall_time = std::chrono::sys_time<nanoseconds>;

class clock {
public:
  virtual ~clock() = default;

  /// Never goes back, and counts the time that the computer was suspended.
  [[nodiscard]] virtual instant now() const = 0;

  /// May be stepped either way by whoever sets the computer's time.
  [[nodiscard]] virtual wall_time wall() const = 0;
};

class random_source {
public:
  virtual ~random_source() = default;

  /// 64 bits, evenly distributed.
  virtual std::uint64_t next() = 0;
};

enum class log_level : std::uint8_t { debug, info, warn, error };

class log_sink {
public:
  virtual ~log_sink() = default;

  /// Takes one line for the operator from an actor of kind `actor`.
  virtual void write(log_level level, std::string_view actor, std::string_view line) = 0;
};

/// Figures for whoever watches a process. Names are few and fixed, never made of subjects.
class metrics_sink {
public:
  virtual ~metrics_sink() = default;
  virtual void count(std::string_view name, std::uint64_t by = 1) = 0;
  virtual void observe(std::string_view name, double value) = 0;
};

/// Bounds. What would go beyond one is refused as `overloaded`, and counted.
struct limits {
  std::size_t operations_per_client = 10'000; ///< In flight at one backend.
  std::size_t watches_per_client = 10'000;    ///< Watches, listings and consumers of one session.
  std::size_t credit_per_watch = 1'024;       ///< Parts; more credit than this is cut to it.
  std::size_t subscribers = 1'024;            ///< Of one lease, group, monitor or service.
  std::size_t waiters_per_key = 10'000;       ///< Of one process.
  std::size_t pending_requests = 256;         ///< Refreshes and the like that one lease has queued.
};

/// Handed by value to every actor.
struct runtime {
  const clock& time;
  random_source& random;
  log_sink& log;
  metrics_sink& metrics;
  limits bounds{};
};

/// A number from 0 to below `bound`, which is not zero. Not `std::uniform_int_distribution`, whose
/// results differ between libraries.
[[nodiscard]] inline std::uint64_t below(random_source& random, std::uint64_t bound) {
  return random.next() % bound;
}

} // namespace trunnion
