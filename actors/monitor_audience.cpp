#include "trunnion/actors/monitor_audience.hpp"

#include <caf/make_message.hpp>

namespace trunnion {

void monitor_audience::add(const caf::actor_addr& who, std::uint64_t credit) {
  if (auto* x = find(who)) {
    x->feed = monitor_feed{credit};
    return;
  }
  serials_.emplace(who, ++last_serial_);
  subscribers_.emplace(last_serial_, subscriber{who, monitor_feed{credit}});
}

bool monitor_audience::remove(const caf::actor_addr& who) {
  const auto found = serials_.find(who);
  if (found == serials_.end())
    return false;
  subscribers_.erase(found->second);
  serials_.erase(found);
  return true;
}

void monitor_audience::tell(const view_changes& changes, const monitor_view& view,
                            const view_position& at, instant now) {
  if (changes.entries.empty())
    return;
  std::map<std::uint64_t, caf::message> made; // By the number of the part.
  for (auto& [serial, x] : subscribers_) {
    const auto number = x.feed.pass(changes, at);
    if (!number) {
      x.feed.hold(changes);
      feed(x, view, at, now);
      continue;
    }
    auto& content = made[*number];
    if (content.empty())
      content = caf::make_message(monitor_part{.seq = *number,
                                               .kind = part_kind::change,
                                               .revision = at.revision,
                                               .entries = changes.entries,
                                               .epoch = at.epoch});
    send(x.who, content);
  }
}

void monitor_audience::hold(const view_changes& changes) {
  for (auto& [serial, x] : subscribers_)
    x.feed.hold(changes);
}

void monitor_audience::feed_all(const monitor_view& view, const view_position& at, instant now) {
  for (auto& [serial, x] : subscribers_)
    feed(x, view, at, now);
}

void monitor_audience::tell(const monitor_health& x) {
  const auto content = caf::make_message(x);
  for (const auto& [serial, subscriber] : subscribers_)
    send(subscriber.who, content);
}

std::uint64_t monitor_audience::pending() const {
  std::uint64_t result = 0;
  for (const auto& [serial, x] : subscribers_)
    result += x.feed.pending();
  return result;
}

monitor_audience::subscriber* monitor_audience::find(const caf::actor_addr& who) {
  const auto found = serials_.find(who);
  return found == serials_.end() ? nullptr : &subscribers_.at(found->second);
}

void monitor_audience::feed(subscriber& x, const monitor_view& view, const view_position& at,
                            instant now) {
  while (auto part = x.feed.next(view, at, now))
    send(x.who, caf::make_message(*std::move(part)));
}

/// Not the typed `send`: it would make a message of its own for each receiver.
void monitor_audience::send(const caf::actor_addr& who, const caf::message& content) {
  if (const auto sink = caf::actor_cast<caf::strong_actor_ptr>(who))
    sink->enqueue(self_->ctrl(), caf::make_message_id(), content, self_->context());
}

} // namespace trunnion
