// The kind `sim.weather`: publishes simulated weather (`weather_machine.hpp`).
//
// A sample goes to the service's stream in each period, without drift. The weather goes on where it
// was when the service is started again.

#pragma once

#include "trunnion/actors/service.hpp"
#include "trunnion/kinds/weather_machine.hpp"

#include <memory>
#include <optional>

namespace trunnion {

caf::actor spawn_sim_weather(const member_context& context, nanoseconds every,
                             const std::optional<subject>& stream,
                             const std::shared_ptr<weather_machine>& weather);

} // namespace trunnion
