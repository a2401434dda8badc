// The kind `sim.dome`: a simulated dome that takes time, needs power, and closes in time.
//
// Whoever holds its `ControlLease` opens it, and must say so again within `close_after`, or it
// closes: a dome whose controller has vanished does not stay open. It closes, too, from the moment
// when its group learns of a loss, as of the weather's end, and whenever it is asked to end; only
// then does its member end. For that it needs no commander: its own lease, which its group goes on
// refreshing until it has ended, gives it the right. Its grace must cover the time to close.
//
// A dome whose own lease is lost may not move any more, not even to close: another may move it by
// then. Its motor stops at the lease's deadline, it says `left_open` if that was before it was
// closed, and ends. Who takes the lease next finds it as it stands, and begins by closing it.
//
// While it is not closed, the slit follows the mount that it is slave to, if there is one.
//
// Publishes `opening`, `open`, `closing`, `closed`, `halted`, `power`, `refused` and `left_open`
// events.

#pragma once

#include "trunnion/actors/fence.hpp"
#include "trunnion/actors/service.hpp"
#include "trunnion/kinds/directory.hpp"
#include "trunnion/kinds/dome_machine.hpp"

#include <memory>
#include <optional>

namespace trunnion {

/// How often a dome that is not closed looks at its lease, its silence and its mount.
inline constexpr nanoseconds dome_look_every = milliseconds{100};

/// What a dome works with.
struct dome_parts {
  std::shared_ptr<dome_machine> hardware;     ///< Outlives the actor: the shutter stays as it is.
  std::shared_ptr<fence> guard;               ///< Likewise, so that a restart forgets no token.
  lease_view right;                           ///< Of the dome's own lease.
  const device_directory* devices = nullptr;  ///< Where its mount is.
  std::optional<trunnion::entity> mount = {}; ///< To follow.
};

dome_actor spawn_sim_dome(const member_context& context, const dome_parts& parts);

} // namespace trunnion
