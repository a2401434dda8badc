#include "trunnion/actors/group_supervisor.hpp"

#include "trunnion/actors/janitor.hpp"
#include "trunnion/actors/lease_sighting.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

#include <algorithm>
#include <map>

namespace trunnion {

/// Private: a deadline of the group's end has come.
struct group_tick {
  trunnion::generation generation;
};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::group_tick)

namespace trunnion {
namespace {

/// How long the answer to a release or a deletion is waited for.
constexpr nanoseconds release_timeout = std::chrono::milliseconds{1'500};
constexpr nanoseconds delete_timeout = std::chrono::seconds{1};

/// How long the answer of a lease of ours is waited for. A request's timeout keeps the one who
/// asked in memory, so it is no longer than it must be.
constexpr nanoseconds subscribe_timeout = std::chrono::seconds{1};

/// Translates messages for the machine, and the machine's actions to messages.
class group_supervisor_state {
public:
  using impl
    = group_supervisor_actor::extend<takes<lease_jeopardy>, takes<lease_recovered>,
                                     takes<lease_renewed>, takes<lease_ended>, takes<group_tick>>;
  static constexpr const char* name = "group";

  group_supervisor_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                         const caf::strong_actor_ptr& owner, const group_options& options)
    : self_(self),
      alive_(caf::actor_cast<caf::strong_actor_ptr>(self)),
      rt_(rt),
      backend_(backend),
      options_(options),
      machine_(options.stop_timeout),
      leases_actor_(spawn_lease_group(self->system(), rt, backend,
                                      caf::actor_cast<caf::strong_actor_ptr>(self))) {
    self_->monitor(leases_actor_);
    if (owner) {
      owner_ = caf::actor_cast<caf::actor_addr>(owner);
      self_->monitor(owner);
    }
    if (options.watcher) {
      self_->monitor(options.watcher);
      subscribers_.push_back(options.watcher.address());
      options_.watcher = nullptr; // Weak, as all subscribers are.
    }
  }

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x); });
    self_->set_exit_handler([this](caf::exit_msg& x) { on_exit(x); });
    return {
      [this](group_acquire& x) { return on_acquire(x); },
      [this](const group_join& x) { return on_join(x); },
      [this](const group_use_records& x) { self_->send(leases_actor_, x); },
      [this](const group_subscribe&) { return on_subscribe(); },
      [this](const group_stop&) {
        apply(machine_.on_stop(now()));
        return wait_ended();
      },
      [this](const group_wait_ended&) { return wait_ended(); },
      [this](const group_inspect&) { return on_inspect(); },
      [](const lease_jeopardy&) {},
      [](const lease_recovered&) {},
      [this](const lease_renewed& x) { on_renewed(x); },
      [this](const lease_ended& x) { on_lease_ended(x); },
      [this](const group_tick& x) {
        if (alarm_.heed(x.generation))
          apply(machine_.on_time(now()));
      },
    };
  }

private:
  struct held {
    lease_actor lease;
    lease_grant grant;
    trunnion::revision revision; // Our entry's newest that we were told.
    std::string holder;          // As in its record; empty until the lease has told.
    bool is_alive = true;        // The lease's actor.
  };
  struct member {
    caf::actor actor;
    bool may_finish = false;
  };

  // -- composition ------------------------------------------------------------

  caf::result<group_acquired> on_acquire(group_acquire& x) {
    if (machine_.phase() != group_phase::running)
      return ending();
    for (const auto& options : x.leases)
      if (leases_.contains(options.subject.text()) || wanted_.contains(options.subject.text()))
        return to_error(error_code::invalid_argument, "the group holds it already, or is about to",
                        options.subject.text());
    auto promise = self_->make_response_promise<group_acquired>();
    const auto id = ++promises_begun_;
    acquiring_.try_emplace(id, promise, to_error(error_code::cancelled, "the group was killed"));
    std::set<std::string> keys;
    for (const auto& options : x.leases)
      keys.insert(options.subject.text());
    wanted_.insert(keys.begin(), keys.end());
    // No timeout of ours: leases may be waited for, and the group of leases always answers.
    self_->request(leases_actor_, caf::infinite, std::move(x))
      .then(
        [this, id, keys](group_acquired& acquired) {
          forget_wanted(keys);
          on_acquired(id, acquired);
        },
        [this, id, keys](caf::error& error) {
          forget_wanted(keys);
          acquiring_.at(id).fail(std::move(error));
          acquiring_.erase(id);
        });
    return promise;
  }

  void forget_wanted(const std::set<std::string>& keys) {
    for (const auto& key : keys)
      wanted_.erase(key);
  }

  void on_acquired(std::uint64_t id, group_acquired& acquired) {
    auto node = acquiring_.extract(id);
    if (machine_.phase() != group_phase::running) { // Too late: it must not outlive the group.
      for (const auto& x : acquired.leases)
        caf::anon_send_exit(x.lease, caf::exit_reason::user_shutdown);
      node.mapped().fail(ending());
      return;
    }
    for (const auto& x : acquired.leases) {
      const auto& key = x.grant.subject.text();
      leases_.emplace(key, held{x.lease, x.grant, x.grant.token.revision, {}});
      lease_by_address_.emplace(x.lease.address(), key);
      machine_.add_lease(key);
      self_->monitor(x.lease);
      self_->request(x.lease, subscribe_timeout, lease_subscribe{.renewals = true})
        .then(
          [this, key](const lease_status& x) {
            on_revision(key, x.revision);
            leases_.at(key).holder = x.holder;
          },
          [](const caf::error&) {});
    }
    node.mapped().deliver(std::move(acquired));
  }

  caf::result<group_joined> on_join(const group_join& x) {
    if (machine_.phase() != group_phase::running) {
      if (x.member && x.is_ours) // Whoever started it may have ended before this answer.
        caf::anon_send_exit(x.member, caf::exit_reason::user_shutdown);
      return ending();
    }
    if (!x.member || x.name.empty() || machine_.has_member(x.name))
      return to_error(error_code::invalid_argument,
                      "a member needs an actor and a name that is new", x.name);
    if (members_.size() >= max_group_members)
      return to_error(error_code::overloaded, "a group has at most 10000 members", x.name);
    for (const auto& other : x.needs.members)
      if (!machine_.has_member(other))
        return to_error(error_code::invalid_argument, "depends on a member that does not exist",
                        other);
    for (const auto& lease : x.needs.leases)
      if (!leases_.contains(lease))
        return to_error(error_code::invalid_argument, "depends on a lease that is not held", lease);
    self_->monitor(x.member);
    if (!x.is_ours) {
      outsiders_.emplace(x.member.address(), x.name);
      return group_joined{};
    }
    machine_.add_member(x.name, x.grace, x.needs);
    members_.emplace(x.name, member{x.member, x.may_finish});
    by_address_.emplace(x.member.address(), x.name);
    // Should we be killed. Not a link, by which a member's kill would kill us.
    self_->send(leases_actor_, group_guard{x.member, x.grace});
    return group_joined{};
  }

  caf::error ending() const {
    return to_error(error_code::shutting_down, "the group is ending", options_.name);
  }

  // -- watching the group -----------------------------------------------------

  caf::result<group_status> on_subscribe() {
    if (!self_->current_sender())
      return to_error(error_code::invalid_argument, "sent anonymously: nobody to tell");
    const auto sink = sender_as<group_sink>(self_);
    if (std::ranges::find(subscribers_, sink.address()) == subscribers_.end()) {
      if (subscribers_.size() >= rt_.bounds.subscribers)
        return to_error(error_code::overloaded, "too many subscribers", options_.name);
      self_->monitor(sink);
      subscribers_.push_back(sink.address());
      if (machine_.phase() == group_phase::ended)
        self_->send(sink, report());
    }
    return status({});
  }

  caf::result<group_report> wait_ended() {
    if (machine_.phase() == group_phase::ended)
      return report();
    if (waiters_.size() >= rt_.bounds.subscribers)
      return to_error(error_code::overloaded, "too many wait for the end", options_.name);
    auto promise = self_->make_response_promise<group_report>();
    waiters_.emplace_back(promise, to_error(error_code::cancelled, "the group was killed"));
    return promise;
  }

  caf::result<group_status> on_inspect() {
    auto promise = self_->make_response_promise<group_status>();
    const auto id = ++promises_begun_;
    inspecting_.try_emplace(id, promise, to_error(error_code::cancelled, "the group was killed"));
    const auto answer = [this, id](const refresh_figures& x) {
      inspecting_.at(id).deliver(status(x));
      inspecting_.erase(id);
    };
    self_->request(leases_actor_, std::chrono::seconds{1}, get_refresh_figures{})
      .then(answer, [answer](const caf::error&) { answer({}); });
    return promise;
  }

  group_status status(const refresh_figures& figures) const {
    group_status result{.phase = machine_.phase(),
                        .members = machine_.members(),
                        .refreshes = figures.refreshes,
                        .late_records = figures.late_records};
    for (const auto& [key, x] : leases_)
      result.leases.push_back(x.grant);
    return result;
  }

  // -- what happens to leases and members -------------------------------------

  void on_renewed(const lease_renewed& x) { on_revision(x.subject.text(), x.revision); }

  void on_revision(const std::string& key, trunnion::revision x) {
    if (const auto found = leases_.find(key); found != leases_.end())
      found->second.revision = x;
  }

  void on_lease_ended(const lease_ended& x) {
    const auto& key = x.subject.text();
    if (x.lost)
      apply(machine_.on_lease_lost(now(), key, *x.lost, x.culprit));
    else if (!releasing_.contains(key)) // Else the answer to the release says more.
      apply(machine_.on_lease_released(now(), key, true));
  }

  void on_down(const caf::down_msg& x) {
    std::erase(subscribers_, x.source);
    if (x.source == owner_)
      return on_owner_down(x.reason);
    if (x.source == leases_actor_.address())
      return apply(machine_.on_abandoned(now(), "refreshes", loss_reason::holder_died,
                                         culprit("the lease group", x.reason)));
    if (const auto found = by_address_.find(x.source); found != by_address_.end())
      return on_member_down(found->second, x.reason);
    if (const auto found = outsiders_.find(x.source); found != outsiders_.end())
      return apply(machine_.on_abandoned(now(), found->second, loss_reason::holder_died,
                                         culprit(found->second, x.reason)));
    if (const auto found = lease_by_address_.find(x.source); found != lease_by_address_.end()) {
      leases_.at(found->second).is_alive = false;
      apply(machine_.on_lease_died(now(), found->second, culprit("its actor", x.reason)));
    }
  }

  void on_member_down(const std::string& which, const caf::error& reason) {
    const auto may_finish = members_.at(which).may_finish && !reason;
    members_.at(which).actor = nullptr;
    if (may_finish)
      apply(machine_.on_member_finished(now(), which));
    else
      apply(machine_.on_member_ended(now(), which, culprit(which, reason)));
  }

  void on_owner_down(const caf::error& reason) {
    owner_ = nullptr; // It may be a subscriber, too, and then its end is told twice.
    end_with_ = caf::exit_reason::user_shutdown;
    if (!reason || reason == caf::exit_reason::user_shutdown)
      apply(machine_.on_stop(now()));
    else
      apply(machine_.on_abandoned(now(), options_.name, loss_reason::holder_died,
                                  culprit("its owner", reason)));
    quit_if_over();
  }

  void on_exit(caf::exit_msg& x) {
    end_with_ = x.reason ? std::move(x.reason) : caf::error{caf::exit_reason::user_shutdown};
    apply(machine_.on_stop(now()));
    quit_if_over();
  }

  void quit_if_over() {
    if (!end_with_ || machine_.phase() != group_phase::ended)
      return;
    self_->quit(std::move(*end_with_));
    end_with_.reset();
  }

  std::string culprit(const std::string& who, const caf::error& reason) const {
    return who + " (" + (reason ? to_string(to_failure(reason)) : "ended by itself") + ")";
  }

  // -- what the machine wants -------------------------------------------------

  void apply(const group_actions& actions) {
    for (const auto& action : actions)
      std::visit([this](const auto& x) { perform(x); }, action);
    if (auto wake = alarm_.arm(now(), machine_.next_due()))
      self_->delayed_send(self_, wake->after, group_tick{wake->generation});
    quit_if_over();
  }

  void perform(const tell_lost& x) {
    auto what = x.what;
    what.group = options_.name;
    log(log_level::warn, x.what.which + " lost: " + to_string(x.what.reason)
                           + (x.what.culprit.empty() ? "" : ", culprit " + x.what.culprit));
    for (const auto& [which, m] : members_)
      if (m.actor)
        caf::anon_send(m.actor, what);
    for (const auto& subscriber : subscribers_)
      self_->send(caf::actor_cast<group_sink>(subscriber), what);
  }

  void perform(const stop_member& x) { end_member(x.name, caf::exit_reason::user_shutdown); }

  void perform(const kill_member& x) {
    log(log_level::error, x.name + " did not end in time and is killed");
    end_member(x.name, caf::exit_reason::kill);
  }

  void end_member(const std::string& which, caf::exit_reason reason) {
    if (const auto& actor = members_.at(which).actor)
      caf::anon_send_exit(actor, reason);
  }

  void perform(const release_lease& x) {
    const auto& lease = leases_.at(x.subject);
    releasing_.insert(x.subject);
    self_->request(lease.lease, release_timeout, lease_release{})
      .then([this, key = x.subject](
              const lease_released& r) { on_released(key, r.key_deleted || r.lost); },
            [this, key = x.subject](const caf::error& error) {
              if (to_failure(error).code == error_code::timeout)
                on_released(key, false); // Else it has died, and its key is deleted by us.
            });
  }

  void perform(const delete_lease& x) {
    const auto& lease = leases_.at(x.subject);
    if (lease.is_alive) // Deletes it after its view has ended: the view must not outlive the key.
      return perform(release_lease{x.subject});
    // It may have died in the middle of a refresh, which may yet come: the janitor looks again when
    // this group is long over. What is done here is for the report.
    sweep(self_->system(), rt_, backend_,
          {.subject = lease.grant.subject,
           .holder = lease.holder,
           .revision = lease.revision,
           .in_epoch = lease.grant.token.epoch,
           .ttl = lease.grant.ttl,
           .timeout = delete_timeout});
    delete_key(x.subject, lease.revision, lease.grant.token.epoch, true);
  }

  void delete_key(const std::string& key, trunnion::revision at, epoch in, bool may_look) {
    self_->request(backend_, delete_timeout, kv_delete{leases_.at(key).grant.subject, at, in})
      .then([this, key](const kv_deleted&) { on_released(key, true); },
            [this, key, may_look](const caf::error& error) {
              const bool is_other = to_failure(error).code == error_code::revision_mismatch;
              if (is_other && may_look)
                look_for(key);
              else
                on_released(key, is_other);
            });
  }

  /// Another revision stands there, or none: that of a refresh that we were not told of, maybe.
  void look_for(const std::string& key) {
    self_->request(backend_, delete_timeout, kv_get{leases_.at(key).grant.subject, true})
      .then(
        [this, key](const kv_entry& x) {
          if (look_at(x.entry, x.epoch, leases_.at(key).holder).who == standing::own)
            delete_key(key, x.entry.revision, x.epoch, false);
          else
            on_released(key, true);
        },
        [this, key](const caf::error& error) {
          on_released(key, to_failure(error).code == error_code::key_not_found);
        });
  }

  void on_released(const std::string& key, bool confirmed) {
    apply(machine_.on_lease_released(now(), key, confirmed));
  }

  void perform(const finish_group&) {
    const auto told = report();
    log(told.is_orderly() ? log_level::info : log_level::warn, to_string(told));
    for (auto& waiter : waiters_)
      waiter.deliver(told);
    waiters_.clear();
    for (const auto& subscriber : subscribers_)
      self_->send(caf::actor_cast<group_sink>(subscriber), told);
    for (const auto& [key, lease] : leases_)
      if (lease.is_alive)
        caf::anon_send_exit(lease.lease, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(leases_actor_, caf::exit_reason::user_shutdown);
    alive_ = nullptr;
  }

  // -- means ------------------------------------------------------------------

  instant now() const { return rt_.time.now(); }

  group_report report() const {
    auto result = machine_.report();
    result.group = options_.name;
    return result;
  }

  void log(log_level level, const std::string& line) {
    rt_.log.write(level, name, options_.name + ": " + line);
  }

  impl::pointer self_;
  caf::strong_actor_ptr alive_; // Itself, until its end: its owner's death may leave it unknown.
  runtime rt_;
  backend_actor backend_;
  group_options options_;
  group_machine machine_;
  lease_group_actor leases_actor_;
  caf::actor_addr owner_; // Weak, as the subscribers are.
  std::map<std::string, held> leases_;
  std::set<std::string> wanted_; // Subjects of leases that are being acquired.
  std::map<std::string, member> members_;
  std::map<caf::actor_addr, std::string> by_address_; // Of members.
  std::map<caf::actor_addr, std::string> outsiders_;  // Whose end is ours, but not the reverse.
  std::map<caf::actor_addr, std::string> lease_by_address_;
  std::set<std::string> releasing_; // Subjects of leases asked to release.
  std::vector<caf::actor_addr> subscribers_;
  std::vector<promise_guard<group_report>> waiters_;
  std::map<std::uint64_t, promise_guard<group_acquired>> acquiring_;
  std::map<std::uint64_t, promise_guard<group_status>> inspecting_;
  std::uint64_t promises_begun_ = 0;
  std::optional<caf::error> end_with_; // Set: quit with it once the group is over.
  alarm alarm_;
};

} // namespace

group_supervisor_actor make_group(caf::actor_system& sys, const runtime& rt,
                                  const backend_actor& backend, const caf::strong_actor_ptr& owner,
                                  const group_options& options) {
  return spawn_state<group_supervisor_state>(sys, rt, backend, owner, options);
}

} // namespace trunnion
