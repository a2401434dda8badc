// The kind `sim.camera`: a simulated camera that exposes for the time asked, then reads out.
//
// One frame at a time: a second command meanwhile is `overloaded`. Publishes `exposure` and
// `refused` events, and each frame's header to the service's stream, if it has one.

#pragma once

#include "trunnion/actors/fence.hpp"
#include "trunnion/actors/service.hpp"
#include "trunnion/kinds/devices.hpp"

#include <memory>
#include <optional>

namespace trunnion {

inline constexpr nanoseconds longest_exposure = std::chrono::hours{1};

struct camera_settings {
  std::uint32_t width = 640; ///< Pixels.
  std::uint32_t height = 480;
  nanoseconds readout = milliseconds{1'500};
  std::optional<subject> frames; ///< The stream of frame headers.
};

/// `guard` outlives the actor, so that a restart forgets no token.
camera_actor spawn_sim_camera(const member_context& context, const camera_settings& settings,
                              const std::shared_ptr<fence>& guard);

} // namespace trunnion
