// What a load does to the process, to the backend's queues, and to a client that has no part in it.
//
// Free memory that the heap has kept is given back to the system first, so that growth shows. A
// thread of its own looks at the memory each millisecond, however long the backend takes to answer.

#pragma once

#include "trunnion/bench/world.hpp"

#include <functional>

namespace trunnion::bench {

struct latency {
  double p50 = 0; ///< Seconds.
  double p99 = 0;
};

struct observation {
  double growth = 0;   ///< Bytes of RSS, at its highest over that before the load.
  backend_status most; ///< Each figure at its highest.
  latency idle, busy;  ///< Gets of one key, one each millisecond, before and during the load.
};

/// Starts a load, and observes it until it is `done`.
[[nodiscard]] observation observe(world& w, const std::function<void()>& start,
                                  const std::latch& done);

[[nodiscard]] inline backend_status status_of(world& w) {
  return w.ask<backend_status>(w.backend, get_backend_status{});
}

} // namespace trunnion::bench
