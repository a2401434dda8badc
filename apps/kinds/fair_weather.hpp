// Whether an observatory may be open, by what its condition says over time.
//
// It may once the condition to close has been false for a while without a break. True or unknown
// closes at once. One that has just started knows nothing of what was before, and waits as well.
//
// Clock: none inside; every call takes `now`. Threads: one user at a time.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <optional>

namespace trunnion {

class fair_weather {
public:
  explicit fair_weather(nanoseconds reopen_after) : reopen_after_(reopen_after) {}

  /// Whether it may be open, now that the condition to close is this; nothing for unknown.
  [[nodiscard]] bool look(instant now, std::optional<bool> must_close) {
    if (must_close != false)
      since_.reset();
    else if (!since_)
      since_ = now;
    return since_ && now - *since_ >= reopen_after_;
  }

private:
  nanoseconds reopen_after_;
  std::optional<instant> since_; // It has been false without a break.
};

} // namespace trunnion
