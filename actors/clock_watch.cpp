#include "trunnion/actors/clock_watch.hpp"

#include <caf/actor_registry.hpp>

#include <algorithm>
#include <map>

namespace trunnion {
namespace {

class clock_watch_state {
public:
  using impl = clock_watch_actor;
  static constexpr const char* name = "clock_watch";

  explicit clock_watch_state(impl::pointer self) : self_(self) {}

  ~clock_watch_state() {
    auto& registry = self_->system().registry();
    if (registry.get<caf::strong_actor_ptr>(clock_watch_name) == self_->ctrl())
      registry.erase(clock_watch_name);
  }

  clock_watch_state(const clock_watch_state&) = delete;
  clock_watch_state& operator=(const clock_watch_state&) = delete;

  impl::behavior_type make_behavior() {
    return {
      [this](const watch_clock&) { add(self_->current_sender()); },
      [this](const unwatch_clock&) { remove(self_->current_sender()); },
      [this](const clock_jumped& x) { tell(x); },
    };
  }

private:
  void add(const caf::strong_actor_ptr& who) {
    if (!who)
      return;
    if (subscribers_.size() >= prune_at_) {
      std::erase_if(subscribers_, [](const auto& x) { return !lock(x.second); });
      prune_at_ = std::max(least_prune, 2 * subscribers_.size());
    }
    subscribers_.emplace(who->id(), caf::actor_cast<caf::actor_addr>(who));
  }

  void remove(const caf::strong_actor_ptr& who) {
    if (who)
      subscribers_.erase(who->id());
  }

  void tell(const clock_jumped& x) {
    std::erase_if(subscribers_, [&](const auto& entry) {
      const auto who = lock(entry.second);
      if (who)
        caf::anon_send(caf::actor_cast<caf::actor>(who), x);
      return !who;
    });
  }

  static caf::strong_actor_ptr lock(const caf::actor_addr& x) {
    return caf::actor_cast<caf::strong_actor_ptr>(x);
  }

  static constexpr std::size_t least_prune = 1024;

  impl::pointer self_;
  std::map<caf::actor_id, caf::actor_addr> subscribers_; // Weak; told in the order of their start.
  std::size_t prune_at_ = least_prune;
};

} // namespace

clock_watch_actor spawn_clock_watch(caf::actor_system& sys) {
  auto result = spawn_state<clock_watch_state>(sys);
  sys.registry().put(clock_watch_name, result);
  return result;
}

} // namespace trunnion
