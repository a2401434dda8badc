#include "trunnion/backends/memory/durables.hpp"

#include "trunnion/backends/common/checks.hpp"

namespace trunnion {

outcome<stream_opening> durable_table::open(const std::string& name, const subject& pattern,
                                            const stream_place& if_new) {
  if (auto valid = check_durable(name); !valid)
    return tl::unexpected{valid.error()};
  auto known = durables_.find(name);
  const bool is_known = known != durables_.end();
  if (is_known && known->second.pattern != pattern)
    return fail(error_code::invalid_argument,
                "the durable consumer '" + name + "' reads " + known->second.pattern.text(),
                pattern.text());
  if (!is_known) {
    if (durables_.size() >= max_durables) {
      ++refused_;
      return fail(error_code::overloaded, "there are too many durable consumers", pattern.text());
    }
    known = durables_.emplace(name, durable{pattern, if_new, {}}).first;
    known->second.seat = by_pattern_.add(pattern, known->second);
  }
  return stream_opening{
    .place = known->second.place, .skipped = known->second.removed.total(), .resumed = is_known};
}

outcome<sequence> durable_table::acknowledge(const std::string& name, sequence up_to,
                                             sequence newest) {
  const auto known = durables_.find(name);
  if (known == durables_.end())
    return fail(error_code::invalid_argument, "there is no durable consumer '" + name + "'");
  auto& [pattern, place, removed, seat] = known->second;
  up_to = std::min(up_to, newest);
  if (up_to >= place.from) {
    place.from = {up_to.value + 1};
    removed.forget_up_to(up_to);
  }
  return sequence{place.from.value - 1};
}

bool durable_table::drop(const std::string& name) {
  const auto known = durables_.find(name);
  if (known == durables_.end())
    return false;
  by_pattern_.remove(known->second.seat);
  durables_.erase(known);
  return true;
}

void durable_table::on_removed(const removed_message& x) {
  by_pattern_.match(x.message.subject, [&](durable& y) {
    if (y.place.takes(x.message.sequence, x.successor))
      y.removed.add(x.message.sequence);
  });
}

} // namespace trunnion
