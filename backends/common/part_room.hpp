// How much still fits into a part.
//
// Threads: none; a plain value.

#pragma once

#include "trunnion/messages/watch.hpp"

namespace trunnion {

/// At most `max_part_entries` items and `max_part_bytes` bytes, but always one item.
class part_room {
public:
  /// Whether an item of `bytes` still fits; if so, it is counted.
  [[nodiscard]] bool take(std::size_t bytes) {
    if (items_ > 0 && (items_ == max_part_entries || bytes_ + bytes > max_part_bytes))
      return false;
    ++items_;
    bytes_ += bytes;
    return true;
  }

private:
  std::size_t items_ = 0;
  std::size_t bytes_ = 0;
};

} // namespace trunnion
