#include "trunnion/actors/lease.hpp"

#include "trunnion/actors/janitor.hpp"
#include "trunnion/actors/lease_machine.hpp"
#include "trunnion/actors/lease_uuid.hpp"
#include "trunnion/actors/waiters.hpp"
#include "trunnion/messages/lease_record.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

#include <caf/actor_registry.hpp>

#include <algorithm>

namespace trunnion {
namespace {

/// Private: the machine may be due, for the right that is held or for anything else.
struct lease_tick {
  trunnion::generation generation;
  bool is_of_right = false;
};

} // namespace
} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::lease_tick)

namespace trunnion {
namespace {

constexpr std::uint64_t watch_window = 8; ///< Parts of credit: a key has few changes under way.

/// What a caller gets whose lease was killed before it could answer. One for all, since each
/// request needs it at hand.
const caf::error& killed() {
  static const auto error = to_error(
    failure{error_code::shutting_down, certainty::unknown, "", "the lease's actor has ended", {}});
  return error;
}

lease_terms terms_of(const lease_options& x) {
  return {x.ttl, x.guard, x.grace, x.wait, x.wait_forever, !x.no_enforce};
}

std::string ms_text(nanoseconds x) {
  return std::to_string(std::chrono::duration_cast<milliseconds>(x).count()) + " ms";
}

/// Translates messages for the machine, and the machine's answers to messages.
class lease_state {
public:
  using impl = lease_actor::extend<takes<lease_tick>, takes<watch_part>, takes<watch_lost>,
                                   takes<wait_turn>>;
  static constexpr const char* name = "lease";

  lease_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
              const caf::strong_actor_ptr& holder, const lease_options& options)
    : self_(self),
      rt_(rt),
      backend_(backend),
      holder_(caf::actor_cast<caf::actor_addr>(holder)),
      subject_(options.subject),
      record_(options.record),
      owner_(options.owner),
      uuid_(make_lease_uuid(rt.time.wall(), rt.random)),
      acquired_at_(rt.time.wall()),
      at_(rt.time.now()),
      machine_(terms_of(options), at_),
      timeout_(terms_of(options).attempt_timeout()),
      ttl_asked_(options.ttl),
      cell_(std::make_shared<lease_cell>(rt.time)),
      enforces_(!options.no_enforce) {
    self_->monitor(holder);
  }

  ~lease_state() { cell_->end(); } // Also when killed: what is deleted next is not ours any more.

  lease_state(const lease_state&) = delete;
  lease_state& operator=(const lease_state&) = delete;

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x.source); });
    self_->set_exit_handler([this](caf::exit_msg& x) { on_exit(std::move(x.reason)); });
    if (const auto watch = clock_watcher())
      self_->send(watch, watch_clock{});
    if (!enforces_)
      log(log_level::warn, "NOT ENFORCED: takes the key from whoever has it, and watches nothing");
    drive(&lease_machine::start);
    return {
      // Found one after the other, so the frequent ones come first.
      [this](const lease_refresh& x) { return on_refresh(x); },
      [this](const watch_part& x) { on_part(x); },
      [this](const lease_tick& x) {
        if ((x.is_of_right ? right_alarm_ : other_alarm_).heed(x.generation))
          look();
      },
      [this](const lease_await&) { return on_await(); },
      [this](const lease_release&) { return on_release(); },
      [this](const lease_subscribe& x) { return on_subscribe(x); },
      [this](const lease_wait_ended&) { return on_wait_ended(); },
      [this](const lease_inspect&) { return status(); },
      [this](const lease_get_view&) { return lease_view{cell_}; },
      [this](const clock_jumped&) {
        right_alarm_.distrust();
        other_alarm_.distrust();
        look();
      },
      [this](const watch_lost& x) {
        if (x.id == watch_id_)
          drive(&lease_machine::on_watch_lost);
      },
      [this](const wait_turn&) { drive(&lease_machine::on_turn); },
    };
  }

private:
  // -- requests ---------------------------------------------------------------

  caf::result<lease_grant> on_await() {
    look();
    if (machine_.phase() == lease_phase::held)
      return grant();
    if (machine_.phase() != lease_phase::acquiring)
      return why_not_held();
    return queue_promise(awaiting_, rt_.bounds.subscribers);
  }

  caf::result<lease_refreshed> on_refresh(const lease_refresh& x) {
    look();
    if (machine_.phase() == lease_phase::acquiring)
      return to_error(error_code::invalid_argument, "not held yet", subject_.text());
    if (machine_.phase() != lease_phase::held)
      return why_not_held();
    if (const auto* record = std::get_if<std::string>(&x.record))
      if (auto checked = check_record(*record); !checked)
        return to_error(std::move(checked.error()));
    if (refreshes_.size() >= rt_.bounds.pending_requests)
      return refuse_overload();
    auto promise = self_->make_response_promise<lease_refreshed>();
    refreshes_.push_back({{promise, killed()}, x.record});
    apply(machine_.on_refresh(at_));
    return promise;
  }

  caf::result<lease_released> on_release() {
    drive(&lease_machine::on_release, release_cause::asked);
    if (machine_.is_over())
      return released();
    return queue_promise(releases_, rt_.bounds.pending_requests);
  }

  caf::result<lease_status> on_subscribe(const lease_subscribe& x) {
    look();
    if (!self_->current_sender())
      return to_error(error_code::invalid_argument, "nobody to tell", subject_.text());
    const auto sink = sender_as<lease_sink>(self_);
    const auto found = std::ranges::find(subscribers_, sink.address(), &subscriber::who);
    if (found != subscribers_.end()) {
      found->wants_renewals = x.renewals;
      return status();
    }
    const bool has_room = subscribers_.size() < rt_.bounds.subscribers;
    if (machine_.is_over()) {
      self_->send(sink, how_it_ended());
      if (has_room)
        subscribers_.push_back({sink.address(), false}); // Has been told, and is not told again.
      return status();
    }
    if (!has_room)
      return refuse_overload();
    self_->monitor(sink);
    subscribers_.push_back({sink.address(), x.renewals});
    return status();
  }

  caf::result<lease_ended> on_wait_ended() {
    look();
    if (!machine_.is_over())
      return queue_promise(end_waiters_, rt_.bounds.subscribers);
    if (not_acquired_)
      return to_error(*not_acquired_);
    return how_it_ended();
  }

  lease_status status() {
    look();
    const auto& counted = machine_.counted();
    lease_status result{.subject = subject_,
                        .phase = machine_.phase(),
                        .lost = machine_.lost(),
                        .token = machine_.token(),
                        .revision = machine_.revision(),
                        .ttl = machine_.ttl(),
                        .time_left = time_left(),
                        .in_jeopardy = machine_.in_jeopardy(),
                        .record = record_,
                        .owner = owner_,
                        .holder = uuid_};
    result.refreshes = counted.refreshes;
    result.attempts = counted.attempts;
    result.unknown = counted.unknown;
    result.jeopardies = counted.jeopardies;
    result.smallest_margin = counted.smallest_margin;
    return result;
  }

  template <class T>
  caf::result<T> queue_promise(std::vector<promise_guard<T>>& queue, std::size_t bound) {
    if (queue.size() >= bound)
      return refuse_overload();
    auto promise = self_->make_response_promise<T>();
    queue.emplace_back(promise, killed());
    return promise;
  }

  caf::error refuse_overload() {
    rt_.metrics.count("lease_requests_refused_total");
    return to_error(error_code::overloaded, "too many requests at once", subject_.text());
  }

  // -- ends -------------------------------------------------------------------

  void on_down(const caf::actor_addr& who) {
    std::erase_if(subscribers_, [&](const auto& x) { return x.who == who; });
    if (room_ && who == room_.address())
      perform(join_queue{}); // It died; this waiter's place is in the next.
    if (who == holder_)
      wind_up(release_cause::holder_died, {});
  }

  void on_exit(caf::error reason) { wind_up(release_cause::shutdown, std::move(reason)); }

  /// Releases, then quits.
  void wind_up(release_cause cause, caf::error reason) {
    if (!quits_)
      quit_reason_ = std::move(reason);
    quits_ = true;
    drive(&lease_machine::on_release, cause);
  }

  // -- the watch --------------------------------------------------------------

  void open() {
    close();
    const auto id = ++watch_id_;
    next_seq_ = 1;
    watched_revision_ = {};
    is_in_picture_ = false;
    // The machine opens another after one timeout; this only keeps answers from being waited for.
    self_->request(backend_, 2 * timeout_, watch{subject_, id, watch_window})
      .then(
        [this, id](const watch_opened&) {
          if (id == watch_id_)
            drive(&lease_machine::on_watch_opened);
        },
        [this, id](const caf::error&) {
          if (id == watch_id_)
            drive(&lease_machine::on_watch_lost);
        });
  }

  void close() {
    if (watch_id_ > 0)
      self_->send(backend_, unwatch{watch_id_});
  }

  void on_part(const watch_part& x) {
    if (x.id != watch_id_ || machine_.is_over())
      return look();
    if (x.seq > next_seq_) {
      self_->send(backend_, rewatch{x.id, next_seq_});
      return look();
    }
    const bool is_new = x.seq == next_seq_;
    next_seq_ = std::max(next_seq_, x.seq + 1);
    self_->send(backend_, watch_credit{x.id, next_seq_ - 1, next_seq_ - 1 + watch_window});
    if (is_new)
      take(x);
    else
      look();
  }

  void take(const watch_part& x) {
    at_ = rt_.time.now();
    for (const auto& entry : x.entries) {
      is_in_picture_ = entry.is_live();
      if (!is_old_news(entry, x.epoch))
        apply(machine_.on_sighting(at_, see(entry, x.epoch)));
    }
    const bool went_back = x.revision < watched_revision_;
    watched_revision_ = x.revision;
    if (went_back || x.epoch != machine_.token().epoch)
      apply(machine_.on_store_changed(at_));
    else if (x.kind == part_kind::snapshot_end && !is_in_picture_)
      apply(machine_.on_doubt(at_));
    else
      apply(machine_.on_time(at_));
    if (x.kind == part_kind::resync)
      is_in_picture_ = false;
  }

  /// What the machine knows by its own writes needs no decoding.
  bool is_old_news(const entry& x, epoch at) const {
    return x.is_live() && at == machine_.token().epoch && x.revision <= machine_.revision();
  }

  sighting see(const entry& x, epoch at) const {
    if (x.is_live() && x.payload == sent_) // Bears our name and the number of the attempt.
      return {.who = standing::own, .epoch = at, .revision = x.revision, .renewal = sent_renewal_};
    return look_at(x, at, uuid_);
  }

  // -- what the machine wants -------------------------------------------------

  void look() { drive(&lease_machine::on_time); }

  /// Tells the machine of an event, at the time of now.
  template <class... Params, class... Args>
  void drive(lease_actions (lease_machine::*event)(instant, Params...), const Args&... args) {
    at_ = rt_.time.now();
    apply((machine_.*event)(at_, args...));
  }

  void apply(const lease_actions& actions) {
    sync_view(); // Before anybody is told.
    for (const auto& action : actions)
      std::visit([this](const auto& x) { perform(x); }, action);
    if (machine_.phase() != lease_phase::held && !refreshes_.empty())
      fail_refreshes();
    if (machine_.is_over() && quits_)
      self_->quit(quit_reason_);
    else
      arm();
  }

  void arm() {
    if (const auto next = right_alarm_.arm(at_, machine_.right_due()))
      self_->delayed_send(self_, next->after, lease_tick{next->generation, true});
    if (const auto next = other_alarm_.arm(at_, machine_.other_due()))
      self_->delayed_send(self_, next->after, lease_tick{next->generation, false});
  }

  void sync_view() {
    if (machine_.phase() != lease_phase::held) {
      if (is_shown_)
        cell_->end();
    } else if (is_shown_) {
      cell_->move_deadline(machine_.deadline());
    } else {
      cell_->grant(machine_.token(), machine_.deadline());
      is_shown_ = true;
    }
  }

  void perform(const send_write& x) {
    const bool is_refresh = machine_.phase() == lease_phase::held;
    sent_ = payload{encode(compose(x.renewal, is_refresh))};
    sent_renewal_ = x.renewal;
    if (x.expected || !enforces_)
      send_write_request(x.renewal,
                         kv_update{subject_, sent_, x.expected, ttl_asked_, epoch_of(x)});
    else
      send_write_request(x.renewal, kv_create{subject_, sent_, ttl_asked_});
  }

  /// Revisions compare within one epoch, which is that of the acquisition as long as it is held.
  std::optional<epoch> epoch_of(const send_write& x) const {
    return x.expected ? std::optional{machine_.token().epoch} : std::nullopt;
  }

  /// No timeout of CAF's: the machine has its own, and an answer that comes later still matters.
  void send_write_request(std::uint64_t renewal, auto request) {
    self_->request(backend_, caf::infinite, std::move(request))
      .then([this, renewal](const kv_written& x) { drive(&lease_machine::on_written, renewal, x); },
            [this, renewal](const caf::error& x) {
              drive(&lease_machine::on_write_failed, renewal, to_failure(x));
            });
  }

  void perform(const send_read& x) {
    const auto serial = x.serial;
    self_->request(backend_, caf::infinite, kv_get{subject_, true})
      .then(
        [this, serial](const kv_entry& x) {
          drive(&lease_machine::on_read, serial, look_at(x.entry, x.epoch, uuid_));
        },
        [this, serial](const caf::error& error) {
          auto why = to_failure(error);
          if (why.code == error_code::key_not_found)
            drive(&lease_machine::on_read, serial, sighting{});
          else
            drive(&lease_machine::on_read_failed, serial, why);
        });
  }

  void perform(const send_delete& x) {
    const auto serial = x.serial;
    self_->request(backend_, caf::infinite, kv_delete{subject_, x.expected, x.in_epoch})
      .then([this](const kv_deleted&) { drive(&lease_machine::on_deleted); },
            [this, serial](const caf::error& error) {
              drive(&lease_machine::on_delete_failed, serial, to_failure(error));
            });
  }

  void perform(const discard& x) {
    log(log_level::warn, "deletes what it wrote too late, revision " + to_string(x.expected));
    self_->request(backend_, timeout_, kv_delete{subject_, x.expected, x.in_epoch})
      .then([](const kv_deleted&) {}, [](const caf::error&) {}); // Else the TTL ends it.
  }

  void perform(const open_watch&) { open(); }
  void perform(const close_watch&) { close(); }

  void perform(const granted&) {
    rt_.metrics.count("lease_acquired_total");
    log(log_level::info,
        "acquired, token " + to_string(machine_.token()) + ", TTL " + ms_text(machine_.ttl()));
    for (auto& promise : awaiting_)
      promise.deliver(grant());
    awaiting_.clear();
    tell_renewed();
  }

  void perform(const renewed&) {
    rt_.metrics.observe("lease_refresh_margin_seconds",
                        std::chrono::duration<double>(machine_.margin()).count());
    tell_renewed();
  }

  void perform(const refresh_done&) {
    if (auto* record = std::get_if<std::string>(&refreshes_.front().record))
      record_ = std::move(*record);
    refreshes_.front().promise.deliver({machine_.revision(), time_left()});
    refreshes_.erase(refreshes_.begin());
  }

  void perform(const refresh_refused& x) {
    auto why = *x.why;
    why.subject = subject_.text();
    log(log_level::warn, "refresh refused: " + why.text);
    refreshes_.front().promise.fail(to_error(std::move(why)));
    refreshes_.erase(refreshes_.begin());
  }

  void perform(const jeopardised& x) {
    rt_.metrics.count("lease_jeopardies_total");
    log(log_level::warn, "in jeopardy, " + ms_text(x.time_left) + " left");
    tell(lease_jeopardy{subject_, x.time_left});
  }

  void perform(const recovered& x) {
    log(log_level::info, "recovered, " + ms_text(x.time_left) + " left");
    tell(lease_recovered{subject_, x.time_left});
  }

  void perform(const ended& x) {
    culprit_ = x.culprit;
    if (x.lost) {
      rt_.metrics.count("lease_lost_" + to_string(*x.lost) + "_total");
      log(log_level::error,
          "lost: " + to_string(*x.lost) + (x.culprit.empty() ? "" : " by " + x.culprit));
    } else {
      rt_.metrics.count("lease_released_total");
      log(log_level::info, machine_.key_deleted() ? "released" : "released, unconfirmed");
    }
    finish();
  }

  void perform(const not_acquired& x) {
    not_acquired_ = std::make_unique<failure>(*x.why);
    not_acquired_->subject = subject_.text();
    log(log_level::info, "not acquired: " + x.why->text);
    for (auto& promise : awaiting_)
      promise.fail(to_error(*not_acquired_));
    awaiting_.clear();
    if (machine_.is_over())
      finish();
  }

  void perform(const call_janitor&) {
    const bool was_held = machine_.token() != fencing_token{};
    sweep(self_->system(), rt_, backend_,
          {.subject = subject_,
           .holder = uuid_,
           .revision = was_held ? std::optional{machine_.revision()} : std::nullopt,
           .in_epoch = was_held ? std::optional{machine_.token().epoch} : std::nullopt,
           .ttl = machine_.ttl(),
           .timeout = timeout_});
  }

  void perform(const join_queue&) {
    room_ = waiting_room(self_->system(), rt_);
    self_->request(room_, caf::infinite, wait_join{backend_, subject_})
      .then(
        [this, room = room_.address()](const wait_joined&) {
          if (room_ && room_.address() == room)
            self_->monitor(room_); // Nobody else would tell a waiter that it waits in vain.
        },
        [this](const caf::error& error) {
          auto why = to_failure(error);
          if (why.code == error_code::backend_unavailable) // It ended after its last waiter.
            perform(join_queue{});
          else
            drive(&lease_machine::on_broken_queue, why);
        });
  }

  void perform(const leave_queue&) {
    if (room_)
      self_->send(room_, wait_leave{});
    forget_room();
  }

  void perform(const report_turn& x) {
    if (room_)
      self_->send(room_, wait_report{x.result, machine_.ttl()});
    if (x.result == turn_result::taken)
      forget_room();
  }

  void forget_room() {
    if (room_)
      self_->demonitor(room_.address());
    room_ = nullptr;
  }

  // -- telling ----------------------------------------------------------------

  /// All who must know of the end, subscribers first.
  void finish() {
    if (std::exchange(is_end_told_, true))
      return;
    tell(how_it_ended());
    for (const auto& x : subscribers_)
      self_->demonitor(x.who);
    for (auto& promise : releases_)
      promise.deliver(released());
    releases_.clear();
    for (auto& promise : end_waiters_)
      if (not_acquired_)
        promise.fail(to_error(*not_acquired_));
      else
        promise.deliver(how_it_ended());
    end_waiters_.clear();
    sent_ = {};
    if (const auto watch = clock_watcher())
      self_->send(watch, unwatch_clock{});
  }

  void tell(const auto& message) {
    for (const auto& x : subscribers_)
      self_->send(caf::actor_cast<lease_sink>(x.who), message);
  }

  void tell_renewed() {
    for (const auto& x : subscribers_)
      if (x.wants_renewals)
        self_->send(caf::actor_cast<lease_sink>(x.who),
                    lease_renewed{subject_, machine_.revision(), machine_.token(), time_left()});
  }

  void fail_refreshes() {
    for (auto& x : refreshes_)
      x.promise.fail(why_not_held());
    refreshes_.clear();
  }

  lease_grant grant() const { return {subject_, machine_.token(), machine_.ttl(), time_left()}; }

  lease_released released() const { return {machine_.lost(), machine_.key_deleted()}; }

  lease_ended how_it_ended() const {
    return {subject_, machine_.token(), machine_.lost(), culprit_};
  }

  caf::error why_not_held() const {
    if (not_acquired_)
      return to_error(*not_acquired_);
    if (!machine_.lost())
      return to_error(failure{error_code::cancelled,
                              certainty::not_applied,
                              subject_.text(),
                              "the lease has been released",
                              {}});
    return to_error(failure{error_code::lease_abandoned, certainty::not_applied, subject_.text(),
                            "the lease was lost: " + to_string(*machine_.lost()),
                            abandonment{{{subject_.text(), *machine_.lost(), culprit_}}}});
  }

  // -- means ------------------------------------------------------------------

  nanoseconds time_left() const {
    if (machine_.phase() != lease_phase::held)
      return {};
    return std::max(machine_.deadline() - at_, nanoseconds{});
  }

  lease_record compose(std::uint64_t renewal, bool is_refresh) const {
    const auto* change
      = is_refresh ? std::get_if<std::string>(&refreshes_.front().record) : nullptr;
    lease_record result{.acquired_at = {acquired_at_}, .refreshed_at = {rt_.time.wall()}};
    result.record = change ? *change : record_;
    result.holder = uuid_;
    result.renewal = renewal;
    if (is_refresh)
      result.token = machine_.token();
    result.ttl = std::chrono::ceil<milliseconds>(machine_.ttl());
    result.owner = owner_;
    result.version = lease_record_version;
    return result;
  }

  clock_watch_actor clock_watcher() const {
    return self_->system().registry().get<clock_watch_actor>(clock_watch_name);
  }

  void log(log_level level, const std::string& line) const {
    rt_.log.write(level, name, subject_.text() + ": " + line);
  }

  struct subscriber {
    caf::actor_addr who; // Weak: a lease keeps nobody alive.
    bool wants_renewals = false;
  };

  struct order {
    promise_guard<lease_refreshed> promise;
    record_change record;
  };

  impl::pointer self_;
  runtime rt_;
  backend_actor backend_;
  waiting_room_actor room_; // While waiting.
  caf::actor_addr holder_;
  trunnion::subject subject_;
  std::string record_; // The holder's, as last confirmed.
  std::string owner_;
  std::string uuid_; // Of this incarnation.
  wall_time acquired_at_;
  instant at_; // Of the latest look at the clock.
  lease_machine machine_;
  nanoseconds timeout_;   // Of an attempt.
  nanoseconds ttl_asked_; // Before the backend's rounding.
  std::shared_ptr<lease_cell> cell_;
  alarm right_alarm_; // Apart, lest each operation leaves a timer of the other behind.
  alarm other_alarm_;

  payload sent_; // The latest write, whose bytes the store shares.
  std::uint64_t sent_renewal_ = 0;

  watch_id watch_id_ = 0;
  std::uint64_t next_seq_ = 1;
  revision watched_revision_; // Of the latest part.

  std::vector<subscriber> subscribers_; // In order of subscription.
  std::vector<order> refreshes_;        // The first is the one under way.
  std::vector<promise_guard<lease_grant>> awaiting_;
  std::vector<promise_guard<lease_released>> releases_;
  std::vector<promise_guard<lease_ended>> end_waiters_;
  std::unique_ptr<failure> not_acquired_;
  std::string culprit_;
  caf::error quit_reason_;
  bool enforces_ = true;
  bool is_in_picture_ = false; // The watch's snapshot has shown the key.
  bool is_shown_ = false;      // The view has been granted.
  bool quits_ = false;         // As soon as it is over.
  bool is_end_told_ = false;   // To all subscribers.
};

} // namespace

outcome<lease_actor> acquire(caf::actor_system& sys, const runtime& rt,
                             const backend_actor& backend, const caf::strong_actor_ptr& holder,
                             const lease_options& options) {
  if (auto checked = check(options); !checked)
    return tl::unexpected{std::move(checked.error())};
  if (!holder || !backend)
    return fail(error_code::invalid_argument, "a lease needs a holder and a backend",
                options.subject.text());
  return lease_actor{spawn_state<lease_state>(sys, rt, backend, holder, options)};
}

} // namespace trunnion
