// Who leads, as the key's entry tells it.
//
// Refreshes change the entry, not the leadership: the token stays that of the acquisition, also
// where the record has none yet or, being a peer's, never will.
//
// Threads: plain values.

#pragma once

#include "trunnion/messages/lease_record.hpp"

#include <optional>
#include <string>

namespace trunnion {

struct seen_leader {
  std::string name;
  std::string owner;
  fencing_token token;
  std::optional<std::string> holder; ///< The incarnation; a peer's record has none.
  record_time acquired_at;
  bool operator==(const seen_leader&) const = default;
};

/// Who leads by this entry; nobody if it is a tombstone, a broken marker or no lease record.
/// `before` is who led by the entry before it.
[[nodiscard]] std::optional<seen_leader> see_leader(const entry& x, epoch at,
                                                    const std::optional<seen_leader>& before);

} // namespace trunnion
