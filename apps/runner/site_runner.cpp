#include "trunnion/runner/site_runner.hpp"

#include "trunnion/messages/runtime/promise_guard.hpp"
#include "trunnion/runner/restart_intensity.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace trunnion {

/// Private: an instance is to start again.
struct restart_tick {
  std::size_t instance;
};

/// Private: the time for an orderly end is over; the second says that nothing more is waited for.
struct stop_tick {
  bool is_last;
};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::restart_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::stop_tick)

namespace trunnion {
namespace {

constexpr nanoseconds kill_patience = std::chrono::seconds{1};
constexpr nanoseconds ask_timeout = std::chrono::seconds{5};
constexpr std::size_t max_service_waiters = 10'000;

/// One instance of a service.
struct instance {
  service_spec spec;
  std::uint32_t number = 0; ///< 0, and 1 and up for standbys.
  std::size_t order = 0;    ///< Of its service's start.
  restart_intensity intensity;
  service_actor actor = {};
  service_phase phase = service_phase::waiting;
  bool is_asked = false;    ///< To stop.
  bool stops_first = false; ///< It was waiting when it was asked, and others wait for its end.

  [[nodiscard]] bool is_alive() const { return actor != nullptr; }
  [[nodiscard]] std::string label() const {
    return spec.name + (number == 0 ? "" : "#" + std::to_string(number));
  }
};

class site_runner_state {
public:
  using impl
    = site_runner_actor::extend<takes<service_event>, takes<restart_tick>, takes<stop_tick>>;
  static constexpr const char* name = "site";

  site_runner_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                    const kind_registry* kinds, device_directory* devices,
                    const site_run_options& options)
    : self_(self),
      rt_(rt),
      backend_(backend),
      kinds_(*kinds),
      devices_(*devices),
      options_(options) {
    std::size_t order = 0;
    for (const auto* spec : options_.site.start_order()) {
      if (!options_.only.empty()
          && std::ranges::find(options_.only, spec->name) == options_.only.end())
        continue;
      for (std::uint32_t i = 0; i <= spec->standby; ++i)
        instances_.push_back({*spec, i, order, restart_intensity{spec->restart}});
      ++order;
    }
  }

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x); });
    self_->set_exit_handler([this](const caf::exit_msg&) { stop(); });
    for (std::size_t i = 0; i < instances_.size(); ++i)
      start(i);
    return {
      [this](const site_stop&) {
        auto answer = wait_ended();
        stop();
        return answer;
      },
      [this](const site_wait_ended&) { return wait_ended(); },
      [this](const site_kill& x) { return on_kill(x); },
      [this](const await_service& x) { return on_await(x); },
      [this](const service_event& x) { on_event(x); },
      [this](const restart_tick& x) {
        --starts_pending_;
        if (!is_stopping_)
          start(x.instance);
      },
      [this](const stop_tick& x) { x.is_last ? end() : kill_all(); },
    };
  }

private:
  // -- starting ---------------------------------------------------------------

  void start(std::size_t i) {
    auto& x = instances_[i];
    const auto entity = entity::parse(options_.site.entity_of(x.spec));
    auto parts = !entity ? outcome<service_parts>{tl::unexpected{entity.error()}}
                         : kinds_.make({options_.site, x.spec, *entity, devices_});
    if (!parts)
      return give_up(i, to_string(parts.error()));
    auto started
      = start_service(self_->system(), rt_, backend_,
                      {.info = {x.spec.name, "1"},
                       .entity = *entity,
                       .instance = x.number,
                       .waits_for_lease = true,
                       .ttl = x.spec.lease.ttl,
                       .grace = x.spec.lease.grace,
                       .owner = options_.owner,
                       .further_leases = std::move(parts->further_leases),
                       .depends_on = x.spec.depends_on,
                       .services = service_source{caf::actor_cast<service_source>(self_)},
                       .members = std::move(parts->members),
                       .stop_timeout = options_.site.defaults.stop_timeout,
                       .parent = caf::actor_cast<caf::strong_actor_ptr>(self_),
                       .watcher = options_.watcher});
    if (!started)
      return give_up(i, to_string(started.error()));
    x.actor = *started;
    x.phase = service_phase::waiting;
    by_address_[x.actor.address()] = i;
    self_->monitor(x.actor);
    self_->request(x.actor, ask_timeout, service_subscribe{})
      .then([](const service_status&) {}, [](const caf::error&) {}); // Its end is told anyway.
  }

  void give_up(std::size_t i, const std::string& why) {
    log(log_level::error, instances_[i].label() + " stays down: " + why);
    report_.down.push_back(instances_[i].label());
    end_if_all_ended();
  }

  void on_event(const service_event& x) {
    const auto found = by_address_.find(caf::actor_cast<caf::actor_addr>(self_->current_sender()));
    if (found == by_address_.end())
      return;
    auto& i = instances_[found->second];
    i.phase = x.phase;
    if (options_.listener)
      self_->send(options_.listener, x);
    if (x.phase == service_phase::running)
      answer_waiting(i);
    if (is_stopping_)
      stop_next();
  }

  // -- services that others depend on -----------------------------------------

  caf::result<running_service> on_await(const await_service& x) {
    for (const auto& i : instances_)
      if (i.spec.name == x.name && i.is_alive() && i.phase == service_phase::running)
        return running_service{caf::actor_cast<caf::actor>(i.actor)};
    if (std::ranges::none_of(instances_, [&](const auto& i) { return i.spec.name == x.name; }))
      return to_error(error_code::key_not_found, "no such service in this site", x.name);
    if (waiting_count_ >= max_service_waiters)
      return to_error(error_code::overloaded, "too many wait for services", x.name);
    ++waiting_count_;
    auto promise = self_->make_response_promise<running_service>();
    waiting_[x.name].emplace_back(promise, to_error(error_code::shutting_down, "the site is over"));
    return promise;
  }

  void answer_waiting(const instance& i) {
    auto node = waiting_.extract(i.spec.name);
    if (node.empty())
      return;
    waiting_count_ -= node.mapped().size();
    for (auto& waiter : node.mapped())
      waiter.deliver(running_service{caf::actor_cast<caf::actor>(i.actor)});
  }

  // -- failures ---------------------------------------------------------------

  void on_down(const caf::down_msg& x) {
    const auto found = by_address_.find(x.source);
    if (found == by_address_.end())
      return;
    const auto index = found->second;
    by_address_.erase(found);
    auto& i = instances_[index];
    i.actor = nullptr;
    i.phase = x.reason ? service_phase::failed : service_phase::stopped;
    if (is_stopping_)
      return stop_next();
    const auto policy = i.spec.restart.policy;
    if (policy == restart_when::never || (policy == restart_when::on_failure && !x.reason))
      return end_if_all_ended();
    const auto pause = i.intensity.on_failure(rt_.time.now(), rt_.random.next());
    if (!pause)
      return give_up(index, "it failed " + std::to_string(i.spec.restart.max + 1)
                              + " times in too short a time");
    ++report_.restarts;
    ++starts_pending_;
    const auto ms = std::chrono::duration_cast<milliseconds>(*pause).count();
    log(log_level::warn, i.label() + " starts again in " + std::to_string(ms) + " ms");
    self_->delayed_send(self_, *pause, restart_tick{index});
  }

  caf::result<site_killed> on_kill(const site_kill& x) {
    for (const auto& i : instances_)
      if (i.spec.name == x.service && i.is_alive() && i.phase == service_phase::running) {
        log(log_level::warn, "drill: " + i.label() + " is killed");
        caf::anon_send_exit(i.actor, caf::exit_reason::kill);
        return site_killed{};
      }
    return to_error(error_code::key_not_found, "no running service of this name", x.service);
  }

  // -- the end ----------------------------------------------------------------

  caf::result<site_end> wait_ended() {
    if (waiters_.size() >= rt_.bounds.subscribers)
      return to_error(error_code::overloaded, "too many wait for the end");
    auto promise = self_->make_response_promise<site_end>();
    waiters_.emplace_back(promise, to_error(error_code::cancelled, "the runner was killed"));
    return promise;
  }

  void stop() {
    if (std::exchange(is_stopping_, true))
      return;
    log(log_level::info, "stops");
    waiting_.clear(); // Answers those that wait for a service.
    self_->delayed_send(self_, options_.site.defaults.stop_timeout, stop_tick{.is_last = false});
    stop_next();
  }

  /// Stops the standbys, then the running instances of the last service, and so on.
  void stop_next() {
    bool any_idle = false;
    for (auto& i : instances_) {
      i.stops_first = i.is_alive() && (i.stops_first || i.phase == service_phase::waiting);
      if (i.stops_first)
        ask_to_stop(i);
      any_idle |= i.stops_first;
    }
    if (any_idle)
      return;
    const auto last = std::ranges::max_element(
      instances_, {}, [](const instance& i) { return i.is_alive() ? i.order + 1 : 0; });
    if (last == instances_.end() || !last->is_alive())
      return end();
    const auto order = last->order;
    for (auto& i : instances_)
      if (i.is_alive() && i.order == order)
        ask_to_stop(i);
  }

  void ask_to_stop(instance& i) {
    if (!std::exchange(i.is_asked, true))
      caf::anon_send_exit(i.actor, caf::exit_reason::user_shutdown);
  }

  void kill_all() {
    for (auto& i : instances_)
      if (i.is_alive()) {
        report_.killed.push_back(i.label());
        log(log_level::error, i.label() + " did not end in time and is killed");
        caf::anon_send_exit(i.actor, caf::exit_reason::kill);
      }
    self_->delayed_send(self_, kill_patience, stop_tick{.is_last = true});
  }

  void end_if_all_ended() {
    const auto alive = std::ranges::any_of(instances_, &instance::is_alive);
    if (!alive && starts_pending_ == 0)
      end();
  }

  void end() {
    log(report_.down.empty() && report_.killed.empty() ? log_level::info : log_level::warn,
        "is over");
    for (auto& waiter : waiters_)
      waiter.deliver(report_);
    waiters_.clear();
    self_->quit();
  }

  void log(log_level level, const std::string& line) {
    rt_.log.write(level, name, options_.site.name + ": " + line);
  }

  impl::pointer self_;
  runtime rt_;
  backend_actor backend_;
  const kind_registry& kinds_;
  device_directory& devices_;
  site_run_options options_;
  std::vector<instance> instances_; // In order of start.
  std::map<caf::actor_addr, std::size_t> by_address_;
  std::map<std::string, std::vector<promise_guard<running_service>>> waiting_;
  std::size_t waiting_count_ = 0;
  std::vector<promise_guard<site_end>> waiters_;
  std::uint64_t starts_pending_ = 0; // Instances that failed, and wait for their next start.
  bool is_stopping_ = false;
  site_end report_;
};

outcome<void> check_selection(const kind_registry& kinds, const site_run_options& options) {
  const auto& site = options.site;
  const auto runs = [&](const std::string& name) {
    return options.only.empty() || std::ranges::find(options.only, name) != options.only.end();
  };
  for (const auto& name : options.only)
    if (!site.find(name))
      return fail(error_code::invalid_argument, "no such service in this site (--only)", name);
  for (const auto& spec : site.services) {
    if (!runs(spec.name))
      continue;
    for (const auto& other : spec.depends_on)
      if (!runs(other))
        return fail(error_code::invalid_argument,
                    "depends on '" + other + "', which --only leaves out", spec.name);
    const auto* schema = kinds.catalogue().find(spec.kind);
    if (!schema || !schema->built)
      return fail(error_code::unsupported,
                  "the kind '" + spec.kind + "' is not built in this version", spec.name);
  }
  return {};
}

} // namespace

outcome<site_runner_actor> run_site(caf::actor_system& sys, const runtime& rt,
                                    const backend_actor& backend, const kind_registry& kinds,
                                    device_directory& devices, const site_run_options& options) {
  if (auto checked = check_selection(kinds, options); !checked)
    return tl::unexpected{checked.error()};
  return spawn_state<site_runner_state>(sys, rt, backend, &kinds, &devices, options);
}

} // namespace trunnion
