#include "trunnion/backends/memory/memory_backend.hpp"

#include "trunnion/backends/common/admission.hpp"
#include "trunnion/backends/common/guarded_mailbox.hpp"
#include "trunnion/backends/memory/memory_engine.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"

namespace trunnion {

/// Wakes the backend at a deadline. Private: not part of the public handle, never on the wire.
struct memory_wake {
  trunnion::generation generation;
};

/// Goes on with what was left over, after the messages that have come in between.
struct memory_proceed {};

/// Tells sinks as if the store had been out of reach.
struct memory_interrupt {};

/// Ends the closed backend, after the messages that have come before it.
struct memory_quit {};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::memory_wake)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::memory_proceed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::memory_quit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::memory_interrupt)

namespace trunnion {
namespace {

constexpr std::size_t operations_per_turn = 1'024; // Of those that wait.

/// An operation that waits for its turn.
template <class Operation, class Answer> struct waiting {
  Operation operation;
  promise_guard<Answer> promise;
};

using waiting_operation = std::variant<
  waiting<kv_get, kv_entry>, waiting<kv_create, kv_written>, waiting<kv_update, kv_written>,
  waiting<kv_delete, kv_deleted>, waiting<kv_list, watch_opened>, waiting<watch, watch_opened>,
  waiting<publish, published>, waiting<consume, consuming>, waiting<stream_ack, stream_acked>,
  waiting<drop_durable, durable_dropped>, waiting<list_streams, stream_subjects>,
  waiting<listen, listening>, waiting<unlisten, unlistened>,
  waiting<purge_listeners, listeners_purged>, waiting<register_service, service_registered>,
  waiting<unregister_service, service_unregistered>, invocation, watch_credit, rewatch, unwatch,
  stream_credit, unconsume>;

/// What ends something, or gives room, is never refused.
bool must_pass(const caf::type_erased_tuple& x) {
  return x.match_elements<watch_credit>() || x.match_elements<stream_credit>()
         || x.match_elements<rewatch>() || x.match_elements<unwatch>()
         || x.match_elements<unconsume>() || x.match_elements<request_reply>()
         || x.match_elements<caf::exit_msg>() || x.match_elements<caf::down_msg>();
}

/// Whose operation runs when; what it does is the engine's.
class memory_backend_state {
public:
  using impl = backend_actor::extend<takes<memory_wake>, takes<memory_proceed>, takes<memory_quit>,
                                     takes<memory_interrupt>>;
  using door = guarded_mailbox<impl::base>;
  static constexpr const char* name = "memory";

  memory_backend_state(door* self, const runtime& rt, const memory_options& options)
    : self_(self),
      door_(self),
      engine_(self, rt, options, [this] { return is_busy(); }),
      waiting_(rt.bounds.operations_per_client) {}

  impl::behavior_type make_behavior() {
    door_->guard({.long_mailbox = long_mailbox,
                  .per_sender = long_mailbox + waiting_.bound(),
                  .must_pass = must_pass});
    self_->set_down_handler([this](const caf::down_msg& x) { engine_.end_session(x.source); });
    self_->set_exit_handler([this](caf::exit_msg& x) { on_exit(x.reason); });
    return {
      [this](kv_update& x) { return on_request<kv_written>(x); }, // CAF tries them in order.
      [this](kv_get& x) { return on_request<kv_entry>(x); },
      [this](const watch_credit& x) { on_note(x); },
      [this](invoke& x) { return on_invoke(x); },
      [this](request_reply& x) {
        door_->on_handled(self_->mailbox().size());
        engine_.on_reply(x, self_->current_sender());
      },
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
      [this](stream_ack& x) { return on_request<stream_acked>(x); },
      [this](drop_durable& x) { return on_request<durable_dropped>(x); },
      [this](list_streams& x) { return on_request<stream_subjects>(x); },
      [this](listen& x) { return on_request<listening>(x); },
      [this](unlisten& x) { return on_request<unlistened>(x); },
      [this](purge_listeners& x) { return on_request<listeners_purged>(x); },
      [this](register_service& x) { return on_request<service_registered>(x); },
      [this](unregister_service& x) { return on_request<service_unregistered>(x); },
      [this](const close_backend&) { return on_close(); },
      [](const get_capabilities&) { return memory_engine::can(); },
      [this](const get_backend_status&) { return status(); },
      [this](const memory_wake& x) { on_wake(x); },
      [this](const memory_proceed&) { on_proceed(); },
      [this](const memory_interrupt&) { on_interrupt(); },
      [this](const memory_quit&) { self_->quit(); },
    };
  }

private:
  // -- messages ---------------------------------------------------------------

  template <class Answer, class Operation> caf::result<Answer> on_request(Operation& x) {
    if (is_closed_)
      return to_error(closing());
    if (must_wait())
      return wait<Answer>(x);
    engine_.look();
    auto answer = engine_.run(x, self_->current_sender());
    end_turn();
    if (!answer)
      return to_error(std::move(answer.error()));
    return *std::move(answer);
  }

  /// What a sink says has no answer, but its place among the session's operations.
  void on_note(const auto& note) {
    if (is_closed_)
      return;
    engine_.look();
    const auto client = sender();
    if (!waiting_.waits(client))
      engine_.run(note, self_->current_sender());
    else if (waiting_.admits(client)) // If not, the next credit makes it good.
      waiting_.add(client, note);
    else if (closes(note))
      engine_.run(note, self_->current_sender());
    end_turn();
  }

  void on_wake(const memory_wake& x) {
    engine_.look();
    if (alarm_.heed(x.generation))
      engine_.run_timers();
    end_turn();
  }

  void on_interrupt() {
    engine_.look();
    engine_.interrupt();
    end_turn();
  }

  void on_proceed() {
    is_proceeding_ = false;
    engine_.look();
    for (auto i = operations_per_turn; i > 0 && waiting_.size() > 0; --i) {
      auto [client, operation] = *waiting_.next();
      const auto session = caf::actor_cast<caf::strong_actor_ptr>(client);
      engine_.look();
      std::visit([&](auto& x) { run_waiting(x, session); }, operation);
    }
    engine_.work();
    // Each operation may set a timer, and its tombstone another: a flood must not outrun them.
    engine_.run_timers(2 * (engine_.operations() - operations_before_));
    end_turn();
  }

  /// The promise is answered by the request's listener, or when nobody may answer any more.
  caf::result<invoked> on_invoke(invoke& x) {
    if (is_closed_)
      return to_error(closing());
    if (auto valid = check_invoke(x); !valid)
      return to_error(std::move(valid.error()));
    engine_.look();
    const auto caller = self_->current_sender(); // The promise takes it away.
    const bool is_to_wait = must_wait();
    const auto client = is_to_wait ? sender() : caf::actor_addr{};
    if (is_to_wait && !waiting_.admits(client, engine_.in_flight(client)))
      return to_error(too_many(x));
    auto promise = self_->make_response_promise<invoked>();
    const auto deadline = engine_.now() + x.timeout;
    invocation asked{std::move(x), deadline, invoke_promise{promise}};
    if (is_to_wait)
      waiting_.add(client, std::move(asked));
    else
      engine_.run(asked, caller);
    end_turn();
    return promise;
  }

  caf::result<backend_closed> on_close() {
    if (!std::exchange(is_closed_, true)) {
      end_all();
      self_->send(self_, memory_quit{}); // What came before it is told `shutting_down`.
    }
    return backend_closed{};
  }

  void on_exit(const caf::error& reason) {
    end_all();
    self_->quit(reason);
  }

  void end_all() {
    waiting_.clear(); // Their promises answer.
    engine_.end_all(closing());
  }

  static failure closing() {
    return {error_code::shutting_down, certainty::not_applied, "", "the backend is ending", {}};
  }

  // -- turns ------------------------------------------------------------------

  caf::actor_addr sender() const {
    return caf::actor_cast<caf::actor_addr>(self_->current_sender());
  }

  bool must_wait() { return waiting_.size() > 0 || self_->mailbox().size() > long_mailbox; }

  template <class Answer, class Operation> caf::result<Answer> wait(Operation& x) {
    const auto client = sender();
    if (!waiting_.admits(client, engine_.in_flight(client)))
      return to_error(too_many(x));
    auto promise = self_->template make_response_promise<Answer>();
    waiting_.add(client, waiting<Operation, Answer>{
                           std::move(x), {promise, caf::make_error(error_code::shutting_down)}});
    proceed();
    return promise;
  }

  template <class Operation, class Answer>
  void run_waiting(waiting<Operation, Answer>& x, const caf::strong_actor_ptr& session) {
    auto answer = engine_.run(x.operation, session);
    if (answer)
      x.promise.deliver(*std::move(answer));
    else
      x.promise.fail(to_error(std::move(answer.error())));
  }

  void run_waiting(auto& x, const caf::strong_actor_ptr& session) { engine_.run(x, session); }

  static failure too_many(const auto& x) {
    return {error_code::overloaded,
            certainty::not_applied,
            subject_of(x),
            "this client has too many operations in flight",
            {}};
  }

  void proceed() {
    if (std::exchange(is_proceeding_, true))
      return;
    operations_before_ = engine_.operations();
    self_->send(self_, memory_proceed{});
  }

  /// Makes sure that the actor runs again when something is to be done.
  void end_turn() {
    door_->on_handled(self_->mailbox().size());
    const auto now = engine_.now();
    const auto due = engine_.next_due();
    if (waiting_.size() > 0 || engine_.has_work() || (due && *due <= now))
      proceed();
    else if (const auto wake = alarm_.arm(now, due))
      self_->delayed_send(self_, wake->after, memory_wake{wake->generation});
  }

  /// Whether more operations are there already, so that sinks may be told of several at once.
  bool is_busy() { return waiting_.size() > 0 || self_->mailbox().size() > 0; }

  static std::string subject_of(const auto& x) {
    if constexpr (requires { x.subject; })
      return x.subject.text();
    else if constexpr (requires { x.pattern; })
      return x.pattern.text();
    else
      return std::string{};
  }

  /// Whether a note ends a sink, which is done even if it cannot wait for its turn.
  static bool closes(const auto&) { return false; }
  static bool closes(const unwatch&) { return true; }
  static bool closes(const unconsume&) { return true; }

  backend_status status() {
    auto result = engine_.status();
    waiting_.for_each_client([&](const auto& x) { result.sessions += engine_.holds(x) ? 0 : 1; });
    result.queued = waiting_.size();
    result.refused += waiting_.refused() + door_->refused();
    return result;
  }

  impl::pointer self_;
  door* door_; // The same.
  memory_engine engine_;
  admission<caf::actor_addr, waiting_operation, address_hash> waiting_;
  alarm alarm_;
  bool is_proceeding_ = false;          // A `memory_proceed` is under way.
  std::uint64_t operations_before_ = 0; // Run when it was sent.
  bool is_closed_ = false;
};

} // namespace

backend_actor spawn_memory_backend(caf::actor_system& sys, const runtime& rt,
                                   const memory_options& options) {
  using state = memory_backend_state;
  return sys.spawn([rt, options](caf::stateful_actor<state_holder<state>, state::door>* self)
                     -> state::impl::behavior_type {
    detail::set_quiet_defaults(self);
    self->state.state = std::make_unique<state>(self, rt, options);
    return self->state.state->make_behavior();
  });
}

void interrupt_memory_backend(const backend_actor& backend) {
  caf::anon_send(caf::actor_cast<caf::actor>(backend), memory_interrupt{});
}

} // namespace trunnion
