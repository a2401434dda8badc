// Tells plain threads from those on which actors run.
//
// What blocks an actor's thread blocks every actor that would have run there, and may wait for one
// of them for ever. CAF gives its workers a name, so what blocks can refuse to run there. Actors
// with a thread of their own are not told from plain threads; they only block themselves.
//
// Threads: any. Costs one system call.

#pragma once

#include "trunnion/messages/errors.hpp"

namespace trunnion {

/// Whether the caller may block: `invalid_argument` on a worker thread of CAF.
[[nodiscard]] outcome<void> may_block();

} // namespace trunnion
