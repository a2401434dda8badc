// The backend that a command was told to use, opened for as long as the command runs.
//
// One-shot commands ask a backend a few questions and end. This makes what that takes: the real
// runtime, an actor system, and the backend; and it takes them down in the right order, whatever
// the command did.
//
// Threads: the main thread, by calls that block.

#pragma once

#include "trunnion/actors/client.hpp"
#include "trunnion/tool/errors.hpp"
#include "trunnion/tool/options.hpp"

#include <functional>
#include <tl/expected.hpp>

namespace trunnion {

using command_result = tl::expected<void, tool_error>;

/// Opens the backend of `globals`, lets `act` use it from the root on with the timeout of
/// `globals`, and closes it. Returns the exit status; what failed is reported.
int with_backend(const global_options& globals,
                 const std::function<command_result(const blocking_client& root)>& act);

} // namespace trunnion
