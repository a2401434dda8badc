#include "trunnion/backends/memory/removed_count.hpp"

#include <algorithm>

namespace trunnion {

void removed_count::add(sequence x) {
  ++total_;
  const auto at = std::ranges::lower_bound(runs_, x.value, {}, &run::last); // Mostly the end.
  if (at != runs_.end() && at->first <= x.value) {                          // Within a merged one.
    ++at->count;
    return;
  }
  if (at != runs_.begin() && std::prev(at)->last + 1 == x.value) {
    std::prev(at)->last = x.value;
    ++std::prev(at)->count;
    return;
  }
  if (at != runs_.end() && at->first == x.value + 1) {
    at->first = x.value;
    ++at->count;
    return;
  }
  runs_.insert(at, {x.value, x.value, 1});
  if (runs_.size() > max_runs)
    merge();
}

void removed_count::forget_up_to(sequence x) {
  auto at = runs_.begin();
  for (; at != runs_.end() && at->last <= x.value; ++at)
    total_ -= at->count;
  if (at != runs_.end() && at->first <= x.value) {
    const auto left = std::min(at->count, at->last - x.value);
    total_ -= at->count - left;
    at->count = left;
    at->first = x.value + 1;
  }
  runs_.erase(runs_.begin(), at);
}

/// Makes one run of each two.
void removed_count::merge() {
  std::vector<run> merged;
  for (std::size_t i = 0; i + 1 < runs_.size(); i += 2)
    merged.push_back({runs_[i].first, runs_[i + 1].last, runs_[i].count + runs_[i + 1].count});
  if (runs_.size() % 2 == 1)
    merged.push_back(runs_.back());
  runs_ = std::move(merged);
}

} // namespace trunnion
