// A monitor's picture of the store: the live entries, in the order of their subjects.
//
// An entry tells the time that it has left at the moment of answering. A picture is looked at
// later, so it also keeps when each entry with a TTL was learned, and `copy_of` takes off what has
// passed.
//
// Clock: none inside; calls take `now`. Threads: one user at a time.

#pragma once

#include "trunnion/messages/monitor.hpp"

#include <algorithm>
#include <unordered_map>

namespace trunnion {

class monitor_view {
public:
  [[nodiscard]] const entry_map& entries() const { return entries_; }

  /// The entry of `key`, or null. Stays where it is until the key is erased.
  [[nodiscard]] const entry* find(const subject& key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }

  /// Puts a live entry in, learned at `now`.
  const entry& put(const entry& x, instant now) {
    auto& kept = entries_[x.subject];
    kept = x;
    kept.skipped_delete = false; // Said once, to those who are told of the change.
    on_time_left(kept, x.time_left, now);
    return kept;
  }

  /// The same write was told again: only what it has left is news.
  void refresh_time_left(const entry& x, instant now) {
    if (const auto found = entries_.find(x.subject); found != entries_.end())
      on_time_left(found->second, x.time_left, now);
  }

  void erase(const subject& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end())
      return;
    learned_.erase(&found->second);
    entries_.erase(found);
  }

  /// `x`, which is one of these entries, with the time that it has left at `now`.
  [[nodiscard]] entry copy_of(const entry& x, instant now) const {
    auto result = x;
    if (const auto found = learned_.find(&x); found != learned_.end())
      result.time_left = std::max(nanoseconds{}, *x.time_left - (now - found->second));
    return result;
  }

private:
  void on_time_left(entry& kept, std::optional<nanoseconds> time_left, instant now) {
    kept.time_left = time_left;
    if (time_left)
      learned_[&kept] = now;
    else
      learned_.erase(&kept);
  }

  entry_map entries_;
  std::unordered_map<const entry*, instant> learned_; // Of those with a TTL; only looked up.
};

} // namespace trunnion
