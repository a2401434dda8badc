// Who waits in this process for which key, and whose turn it is to try.
//
// If every waiter of a process tried for itself, a release would bring as many attempts as there
// are waiters. So they stand in one queue for each key, first come, first served, and only the
// first of it tries. The waiting room watches the key on behalf of all of them, and says when to.
//
// Several processes have a room each: after a release every room waits a moment of chance before
// its first waiter tries. When the engine does not mark expiries, the times to try follow from the
// TTL; the rules are in `turn_schedule`.
//
// There is one room for each actor system, in CAF's registry. It starts with the first waiter and
// ends after the last: who finds it ended asks for it again. At its bound it answers `overloaded`.
// Clock: the runtime's. Threads: an ordinary actor.

#pragma once

#include "trunnion/actors/lease_machine.hpp"
#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

/// Joins the queue of a key; the sender, a `waiter_actor`, is told when its turn has come.
struct wait_join {
  backend_actor backend;
  trunnion::subject subject;
};

struct wait_joined {
  std::uint64_t ahead = 0; ///< Waiters that came before.
};

/// How a turn went. After `taken` the sender is out of the queue, else it keeps its place.
struct wait_report {
  turn_result result{};
  nanoseconds ttl{}; ///< In force, if taken.
};

struct wait_leave {};

/// To the first of a queue: try to take the key, and report.
struct wait_turn {};

using waiter_actor = caf::typed_actor<takes<wait_turn>>;

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::wait_join)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::wait_joined)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::wait_report)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::wait_leave)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::wait_turn)

namespace trunnion {

using waiting_room_actor
  = caf::typed_actor<answers<wait_join, wait_joined>, takes<wait_report>, takes<wait_leave>>;
inline constexpr auto waiting_room_name = caf::atom("waitroom");

/// The room of `sys`, started if there is none.
waiting_room_actor waiting_room(caf::actor_system& sys, const runtime& rt);

} // namespace trunnion
