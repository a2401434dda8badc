// Leases that are taken together, and their refresh schedule.
//
// Each lease is refreshed on a schedule of its own (`refresh_schedule.hpp`), all concurrently, so
// that one slow key delays no other. The group never decides: what a loss means is its supervisor's
// matter, which is the holder of all leases. A single lease is a group of one.
//
// `group_acquire` is all or nothing, and takes the keys in the order of their subjects, so that two
// groups that want the same keys cannot block each other for ever. What is held while the next is
// waited for is refreshed meanwhile.
//
// End: by an exit message; or with its holder, whose members it then ends in the holder's place.
// The leases are their holder's, and look after themselves. Threads: an ordinary actor that never
// blocks. Local: its messages carry handles.

#pragma once

#include "trunnion/actors/lease_options.hpp"
#include "trunnion/messages/interfaces.hpp"

#include <vector>

namespace trunnion {

/// A lease that is held, with all that its user needs.
struct held_handle {
  lease_grant grant;
  lease_actor lease;
  lease_view view;
};

/// Takes all these leases, or none.
struct group_acquire {
  std::vector<lease_options> leases;
};

struct group_acquired {
  std::vector<held_handle> leases; ///< In the order of their subjects.
};

/// From now on each refresh asks `source` for its record first; an empty one keeps the records.
struct group_use_records {
  record_source source;
};

/// A member that must not outlive the holder: should the holder die, it is ended in order, and
/// killed if that takes longer than its grace.
struct group_guard {
  caf::actor member;
  nanoseconds grace{};
};

struct refresh_figures {
  std::uint64_t leases = 0;       ///< Being refreshed.
  std::uint64_t refreshes = 0;    ///< Confirmed.
  std::uint64_t late_records = 0; ///< Times the source of records was late or failed.
};
struct get_refresh_figures {};

using lease_group_actor
  = caf::typed_actor<answers<group_acquire, group_acquired>, takes<group_use_records>,
                     takes<group_guard>, answers<get_refresh_figures, refresh_figures>>;

/// Bound of the leases of one group; more are refused as `overloaded`.
inline constexpr std::size_t max_group_leases = 200'000;

/// Starts an empty group whose leases belong to `holder`, which it does not outlive.
lease_group_actor spawn_lease_group(caf::actor_system& sys, const runtime& rt,
                                    const backend_actor& backend,
                                    const caf::strong_actor_ptr& holder);

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::group_acquire)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::group_acquired)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::group_use_records)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::group_guard)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::refresh_figures)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::get_refresh_figures)
