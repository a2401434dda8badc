#include "trunnion/backends/memory/memory_backend.hpp"

#include "trunnion/backends/common/admission.hpp"
#include "trunnion/backends/common/sink_table.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"

namespace trunnion {

/// Wakes the backend at a deadline. Private: not part of the public handle, never on the wire.
struct memory_wake {
  trunnion::generation generation;
};

/// Goes on with what was left over, after the messages that have come in between.
struct memory_proceed {};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::memory_wake)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::memory_proceed)

namespace trunnion {
namespace {

constexpr std::size_t operations_per_turn = 1'024; // Of those that wait.
constexpr std::size_t timer_steps = 16;            // Expiries, and the like, of one turn.

/// An operation that waits for its turn.
template <class Operation, class Answer> struct waiting {
  Operation operation;
  promise_guard<Answer> promise;
};

using waiting_operation
  = std::variant<waiting<kv_get, kv_entry>, waiting<kv_create, kv_written>,
                 waiting<kv_update, kv_written>, waiting<kv_delete, kv_deleted>,
                 waiting<kv_list, watch_opened>, waiting<watch, watch_opened>,
                 waiting<publish, published>, waiting<consume, consuming>, watch_credit, rewatch,
                 unwatch, stream_credit, unconsume>;

class memory_backend_state : public sink_source {
public:
  using impl = backend_actor::extend<takes<memory_wake>, takes<memory_proceed>>;
  static constexpr const char* name = "memory";

  memory_backend_state(impl::pointer self, const runtime& rt, const memory_options& options)
    : self_(self),
      rt_(rt),
      epoch_{static_cast<std::uint64_t>(rt.time.wall().time_since_epoch().count())},
      store_(epoch_, options),
      sinks_(self, rt, epoch_, *this),
      waiting_(rt.bounds.operations_per_client) {
    store_.keys.listen([this](const subject& key, const key_store::record& x) {
      const bool is_busy = waiting_.size() > 0 || self_->mailbox().size() > 0;
      sinks_.on_change(key, is_busy, [&] { return key_store::to_change(key, x); });
    });
    store_.log.on_removed([this](const stream_message& x) { sinks_.on_removed(x); });
  }

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { sinks_.end_session(x.source); });
    self_->set_exit_handler([this](caf::exit_msg& x) { on_exit(x.reason); });
    return {
      [this](kv_update& x) { return on_request<kv_written>(x); }, // CAF tries them in order.
      [this](kv_get& x) { return on_request<kv_entry>(x); },
      [this](const watch_credit& x) { on_note(x); },
      [this](kv_create& x) { return on_request<kv_written>(x); },
      [this](kv_delete& x) { return on_request<kv_deleted>(x); },
      [this](kv_list& x) { return on_request<watch_opened>(x); },
      [this](watch& x) { return on_request<watch_opened>(x); },
      [this](const rewatch& x) { on_note(x); },
      [this](const unwatch& x) { on_note(x); },
      [this](publish& x) { return on_request<published>(x); },
      [this](consume& x) { return on_request<consuming>(x); },
      [this](const stream_credit& x) { on_note(x); },
      [this](const unconsume& x) { on_note(x); },
      [](const stream_ack&) { return not_here<stream_acked>(); },
      [](const drop_durable&) { return not_here<durable_dropped>(); },
      [](const list_streams&) { return not_here<stream_subjects>(); },
      [](const invoke&) { return not_here<invoked>(); },
      [](const listen&) { return not_here<listening>(); },
      [](const unlisten&) { return not_here<unlistened>(); },
      [](const purge_listeners&) { return not_here<listeners_purged>(); },
      [](const request_reply&) {},
      [](const register_service&) { return not_here<service_registered>(); },
      [](const unregister_service&) { return not_here<service_unregistered>(); },
      [](const close_backend&) { return not_here<backend_closed>(); },
      [](const get_capabilities&) { return memory_capabilities(); },
      [this](const get_backend_status&) { return status(); },
      [this](const memory_wake& x) { on_wake(x); },
      [this](const memory_proceed&) { on_proceed(); },
    };
  }

  // -- what sinks read --------------------------------------------------------

  entry_page page(const subject& pattern, const page_position& position) override {
    return store_.keys.page(pattern, position, rt_.time.now());
  }

  message_batch read(const subject& pattern, sequence from, std::size_t steps) override {
    return store_.log.read(pattern, from, steps);
  }

  revision newest() const override { return store_.keys.newest(); }

private:
  // -- messages ---------------------------------------------------------------

  template <class Answer, class Operation> caf::result<Answer> on_request(Operation& x) {
    if (must_wait())
      return wait<Answer>(x);
    look();
    auto answer = run(x, self_->current_sender());
    end_turn();
    if (!answer)
      return to_error(std::move(answer.error()));
    return *std::move(answer);
  }

  /// What a sink says has no answer, but its place among the session's operations.
  void on_note(const auto& note) {
    look();
    const auto client = sender();
    if (!waiting_.waits(client))
      run(note, self_->current_sender());
    else if (waiting_.admits(client)) // If not, the next credit makes it good.
      waiting_.add(client, note);
    else if (const auto* x = closes(note))
      sinks_.close(client, *x);
    end_turn();
  }

  void on_wake(const memory_wake& x) {
    look();
    if (alarm_.heed(x.generation))
      run_timers();
    end_turn();
  }

  void on_proceed() {
    is_proceeding_ = false;
    look();
    for (auto i = operations_per_turn; i > 0 && waiting_.size() > 0; --i) {
      auto [client, operation] = *waiting_.next();
      const auto session = caf::actor_cast<caf::strong_actor_ptr>(client);
      look();
      std::visit([&](auto& x) { run_waiting(x, session); }, operation);
    }
    sinks_.work();
    run_timers();
    end_turn();
  }

  void on_exit(const caf::error& reason) {
    const failure why{
      error_code::shutting_down, certainty::not_applied, "", "the backend is ending", {}};
    sinks_.end_all(why);
    self_->quit(reason);
  }

  template <class Answer> static caf::result<Answer> not_here() {
    return to_error(error_code::unsupported, "this engine does not have it yet");
  }

  // -- turns ------------------------------------------------------------------

  caf::actor_addr sender() const {
    return caf::actor_cast<caf::actor_addr>(self_->current_sender());
  }

  bool must_wait() { return waiting_.size() > 0 || self_->mailbox().size() > long_mailbox; }

  template <class Answer, class Operation> caf::result<Answer> wait(Operation& x) {
    const auto client = sender();
    if (!waiting_.admits(client))
      return to_error(error_code::overloaded, "this client has too many operations in flight",
                      subject_of(x));
    auto promise = self_->template make_response_promise<Answer>();
    waiting_.add(client, waiting<Operation, Answer>{
                           std::move(x), {promise, caf::make_error(error_code::shutting_down)}});
    proceed();
    return promise;
  }

  template <class Operation, class Answer>
  void run_waiting(waiting<Operation, Answer>& x, const caf::strong_actor_ptr& session) {
    auto answer = run(x.operation, session);
    if (answer)
      x.promise.deliver(*std::move(answer));
    else
      x.promise.fail(to_error(std::move(answer.error())));
  }

  void run_waiting(const auto& note, const caf::strong_actor_ptr& session) { run(note, session); }

  void proceed() {
    if (!std::exchange(is_proceeding_, true))
      self_->send(self_, memory_proceed{});
  }

  void run_timers() {
    store_.run_timers(at_, timer_steps);
    sinks_.run_timers(timer_steps);
  }

  /// Makes sure that the actor runs again when something is to be done.
  void end_turn() {
    auto due = store_.next_due();
    if (const auto resend = sinks_.next_due(); resend && (!due || *resend < *due))
      due = resend;
    if (waiting_.size() > 0 || sinks_.has_work() || (due && *due <= at_.now))
      proceed();
    else if (const auto wake = alarm_.arm(at_.now, due))
      self_->delayed_send(self_, wake->after, memory_wake{wake->generation});
  }

  // -- operations -------------------------------------------------------------

  /// One look at the clocks for each operation.
  void look() { at_ = {rt_.time.now(), rt_.time.wall()}; }

  static std::string subject_of(const auto& x) {
    if constexpr (requires { x.subject; })
      return x.subject.text();
    else
      return x.pattern.text();
  }

  outcome<kv_entry> run(kv_get& x, const caf::strong_actor_ptr&) {
    ++operations_;
    return store_.keys.get(x, at_);
  }

  outcome<kv_written> run(kv_create& x, const caf::strong_actor_ptr&) {
    ++operations_;
    return store_.keys.create(std::move(x), at_);
  }

  outcome<kv_written> run(kv_update& x, const caf::strong_actor_ptr&) {
    ++operations_;
    return store_.keys.update(std::move(x), at_);
  }

  outcome<kv_deleted> run(kv_delete& x, const caf::strong_actor_ptr&) {
    ++operations_;
    return store_.keys.remove(x, at_);
  }

  outcome<watch_opened> run(const watch& x, const caf::strong_actor_ptr& session) {
    ++operations_;
    return check_watched(x.pattern).and_then([&] { return sinks_.open_watch(session, x); });
  }

  outcome<watch_opened> run(const kv_list& x, const caf::strong_actor_ptr& session) {
    ++operations_;
    const auto picture = [&] { return store_.keys.picture(x.pattern, at_.now); };
    return check_watched(x.pattern).and_then(
      [&] { return sinks_.open_listing(session, x, picture); });
  }

  outcome<published> run(publish& x, const caf::strong_actor_ptr&) {
    ++operations_;
    auto result = store_.publish(std::move(x), at_);
    if (result)
      sinks_.on_published(store_.log.latest());
    return result;
  }

  outcome<consuming> run(const consume& x, const caf::strong_actor_ptr& session) {
    ++operations_;
    if (auto valid = check_consumed(x.pattern); !valid)
      return tl::unexpected{valid.error()};
    const auto from = x.start == stream_start::all ? store_.log.oldest()
                                                   : sequence{store_.log.newest().value + 1};
    const bool at_tail = from > store_.log.newest();
    return sinks_.open_consumer(session, x, from, at_tail).map([&] {
      return consuming{epoch_, {from.value - 1}};
    });
  }

  void run(const watch_credit& x, const caf::strong_actor_ptr& session) {
    sinks_.on_credit(caf::actor_cast<caf::actor_addr>(session), x.id, x.seen, x.up_to);
  }

  void run(const stream_credit& x, const caf::strong_actor_ptr& session) {
    sinks_.on_credit(caf::actor_cast<caf::actor_addr>(session), x.id, x.seen, x.up_to);
  }

  void run(const rewatch& x, const caf::strong_actor_ptr& session) {
    sinks_.on_rewatch(session, x);
  }

  void run(const unwatch& x, const caf::strong_actor_ptr& session) {
    sinks_.close(caf::actor_cast<caf::actor_addr>(session), x.id);
  }

  void run(const unconsume& x, const caf::strong_actor_ptr& session) {
    sinks_.close(caf::actor_cast<caf::actor_addr>(session), x.id);
  }

  static const watch_id* closes(const auto&) { return nullptr; }
  static const watch_id* closes(const unwatch& x) { return &x.id; }
  static const watch_id* closes(const unconsume& x) { return &x.id; }

  // -- figures ----------------------------------------------------------------

  static capabilities memory_capabilities() {
    capabilities result;
    result.engine = "memory";
    result.least_ttl = key_store::ttls.least;
    result.ttl_resolution = key_store::ttls.resolution;
    result.expiry_told_within = milliseconds{100};
    result.min_safe_ttl = milliseconds{100};
    result.max_payload = max_payload_size;
    result.consistent_list = true;
    result.durability = durability::process;
    result.expiry_events = expiry_events::marked;
    return result;
  }

  backend_status status() {
    backend_status result;
    result.location = "memory:";
    result.epoch = epoch_;
    result.revision = store_.keys.newest();
    result.keys = store_.keys.live();
    result.tombstones = store_.keys.tombstones();
    result.messages = store_.log.size();
    result.sessions = sinks_.sessions();
    waiting_.for_each_client([&](const auto& x) { result.sessions += sinks_.knows(x) ? 0 : 1; });
    result.watches = sinks_.sinks();
    result.unseen_parts = sinks_.unseen();
    result.pending_changes = sinks_.pending();
    result.queued = waiting_.size();
    result.operations = operations_;
    result.refused = waiting_.refused() + sinks_.refused();
    result.expired = store_.keys.expired();
    result.resent = sinks_.resent();
    return result;
  }

  impl::pointer self_;
  runtime rt_;
  epoch epoch_;
  memory_store store_;
  sink_table sinks_;
  admission<caf::actor_addr, waiting_operation, address_hash> waiting_;
  alarm alarm_;
  moment at_;                  // When the current operation happens.
  bool is_proceeding_ = false; // A `memory_proceed` is under way.
  std::uint64_t operations_ = 0;
};

} // namespace

backend_actor spawn_memory_backend(caf::actor_system& sys, const runtime& rt,
                                   const memory_options& options) {
  return spawn_state<memory_backend_state>(sys, rt, options);
}

} // namespace trunnion
