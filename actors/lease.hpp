// A lease: the right to act, for a time, of one holder among all that use the same store.
//
// The actor holds a key in a backend and answers for it: it refreshes when asked, watches the key,
// and says exactly once when the right is over, and why. It never believes what it has not been
// told: an outcome that got lost is settled by a read, and a right that has passed by the clock
// stays so whatever is answered later. The rules are in `lease_machine`; `docs/guarantees.md` says
// what they promise.
//
// Clock: the runtime's decides; CAF's only wakes the actor. Every message begins with a look at it.
// End: when its holder ends, in whatever way, or at an exit message, the lease releases itself,
// which takes at most a second. A kill skips that: promises are answered, and whoever monitors the
// lease deletes the key. After its end the actor keeps answering until its holder ends or it is
// sent an exit; it keeps nobody alive, and once nobody can reach it, it is gone. Threads: an
// ordinary actor that never blocks. Its `lease_view` may be asked from any thread.

#pragma once

#include "trunnion/actors/lease_options.hpp"
#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

/// Starts a lease on behalf of `holder` and returns it while it is still acquiring: `lease_await`
/// tells how that goes. Fails with `invalid_argument`, `invalid_subject` or `payload_too_large` if
/// there is no holder or backend, or the options make no sense.
[[nodiscard]] outcome<lease_actor> acquire(caf::actor_system& sys, const runtime& rt,
                                           const backend_actor& backend,
                                           const caf::strong_actor_ptr& holder,
                                           const lease_options& options);

} // namespace trunnion
