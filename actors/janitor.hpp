// Removes what a lease may have left behind.
//
// A create or a refresh whose answer never came may have been applied, or may yet be. Nobody holds
// that key, and nobody refreshes it, so it would only keep others out until its TTL ends. The
// janitor outlives the one who gave up: it looks after 0, one request timeout and one TTL, and
// deletes, by revision, only what bears the given holder. A key whose revision is known is deleted
// at once at that revision, and no later one.
//
// There is one janitor for each actor system, in CAF's registry: it starts with the first job and
// ends after the last. It has a bounded number of requests under way, so that a store that comes
// back is not run over by all that was left; at the bound of its jobs it refuses, counts, and
// leaves the key to its TTL. Clock: the runtime's. End: a program that does not want to wait for
// the last look dismisses it. Threads: an ordinary actor.

#pragma once

#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

inline constexpr auto janitor_name = caf::atom("janitor");
inline constexpr std::size_t max_sweeps = 100'000;       ///< Jobs at once.
inline constexpr std::size_t max_sweeps_under_way = 256; ///< Requests at once.

struct sweep_job {
  trunnion::subject subject;
  std::string holder; ///< The incarnation's UUID; empty: only `revision` is known.
  std::optional<trunnion::revision> revision;    ///< Of the entry to delete, if known.
  std::optional<trunnion::epoch> in_epoch;       ///< In which that is, if known.
  nanoseconds ttl{};                             ///< Of the lease: when the last look is due.
  nanoseconds timeout = std::chrono::seconds{1}; ///< Of each request, and when the second look is.
};

/// Gives `job` to the janitor of `sys`, which is started if there is none.
void sweep(caf::actor_system& sys, const runtime& rt, const backend_actor& backend,
           const sweep_job& job);

/// Ends the janitor of `sys`, if there is one: what is left is left to the TTLs. For a program that
/// ends and has seen its leases end.
void dismiss_janitor(caf::actor_system& sys);

} // namespace trunnion
