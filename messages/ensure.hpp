// Assertions for our own mistakes.
//
// A broken invariant means that the program no longer knows what it does. It says where, and ends,
// in release builds too: going on could only spread the damage. For a lease that is also the safe
// end, since its key goes when its TTL has passed. What a caller, a peer or a disk may get wrong is
// no matter for `ensure`; that is answered with an error value.
//
// Threads: any.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace trunnion {

/// Ends the process with `invariant` and its place on standard error unless `holds`.
inline void ensure(bool holds, const char* invariant,
                   std::source_location where = std::source_location::current()) noexcept {
  if (holds) [[likely]]
    return;
  std::fprintf(stderr, "%s:%u: broken invariant: %s\n", where.file_name(), where.line(), invariant);
  std::fflush(nullptr);
  std::abort();
}

} // namespace trunnion
