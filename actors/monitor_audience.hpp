// The subscribers of a monitor, and the sending of parts to them.
//
// A change usually goes to all of them alike. Those that are at the same number of their parts
// share one message, so that a delivery costs a place in a mailbox, and no copy. One that is slow,
// or in its snapshot, is served from its own feed, and delays no other.
//
// Subscribers are held weakly: a monitor keeps nobody alive.
// Threads: used by the monitor, kept in its state.

#pragma once

#include "trunnion/actors/monitor_feed.hpp"
#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

class monitor_audience {
public:
  /// `self` is the actor that sends.
  explicit monitor_audience(caf::local_actor* self) : self_(self) {}

  [[nodiscard]] std::size_t size() const { return subscribers_.size(); }
  [[nodiscard]] bool has(const caf::actor_addr& who) const { return serials_.contains(who); }

  /// Adds a subscriber, or starts over with one that is there.
  void add(const caf::actor_addr& who, std::uint64_t credit);

  /// Whether it was there.
  bool remove(const caf::actor_addr& who);

  /// Tells everybody that `view` has changed by `changes`, and now stands at `at`.
  void tell(const view_changes& changes, const monitor_view& view, const view_position& at,
            instant now);

  /// Keeps `changes` for everybody; `feed_all` is to follow once the view can be shown.
  void hold(const view_changes& changes);

  /// Sends everybody what it can take.
  void feed_all(const monitor_view& view, const view_position& at, instant now);

  /// Sends `who`, if it is there, what it can take after it was granted credit.
  void on_credit(const caf::actor_addr& who, std::uint64_t up_to) {
    if (auto* x = find(who))
      x->feed.on_credit(up_to);
  }
  void feed(const caf::actor_addr& who, const monitor_view& view, const view_position& at,
            instant now) {
    if (auto* x = find(who))
      feed(*x, view, at, now);
  }

  void tell(const monitor_health& x);

  /// Changes that wait for credit.
  [[nodiscard]] std::uint64_t pending() const;

private:
  struct subscriber {
    caf::actor_addr who;
    monitor_feed feed;
  };

  [[nodiscard]] subscriber* find(const caf::actor_addr& who);
  void feed(subscriber& x, const monitor_view& view, const view_position& at, instant now);
  void send(const caf::actor_addr& who, const caf::message& content);

  caf::local_actor* self_;
  std::map<std::uint64_t, subscriber> subscribers_; // In the order of their subscriptions.
  std::unordered_map<caf::actor_addr, std::uint64_t> serials_;
  std::uint64_t last_serial_ = 0;
};

} // namespace trunnion
