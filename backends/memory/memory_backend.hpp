// The backend in this process: a store that lives as long as its actor.
//
// Every engine answers alike (`docs/architecture.md`); this one has no disk and no network, so it
// is the reference for the others, and what tests and the simulator run on. Its epoch is the wall
// clock at the spawn. It is as exact as its clock: readers never see an expired key, and watches
// are told of an expiry when its timer runs.
//
// Clock: the runtime's decides; CAF's only wakes the actor. Threads: one ordinary actor that never
// blocks; long work is done in slices between other messages.
// Bounds: operations in flight, watches and credit of one client are those of the runtime's limits;
// one more is `overloaded`. While the mailbox is short, operations run as they come; when it grows
// beyond `long_mailbox`, clients take turns.
// End: an exit message ends it orderly: sinks are told `watch_lost` with `shutting_down`, and what
// was not run is refused. When killed it only refuses.

#pragma once

#include "trunnion/backends/memory/store.hpp"
#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

/// Messages in the mailbox from which on operations wait in turns.
inline constexpr std::size_t long_mailbox = 4'096;

/// Starts a memory backend; the options' limits are at least one.
backend_actor spawn_memory_backend(caf::actor_system& sys, const runtime& rt,
                                   const memory_options& options = {});

/// For tests: a memory backend behaves as if it had been out of reach. Every watch says `resync`
/// and takes a fresh snapshot; every consumer goes on behind the newest part that its sink has
/// seen.
void interrupt_memory_backend(const backend_actor& backend);

} // namespace trunnion
