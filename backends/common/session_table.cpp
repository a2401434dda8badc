#include "trunnion/backends/common/session_table.hpp"

#include "trunnion/messages/ensure.hpp"

namespace trunnion {

session_id session_table::hold(const caf::strong_actor_ptr& who) {
  ensure(who != nullptr, "a session is an actor");
  if (const auto known = known_.find(who.get()); known != known_.end()) {
    hold(known->second);
    return known->second;
  }
  session_id id{static_cast<std::uint32_t>(sessions_.size())};
  if (free_.empty()) {
    sessions_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  auto& x = sessions_[id.value];
  x.address = caf::actor_cast<caf::actor_addr>(who);
  x.key = who.get();
  x.held = 1;
  known_.emplace(x.key, id);
  self_->monitor(x.address);
  return id;
}

void session_table::release(session_id id) {
  auto& x = sessions_[id.value];
  ensure(x.held > 0, "what is released is held");
  if (--x.held > 0)
    return;
  ++idle_;
  if (!std::exchange(x.queued, true))
    resting_.push_back(id);
  if (resting_.size() <= max_idle)
    return;
  const auto oldest = resting_.front();
  resting_.pop_front();
  auto& y = sessions_[oldest.value];
  y.queued = false;
  if (y.held > 0)
    return;
  self_->demonitor(y.address);
  forget(oldest);
}

std::optional<session_id> session_table::find(const caf::actor_addr& who) const {
  const auto known = known_.find(caf::actor_cast<caf::actor_control_block*>(who));
  return known == known_.end() ? std::nullopt : std::optional{known->second};
}

void session_table::drop(session_id id) {
  auto& x = sessions_[id.value];
  ensure(x.held == 1, "a session that ended has left every table");
  ++idle_;
  if (x.queued)
    std::erase(resting_, id);
  forget(id);
}

void session_table::forget(session_id id) {
  auto& x = sessions_[id.value];
  known_.erase(x.key);
  x = {};
  free_.push_back(id);
  --idle_;
}

} // namespace trunnion
