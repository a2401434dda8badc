// The figures that are taken, one function for each group. `docs/performance.md` has the results.
//
// Each prints its rows, and returns false if a judged figure misses its bar. Each is meant to run
// in a process of its own, so that none finds the heap and the threads that another left behind.

#pragma once

#include "trunnion/bench/world.hpp"

namespace trunnion::bench {

/// From a deletion to all members told; judged.
bool measure_abandonment(const effort& e);

/// Operations through the backend actor, beside CAF's own request and response.
bool measure_operations(const effort& e);

/// Requests through the backend to a listener, beside CAF's own request and response.
bool measure_listeners(const effort& e);

/// Requests through a responder, beside CAF's own request and response.
bool measure_requests(const effort& e);

/// Memory and CPU time of leases that are only held.
bool measure_held(const effort& e);

/// Many keys that expire at one moment, and what others notice of it.
bool measure_expiry(const effort& e);

/// Leases taken and released, refreshed, and looked at.
bool measure_leases(const effort& e);

/// Changes told to many, and the price of many monitors.
bool measure_monitors(const effort& e);

/// From a release to the waiter's grant.
bool measure_handover(const effort& e);

/// Messages published, and a backlog of them read.
bool measure_streams(const effort& e);

/// Clients that ask for too much, or take nothing: what it costs, and what others notice; judged.
bool measure_pressure(const effort& e);

} // namespace trunnion::bench
