// Removes what a lease may have left behind.
//
// A create or a refresh whose answer never came may have been applied, or may yet be. Nobody holds
// that key, and nobody refreshes it, so it would only keep others out until its TTL ends. A janitor
// outlives the one who gave up: it looks after 0, one request timeout and one TTL, and deletes, by
// revision, only what bears the given holder. A key whose revision is known is deleted at once at
// that revision, and no later one.
//
// Clock: CAF's; being early or late does no harm. End: by itself, after its last look. It is not
// waited for when the actor system ends. Threads: an ordinary actor.

#pragma once

#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

struct sweep_job {
  trunnion::subject subject;
  std::string holder; ///< The incarnation's UUID; empty: only `revision` is known.
  std::optional<trunnion::revision> revision;    ///< Of the entry to delete, if known.
  nanoseconds ttl{};                             ///< Of the lease: when the last look is due.
  nanoseconds timeout = std::chrono::seconds{1}; ///< Of each request, and when the second look is.
};

/// Starts a janitor on `job`.
void sweep(caf::actor_system& sys, const runtime& rt, const backend_actor& backend,
           const sweep_job& job);

} // namespace trunnion
