#include "trunnion/backends/faulty/session_link.hpp"

namespace trunnion {

session_link::session_link(const fault_dice& dice, std::uint64_t session, instant stalled_until,
                           std::function<void(fault_kind)> count)
  : dice_(dice), session_(session), stalled_until_(stalled_until), count_(std::move(count)) {}

bool session_link::strikes(fault_kind kind, message_place at) {
  const bool result = dice_.strikes(kind, at);
  if (result)
    count_(kind);
  return result;
}

nanoseconds session_link::delay_of(message_place x) {
  return strikes(fault_kind::delay, x) ? dice_.length(fault_kind::delay, x) : nanoseconds{};
}

void session_link::travel(way to, message_place x, bool in_order, instant now, arrival arrive) {
  auto& newest = at(to).newest;
  auto due = now + delay_of(x);
  if (in_order)
    due = std::max(due, newest);
  newest = std::max(newest, due);
  hold(due, now, std::move(arrive));
}

void session_link::copy(way to, message_place of, instant now, arrival arrive) {
  const message_place x{3 * session_ + 2, 2 * of.n + (to == way::to_client ? 1 : 0)};
  hold(std::max(now, at(to).newest) + delay_of(x), now, std::move(arrive));
}

void session_link::hold(instant due, instant now, arrival arrive) {
  if (due <= now && under_way_.size() == 0 && stalled_until_ <= now)
    return arrive();
  under_way_.add(due, std::move(arrive));
  run(now);
}

void session_link::run(instant now) {
  if (stalled_until_ > now)
    return;
  while (const auto arrive = under_way_.pop_due(now))
    (*arrive)();
}

void session_link::release() {
  while (const auto arrive = under_way_.pop_due(instant::max()))
    (*arrive)();
}

std::optional<instant> session_link::next_due() const {
  const auto due = under_way_.next_due();
  return due ? std::optional{std::max(*due, stalled_until_)} : std::nullopt;
}

} // namespace trunnion
