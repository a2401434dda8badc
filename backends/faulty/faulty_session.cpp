#include "trunnion/backends/faulty/faulty_session.hpp"

#include "trunnion/backends/faulty/open_requests.hpp"
#include "trunnion/backends/faulty/session_link.hpp"

namespace trunnion {

/// Private: something is due.
struct session_wake {
  trunnion::generation generation;
};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::session_wake)

namespace trunnion {
namespace {

/// A second copy can do no harm: it finds what the first one wrote, or fails like it.
bool is_conditional(const auto&) { return false; }
bool is_conditional(const kv_create&) { return true; }
bool is_conditional(const kv_update& x) { return x.expected.has_value(); }
bool is_conditional(const kv_delete& x) { return x.expected.has_value(); }

/// How long a client waits for an answer, as far as known.
nanoseconds patience_of(const auto&) { return lost_answer_after; }
nanoseconds patience_of(const invoke& x) {
  return std::clamp(x.timeout, nanoseconds{}, longest_request_timeout);
}

/// The answer says that something is over, and must overtake nothing.
template <class Operation>
constexpr bool ends_something
  = std::is_same_v<Operation, unlisten> || std::is_same_v<Operation, purge_listeners>;

class faulty_session_state {
public:
  using impl = faulty_session::extend<takes<session_wake>>;
  static constexpr const char* name = "faulty_session";

  faulty_session_state(impl::pointer self, const runtime& rt, const session_setup& setup)
    : self_(self),
      rt_(rt),
      setup_(setup),
      link_(
        setup.dice, setup.serial, setup.stalled_until,
        [tally = setup.tally, &metrics = rt.metrics](fault_kind x) { tally->count(x, metrics); }) {
    self_->monitor(setup_.backend);
    self_->monitor(setup_.front);
  }

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg&) { on_down(); });
    return {
      [this](const kv_update& x) { return on_request<kv_written>(x); }, // CAF tries them in order.
      [this](const kv_get& x) { return on_request<kv_entry>(x); },
      [this](const watch_part& x) {
        book_.on_part(x);
        pass_on<watch_sink>(x);
      },
      [this](const watch_credit& x) { on_note(x); },
      [this](const kv_create& x) { return on_request<kv_written>(x); },
      [this](const kv_delete& x) { return on_request<kv_deleted>(x); },
      [this](const kv_list& x) { return on_request<watch_opened>(x); },
      [this](const watch& x) { return on_request<watch_opened>(x); },
      [this](const rewatch& x) { on_note(x); },
      [this](const unwatch& x) { on_note(x); },
      [this](const publish& x) { return on_request<published>(x); },
      [this](const consume& x) { return on_request<consuming>(x); },
      [this](const stream_part& x) { pass_on<stream_sink>(x); },
      [this](const stream_credit& x) { on_note(x); },
      [this](const unconsume& x) { on_note(x); },
      [this](const stream_ack& x) { return on_request<stream_acked>(x); },
      [this](const drop_durable& x) { return on_request<durable_dropped>(x); },
      [this](const list_streams& x) { return on_request<stream_subjects>(x); },
      [this](const invoke& x) { return on_request<invoked>(x); },
      [this](const listen& x) { return on_request<listening>(x); },
      [this](const unlisten& x) { return on_request<unlistened>(x); },
      [this](const purge_listeners& x) { return on_request<listeners_purged>(x); },
      [this](const request_reply& x) { on_note(x); },
      [this](const register_service& x) { return on_request<service_registered>(x); },
      [this](const unregister_service& x) { return on_request<service_unregistered>(x); },
      [this](const close_backend& x) { return on_request<backend_closed>(x); },
      [this](const get_capabilities& x) { return on_request<capabilities>(x); },
      [this](const get_backend_status& x) { return on_request<backend_status>(x); },
      [this](const watch_lost& x) { on_lost<watch_sink>(x); },
      [this](const stream_lost& x) { on_lost<stream_sink>(x); },
      [this](const incoming_request& x) { pass_on<request_listener>(x); },
      [this](const request_withdrawn& x) { pass_on<request_listener>(x); },
      [this](const session_flush&) { flush(); },
      [this](const session_cut&) { on_cut(); },
      [this](const session_end& x) { on_end(x); },
      [this](const session_stall& x) {
        link_.stall(x.until);
        arm();
      },
      [this](const session_reopen& x) { on_reopen(x.what); },
      [this](const session_wake& x) { on_wake(x.generation); },
    };
  }

private:
  using way = session_link::way;

  // -- to the backend ---------------------------------------------------------

  template <class Answer, class Operation> caf::result<Answer> on_request(const Operation& x) {
    if (link_.size() + open_.lost() >= rt_.bounds.operations_per_client) {
      rt_.metrics.count("faulty_refused");
      return to_error(error_code::overloaded, "the faulty link holds too much of this client");
    }
    auto promise = self_->template make_response_promise<Answer>();
    auto request = std::make_unique<open_request_of<Answer>>(
      promise_guard<Answer>{promise, to_error(link_is_gone())});
    const auto number = open_.add(std::move(request), now(), patience_of(x));
    collected_.emplace_back([this, x, number] { set_out<Answer>(x, number); });
    return promise;
  }

  /// What has no answer goes on at once, unless operations before it are still collected.
  void on_note(const auto& x) {
    if (collected_.empty())
      depart(x);
    else
      collected_.emplace_back([this, x] { depart(x); });
    arm();
  }

  void flush() {
    for (const auto& go_on : std::exchange(collected_, {}))
      go_on();
    arm();
  }

  /// An operation begins its way to the backend.
  template <class Answer, class Operation>
  void set_out(const Operation& x, open_requests::number number) {
    const auto arrive = [this, x, number] {
      if (open_.contains(number)) // Else the client has been told that it came to nothing.
        ask<Answer>(x, number);
    };
    if constexpr (std::is_same_v<Operation, close_backend>) {
      link_.pass(way::to_backend, now(), arrive);
    } else {
      const auto at = next(way::to_backend);
      if (link_.strikes(fault_kind::drop, at))
        return open_.lose(number, now());
      link_.travel(way::to_backend, at, true, now(), arrive);
      if (is_conditional(x) && link_.strikes(fault_kind::repeat, at))
        link_.copy(way::to_backend, at, now(), [this, x] { ask_again<Answer>(x); });
    }
  }

  template <class Answer, class Operation>
  void ask(const Operation& x, open_requests::number number) {
    book_.on_asked(x);
    self_->request(setup_.backend, caf::infinite, x)
      .then(
        [this, x, number](const Answer& y) {
          book_.on_answered(x, y);
          come_back<Operation>(number, [this, number, y] {
            if (const auto to = open_.take(number))
              static_cast<open_request_of<Answer>&>(*to).deliver(y);
          });
        },
        [this, x, number](const caf::error& y) {
          book_.on_refused(x);
          come_back<Operation>(number, [this, number, y] {
            if (const auto to = open_.take(number))
              to->fail(y);
          });
        });
  }

  /// The second copy. What it is answered goes nowhere: it would lie to the client about the first.
  template <class Answer, class Operation> void ask_again(const Operation& x) {
    self_->request(setup_.backend, caf::infinite, x)
      .then([](const Answer&) {}, [](const caf::error&) {});
  }

  void depart(const auto& x) {
    using type = std::decay_t<decltype(x)>;
    constexpr bool is_end = std::is_same_v<type, unwatch> || std::is_same_v<type, unconsume>;
    const auto at = next(way::to_backend);
    if (!is_end) { // Nobody would say that again.
      if (link_.size() >= rt_.bounds.operations_per_client)
        return rt_.metrics.count("faulty_refused");
      if (link_.strikes(fault_kind::drop, at))
        return;
    }
    const auto say = [this, x] {
      book_.on_told(x);
      self_->send(setup_.backend, x);
    };
    link_.travel(way::to_backend, at, true, now(), say);
    if (std::is_same_v<type, request_reply> && link_.strikes(fault_kind::repeat, at))
      link_.copy(way::to_backend, at, now(), say);
  }

  // -- to the client ----------------------------------------------------------

  template <class Operation>
  void come_back(open_requests::number number, session_link::arrival arrive) {
    if constexpr (std::is_same_v<Operation, close_backend>) {
      link_.release();
      arrive();
    } else {
      const auto at = next(way::to_client);
      if (link_.strikes(fault_kind::drop, at))
        open_.lose(number, now());
      else
        link_.travel(way::to_client, at, ends_something<Operation>, now(), std::move(arrive));
    }
    arm();
  }

  template <class Sink> void pass_on(const auto& x) {
    using type = std::decay_t<decltype(x)>;
    const auto at = next(way::to_client);
    if (link_.strikes(fault_kind::drop, at))
      return;
    if (link_.size() >= rt_.bounds.operations_per_client)
      return turn_away(x);
    const auto arrive = [this, x] { tell<Sink>(x); };
    link_.travel(way::to_client, at, false, now(), arrive);
    constexpr bool is_part = std::is_same_v<type, watch_part> || std::is_same_v<type, stream_part>;
    if (is_part && link_.strikes(fault_kind::repeat, at))
      link_.copy(way::to_client, at, now(), arrive);
    arm();
  }

  /// The link holds too much: a stall is long, and the backend sends unseen parts again and again.
  void turn_away(const auto&) { rt_.metrics.count("faulty_refused"); }

  void turn_away(const incoming_request& x) {
    rt_.metrics.count("faulty_refused");
    self_->send(setup_.backend,
                request_reply{x.number,
                              {},
                              failure{error_code::overloaded,
                                      certainty::not_applied,
                                      x.subject.text(),
                                      "the faulty link holds too much for its listener",
                                      {}}});
  }

  /// The last word about a sink is never lost, and the last to arrive.
  template <class Sink> void on_lost(const auto& x) {
    book_.on_lost(x.id);
    link_.travel(way::to_client, next(way::to_client), true, now(), [this, x] { tell<Sink>(x); });
    arm();
  }

  template <class Sink> void tell(const auto& x) {
    if (const auto client = caf::actor_cast<Sink>(setup_.client))
      self_->send(client, x);
  }

  // -- cuts -------------------------------------------------------------------

  void on_cut() {
    end_all(link_is_gone());
    if (const auto front = caf::actor_cast<session_front>(setup_.front))
      self_->send(front, session_ended{setup_.client, std::move(book_.kept)});
    self_->quit();
  }

  /// Registers what an earlier session had, unless the client was quicker; the link leaves that
  /// alone.
  void on_reopen(const kept_registrations& what) {
    for (const auto& [key, x] : what.listeners)
      if (book_.kept.listeners.try_emplace(key, x).second)
        register_again<listening>(x);
    for (const auto& [key, x] : what.services)
      if (book_.kept.services.try_emplace(key, x).second)
        register_again<service_registered>(x);
  }

  template <class Answer, class Operation> void register_again(const Operation& x) {
    self_->request(setup_.backend, caf::infinite, x)
      .then([](const Answer&) {},
            [this](const caf::error& e) {
              rt_.metrics.count("faulty_not_reopened");
              rt_.log.write(log_level::warn, name,
                            "not registered again after a cut: " + to_string(to_failure(e)));
            });
  }

  // -- time and ends ----------------------------------------------------------

  [[nodiscard]] instant now() const { return rt_.time.now(); }

  message_place next(way x) {
    setup_.tally->messages.fetch_add(1, std::memory_order_relaxed);
    return link_.next(x);
  }

  void on_wake(generation g) {
    if (!alarm_.heed(g))
      return;
    link_.run(now());
    while (const auto request = open_.take_due(now()))
      request->fail(to_error(failure{
        error_code::timeout, certainty::unknown, "", "the faulty link brought no answer", {}}));
    arm();
  }

  void arm() {
    auto due = link_.next_due();
    if (const auto end = open_.next_due(); end && (!due || *end < *due))
      due = end;
    if (const auto wake = alarm_.arm(now(), due))
      self_->delayed_send(self_, wake->after, session_wake{wake->generation});
  }

  static failure link_is_gone() {
    return {error_code::backend_unavailable, certainty::unknown, "", "the link was cut", {}};
  }

  void on_end(const session_end& x) {
    if (x.client_is_gone)
      flush(); // As if the client had sent it to the backend itself, and then ended.
    else
      end_all({error_code::shutting_down, certainty::unknown, "", "the link is ending", {}});
    self_->quit();
  }

  /// The backend has ended, or the front; what was said before comes first.
  void on_down() {
    link_.release();
    end_all({error_code::backend_unavailable, certainty::unknown, "", "the backend has ended", {}});
    self_->quit();
  }

  /// Answers what is open and tells every sink; what was under way is gone.
  void end_all(const failure& why) {
    while (const auto request = open_.take_any())
      request->fail(to_error(why));
    for (const auto& [id, x] : std::exchange(book_.sinks, {}))
      if (x.is_consumer)
        tell<stream_sink>(stream_lost{id, why});
      else
        tell<watch_sink>(watch_lost{id, why});
  }

  impl::pointer self_;
  runtime rt_;
  session_setup setup_;
  session_link link_;
  session_book book_;
  open_requests open_;
  std::vector<std::function<void()>> collected_; // Operations, and what was said after them.
  alarm alarm_;
};

} // namespace

void fault_tally::count(fault_kind kind, metrics_sink& metrics) {
  constexpr std::array<std::string_view, fault_kinds> figures{
    "faulty_dropped", "faulty_repeated", "faulty_delayed", "faulty_cuts", "faulty_stalls"};
  const auto i = static_cast<std::size_t>(kind);
  fired[i].fetch_add(1, std::memory_order_relaxed);
  metrics.count(figures[i]);
}

faulty_report fault_tally::report() const {
  faulty_report result;
  for (std::size_t i = 0; i < fault_kinds; ++i)
    result.fired[i] = fired[i].load(std::memory_order_relaxed);
  result.messages = messages.load(std::memory_order_relaxed);
  result.sessions = sessions.load(std::memory_order_relaxed);
  return result;
}

faulty_session spawn_faulty_session(caf::actor_system& sys, const runtime& rt,
                                    const session_setup& setup) {
  return spawn_state<faulty_session_state>(sys, rt, setup);
}

} // namespace trunnion
