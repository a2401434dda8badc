#include "trunnion/actors/service.hpp"

#include "trunnion/messages/ensure.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"
#include "trunnion/messages/service_record.hpp"

#include <algorithm>

namespace trunnion {
namespace {

/// Private: the service's record is to be written again.
struct record_tick {};

} // namespace
} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::record_tick)

namespace trunnion {
namespace {

constexpr nanoseconds bus_timeout = std::chrono::seconds{5}; ///< For what the bus is told.

/// As the bus wants it, `MAJOR.MINOR.PATCH`; shorter versions are filled up.
std::string bus_version(std::string version) {
  const bool is_plain = version.find_first_not_of("0123456789.") == std::string::npos;
  for (auto dots = std::ranges::count(version, '.'); is_plain && dots < 2; ++dots)
    version += ".0";
  return version;
}

class service_state {
public:
  using impl = service_actor::extend<takes<member_lost>, takes<group_report>, takes<record_tick>>;
  static constexpr const char* name = "service";

  service_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                const service_options& options)
    : self_(self), rt_(rt), backend_(backend), options_(options) {
    if (options_.parent) {
      parent_ = caf::actor_cast<caf::actor_addr>(options_.parent);
      self_->monitor(options_.parent);
      options_.parent = nullptr; // Weak: a service keeps nobody alive.
    }
  }

  impl::behavior_type make_behavior() {
    self_->set_exit_handler([this](caf::exit_msg& x) { on_exit(x); });
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x); });
    begin();
    return {
      [this](const service_subscribe&) { return on_subscribe(); },
      [this](const service_stop&) { return on_stop(); },
      [this](const service_inspect&) { return status(); },
      [this](const member_lost& x) { on_lost(x); },
      [this](const group_report& x) { on_group_ended(x); },
      [this](const record_tick&) { write_record(); },
    };
  }

private:
  // -- start ------------------------------------------------------------------

  void begin() {
    group_ = make_group(
      self_->system(), rt_, backend_, caf::actor_cast<caf::strong_actor_ptr>(self_),
      {.name = label(), .stop_timeout = options_.stop_timeout, .watcher = options_.watcher});
    self_->monitor(group_);
    self_->request(group_, std::chrono::seconds{5}, group_subscribe{})
      .then([](const group_status&) {}, [this](const caf::error& e) { fail(to_failure(e)); });
    move_to(service_phase::waiting,
            options_.waits_for_lease ? "waits for its lease" : "takes its lease");
    choose_ttl([this] { acquire({entity_lease()}, [this] { await_services(0); }); });
  }

  void choose_ttl(std::function<void()> then) {
    if (options_.ttl)
      return then();
    const auto choose = [this, then](bool is_short_safe) {
      options_.ttl = is_short_safe ? default_entity_ttl : safe_entity_ttl;
      if (phase_ == service_phase::waiting) // Else stopped meanwhile.
        then();
    };
    self_->request(backend_, bus_timeout, get_capabilities{})
      .then([choose](const capabilities& x) { choose(x.min_safe_ttl <= default_entity_ttl); },
            [choose](const caf::error&) { choose(false); });
  }

  /// One after the other, from the n-th on; then takes the further leases.
  void await_services(std::size_t n) {
    if (phase_ != service_phase::waiting)
      return; // Stopped meanwhile.
    if (n == options_.depends_on.size())
      return acquire(further(), [this] { start_members(); });
    const auto& which = options_.depends_on[n];
    move_to(service_phase::waiting, "waits for " + which);
    // No timeout of our own: it may have to be repaired first.
    self_->request(options_.services, caf::infinite, await_service{which})
      .then(
        [this, n, which](const running_service& x) {
          join({.name = which, .member = x.actor, .is_ours = false});
          await_services(n + 1);
        },
        [this](const caf::error& error) { fail(to_failure(error)); });
  }

  lease_options lease_for(const subject& key) const {
    return {.subject = key,
            .ttl = *options_.ttl,
            .record = encode(options_.info),
            .owner = options_.owner,
            .wait_forever = options_.waits_for_lease,
            .grace = options_.grace};
  }

  lease_options entity_lease() const {
    const auto prop = property::named(entity_lease_property);
    return lease_for(subject{options_.entity, *prop});
  }

  std::vector<lease_options> further() const {
    std::vector<lease_options> result;
    for (const auto& key : options_.further_leases)
      result.push_back(lease_for(key));
    return result;
  }

  void acquire(std::vector<lease_options> wanted, std::function<void()> then) {
    if (wanted.empty())
      return then();
    // No timeout of our own: a standby waits for as long as it takes.
    self_->request(group_, caf::infinite, group_acquire{std::move(wanted)})
      .then(
        [this, then](const group_acquired& x) {
          leases_.insert(leases_.end(), x.leases.begin(), x.leases.end());
          then();
        },
        [this](const caf::error& error) { fail(to_failure(error)); });
  }

  void start_members() {
    if (phase_ != service_phase::waiting)
      return; // Stopped meanwhile.
    move_to(service_phase::starting, "holds its lease");
    write_record();
    const member_context context{self_->system(), rt_, backend_, options_.entity, leases_};
    for (const auto& x : options_.members) {
      const auto actor = x.start(context);
      if (!actor)
        return fail(actor.error());
      ensure(*actor != nullptr, "a member's function returns an actor");
      join({.name = x.name, .member = *actor, .grace = x.grace, .needs = x.needs});
    }
    // Answered after all joins, for messages between two actors keep their order.
    self_->request(group_, std::chrono::seconds{5}, group_inspect{})
      .then(
        [this](const group_status&) {
          if (phase_ != service_phase::starting)
            return;
          move_to(service_phase::running, "runs");
          register_on_bus();
        },
        [](const caf::error&) {}); // The group's end is told by itself.
  }

  void join(group_join x) {
    self_->request(group_, std::chrono::seconds{5}, std::move(x))
      .then([](const group_joined&) {}, [this](const caf::error& e) { fail(to_failure(e)); });
  }

  // -- what the bus is told -----------------------------------------------------

  void write_record() {
    if (phase_ != service_phase::starting && phase_ != service_phase::running)
      return;
    const auto prop = property::named(service_record_property);
    const service_record record{options_.info, {rt_.time.wall()}};
    self_
      ->request(backend_, bus_timeout,
                kv_update{subject{options_.entity, *prop}, payload{encode(record)}})
      .then([](const kv_written&) {},
            [this](const caf::error& error) {
              warn("its record was not written: " + to_string(to_failure(error)));
              self_->delayed_send(self_, bus_timeout, record_tick{});
            });
  }

  void register_on_bus() {
    register_service x{{options_.info.name, bus_version(options_.info.version)}, {}};
    for (const auto& member : options_.members)
      if (auto prop = property::named(member.request))
        x.endpoints.push_back({member.request, subject{options_.entity, *prop}});
    self_->request(backend_, bus_timeout, x)
      .then([this](const service_registered&) { is_registered_ = true; },
            [this](const caf::error& error) {
              warn("not registered with the backend: " + to_string(to_failure(error)));
            });
  }

  /// Before the members end, which then are not asked any more.
  void leave_bus() {
    if (std::exchange(is_registered_, false)) // Else it ends with this actor, its session.
      self_->request(backend_, bus_timeout, unregister_service{options_.info.name})
        .then([](const service_unregistered&) {}, [](const caf::error&) {});
  }

  void warn(const std::string& line) {
    rt_.log.write(log_level::warn, name, label() + ": " + line);
  }

  // -- end --------------------------------------------------------------------

  void fail(const failure& why) {
    if (phase_ == service_phase::stopping || is_over())
      return;
    failure_ = why;
    stop(to_string(why));
  }

  void stop(const std::string& text) {
    if (phase_ == service_phase::stopping || is_over())
      return;
    move_to(service_phase::stopping, text);
    caf::anon_send_exit(group_, caf::exit_reason::user_shutdown);
  }

  caf::result<group_report> on_stop() {
    if (is_over())
      return report_;
    if (waiters_.size() >= rt_.bounds.subscribers)
      return to_error(error_code::overloaded, "too many wait for the end", label());
    auto promise = self_->make_response_promise<group_report>();
    waiters_.emplace_back(promise, to_error(error_code::cancelled, "the service was killed"));
    stop("asked to stop");
    return promise;
  }

  void on_exit(const caf::exit_msg& x) {
    if (x.source == group_.address())
      return;
    stop("asked to stop");
  }

  void on_lost(const member_lost& x) {
    lost_.push_back({x.which, x.reason, x.culprit});
    const auto text = x.which + " lost: " + to_string(x.reason)
                      + (x.culprit.empty() ? "" : ", culprit " + x.culprit);
    move_to(service_phase::stopping, text);
  }

  void on_group_ended(const group_report& report) {
    report_ = report;
    end();
  }

  void on_down(const caf::down_msg& x) {
    std::erase(subscribers_, x.source);
    if (x.source == parent_)
      stop("its parent has ended");
    if (x.source == group_.address())
      end(); // Has told its report before, unless it was killed.
  }

  void end() {
    if (is_over())
      return;
    const bool failed = failure_ || !lost_.empty() || phase_ != service_phase::stopping;
    move_to(failed ? service_phase::failed : service_phase::stopped,
            failure_ ? to_string(*failure_) : to_string(report_));
    for (auto& waiter : waiters_)
      waiter.deliver(report_);
    waiters_.clear();
    caf::anon_send_exit(group_, caf::exit_reason::user_shutdown);
    self_->quit(failed ? to_error(end_as_failure()) : caf::error{});
  }

  failure end_as_failure() const {
    if (failure_)
      return *failure_;
    return {error_code::lease_abandoned, certainty::not_applied, label(), text_,
            abandonment{lost_}};
  }

  // -- being watched ----------------------------------------------------------

  caf::result<service_status> on_subscribe() {
    if (!self_->current_sender())
      return to_error(error_code::invalid_argument, "sent anonymously: nobody to tell");
    const auto sink = sender_as<service_sink>(self_);
    if (std::ranges::find(subscribers_, sink.address()) != subscribers_.end())
      return status();
    if (subscribers_.size() >= rt_.bounds.subscribers)
      return to_error(error_code::overloaded, "too many subscribers", label());
    self_->monitor(sink);
    subscribers_.push_back(sink.address());
    self_->send(sink, event());
    return status();
  }

  service_event event() const {
    return {options_.entity, options_.instance, phase_, token(), text_, lost_};
  }

  service_status status() const {
    service_status result{options_.info, options_.entity, options_.instance, phase_, token(), {},
                          text_};
    for (const auto& x : options_.members)
      result.members.push_back(x.name);
    return result;
  }

  fencing_token token() const {
    return leases_.empty() ? fencing_token{} : leases_.front().grant.token;
  }

  void move_to(service_phase phase, const std::string& text) {
    phase_ = phase;
    if (phase > service_phase::running)
      leave_bus();
    text_ = text;
    rt_.log.write(lost_.empty() ? log_level::info : log_level::warn, name,
                  label() + ": " + to_string(phase) + ": " + text);
    for (const auto& subscriber : subscribers_)
      self_->send(caf::actor_cast<service_sink>(subscriber), event());
  }

  bool is_over() const {
    return phase_ == service_phase::stopped || phase_ == service_phase::failed;
  }

  std::string label() const {
    return options_.entity.text()
           + (options_.instance == 0 ? "" : "#" + std::to_string(options_.instance));
  }

  impl::pointer self_;
  runtime rt_;
  backend_actor backend_;
  service_options options_;
  caf::actor_addr parent_;
  group_supervisor_actor group_;
  service_phase phase_ = service_phase::waiting;
  std::string text_;
  std::vector<held_handle> leases_; // The entity's first.
  std::vector<lost_lease> lost_;
  std::optional<failure> failure_; // Why it could not start.
  group_report report_;
  std::vector<caf::actor_addr> subscribers_;
  std::vector<promise_guard<group_report>> waiters_;
  bool is_registered_ = false; // With the backend.
};

} // namespace

const held_handle& member_context::lease(const subject& key) const {
  const auto found
    = std::ranges::find_if(leases, [&](const held_handle& x) { return x.grant.subject == key; });
  ensure(found != leases.end(), "a member asks for leases that its service holds");
  return *found;
}

outcome<service_actor> start_service(caf::actor_system& sys, const runtime& rt,
                                     const backend_actor& backend, service_options options) {
  const auto refuse = [&](const char* why) {
    return fail(error_code::invalid_argument, why, options.entity.text());
  };
  if (options.entity.is_root() || options.info.name.empty())
    return refuse("a service needs an entity below the root, and a name");
  if (options.entity.text().size() + 1 + service_record_property.size() > max_subject_length)
    return refuse("the entity's path leaves no room for its lease and record");
  std::set<std::string> names;
  for (const auto& x : options.depends_on)
    if (!options.services || !names.insert(x).second)
      return refuse("dependencies need different names, and somebody who knows them");
  for (const auto& x : options.members) {
    if (!x.start || x.name.empty() || !names.insert(x.name).second)
      return refuse("members need a function and different names");
    if (!x.request.empty() && !property::named(x.request))
      return refuse("a member serves a request that is no property");
  }
  return spawn_state<service_state>(sys, rt, backend, options);
}

} // namespace trunnion
