#include "trunnion/runner/site_runner.hpp"

#include "trunnion/kinds/publisher.hpp"
#include "trunnion/messages/json.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"
#include "trunnion/runner/event_ring.hpp"
#include "trunnion/runner/selection.hpp"
#include "trunnion/runner/service_launch.hpp"
#include "trunnion/runner/service_waiters.hpp"
#include "trunnion/runner/site_control.hpp"
#include "trunnion/runner/site_instances.hpp"

#include <deque>
#include <map>

namespace trunnion {

/// Private: something is due in the supervision.
struct supervision_tick {
  trunnion::generation generation;
};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::supervision_tick)

namespace trunnion {
namespace {

constexpr nanoseconds ask_timeout = std::chrono::seconds{5};

class site_runner_state {
public:
  using impl = site_runner_actor::extend<takes<service_event>, takes<supervision_tick>>;
  static constexpr const char* name = "site";

  site_runner_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                    const kind_registry* kinds, device_directory* devices,
                    const site_run_options& options)
    : self_(self),
      rt_(rt),
      backend_(backend),
      kinds_(*kinds),
      devices_(*devices),
      options_(options),
      instances_(instances_of(options_.site, options_.only)),
      supervision_(supervise(options_.site, instances_)),
      out_(self, rt, backend) {}

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x); });
    self_->set_exit_handler([this](const caf::exit_msg&) { stop(); });
    perform(supervision_.begin());
    return {
      [this](const site_stop&) {
        auto answer = wait_ended();
        stop();
        return answer;
      },
      [this](const site_wait_ended&) { return wait_ended(); },
      [this](const site_kill& x) { return on_kill(x); },
      [this](const await_service& x) { return on_await(x); },
      [this](const site_inspect&) { return status(); },
      [this](const site_restart& x) { return on_order(x.service, true); },
      [this](const site_stop_service& x) { return on_order(x.service, false); },
      [this](const site_read_events& x) { return site_events{events_.read(x.after, x.at_most)}; },
      [this](const service_event& x) { on_event(x); },
      [this](const supervision_tick& x) {
        if (wake_.heed(x.generation))
          perform(supervision_.on_time(now()));
      },
    };
  }

private:
  // -- what happens to services -------------------------------------------------

  void on_event(const service_event& x) {
    const auto found = by_address_.find(caf::actor_cast<caf::actor_addr>(self_->current_sender()));
    if (found == by_address_.end())
      return;
    auto& i = instances_[found->second];
    i.phase = x.phase;
    i.token = x.token;
    i.text = x.text;
    keep(i, to_string(x.phase), x.text);
    if (x.phase == service_phase::starting || i.runs()) // It may be there before we subscribe.
      supervision_.on_active(found->second);
    if (options_.listener)
      self_->send(options_.listener, x);
    if (i.runs())
      waiters_of_services_.answer(i.spec.name, i.actor);
  }

  void on_down(const caf::down_msg& x) {
    const auto found = by_address_.find(x.source);
    if (found == by_address_.end())
      return;
    const auto index = found->second;
    by_address_.erase(found);
    const bool failed = static_cast<bool>(x.reason);
    instances_[index].actor = nullptr;
    instances_[index].token = {};
    instances_[index].phase = failed ? service_phase::failed : service_phase::stopped;
    perform(supervision_.on_ended(now(), index, failed, rt_.random.next()));
  }

  caf::result<site_killed> on_kill(const site_kill& x) {
    for (const auto& i : instances_)
      if (i.spec.name == x.service && i.runs()) {
        log(log_level::warn, "drill: " + i.label() + " is killed");
        caf::anon_send_exit(i.actor, caf::exit_reason::kill);
        return site_killed{};
      }
    return to_error(error_code::key_not_found, "no running service of this name", x.service);
  }

  caf::result<running_service> on_await(const await_service& x) {
    bool is_known = false;
    for (const auto& i : instances_) {
      if (i.spec.name == x.name && i.runs())
        return running_service{caf::actor_cast<caf::actor>(i.actor)};
      is_known = is_known || i.spec.name == x.name;
    }
    if (!is_known)
      return to_error(error_code::key_not_found, "no such service in this site", x.name);
    return waiters_of_services_.wait(self_, x.name);
  }

  // -- what operators ask -------------------------------------------------------

  site_status status() const {
    site_status result;
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      const auto& x = instances_[i];
      const auto phase = x.actor                      ? to_string(x.phase)
                         : supervision_.stays_down(i) ? "down"
                                                      : "restarting";
      result.instances.push_back({x.spec.name, x.spec.kind, x.number, phase,
                                  x.token == fencing_token{} ? "" : wire_text(x.token),
                                  x.starts == 0 ? 0 : x.starts - 1, x.text});
    }
    return result;
  }

  caf::result<site_done> on_order(const std::string& service, bool again) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < instances_.size(); ++i)
      if (instances_[i].spec.name == service)
        found.push_back(i);
    if (found.empty())
      return to_error(error_code::key_not_found, "no such service runs in this site", service);
    auto actions = supervision_.order(now(), found, again);
    if (!actions)
      return to_error(std::move(actions.error()));
    log(log_level::warn, service + (again ? " is restarted" : " is stopped") + " as asked");
    keep(instances_[found[0]], again ? "restart" : "stop", "as asked");
    perform(*std::move(actions));
    return site_done{};
  }

  void keep(const service_instance& i, std::string what, std::string why) {
    events_.add(
      {0, rt_.time.wall(), options_.site.name + "." + i.label(), std::move(what), std::move(why)});
  }

  // -- what is done with them ---------------------------------------------------

  void perform(supervision_actions actions) {
    std::deque<supervision_action> queue{actions.begin(), actions.end()};
    for (; !queue.empty(); queue.pop_front()) // A start that fails asks for more.
      for (auto& more : perform(queue.front()))
        queue.push_back(std::move(more));
    if (supervision_.is_over())
      return end();
    if (const auto wake = wake_.arm(now(), supervision_.next_due()))
      self_->delayed_send(self_, wake->after, supervision_tick{wake->generation});
  }

  supervision_actions perform(const supervision_action& x) {
    auto& i = instances_[x.instance];
    switch (x.verb) {
    case supervision_verb::start: return start(x.instance);
    case supervision_verb::stop:
      caf::anon_send_exit(i.actor, caf::exit_reason::user_shutdown);
      break;
    case supervision_verb::kill:
      report_.killed.push_back(i.label());
      log(log_level::error, i.label() + " did not end in time and is killed");
      keep(i, "killed", "did not end in time");
      caf::anon_send_exit(i.actor, caf::exit_reason::kill);
      break;
    case supervision_verb::stays_down:
      report_.down.push_back(i.label());
      log(log_level::error, i.label() + " stays down: " + x.text);
      i.text = x.text;
      keep(i, "stays_down", x.text);
      tell_down(i, x.text);
      break;
    case supervision_verb::plans:
      log(log_level::warn, i.label() + " " + x.text);
      keep(i, "plans", x.text);
      break;
    }
    return {};
  }

  supervision_actions start(std::size_t index) {
    auto& x = instances_[index];
    const service_surroundings around{self_->system(),
                                      rt_,
                                      backend_,
                                      kinds_,
                                      devices_,
                                      options_.site,
                                      options_.owner,
                                      options_.watcher,
                                      service_source{caf::actor_cast<service_source>(self_)},
                                      caf::actor_cast<caf::strong_actor_ptr>(self_)};
    auto started = launch_service(around, x.spec, x.number);
    if (!started)
      return supervision_.on_cannot_start(now(), index, to_string(started.error()));
    if (x.starts++ > 0)
      ++report_.restarts;
    x.actor = *started;
    x.phase = service_phase::waiting;
    by_address_[x.actor.address()] = index;
    self_->monitor(x.actor);
    self_->request(x.actor, ask_timeout, service_subscribe{})
      .then([](const service_status&) {}, [](const caf::error&) {}); // Its end is told anyway.
    return {};
  }

  /// As an event of the service, since it cannot say so itself.
  void tell_down(const service_instance& i, const std::string& why) {
    const auto owner = entity::parse(options_.site.entity_of(i.spec));
    if (!owner)
      return; // Why it could not start at all.
    json_writer json;
    json.begin_object().key("event").text("stays_down").key("instance").text(i.label());
    json.key("why").text(why).end_object();
    out_.send(events_of(*owner), json.str());
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
    if (supervision_.is_stopping())
      return;
    log(log_level::info, "stops");
    waiters_of_services_.dismiss();
    perform(supervision_.stop_all(now()));
  }

  void end() {
    log(report_.down.empty() && report_.killed.empty() ? log_level::info : log_level::warn,
        "is over");
    for (auto& waiter : waiters_)
      waiter.deliver(report_);
    waiters_.clear();
    self_->quit();
  }

  // -- means ------------------------------------------------------------------

  instant now() const { return rt_.time.now(); }

  void log(log_level level, const std::string& line) {
    rt_.log.write(level, name, options_.site.name + ": " + line);
  }

  impl::pointer self_;
  runtime rt_;
  backend_actor backend_;
  const kind_registry& kinds_;
  device_directory& devices_;
  site_run_options options_;
  std::vector<service_instance> instances_; // In order of start.
  supervision supervision_;                 // Of the same, by their places.
  alarm wake_;                              // For it.
  publisher<impl::pointer> out_;
  event_ring events_;
  std::map<caf::actor_addr, std::size_t> by_address_;
  service_waiters waiters_of_services_;
  std::vector<promise_guard<site_end>> waiters_;
  site_end report_;
};

} // namespace

outcome<site_runner_actor> run_site(caf::actor_system& sys, const runtime& rt,
                                    const backend_actor& backend, const kind_registry& kinds,
                                    device_directory& devices, const site_run_options& options) {
  if (auto checked = check_selection(options.site, options.only); !checked)
    return tl::unexpected{checked.error()};
  if (auto checked = check_built(kinds, options.site, options.only); !checked)
    return tl::unexpected{checked.error()};
  auto runner = spawn_state<site_runner_state>(sys, rt, backend, &kinds, &devices, options);
  const auto& site = options.site;
  if (auto control = serve_control(sys, rt, backend, site.name, site.control, runner); !control) {
    caf::anon_send_exit(runner, caf::exit_reason::user_shutdown);
    return tl::unexpected{control.error()};
  }
  return runner;
}

} // namespace trunnion
