// Lists the live entries of a pattern as one answer.
//
// The backend's listing comes in parts to whoever asked for it. This actor takes them for one
// caller, who need not understand parts; then it is over.
//
// Bounds: `max_listed_entries` and `max_listed_bytes` of payload, beyond which the answer is
// `overloaded`: what is larger is for a watch.
// Timeout: CAF's clock wakes it; nothing is decided by the time itself. Threads: an ordinary actor.

#pragma once

#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

inline constexpr std::size_t max_listed_entries = 100'000;
inline constexpr std::size_t max_listed_bytes = 64U << 20U;

struct get_listing {};

struct listing {
  trunnion::epoch epoch;
  trunnion::revision revision; ///< All up to it is taken account of.
  std::vector<entry> entries;  ///< In the order of their subjects.
};

using kv_lister_actor = caf::typed_actor<answers<get_listing, listing>>;

/// Starts a listing; ask it once, with `get_listing`. It is over when it has answered, after
/// `timeout` at the latest.
kv_lister_actor spawn_kv_lister(caf::actor_system& sys, const backend_actor& backend,
                                const subject& pattern, nanoseconds timeout);

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::get_listing)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::listing)
