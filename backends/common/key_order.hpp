// The order in which listings and snapshots name keys.
//
// Keys of one entity stand together, so that the own properties of an entity are one range, and
// everything below it another. The same order says whether a key lies before or behind the point
// that a paged snapshot has reached, so every engine pages in this order.
//
// Threads: none; plain functions.

#pragma once

#include "trunnion/messages/address.hpp"

namespace trunnion {

/// Entity first, then the whole text.
struct key_order {
  bool operator()(const subject& a, const subject& b) const {
    if (const auto owners = a.owner_text() <=> b.owner_text(); owners != 0)
      return owners < 0;
    return a.text() < b.text();
  }
};

/// Where a listing stands: behind a key. Without one it stands before the first.
struct page_position {
  std::optional<subject> behind;

  [[nodiscard]] bool has_passed(const subject& key) const {
    return behind && !key_order{}(*behind, key);
  }
};

} // namespace trunnion
