// Those who wait until a monitor's view is complete, or fulfils a predicate.
//
// Bound: `max_monitor_waiters`; the actor refuses one more. Each waits until its deadline at most,
// and whoever is left is answered when this is destroyed, since its promises are guarded. Clock:
// none inside; calls take `now`. Threads: used by the monitor, kept in its state.

#pragma once

#include "trunnion/messages/errors.hpp"
#include "trunnion/messages/monitor.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"

#include <set>

namespace trunnion {

inline constexpr std::size_t max_monitor_waiters = 1'024;

using view_predicate = std::function<bool(const entry_map&)>;

/// Whether a user's predicate holds. Without one it does; one that throws is `invalid_argument`.
[[nodiscard]] outcome<bool> fulfils(const view_predicate& predicate, const entry_map& view);

class monitor_waiters {
public:
  struct waiter {
    promise_guard<monitor_entries> promise;
    view_predicate predicate; ///< None: any complete view will do.
    instant deadline;
  };

  [[nodiscard]] bool is_full() const { return waiters_.size() >= max_monitor_waiters; }
  [[nodiscard]] std::size_t size() const { return waiters_.size(); }

  void add(waiter x);

  /// Answers those whose predicate `view`, which is complete, fulfils, with what `make_answer`
  /// gives.
  void look(const entry_map& view, const std::function<monitor_entries()>& make_answer);

  /// Answers those whose deadline has passed with `timeout`.
  void expire(instant now, const subject& pattern);

  [[nodiscard]] std::optional<instant> next_due() const {
    return deadlines_.empty() ? std::nullopt : std::optional{deadlines_.begin()->first};
  }

private:
  using waiter_id = std::uint64_t;
  using waiter_map = std::map<waiter_id, waiter>;

  waiter_map::iterator erase(waiter_map::iterator i);

  waiter_map waiters_; // In the order in which they came.
  std::set<std::pair<instant, waiter_id>> deadlines_;
  waiter_id last_id_ = 0;
};

} // namespace trunnion
