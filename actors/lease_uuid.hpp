// Names one incarnation of a lease's holder, for its record in the store.
//
// Threads: a pure function but for the source of chance.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <string>

namespace trunnion {

/// A UUID of version 7 in lower case: 48 bits of the calendar's milliseconds, the rest chance.
[[nodiscard]] std::string make_lease_uuid(wall_time at, random_source& random);

} // namespace trunnion
