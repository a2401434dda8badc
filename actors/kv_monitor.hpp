// Watches the keys of a pattern for any number of subscribers, with one watch at the backend.
//
// A watch alone leaves much to its user: lost parts, histories that broke off, backends that die.
// The monitor deals with all of it, and gives each subscriber a snapshot and then the changes, in
// order, within its credit. A subscriber's view never goes back, misses nothing for good, and is
// told of deletions during a gap. What it is told may be late: `monitor_health` says when the view
// cannot be relied on, and the age in an answer since when.
//
// The watch is opened again after it was lost, or the backend went down, with a back-off of 100 ms
// doubling to 5 s. The backend must answer a cheap request every 5 s, within 2 s, or the monitor is
// unhealthy. A pattern that the backend refuses for good ends the monitor with that error.
//
// Bounds: subscribers by `limits::subscribers`, waiters by `max_monitor_waiters`; one more is
// `overloaded`, and counted as `monitor_refused`.
// End: by an exit message, orderly: the watch is ended, subscribers are told, waiters answered.
// Killed, it tells nobody, and the waiters are answered all the same.
// Clock: the runtime's decides. Threads: an ordinary actor that never blocks.

#pragma once

#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

inline constexpr nanoseconds first_reopen_after = milliseconds{100};
inline constexpr nanoseconds longest_reopen_after = std::chrono::seconds{5};
inline constexpr nanoseconds health_check_every = std::chrono::seconds{5};
inline constexpr nanoseconds health_check_again = std::chrono::seconds{1}; ///< After a failure.
inline constexpr nanoseconds health_check_timeout = std::chrono::seconds{2};

/// How long `monitor_get_all` waits for the first snapshot at most.
inline constexpr nanoseconds first_snapshot_patience = std::chrono::seconds{30};

/// How long a shared monitor goes unused before it says so.
inline constexpr nanoseconds monitor_idle_limit = std::chrono::seconds{30};

/// To the keeper of a shared monitor, its sender: nobody has subscribed, waited or asked for
/// `monitor_idle_limit`. Said again after each further such time.
struct monitor_idle {
  subject pattern;
};

/// The one who ends shared monitors.
using monitor_keeper = caf::typed_actor<takes<monitor_idle>>;

/// Starts a monitor of `pattern`, a name, `*` or `>`. It ends with `owner`; with a null one it
/// lives until it is told to exit.
kv_monitor_actor spawn_kv_monitor(caf::actor_system& sys, const runtime& rt,
                                  const backend_actor& backend, const subject& pattern,
                                  const caf::strong_actor_ptr& owner);

/// Likewise; it ends with `keeper`, which it tells when it is unused.
kv_monitor_actor spawn_shared_kv_monitor(caf::actor_system& sys, const runtime& rt,
                                         const backend_actor& backend, const subject& pattern,
                                         const monitor_keeper& keeper);

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::monitor_idle)
