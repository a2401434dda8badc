// Bounds the end of a process whose output nobody reads.
//
// A full pipe, or a terminal that somebody has stopped, lets a write wait for ever. While a site
// runs that costs its story only; but at the end the process would stay, deaf to further signals,
// though its leases are long released. So from `arm` on a bound holds, and SIGINT and SIGTERM end
// the process at once.
//
// Clocks: `alarm`, in whole seconds. Threads: the main thread; one guard at a time. The signals are
// those of the process, so nothing else may use SIGALRM.

#pragma once

#include <chrono>

namespace trunnion {

class end_guard {
public:
  /// What the end of a site may take, beyond its own stop timeout.
  static constexpr std::chrono::seconds bound{5};

  end_guard() = default;
  end_guard(const end_guard&) = delete;
  end_guard& operator=(const end_guard&) = delete;

  /// Lifts the bound.
  ~end_guard();

  /// The process ends within `within`, with `status`; at a signal it ends at once, with 128 and the
  /// signal's number.
  void arm(int status, std::chrono::seconds within = bound);

  /// Has `status` instead: what is still to be written is not missed.
  void settle(int status);
};

} // namespace trunnion
