#include "trunnion/actors/kv_monitor.hpp"

#include "trunnion/actors/monitor_audience.hpp"
#include "trunnion/actors/monitor_waiters.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

#include <utility>

namespace trunnion {

/// Private: something is due.
struct monitor_tick {
  trunnion::generation generation;
};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::monitor_tick)

namespace trunnion {
namespace {

constexpr nanoseconds open_timeout = std::chrono::seconds{5};

/// Whether trying again cannot help.
bool is_final(error_code x) {
  return x == error_code::invalid_subject || x == error_code::invalid_argument;
}

class kv_monitor_state {
public:
  using impl = kv_monitor_actor::extend<takes<watch_part>, takes<watch_lost>, takes<monitor_tick>>;
  static constexpr const char* name = "kv_monitor";

  kv_monitor_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                   const subject& pattern, const caf::strong_actor_ptr& owner,
                   const monitor_keeper& keeper)
    : self_(self),
      rt_(rt),
      backend_(backend),
      pattern_(pattern),
      owner_(caf::actor_cast<caf::actor_addr>(owner)),
      keeper_(keeper ? keeper.address() : caf::actor_addr{}),
      audience_(self),
      confirmed_(rt.time.now()),
      used_(confirmed_) {
    if (owner)
      self_->monitor(owner);
    if (keeper)
      self_->monitor(keeper);
  }

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x); });
    self_->set_exit_handler([this](caf::exit_msg& x) { end(std::move(x.reason)); });
    open();
    arm();
    return {
      [this](const monitor_subscribe& x) { return on_subscribe(x); },
      [this](const monitor_credit& x) { on_credit(x); },
      [this](const monitor_unsubscribe&) { on_unsubscribe(); },
      [this](const monitor_get_all&) { return on_get_all(); },
      [this](const monitor_wait_for& x) { return on_wait_for(x); },
      [this](const monitor_inspect&) { return status(); },
      [this](const watch_part& x) {
        apply(machine_.on_part(x, now()));
        arm();
      },
      [this](const watch_lost& x) {
        if (machine_.is_open(x.id))
          interrupted(to_string(x.error));
        arm();
      },
      [this](const monitor_tick& x) { on_tick(x); },
    };
  }

private:
  // -- what users ask ---------------------------------------------------------

  caf::result<monitor_status> on_subscribe(const monitor_subscribe& x) {
    used_ = now();
    const auto who = caf::actor_cast<caf::actor_addr>(self_->current_sender());
    if (!who)
      return to_error(error_code::invalid_argument, "an anonymous subscriber can be told nothing",
                      pattern_.text());
    if (!audience_.has(who)) {
      if (audience_.size() >= rt_.bounds.subscribers)
        return refuse("too many subscribers");
      self_->monitor(self_->current_sender());
    }
    audience_.add(who, x.credit);
    auto promise = self_->make_response_promise<monitor_status>();
    promise.deliver(status()); // Before the first part, so that earlier ones can be told apart.
    feed(who);
    return promise;
  }

  void on_credit(const monitor_credit& x) {
    const auto who = caf::actor_cast<caf::actor_addr>(self_->current_sender());
    audience_.on_credit(who, x.up_to);
    feed(who);
  }

  void on_unsubscribe() {
    used_ = now();
    const auto who = caf::actor_cast<caf::actor_addr>(self_->current_sender());
    if (audience_.remove(who) && who != owner_ && who != keeper_)
      self_->demonitor(who);
    arm();
  }

  caf::result<monitor_entries> on_get_all() {
    used_ = now();
    if (machine_.is_whole())
      return all_entries();
    return wait(nullptr, first_snapshot_patience);
  }

  caf::result<monitor_entries> on_wait_for(const monitor_wait_for& x) {
    used_ = now();
    if (machine_.is_whole()) {
      const auto found = fulfils(x.predicate, machine_.view().entries());
      if (!found)
        return to_error(found.error());
      if (*found)
        return all_entries();
    }
    return wait(x.predicate, x.timeout);
  }

  caf::result<monitor_entries> wait(const view_predicate& predicate, nanoseconds timeout) {
    if (waiters_.is_full())
      return refuse("too many wait for these keys");
    auto promise = self_->make_response_promise<monitor_entries>();
    const auto most = std::clamp(timeout, nanoseconds{}, longest_ttl);
    waiters_.add({{promise, to_error(error_code::cancelled, "the monitor ended", pattern_.text())},
                  predicate,
                  now() + most});
    waiters_.expire(now(), pattern_);
    arm();
    return promise;
  }

  caf::error refuse(const char* why) {
    rt_.metrics.count("monitor_refused");
    return to_error(error_code::overloaded, why, pattern_.text());
  }

  // -- the watch --------------------------------------------------------------

  void open() {
    open_at_.reset();
    checking_ = false;
    seen_at_check_ = 0;
    if (!backend_is_monitored_)
      self_->monitor(backend_);
    backend_is_monitored_ = true;
    const auto id = ++last_id_;
    machine_.open(id, now());
    self_->request(backend_, open_timeout, watch{pattern_, id, machine_.credit().up_to})
      .then([](const watch_opened&) {}, // Parts may have come before; they alone count.
            [this, id](const caf::error& e) { on_refused(id, to_failure(e)); });
  }

  void on_refused(watch_id id, const failure& why) {
    if (!machine_.is_open(id) || (why.code == error_code::timeout && machine_.has_parts()))
      return; // Given up, or only the answer was lost.
    if (is_final(why.code)) {
      interrupted(to_string(why));
      return end(to_error(why));
    }
    interrupted(to_string(why));
    arm();
  }

  void apply(const watch_step& step) {
    if (step.ask)
      self_->send(backend_, *step.ask);
    if (step.credit)
      self_->send(backend_, *step.credit);
    if (!step.broken.empty())
      return interrupted(step.broken);
    if (step.credit && machine_.is_current())
      confirmed_ = now();
    if (healthy_ && !machine_.is_current())
      set_health(false, "history was lost, a fresh snapshot is under way");
    if (machine_.is_whole())
      audience_.tell(step.changes, machine_.view(), position(), now());
    else
      audience_.hold(step.changes);
    if (step.became_current)
      on_current();
    if (machine_.is_whole() && (step.became_current || !step.changes.entries.empty()))
      look_at_waiters();
  }

  void look_at_waiters() {
    if (waiters_.size() == 0)
      return;
    used_ = now();
    waiters_.look(machine_.view().entries(), [this] { return all_entries(); });
  }

  void on_current() {
    reopen_after_ = first_reopen_after;
    check_at_ = now() + health_check_every; // Each monitor at a moment of its own.
    *check_at_ -= nanoseconds{below(rt_.random, health_check_every.count())};
    set_health(true, {});
    audience_.feed_all(machine_.view(), position(), now());
  }

  /// The watch is over; another one is opened after a while.
  void interrupted(const std::string& why) {
    self_->send(backend_, unwatch{last_id_});
    machine_.close();
    check_at_.reset();
    const auto half = reopen_after_ / 2;
    open_at_ = now() + half + nanoseconds{below(rt_.random, half.count())};
    reopen_after_ = std::min(reopen_after_ * 2, longest_reopen_after);
    set_health(false, why);
  }

  // -- health -----------------------------------------------------------------

  void check() {
    check_at_.reset();
    if (checking_)
      return;
    checking_ = true;
    const auto seen = machine_.credit().seen;
    if (seen
        == std::exchange(seen_at_check_, seen)) // Quiet, or forgotten without our hearing of it.
      self_->send(backend_, machine_.probe());
    else
      self_->send(backend_, machine_.credit()); // Makes good a grant that was lost.
    const auto asked = now();
    self_->request(backend_, health_check_timeout, get_capabilities{})
      .then([this, asked,
             id = last_id_](const capabilities&) { on_checked(id, asked, health_check_every, {}); },
            [this, asked, id = last_id_](const caf::error& e) {
              on_checked(id, asked, health_check_again, to_string(to_failure(e)));
            });
  }

  void on_checked(watch_id id, instant asked, nanoseconds next, const std::string& problem) {
    if (!machine_.is_open(id))
      return;
    checking_ = false;
    check_at_ = now() + next;
    if (problem.empty())
      confirmed_ = std::max(confirmed_, asked);
    set_health(problem.empty() && machine_.is_current(),
               problem.empty() ? "a fresh snapshot is under way" : problem);
    arm();
  }

  void set_health(bool healthy, const std::string& why) {
    if (healthy == healthy_ && told_health_)
      return;
    healthy_ = healthy;
    told_health_ = true;
    if (healthy)
      log(log_level::info,
          "watching, " + std::to_string(machine_.view().entries().size()) + " keys");
    else
      log(log_level::warn, "interrupted: " + why);
    rt_.metrics.count(healthy ? "monitor_recovered" : "monitor_interrupted");
    audience_.tell(monitor_health{healthy, healthy ? std::string{} : why});
  }

  // -- time and ends ----------------------------------------------------------

  void on_tick(monitor_tick tick) {
    if (!alarm_.heed(tick.generation))
      return;
    const auto at = now();
    if (open_at_ && *open_at_ <= at)
      open();
    apply(machine_.on_time(at));
    if (check_at_ && *check_at_ <= at)
      check();
    if (waiters_.size() > 0)
      used_ = at;
    waiters_.expire(at, pattern_);
    if (const auto due = idle_due(); due && *due <= at)
      say_idle();
    arm();
  }

  void arm() {
    auto due = machine_.next_due();
    for (const auto& other : {open_at_, check_at_, waiters_.next_due(), idle_due()})
      if (other && (!due || *other < *due))
        due = other;
    if (const auto wake = alarm_.arm(now(), due))
      self_->delayed_send(self_, wake->after, monitor_tick{wake->generation});
  }

  [[nodiscard]] std::optional<instant> idle_due() const {
    if (!keeper_ || audience_.size() > 0 || waiters_.size() > 0)
      return std::nullopt;
    return used_ + monitor_idle_limit;
  }

  void say_idle() {
    used_ = now();
    if (const auto keeper = caf::actor_cast<monitor_keeper>(keeper_))
      self_->send(keeper, monitor_idle{pattern_});
  }

  void on_down(const caf::down_msg& x) {
    if (x.source == backend_.address()) {
      backend_is_monitored_ = false;
      if (machine_.is_open(last_id_))
        interrupted("the backend has ended");
    } else if (x.source == owner_ || x.source == keeper_) {
      return end(x.reason);
    } else if (audience_.remove(x.source)) {
      used_ = now();
    }
    arm();
  }

  void end(caf::error reason) {
    if (machine_.is_open(last_id_))
      self_->send(backend_, unwatch{last_id_});
    machine_.close();
    audience_.tell(monitor_health{false, "the monitor ends"});
    self_->quit(std::move(reason));
  }

  // -- means ------------------------------------------------------------------

  [[nodiscard]] instant now() const { return rt_.time.now(); }
  [[nodiscard]] nanoseconds age() const { return healthy_ ? nanoseconds{} : now() - confirmed_; }
  [[nodiscard]] view_position position() const { return {machine_.epoch(), machine_.revision()}; }

  void log(log_level level, const std::string& line) {
    rt_.log.write(level, name, pattern_.text() + ": " + line);
  }

  void feed(const caf::actor_addr& who) {
    if (machine_.is_whole())
      audience_.feed(who, machine_.view(), position(), now());
  }

  [[nodiscard]] monitor_entries all_entries() const {
    monitor_entries result{
      .epoch = machine_.epoch(), .revision = machine_.revision(), .age = age()};
    result.entries.reserve(machine_.view().entries().size());
    for (const auto& [key, x] : machine_.view().entries())
      result.entries.push_back(machine_.view().copy_of(x, now()));
    return result;
  }

  [[nodiscard]] monitor_status status() const {
    return {.pattern = pattern_,
            .healthy = healthy_,
            .age = age(),
            .revision = machine_.revision(),
            .keys = machine_.view().entries().size(),
            .subscribers = audience_.size(),
            .waiters = waiters_.size(),
            .gaps = machine_.gaps(),
            .resyncs = machine_.resyncs(),
            .reopened = last_id_ - 1,
            .pending = audience_.pending()};
  }

  impl::pointer self_;
  runtime rt_;
  backend_actor backend_;
  subject pattern_;
  caf::actor_addr owner_;  // Weak, as all but the backend: a monitor keeps nobody alive.
  caf::actor_addr keeper_; // Null unless shared.
  watch_machine machine_;
  monitor_audience audience_;
  monitor_waiters waiters_;
  alarm alarm_;

  watch_id last_id_ = 0; // Of the present watch, or the last one.
  bool backend_is_monitored_ = false;
  std::optional<instant> open_at_; // When to open the next watch, if there is none.
  nanoseconds reopen_after_ = first_reopen_after;

  bool healthy_ = false;
  bool told_health_ = false;
  bool checking_ = false;
  std::uint64_t seen_at_check_ = 0; // Parts of the present watch, at the last check.
  std::optional<instant> check_at_;
  instant confirmed_; // When the view was last known to be current.
  instant used_;      // When somebody last subscribed, waited or asked, or was told of as idle.
};

} // namespace

kv_monitor_actor spawn_kv_monitor(caf::actor_system& sys, const runtime& rt,
                                  const backend_actor& backend, const subject& pattern,
                                  const caf::strong_actor_ptr& owner) {
  return spawn_state<kv_monitor_state>(sys, rt, backend, pattern, owner, monitor_keeper{});
}

kv_monitor_actor spawn_shared_kv_monitor(caf::actor_system& sys, const runtime& rt,
                                         const backend_actor& backend, const subject& pattern,
                                         const monitor_keeper& keeper) {
  return spawn_state<kv_monitor_state>(sys, rt, backend, pattern, caf::strong_actor_ptr{}, keeper);
}

} // namespace trunnion
