#include "trunnion/actors/monitor_hub.hpp"

#include <map>
#include <unordered_map>

namespace trunnion {
namespace {

class monitor_hub_state {
public:
  using impl = monitor_hub_actor::extend<takes<monitor_idle>>;
  static constexpr const char* name = "monitor_hub";

  monitor_hub_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                    const caf::strong_actor_ptr& owner)
    : self_(self), rt_(rt), backend_(backend), owner_(caf::actor_cast<caf::actor_addr>(owner)) {
    if (owner)
      self_->monitor(owner);
  }

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x); });
    return {
      [this](const open_monitor& x) { return on_open(x.pattern); },
      [this](const monitor_idle& x) { on_idle(x.pattern); },
    };
  }

private:
  struct kept {
    kv_monitor_actor monitor;
    instant handed; // When it was last given to somebody.
  };

  caf::result<monitor_handle> on_open(const subject& pattern) {
    if (!pattern.is_name() && !pattern.is_pattern())
      return to_error(error_code::invalid_subject, "a monitor takes a name, `*` or `>`",
                      pattern.text());
    const auto found = monitors_.find(pattern);
    if (found != monitors_.end()) {
      found->second.handed = rt_.time.now();
      return monitor_handle{found->second.monitor};
    }
    if (monitors_.size() >= rt_.bounds.watches_per_client) {
      rt_.metrics.count("monitor_hub_refused");
      return to_error(error_code::overloaded, "too many patterns are monitored", pattern.text());
    }
    auto monitor = spawn_shared_kv_monitor(self_->system(), rt_, backend_, pattern, self_);
    self_->monitor(monitor);
    patterns_.emplace(monitor.address(), pattern);
    monitors_.emplace(pattern, kept{monitor, rt_.time.now()});
    return monitor_handle{std::move(monitor)};
  }

  /// A monitor is unused, unless it was given away since it said so.
  void on_idle(const subject& pattern) {
    const auto found = monitors_.find(pattern);
    if (found == monitors_.end() || found->second.monitor != self_->current_sender()
        || rt_.time.now() < found->second.handed + monitor_idle_limit)
      return;
    self_->send_exit(found->second.monitor, caf::exit_reason::user_shutdown);
    forget(found->second.monitor.address());
  }

  void on_down(const caf::down_msg& x) {
    if (x.source == owner_)
      self_->quit(x.reason);
    else
      forget(x.source);
  }

  void forget(const caf::actor_addr& monitor) {
    const auto found = patterns_.find(monitor);
    if (found == patterns_.end())
      return;
    monitors_.erase(found->second);
    patterns_.erase(found);
  }

  impl::pointer self_;
  runtime rt_;
  backend_actor backend_;
  caf::actor_addr owner_; // Weak: a hub keeps nobody alive but its monitors.
  std::map<subject, kept> monitors_;
  std::unordered_map<caf::actor_addr, subject>
    patterns_; // Of the monitors, to find them by address.
};

} // namespace

monitor_hub_actor spawn_monitor_hub(caf::actor_system& sys, const runtime& rt,
                                    const backend_actor& backend,
                                    const caf::strong_actor_ptr& owner) {
  return spawn_state<monitor_hub_state>(sys, rt, backend, owner);
}

} // namespace trunnion
