// How long to wait before the next try: longer each time, and never at the same moment as others.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <algorithm>

namespace trunnion {

class back_off {
public:
  /// Waits from `first` on, doubling to `longest`; of each wait the second half is left to chance.
  back_off(nanoseconds first, nanoseconds longest)
    : first_(first), longest_(longest), after_(first) {}

  [[nodiscard]] nanoseconds next(random_source& random) {
    const auto half = after_ / 2;
    after_ = std::min(after_ * 2, longest_);
    return half + nanoseconds{below(random, static_cast<std::uint64_t>(half.count()) + 1)};
  }

  /// A try went well.
  void reset() { after_ = first_; }

private:
  nanoseconds first_;
  nanoseconds longest_;
  nanoseconds after_;
};

} // namespace trunnion
