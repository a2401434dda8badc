// Holds a group together: leases, and the members that work under them.
//
// It acquires leases through a lease group, monitors leases and members, and on the first loss,
// death or abandonment ends all of it by the five steps of `group_machine.hpp`. A lost lease's view
// is false before anybody is told; members are told in the turn in which the supervisor learns of
// it. A member is stopped by an exit message `user_shutdown`, within its grace: it brings its
// hardware to a safe state and quits. What does not is killed.
//
// Who cleans up when something dies: the owner dies - the group ends in order, its loss reported; a
// lease's actor dies - the supervisor deletes its key at its last revision; the supervisor dies, of
// whatever reason - its leases monitor it and release themselves, and its lease group ends its
// members; all at once - the TTL. Nothing outlives `close_by` by more than a second.
//
// End: by an exit message, after it has ended the group in order; or with its owner, likewise. It
// lives until then, whether or not anybody holds its handle. Threads: an ordinary actor that never
// blocks. Local: its messages carry handles.

#pragma once

#include "trunnion/actors/group_machine.hpp"
#include "trunnion/actors/lease_group.hpp"
#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

/// Bound of the members of one group; more are refused as `overloaded`.
inline constexpr std::size_t max_group_members = 10'000;

struct group_options {
  std::string name;                                    ///< For people.
  nanoseconds stop_timeout = std::chrono::seconds{10}; ///< Bound of the whole end.
  group_sink watcher = {};                             ///< A subscriber from the start, or nobody.
};

/// Makes an actor a member: the group's fate is its own. One that comes when the group is ending
/// already is refused, and stopped.
struct group_join {
  std::string name; ///< New in this group.
  caf::actor member;
  nanoseconds grace = std::chrono::seconds{2}; ///< How long its orderly end may take.
  member_needs needs;                          ///< Names that the group knows.
  bool may_finish = false;                     ///< An end without error is no death.
  bool is_ours = true;                         ///< Ended with the group; else only its end is ours.
};

struct group_joined {};

using group_supervisor_actor
  = caf::typed_actor<answers<group_acquire, group_acquired>, answers<group_join, group_joined>,
                     takes<group_use_records>, answers<group_subscribe, group_status>,
                     answers<group_stop, group_report>, answers<group_wait_ended, group_report>,
                     answers<group_inspect, group_status>>;

/// Starts an empty group and its supervisor. `owner` may be null; else the group ends with it.
group_supervisor_actor make_group(caf::actor_system& sys, const runtime& rt,
                                  const backend_actor& backend, const caf::strong_actor_ptr& owner,
                                  const group_options& options);

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::group_join)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::group_joined)
