#include "trunnion/backends/memory/store.hpp"

namespace trunnion {

outcome<published> memory_store::publish(trunnion::publish x, const moment& at) {
  const auto valid
    = check_stream(x.subject).and_then([&] { return check_payload(x.subject, x.payload); });
  if (!valid)
    return tl::unexpected{valid.error()};
  const auto& kept = log.append(std::move(x.subject), std::move(x.payload), at.wall, at.now);
  return published{keys.epoch(), kept.sequence};
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
