#include "trunnion/backends/faulty/faulty_backend.hpp"

#include "trunnion/backends/faulty/faulty_session.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

#include <caf/send.hpp>

#include <set>

namespace trunnion {

/// Private: what came before this has been handed to the sessions.
struct faulty_flush {};

/// Private: a cut is over.
struct faulty_wake {
  trunnion::generation generation;
};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::faulty_flush)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::faulty_wake)

namespace trunnion {
namespace {

class faulty_backend_state {
public:
  using impl
    = faulty_backend_actor::extend<takes<faulty_flush>, takes<faulty_wake>, takes<session_ended>>;
  static constexpr const char* name = "faulty";

  faulty_backend_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                       const fault_dice& dice, bool is_owned)
    : self_(self),
      rt_(rt),
      backend_(backend),
      dice_(dice),
      is_owned_(is_owned),
      tally_(std::make_shared<fault_tally>()) {
    self_->monitor(backend_);
    log(log_level::info,
        "a faulty link, seed " + std::to_string(dice.seed()) + ", plan " + to_string(dice.plan()));
  }

  ~faulty_backend_state() { log(log_level::info, "the faulty link ends: " + to_string(report())); }
  faulty_backend_state(const faulty_backend_state&) = delete;
  faulty_backend_state& operator=(const faulty_backend_state&) = delete;

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x); });
    self_->set_exit_handler([this](caf::exit_msg& x) { on_exit(x.reason); });
    return {
      [this](kv_update& x) { return pass<kv_written>(x); }, // CAF tries them in order.
      [this](kv_get& x) { return pass<kv_entry>(x); },
      [this](const watch_credit& x) { pass_note(x); },
      [this](kv_create& x) { return pass<kv_written>(x); },
      [this](kv_delete& x) { return pass<kv_deleted>(x); },
      [this](kv_list& x) { return pass<watch_opened>(x); },
      [this](watch& x) { return pass<watch_opened>(x); },
      [this](const rewatch& x) { pass_note(x); },
      [this](const unwatch& x) { pass_note(x); },
      [this](publish& x) { return pass<published>(x); },
      [this](consume& x) { return pass<consuming>(x); },
      [this](const stream_credit& x) { pass_note(x); },
      [this](const unconsume& x) { pass_note(x); },
      [this](stream_ack& x) { return pass<stream_acked>(x); },
      [this](drop_durable& x) { return pass<durable_dropped>(x); },
      [this](list_streams& x) { return pass<stream_subjects>(x); },
      [this](invoke& x) { return pass<invoked>(x); },
      [this](listen& x) { return pass<listening>(x); },
      [this](unlisten& x) { return pass<unlistened>(x); },
      [this](purge_listeners& x) { return pass<listeners_purged>(x); },
      [this](const request_reply& x) { pass_note(x); },
      [this](register_service& x) { return pass<service_registered>(x); },
      [this](unregister_service& x) { return pass<service_unregistered>(x); },
      [this](close_backend& x) { return pass<backend_closed>(x); },
      [this](get_capabilities& x) { return pass<capabilities>(x); },
      [this](get_backend_status& x) { return pass<backend_status>(x); },
      [this](const get_faulty_report&) { return report(); },
      [this](const faulty_flush&) { on_flush(); },
      [this](const faulty_wake& x) { on_wake(x.generation); },
      [this](session_ended& x) { on_session_ended(x); },
    };
  }

private:
  struct client {
    faulty_session session;  // None while the link is cut, or until the client asks again.
    kept_registrations kept; // Of a session that was cut.
  };

  // -- what clients send ------------------------------------------------------

  template <class Answer, class Operation> caf::result<Answer> pass(Operation& x) {
    const auto& who = self_->current_sender();
    constexpr bool is_close = std::is_same_v<Operation, close_backend>;
    if (!who) { // Nobody waits for an answer, and nobody could be told anything.
      caf::anon_send(backend_, std::move(x));
      return to_error(error_code::cancelled, "an anonymous request is not answered");
    }
    if (is_close && is_cut()) // The end is not disturbed.
      return self_->delegate(backend_, std::move(x));
    if (!is_close && !lets_through())
      return to_error(error_code::backend_unavailable, "the link is cut");
    const auto session = session_of(who);
    waiting_.insert(who->address());
    if (!std::exchange(is_flushing_, true))
      self_->send(self_, faulty_flush{});
    return self_->delegate(session, std::move(x));
  }

  void pass_note(const auto& x) {
    const auto& who = self_->current_sender();
    if (!who)
      return caf::anon_send(backend_, x);
    if (lets_through())
      self_->send(session_of(who), x);
  }

  /// What was in the mailbox has been handed over; see `faulty_session.hpp`.
  void on_flush() {
    is_flushing_ = false;
    for (const auto& who : std::exchange(waiting_, {}))
      if (const auto found = clients_.find(who); found != clients_.end() && found->second.session)
        self_->send(found->second.session, session_flush{});
  }

  faulty_session session_of(const caf::strong_actor_ptr& who) {
    const auto [found, is_new] = clients_.try_emplace(who->address());
    if (is_new)
      self_->monitor(who);
    return open(found->first, found->second);
  }

  faulty_session open(const caf::actor_addr& who, client& x) {
    if (!x.session) {
      const auto serial = 1 + tally_->sessions.fetch_add(1, std::memory_order_relaxed);
      x.session = spawn_faulty_session(self_->system(), rt_,
                                       {.backend = backend_,
                                        .front = self_->address(),
                                        .client = who,
                                        .serial = serial,
                                        .dice = dice_,
                                        .tally = tally_,
                                        .stalled_until = stalled_until_});
      if (!x.kept.empty())
        self_->send(x.session, session_reopen{std::exchange(x.kept, {})});
    }
    return x.session;
  }

  // -- faults of the whole link -----------------------------------------------

  bool is_cut() const { return rt_.time.now() < cut_until_; }

  /// Whether a message gets through; one that brings a cut about is its first victim.
  bool lets_through() {
    if (is_cut())
      return false;
    const message_place at{0, ++passed_};
    if (dice_.strikes(fault_kind::stall, at))
      stall(dice_.length(fault_kind::stall, at));
    if (!dice_.strikes(fault_kind::cut, at))
      return true;
    cut(dice_.length(fault_kind::cut, at));
    return false;
  }

  void cut(nanoseconds length) {
    tally_->count(fault_kind::cut, rt_.metrics);
    log(log_level::info, "cut off for " + std::to_string(length / milliseconds{1}) + " ms");
    cut_until_ = rt_.time.now() + length;
    for (auto& [_, x] : clients_)
      if (auto session = std::exchange(x.session, nullptr))
        self_->send(session, session_cut{});
    arm();
  }

  void stall(nanoseconds length) {
    tally_->count(fault_kind::stall, rt_.metrics);
    log(log_level::info, "stalled for " + std::to_string(length / milliseconds{1}) + " ms");
    stalled_until_ = std::max(stalled_until_, rt_.time.now() + length);
    for (auto& [_, x] : clients_)
      if (x.session)
        self_->send(x.session, session_stall{stalled_until_});
  }

  void on_session_ended(session_ended& x) {
    const auto found = clients_.find(x.client);
    if (found == clients_.end() || x.kept.empty())
      return;
    if (found->second.session) // The cut is over, and the client was quicker.
      self_->send(found->second.session, session_reopen{std::move(x.kept)});
    else
      found->second.kept = std::move(x.kept);
    arm();
  }

  void arm() {
    const auto waits = std::ranges::any_of(
      clients_, [](const auto& x) { return !x.second.session && !x.second.kept.empty(); });
    if (!waits)
      return;
    if (const auto wake = alarm_.arm(rt_.time.now(), cut_until_))
      self_->delayed_send(self_, wake->after, faulty_wake{wake->generation});
  }

  void on_wake(generation g) {
    if (!alarm_.heed(g))
      return;
    if (!is_cut())
      for (auto& [who, x] : clients_)
        if (!x.kept.empty())
          open(who, x);
    arm();
  }

  // -- ends -------------------------------------------------------------------

  void on_down(const caf::down_msg& x) {
    if (x.source == backend_.address())
      return self_->quit(x.reason); // Sessions know by themselves.
    const auto found = clients_.find(x.source);
    if (found == clients_.end())
      return;
    if (found->second.session)
      self_->send(found->second.session, session_end{true});
    clients_.erase(found);
  }

  void on_exit(const caf::error& reason) {
    if (is_owned_) { // It tells its sinks, and its end is ours.
      self_->send_exit(backend_, reason ? reason : caf::error{caf::exit_reason::user_shutdown});
      return;
    }
    for (auto& [_, x] : clients_)
      if (x.session)
        self_->send(x.session, session_end{});
    self_->quit(reason);
  }

  // -- figures ----------------------------------------------------------------

  faulty_report report() const { return tally_->report(); }

  void log(log_level level, const std::string& line) const { rt_.log.write(level, name, line); }

  impl::pointer self_;
  runtime rt_;
  backend_actor backend_;
  fault_dice dice_;
  bool is_owned_;
  std::shared_ptr<fault_tally> tally_;
  std::map<caf::actor_addr, client> clients_;
  std::set<caf::actor_addr> waiting_; // For a flush.
  bool is_flushing_ = false;          // A `faulty_flush` is under way.
  std::uint64_t passed_ = 0;
  instant cut_until_{};
  instant stalled_until_{};
  alarm alarm_;
};

} // namespace

std::string to_string(const faulty_report& x) {
  auto result
    = std::to_string(x.messages) + " messages, " + std::to_string(x.sessions) + " sessions";
  for (const auto& info : all_fault_kinds())
    if (const auto fired = x.of(info.kind); fired > 0)
      result.append(", ").append(info.name).append(" ").append(std::to_string(fired));
  return result;
}

faulty_backend_actor spawn_faulty_backend(caf::actor_system& sys, const runtime& rt,
                                          const backend_actor& backend, const fault_dice& dice,
                                          bool is_owned) {
  return spawn_state<faulty_backend_state>(sys, rt, backend, dice, is_owned);
}

} // namespace trunnion
