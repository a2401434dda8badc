// The one list of messages that may cross actor systems.
//
// Programs, tests and remote nodes all call `register_messages`, so that none can forget a type:
// CAF 0.17 sends an empty message in place of one that is not registered.

#pragma once

#include <caf/fwd.hpp>

namespace trunnion {

/// Raised with any change of any message; compared in the first message of a session.
inline constexpr unsigned protocol_number = 2;

/// Makes all our messages and errors known to the actor systems made from `cfg`.
void register_messages(caf::actor_system_config& cfg);

/// What all our actor systems share: `register_messages`, the work sharing scheduler with
/// `workers` threads (2 to 4), and the application identifier `trunnion`.
void configure(caf::actor_system_config& cfg, unsigned workers);

} // namespace trunnion
