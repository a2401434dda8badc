// The times that the rules of a lease go by, from what was asked for.
//
// Threads: plain values.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <optional>

namespace trunnion {

/// How long a release waits for the store, at most. The lease is over in any case.
inline constexpr nanoseconds release_patience = std::chrono::seconds{1};

/// The times of a lease, as far as they were asked for. They must make sense (`check`).
struct lease_terms {
  nanoseconds ttl{};
  std::optional<nanoseconds> guard;
  nanoseconds grace{};
  nanoseconds wait{};
  bool wait_forever = false;
  bool enforce = true; ///< False: write over whatever stands there, and do not watch.

  /// How long before the store's the deadline is, for the TTL in force.
  [[nodiscard]] nanoseconds guard_for(nanoseconds ttl_in_force) const;

  [[nodiscard]] nanoseconds attempt_timeout() const; ///< Of each request.
  [[nodiscard]] nanoseconds first_pause() const;     ///< After a failed attempt; then doubling
  [[nodiscard]] nanoseconds longest_pause() const;   ///< up to this.
  [[nodiscard]] nanoseconds patience() const; ///< With a store that does not answer an acquirer.
  [[nodiscard]] bool waits() const { return wait_forever || wait > nanoseconds{}; }
};

} // namespace trunnion
