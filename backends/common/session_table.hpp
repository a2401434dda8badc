// The sessions of a backend: which actors have something at it, and when they end.
//
// A backend keeps sinks, requests and services in tables of their own, and one actor may stand in
// several. CAF counts each call of `monitor` by itself, and one `demonitor` takes all of them back;
// tables that monitored on their own would end each other's. So they say here what they hold of an
// actor and what they release, and the actor is monitored once as long as anything is held.
//
// Monitoring costs an allocation and a lock at the other actor, which a caller that asks one
// request after the other would pay each time. So the latest `max_idle` sessions of which nothing
// is held stay monitored.
//
// Actors are held weakly: a backend keeps nobody alive. Threads: used by one actor, its owner.

#pragma once

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/scheduled_actor.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace trunnion {

/// Names a session as long as something of it is held, and until its end is dealt with.
struct session_id {
  std::uint32_t value = 0;
  auto operator<=>(const session_id&) const = default;
};

class session_table {
public:
  static constexpr std::size_t max_idle = 1'024;

  explicit session_table(caf::scheduled_actor* self) : self_(self) {}
  session_table(const session_table&) = delete;
  session_table& operator=(const session_table&) = delete;

  /// One more thing of `who`, an actor, is held. One that has ended already ends now.
  session_id hold(const caf::strong_actor_ptr& who);
  void hold(session_id x) { idle_ -= sessions_[x.value].held++ == 0 ? 1 : 0; }

  /// One thing less is held of it.
  void release(session_id x);

  [[nodiscard]] std::optional<session_id> find(const caf::actor_addr& who) const;

  /// The actor has ended: `leave(session_id)` takes it out of all tables, if it is known.
  template <class Leave> void end(const caf::actor_addr& who, Leave leave) {
    const auto id = find(who);
    if (!id)
      return;
    hold(*id); // Until all tables have dealt with it.
    leave(*id);
    drop(*id);
  }

  /// Whether `who` is this session.
  [[nodiscard]] bool is(session_id x, const caf::strong_actor_ptr& who) const {
    return who && sessions_[x.value].key == who.get();
  }

  /// To send something to it; null if it is gone.
  [[nodiscard]] caf::strong_actor_ptr lock(session_id x) const {
    return caf::actor_cast<caf::strong_actor_ptr>(sessions_[x.value].address);
  }

  /// Whether something of `who` is held.
  [[nodiscard]] bool holds(const caf::actor_addr& who) const {
    const auto known = find(who);
    return known && sessions_[known->value].held > 0;
  }

  /// Sessions of which something is held.
  [[nodiscard]] std::size_t size() const { return known_.size() - idle_; }

private:
  using key = const caf::actor_control_block*; // Stays one actor's while its address is kept.

  struct session {
    caf::actor_addr address;
    session_table::key key = nullptr;
    std::size_t held = 0;
    bool queued = false; // It is in `resting_`.
  };

  void drop(session_id x);
  void forget(session_id x);

  caf::scheduled_actor* self_;
  std::vector<session> sessions_;
  std::vector<session_id> free_;
  std::unordered_map<key, session_id> known_;
  std::deque<session_id> resting_; // Each once; some may be in use again.
  std::size_t idle_ = 0;           // Known ones of which nothing is held.
};

} // namespace trunnion
