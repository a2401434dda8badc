#include "trunnion/backends/memory/message_log.hpp"

#include "trunnion/backends/common/part_room.hpp"

#include <algorithm>

namespace trunnion {

const stream_message& message_log::append(subject to, payload value, wall_time wall, instant now) {
  auto& stream = streams_.at(to);
  ++newest_.value;
  if (++stream.count == 1)
    stream.oldest = newest_;
  else
    slots_[find(stream.newest)].successor = newest_;
  stream.newest = newest_;
  const bool goes_back = wall < latest_time_;
  latest_time_ = std::max(latest_time_, wall);
  going_back_ += goes_back ? 1 : 0;
  slots_.push_back({{std::move(to), newest_, wall, std::move(value)}, now, &stream, {}, goes_back});
  bytes_ += bytes_of(slots_.back().message);
  if (limits_.max_messages_per_subject && stream.count > *limits_.max_messages_per_subject)
    remove(find(stream.oldest));
  while (size() > 1 && (size() > limits_.max_messages || bytes_ > limits_.max_bytes))
    remove(0);
  return slots_.back().message;
}

std::optional<stream_place> message_log::place_of(const consume& x) const {
  switch (x.start) {
  case stream_start::only_new: return stream_place{{newest_.value + 1}, {}};
  case stream_start::all: return stream_place{oldest(), {}};
  case stream_start::sequence: return stream_place{std::max(x.from, oldest()), {}};
  case stream_start::time: return stream_place{first_since(x.since), {}};
  case stream_start::latest: {
    const auto* only = streams_.find(x.pattern);
    return stream_place{only ? only->newest : oldest(), newest_};
  }
  }
  return std::nullopt; // Of a newer peer.
}

message_batch message_log::read(const subject& pattern, stream_place from,
                                std::size_t steps) const {
  message_batch result{.next = {std::max(from.from.value, newest_.value + 1)}, .at_tail = true};
  const auto* only = pattern.is_pattern() ? nullptr : streams_.find(pattern);
  if (!pattern.is_pattern() && !only)
    return result;
  part_room room;
  auto i = find(only ? std::max(from.from, only->oldest) : from.from);
  while (i < slots_.size()) {
    const auto& x = slots_[i];
    const bool is_covered = x.stream
                            && (only ? x.stream == only : pattern.covers(x.message.subject))
                            && from.takes(x.message.sequence, x.successor);
    if (steps == 0 || (is_covered && !room.take(x.message.payload.size()))) {
      const auto behind = std::min(slots_.size() - i, size());
      return {std::move(result.messages), x.message.sequence, false,
              only ? std::min(behind, only->count) : behind};
    }
    --steps;
    if (is_covered)
      result.messages.push_back(x.message);
    if (!only || x.stream != only)
      ++i;
    else if (x.successor.value != 0)
      i = find(x.successor);
    else
      break;
  }
  return result;
}

void message_log::run_timers(instant now, std::size_t steps) {
  for (; steps > 0 && !slots_.empty() && slots_.front().published + limits_.max_age <= now; --steps)
    remove(0);
}

std::optional<instant> message_log::next_due() const {
  if (slots_.empty())
    return std::nullopt;
  return slots_.front().published + limits_.max_age;
}

/// Where the first slot is whose sequence is not before `x`.
std::size_t message_log::find(sequence x) const {
  if (x > newest_)
    return slots_.size();
  if (slots_.empty() || x <= oldest())
    return 0;
  const auto at_most = std::min<std::uint64_t>(x.value - oldest().value, slots_.size());
  if (at_most < slots_.size() && slots_[at_most].message.sequence == x)
    return at_most;
  const auto end = slots_.begin() + static_cast<std::ptrdiff_t>(at_most);
  const auto found = std::lower_bound(
    slots_.begin(), end, x, [](const slot& a, sequence b) { return a.message.sequence < b; });
  return static_cast<std::size_t>(found - slots_.begin());
}

/// The first message whose time is not before `x`, else the one that comes next. The wall clock may
/// have gone back in between, which costs a look at each message.
sequence message_log::first_since(wall_time x) const {
  const auto is_before = [x](const slot& y) { return y.message.time < x; };
  const auto is_other = [x](const slot& y) { return !y.stream || y.message.time < x; };
  const auto from = going_back_ > 0 ? slots_.begin()
                                    : std::partition_point(slots_.begin(), slots_.end(), is_before);
  const auto found = std::find_if_not(from, slots_.end(), is_other); // Behind holes, at least.
  return found == slots_.end() ? sequence{newest_.value + 1} : found->message.sequence;
}

/// Removes the message at `place`, which is the oldest of its subject.
void message_log::remove(std::size_t place) {
  auto& x = slots_[place];
  const auto removed = std::move(x.message);
  const auto successor = x.successor;
  ensure(x.stream && x.stream->oldest == removed.sequence, "the oldest of a subject goes first");
  x.stream->oldest = successor;
  if (--x.stream->count == 0)
    streams_.remove(removed.subject);
  bytes_ -= bytes_of(removed);
  x.message = {{}, removed.sequence, removed.time, {}}; // By these, others are found.
  x.stream = nullptr;
  ++holes_;
  tidy();
  if (on_removed_)
    on_removed_({removed, successor});
}

/// Frees the holes at the front, and all when they are many.
void message_log::tidy() {
  for (; !slots_.empty() && !slots_.front().stream; --holes_) {
    going_back_ -= slots_.front().goes_back ? 1 : 0;
    slots_.pop_front();
  }
  constexpr std::size_t few = 1'024;
  if (holes_ > few && holes_ * 4 > slots_.size()) {
    std::erase_if(slots_, [](const slot& x) { return !x.stream; });
    going_back_ = static_cast<std::size_t>(std::ranges::count_if(slots_, &slot::goes_back));
    holes_ = 0;
  }
}

} // namespace trunnion
