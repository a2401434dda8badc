// What was thrown, in words.

#pragma once

#include "trunnion/messages/errors.hpp"

namespace trunnion {

/// What is being thrown at this moment: `Type: text`, and as details what caused it, if known. Only
/// within a `catch`.
[[nodiscard]] remote_failure describe_thrown();

} // namespace trunnion
