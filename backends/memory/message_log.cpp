#include "trunnion/backends/memory/message_log.hpp"

namespace trunnion {

const stream_message& message_log::append(subject to, payload value, wall_time wall, instant now) {
  kept_.push_back({{std::move(to), {++newest_.value}, wall, std::move(value)}, now});
  bytes_ += bytes_of(kept_.back().message);
  while (kept_.size() > 1 && (kept_.size() > limits_.max_messages || bytes_ > limits_.max_bytes))
    remove_oldest();
  return kept_.back().message;
}

message_batch message_log::read(const subject& pattern, sequence from, std::size_t steps) const {
  message_batch result;
  part_room room;
  auto at = std::max(from, oldest());
  for (; at <= newest_ && steps > 0; ++at.value, --steps) {
    const auto& x = kept_[at.value - oldest().value].message;
    if (!pattern.covers(x.subject))
      continue;
    if (!room.take(x.payload.size()))
      break;
    result.messages.push_back(x);
  }
  result.next = at;
  result.at_tail = at > newest_;
  return result;
}

void message_log::run_timers(instant now, std::size_t steps) {
  for (; steps > 0 && !kept_.empty() && kept_.front().published + limits_.max_age <= now; --steps)
    remove_oldest();
}

std::optional<instant> message_log::next_due() const {
  if (kept_.empty())
    return std::nullopt;
  return kept_.front().published + limits_.max_age;
}

void message_log::remove_oldest() {
  const auto removed = std::move(kept_.front().message);
  kept_.pop_front();
  bytes_ -= bytes_of(removed);
  if (on_removed_)
    on_removed_(removed);
}

} // namespace trunnion
