// Tells every lease at once that the clock has jumped.
//
// CAF's timers stand still while the computer is suspended, so a lease's own wake-up would come
// late by as long as the suspension took. The runtime's watchdog compares the clocks and sends
// `clock_jumped` here; from here it goes to all who said `watch_clock`. Each of them then looks at
// the clock itself: what it does depends on the clock alone, not on this message.
//
// Subscribers that ended without a word are dropped in time; none is kept alive.
// End: an exit message, which also takes it out of the registry. Threads: an ordinary actor.

#pragma once

#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

/// Starts the clock watch of `sys` and registers it as `clock_watch_name`. One for each system;
/// whoever starts it ends it, before the system does.
clock_watch_actor spawn_clock_watch(caf::actor_system& sys);

} // namespace trunnion
