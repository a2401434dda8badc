#include "trunnion/runner/orderly_stop.hpp"

#include <algorithm>
#include <utility>

namespace trunnion {

std::vector<std::size_t> orderly_stop::next(const std::function<bool(std::size_t)>& only_waits) {
  std::vector<std::size_t> result;
  const auto ask = [&](std::size_t instance, leaver& x) {
    if (!std::exchange(x.is_asked, true))
      result.push_back(instance);
  };
  bool any_first = false;
  for (auto& [instance, x] : left_) {
    x.goes_first = x.goes_first || (!x.is_asked && only_waits(instance));
    if (x.goes_first)
      ask(instance, x);
    any_first = any_first || x.goes_first;
  }
  if (any_first || left_.empty())
    return result;
  std::size_t last = 0;
  for (const auto& [instance, x] : left_)
    last = std::max(last, x.order);
  for (auto& [instance, x] : left_)
    if (x.order == last)
      ask(instance, x);
  return result;
}

std::vector<std::size_t> orderly_stop::overdue(instant now) {
  std::vector<std::size_t> result;
  if (was_killed_ || left_.empty() || now < kill_at_)
    return result;
  was_killed_ = true;
  for (const auto& [instance, x] : left_)
    result.push_back(instance);
  return result;
}

} // namespace trunnion
