#include "trunnion/backends/memory/store.hpp"

namespace trunnion {

memory_store::memory_store(trunnion::epoch life, const memory_options& options)
  : keys(life, options.tombstones), log(options.streams) {
  log.on_removed([this](const removed_message& x) {
    durables.on_removed(x);
    if (on_removed_)
      on_removed_(x);
  });
}

outcome<published> memory_store::publish(trunnion::publish x, const moment& at) {
  const auto valid
    = check_stream(x.subject).and_then([&] { return check_payload(x.subject, x.payload); });
  if (!valid)
    return tl::unexpected{valid.error()};
  const auto& kept = log.append(std::move(x.subject), std::move(x.payload), at.wall, at.now);
  return published{keys.epoch(), kept.sequence};
}

outcome<stream_opening> memory_store::open_consumer(const consume& x) {
  if (auto valid = check_consumed(x.pattern); !valid)
    return tl::unexpected{valid.error()};
  const auto begin = log.place_of(x);
  if (!begin)
    return fail(error_code::invalid_argument, "a start that is not known here", x.pattern.text());
  auto result = x.durable.empty() ? outcome<stream_opening>{stream_opening{.place = *begin}}
                                  : durables.open(x.durable, x.pattern, *begin);
  if (result) {
    const auto& [from, latest_at] = result->place;
    result->at_tail = from > log.newest();
    result->after = std::max(sequence{from.value - 1}, latest_at);
  }
  return result;
}

outcome<stream_acked> memory_store::acknowledge(const stream_ack& x) {
  return durables.acknowledge(x.durable, x.up_to, log.newest()).map([](sequence up_to) {
    return stream_acked{up_to};
  });
}

outcome<stream_subjects> memory_store::list(const list_streams& x) const {
  if (x.at_most == 0)
    return fail(error_code::invalid_argument, "a page has at least one subject", x.entity.text());
  return log.list(x);
}

void memory_store::run_timers(const moment& at, std::size_t steps) {
  keys.run_timers(at, steps);
  log.run_timers(at.now, steps);
}

std::optional<instant> memory_store::next_due() const {
  const auto a = keys.next_due(), b = log.next_due();
  if (!a || !b)
    return a ? a : b;
  return std::min(*a, *b);
}

} // namespace trunnion
