// When a service that failed may start again, and when it must stay down.
//
// Starting at once what has just failed hammers whatever made it fail; starting it for ever hides
// that it cannot run. So the pause before each start doubles up to a limit, with a tenth of jitter,
// and one failure too many within a while ends it. A service that has run for that while begins
// anew.
//
// Clock: none inside; `now` never goes back. Threads: one user at a time.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"
#include "trunnion/site/site_model.hpp"

#include <deque>
#include <optional>

namespace trunnion {

class restart_intensity {
public:
  explicit restart_intensity(const restart_policy& policy) : policy_(policy) {}

  /// A service has failed: how long to wait before it starts again; nothing if it stays down.
  /// `chance` is any number.
  [[nodiscard]] std::optional<nanoseconds> on_failure(instant now, std::uint64_t chance);

private:
  restart_policy policy_;
  std::deque<instant> failures_; // Within the policy's while.
};

} // namespace trunnion
