// When a lease of a group is refreshed next.
//
// At a random moment between 40 % and 75 % of the way from its last send to its jeopardy moment:
// early enough that retries fit before anybody is alarmed, and spread so that many leases taken at
// one moment do not come back at one moment. With the usual margins that is about 30 % to 55 % of
// the TTL, as SensorKit does.
//
// Clock: none inside. Threads: pure functions.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <algorithm>

namespace trunnion {

/// What a schedule needs to know of one lease.
struct lease_times {
  nanoseconds ttl{};   ///< In force.
  nanoseconds guard{}; ///< Between the holder's deadline and the store's, at least.
  nanoseconds grace{}; ///< How long the work on top needs to stop.
};

/// How long before its deadline a lease without a refresh is in jeopardy.
[[nodiscard]] inline nanoseconds jeopardy_lead(const lease_times& x) {
  return std::max(x.ttl / 4, x.grace);
}

/// When to refresh a lease whose deadline is `deadline`. `chance` is any number; not before `now`.
[[nodiscard]] inline instant next_refresh(instant now, instant deadline, const lease_times& times,
                                          std::uint64_t chance) {
  const auto sent = deadline + times.guard - times.ttl;
  const auto way = deadline - jeopardy_lead(times) - sent;
  const auto permille = 400 + static_cast<std::int64_t>(chance % 351);
  return std::max(now, sent + way / 1000 * permille);
}

/// The moment, at most a thousandth of the TTL after `due`, at which leases are refreshed in one
/// go. For each by itself, most of the cost would be that of waking threads that sleep in between.
[[nodiscard]] inline instant shared_moment(instant due, nanoseconds ttl) {
  const auto step = std::clamp<nanoseconds>(ttl / 1000, nanoseconds{1}, milliseconds{20});
  const auto past = due.time_since_epoch() % step;
  return past == nanoseconds{} ? due : due + (step - past);
}

} // namespace trunnion
