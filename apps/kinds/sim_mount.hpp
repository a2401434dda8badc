// The kind `sim.mount`: a simulated mount that slews at a stated rate, settles, and has limits.
//
// Publishes `slew`, `on_target` and `refused` events. A new slew takes over from the one under way,
// whose answer is `cancelled`.

#pragma once

#include "trunnion/actors/fence.hpp"
#include "trunnion/actors/service.hpp"
#include "trunnion/kinds/devices.hpp"
#include "trunnion/kinds/mount_machine.hpp"

#include <memory>

namespace trunnion {

/// `guard` outlives the actor, so that a restart forgets no token.
mount_actor spawn_sim_mount(const member_context& context, const mount_settings& settings,
                            const std::shared_ptr<fence>& guard);

} // namespace trunnion
