#include "trunnion/runner/restart_intensity.hpp"

#include <algorithm>

namespace trunnion {

std::optional<nanoseconds> restart_intensity::on_failure(instant now, std::uint64_t chance) {
  while (!failures_.empty() && failures_.front() + policy_.within <= now)
    failures_.pop_front();
  if (failures_.size() >= policy_.max)
    return std::nullopt;
  auto pause = policy_.backoff;
  for (std::size_t i = 0; i < failures_.size() && pause < policy_.backoff_max; ++i)
    pause *= 2;
  failures_.push_back(now);
  pause = std::min(pause, policy_.backoff_max);
  return pause + pause / 1000 * static_cast<std::int64_t>(chance % 101);
}

} // namespace trunnion
