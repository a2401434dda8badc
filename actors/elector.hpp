// Leader election: one of several candidates leads, and everybody may know which.
//
// Being elected means holding the lease on the election's key, whose record says the leader's name
// as `{"name":…}`. Each candidate has an elector. `elector_campaign` is answered once elected, and
// the leadership then lasts until `elector_resign`, a loss, or the elector's end; a candidate that
// lost it may campaign again. Several campaigns at once are one: all are answered by the election,
// each waits as long as it said. A campaign whose sender has ended is given up.
//
//   auto elector = spawn_elector(sys, rt, backend, {.subject = key, .name = "ridge-a"}, me);
//   self->request(*elector, caf::infinite, elector_campaign{}).then(
//     [](const elector_elected& x) { /* leads, under x.token */ }, on_error);
//
// Observers, campaigning or not, are told of each change as far as this elector can see it: of the
// own leadership's end before anything else that follows it. Whoever acts as the leader on hardware
// asks the view (`lease_get_view`), which turns false before the key can be another's, and hands
// the token to a fence.
//
// Bounds: `limits::subscribers` observers, `limits::pending_requests` campaigns and resignations.
// Clock: the runtime's. End: by an exit message, or with its owner, after giving the leadership up;
// killed, its lease is released by the group that holds it. Threads: an ordinary actor that never
// blocks.

#pragma once

#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

inline constexpr nanoseconds default_election_ttl = std::chrono::seconds{10};

struct elector_options {
  trunnion::subject subject; ///< The election's key, a name.
  std::string name;          ///< Of this candidate, for observers; not empty.
  std::string owner;         ///< For people, `host/pid`, in the lease's record.
  nanoseconds ttl = default_election_ttl;
  nanoseconds grace{}; ///< What a leader needs to stop: see `lease_options`.
};

/// An elector with what cannot cross actor systems: `lease_get_view` is answered with the view of
/// its latest leadership; never held before the first.
using local_elector_actor = elector_actor::extend<answers<lease_get_view, lease_view>>;

/// Starts an elector that only observes, until it is told to campaign. It ends with `owner`; with a
/// null one it lives until it is told to exit. Fails as `check(lease_options)` does, and with
/// `invalid_argument` without a name.
outcome<local_elector_actor> spawn_elector(caf::actor_system& sys, const runtime& rt,
                                           const backend_actor& backend,
                                           const elector_options& options,
                                           const caf::strong_actor_ptr& owner = nullptr);

} // namespace trunnion
