// The kinds of service that come with the program, and what their configuration may say.
//
// A kind that is not built in some version is listed all the same, so that a site file may name it
// and is told so.
//
// Threads: a plain function.

#pragma once

#include "trunnion/site/kind_schema.hpp"

namespace trunnion {

[[nodiscard]] const kind_catalogue& standard_kinds();

} // namespace trunnion
