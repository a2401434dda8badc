// Every request of ours ends by an answer or an error, also when the one who was asked is killed.
//
// The operations are not listed here: they are read off the typed interfaces. Each is asked in
// situations in which its answer takes a while, and the asked actor is killed before it has read
// the request, and after every single step that follows. The asker's timeout is an hour, and time
// stands still.

#include "trunnion/actors/elector.hpp"
#include "trunnion/actors/group_supervisor.hpp"
#include "trunnion/actors/kv_monitor.hpp"
#include "trunnion/actors/service.hpp"
#include "trunnion/actors/stream_reader.hpp"
#include "trunnion/tests/actors/lease_fixture.hpp"
#include "trunnion/tests/actors/responder_fixture.hpp"

#include <set>
#include <typeindex>

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct crash_world : deterministic_fixture {
  using deterministic_fixture::deterministic_fixture;

  backend_actor store = track(spawn_memory_backend(system, rt()));
  flaky_link link;
  backend_actor shaky = spawn_flaky(*this, link, store);

  /// Lets one actor, of chance, handle one message; false if there is none.
  bool step() {
    if (scheduler.jobs.empty())
      return false;
    std::swap(scheduler.jobs.front(), scheduler.jobs[random.next() % scheduler.jobs.size()]);
    scheduler.run_once();
    return true;
  }

  /// An actor that ends when it is killed, and answers nothing.
  caf::actor stubborn() {
    return track(system.spawn([](caf::event_based_actor* me) -> caf::behavior {
      me->set_exit_handler([](const caf::exit_msg&) {});
      me->set_default_handler([](caf::scheduled_actor*, caf::message_view&) {
        return caf::result<caf::message>{caf::delegated<caf::message>{}}; // To nobody.
      });
      return {[](caf::unit_t) {}};
    }));
  }

  caf::strong_actor_ptr someone() { return caf::actor_cast<caf::strong_actor_ptr>(stubborn()); }

  /// Sends a request, so that it is in the mailbox of the one who is asked.
  template <class Answer, class Handle, class Request>
  pending<Answer> put(const Handle& handle, const Request& x) {
    pending<Answer> result{std::make_shared<std::optional<caf::expected<Answer>>>()};
    const auto target = caf::actor_cast<caf::actor>(handle);
    const auto asker = system.spawn([=](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler(caf::drop); // What subscribers are told.
      me->request(target, std::chrono::minutes{60}, x)
        .then([=](const Answer& y) { *result.slot = y; },
              [=](const caf::error& y) { *result.slot = caf::expected<Answer>{y}; });
      return {[](caf::unit_t) {}};
    });
    tracked.push_back(caf::actor_cast<caf::strong_actor_ptr>(asker));
    scheduler.prioritize(asker);
    scheduler.run_once();
    return result;
  }
};

template <class Handle> struct situation {
  std::string name;
  std::function<Handle(crash_world&)> make;
  std::function<void(crash_world&, const Handle&)> after_request; ///< May be none.
};

// -- requests that make sense -------------------------------------------------

const subject key = *subject::parse("ridge.mount.state");

template <class Request> Request sample(crash_world& w) {
  Request x;
  if constexpr (requires { x.subject = key; })
    x.subject = key;
  if constexpr (requires { x.pattern = key; })
    x.pattern = key;
  if constexpr (requires { x.id = 77U; })
    x.id = 77;
  if constexpr (std::is_same_v<Request, trunnion::invoke>)
    x.timeout = 1h;
  if constexpr (std::is_same_v<Request, stream_ack> || std::is_same_v<Request, drop_durable>)
    x.durable = "night";
  if constexpr (std::is_same_v<Request, register_service>)
    x.info = {"mount", "1.0.0"};
  if constexpr (std::is_same_v<Request, monitor_wait_for>) {
    x.predicate = [](const entry_map&) { return false; };
    x.timeout = 1h;
  }
  if constexpr (std::is_same_v<Request, group_acquire>)
    x.leases = {lease_fixture::options("ridge.dome.ControlLease")};
  if constexpr (std::is_same_v<Request, group_join>) {
    x.name = "late member";
    x.member = w.stubborn();
  }
  return x;
}

// -- the test -----------------------------------------------------------------

/// The asked actor is killed before it reads the request.
template <class Request, class Answer, class Handle>
void kill_before_it_reads(const situation<Handle>& s) {
  crash_world w;
  const auto asked = s.make(w);
  const auto request = sample<Request>(w);
  caf::anon_send_exit(asked, caf::exit_reason::kill);
  const auto answer = w.put<Answer>(asked, request);
  w.run();
  BOOST_REQUIRE_MESSAGE(answer.ready(), s.name << ": no end of " << typeid(Request).name());
  BOOST_REQUIRE_MESSAGE(!answer.get().engaged(), "the dead do not answer");
}

/// It is killed after so many steps. Returns whether the answer had come before.
template <class Request, class Answer, class Handle>
bool kill_after(std::size_t steps, const situation<Handle>& s, bool& cut_off) {
  crash_world w{steps + 1};
  const auto asked = s.make(w);
  const auto answer = w.put<Answer>(asked, sample<Request>(w));
  if (s.after_request)
    s.after_request(w, asked);
  for (std::size_t i = 0; i < steps && !answer.ready(); ++i)
    if (!w.step())
      break;
  const bool came_before = answer.ready();
  w.kill(asked);
  BOOST_REQUIRE_MESSAGE(answer.ready(), s.name << ": no end of " << typeid(Request).name()
                                               << " when killed after " << steps << " steps");
  if (!came_before && !answer.get().engaged())
    cut_off = true;
  return came_before;
}

template <class Request, class Answer, class Handle>
void check_operation(const situation<Handle>& s, std::set<std::type_index>& cut_off) {
  kill_before_it_reads<Request, Answer>(s);
  bool was_cut_off = false;
  for (const std::size_t steps : {0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 40, 1'000})
    if (kill_after<Request, Answer>(steps, s, was_cut_off))
      break;
  if (was_cut_off)
    cut_off.insert(typeid(Request));
}

template <class Clause> struct operation; // Of a typed interface.

template <class Request, class Answer>
struct operation<caf::typed_mpi<caf::detail::type_list<Request>, caf::output_tuple<Answer>>> {
  template <class Handle>
  static void check(const situation<Handle>& s, std::set<std::type_index>& cut_off) {
    if constexpr (!std::is_void_v<Answer>)
      check_operation<Request, Answer>(s, cut_off);
  }
};

template <class Handle> struct interface_of;

template <class... Clauses> struct interface_of<caf::typed_actor<Clauses...>> {
  static void check(const situation<caf::typed_actor<Clauses...>>& s,
                    std::set<std::type_index>& cut_off) {
    (operation<Clauses>::check(s, cut_off), ...);
  }
};

/// Checks all operations; returns those that an error ended in the asked actor's hand.
template <class Handle>
std::set<std::type_index> check_all(const std::vector<situation<Handle>>& situations) {
  std::set<std::type_index> result;
  for (const auto& x : situations)
    interface_of<Handle>::check(x, result);
  return result;
}

template <class... Requests> void must_have(const std::set<std::type_index>& cut_off) {
  for (const std::type_index x : {std::type_index{typeid(Requests)}...})
    BOOST_TEST(cut_off.contains(x), x.name() << " was never in hand when its actor was killed");
}

} // namespace

BOOST_AUTO_TEST_SUITE(fails_fast_test)

BOOST_AUTO_TEST_CASE(a_killed_backend_leaves_no_request_unanswered) {
  const auto listened_at = [](crash_world& w) {
    const auto listener = w.stubborn();
    caf::send_as(listener, caf::actor_cast<caf::actor>(w.store), listen{key});
    w.run();
    return w.store;
  };
  // With a mailbox that long, operations wait in lines, with their promises.
  const auto flood = [](crash_world& w, const backend_actor& x) {
    for (std::size_t i = 0; i < long_mailbox + 100; ++i)
      w.self->send(x, unwatch{1}); // Without running anything.
  };
  auto cut_off = check_all<backend_actor>({{"a backend", listened_at}});
  must_have<trunnion::invoke>(cut_off);
  cut_off.clear();
  const situation<backend_actor> busy{"a busy backend", listened_at, flood};
  interface_of<backend_actor>::check(busy, cut_off);
  must_have<kv_get, kv_create, kv_update, kv_delete, kv_list, trunnion::watch, publish, consume,
            stream_ack, drop_durable, list_streams, trunnion::invoke, listen, unlisten,
            purge_listeners, register_service, unregister_service>(cut_off);
}

BOOST_AUTO_TEST_CASE(a_killed_lease_leaves_no_request_unanswered) {
  const auto cut_off = check_all<lease_actor>(
    {{"a lease that is being acquired",
      [](crash_world& w) {
        w.link.go_silent();
        return w.track(
          *acquire(w.system, w.rt(), w.shaky, w.someone(), lease_fixture::options(key.text())));
      }},
     {"a lease on a silent link", [](crash_world& w) {
        auto lease = w.track(
          *acquire(w.system, w.rt(), w.shaky, w.someone(), lease_fixture::options(key.text())));
        w.link.go_silent();
        return lease;
      }}});
  must_have<lease_await, lease_refresh, lease_release, lease_wait_ended>(cut_off);
}

BOOST_AUTO_TEST_CASE(a_killed_group_leaves_no_request_unanswered) {
  const auto cut_off = check_all<group_supervisor_actor>(
    {{"a group on a silent link", [](crash_world& w) {
        auto group = w.track(make_group(w.system, w.rt(), w.shaky, w.someone(), {.name = "dome"}));
        w.link.go_silent();
        std::ignore = w.ask<group_joined>(group, group_join{"shutter", w.stubborn(), 2s, {}});
        return group;
      }}});
  must_have<group_acquire, group_stop, group_wait_ended, group_inspect>(cut_off);
}

BOOST_AUTO_TEST_CASE(a_killed_monitor_leaves_no_request_unanswered) {
  const auto cut_off = check_all<kv_monitor_actor>(
    {{"a monitor on a silent link", [](crash_world& w) {
        w.link.go_silent();
        return w.track(spawn_kv_monitor(w.system, w.rt(), w.shaky, key, nullptr));
      }}});
  must_have<monitor_get_all, monitor_wait_for>(cut_off);
}

BOOST_AUTO_TEST_CASE(a_killed_service_leaves_no_request_unanswered) {
  const auto cut_off = check_all<service_actor>(
    {{"a service with a stubborn member", [](crash_world& w) {
        service_options options{
          .info = {"dome", "1.0"},
          .entity = *entity::parse("ridge.dome"),
          .members
          = {{.name = "shutter", .start = [&w](const member_context&) { return w.stubborn(); }}}};
        return w.track(*start_service(w.system, w.rt(), w.store, std::move(options)));
      }}});
  must_have<service_stop>(cut_off);
}

BOOST_AUTO_TEST_CASE(a_killed_responder_leaves_no_request_unanswered) {
  const auto cut_off = check_all<responder_actor>(
    {{"a responder whose handler does not answer", [](crash_world& w) {
        const auto handler = caf::actor_cast<request_handler>(w.stubborn());
        auto responder
          = w.track(*serve(w.system, w.rt(), w.store, {.subject = key, .handler = handler}));
        std::ignore = w.ask<invoked>(w.store, trunnion::invoke{key, {}, 1h});
        return responder;
      }}});
  must_have<responder_stop>(cut_off);
}

BOOST_AUTO_TEST_CASE(a_killed_reader_leaves_no_request_unanswered) {
  const auto cut_off = check_all<stream_reader_actor>(
    {{"a reader whose sink does not answer", [](crash_world& w) {
        const auto sink = caf::actor_cast<read_sink>(w.stubborn());
        auto reader = w.track(*read_stream(w.system, w.rt(), w.store, {.pattern = key}, sink));
        std::ignore = w.ask<published>(w.store, publish{key, {}});
        return reader;
      }}});
  must_have<reader_stop>(cut_off);
}

BOOST_AUTO_TEST_CASE(a_killed_elector_leaves_no_request_unanswered) {
  const auto make = [](crash_world& w, std::string name) {
    return w.track(
      *spawn_elector(w.system, w.rt(), w.shaky, {.subject = key, .name = std::move(name)}));
  };
  const auto cut_off = check_all<elector_actor>(
    {{"a candidate behind another",
      [make](crash_world& w) -> elector_actor {
        std::ignore = w.ask<elector_elected>(make(w, "first"), elector_campaign{}).value();
        return make(w, "second");
      }},
     {"a leader on a silent link", [make](crash_world& w) -> elector_actor {
        const auto elector = make(w, "first");
        std::ignore = w.ask<elector_elected>(elector, elector_campaign{}).value();
        w.link.go_silent();
        return elector;
      }}});
  must_have<elector_campaign, elector_resign>(cut_off);
}

// What a caller of a service sees, through the backend: not one of these needs its timeout.
BOOST_AUTO_TEST_CASE(a_caller_knows_at_once_when_the_responder_or_its_handler_is_killed) {
  for (const bool kills_handler : {true, false}) {
    for (std::size_t steps = 0; steps < 12; ++steps) {
      crash_world w{steps + 1};
      const auto stubborn = w.stubborn();
      const auto responder
        = w.track(*serve(w.system, w.rt(), w.store,
                         {.subject = key, .handler = caf::actor_cast<request_handler>(stubborn)}));
      w.run();
      const auto answer = w.put<invoked>(w.store, trunnion::invoke{key, {}, 1h});
      for (std::size_t i = 0; i < steps && w.step(); ++i) {
      }
      if (kills_handler)
        w.kill(stubborn);
      else
        w.kill(responder);
      BOOST_REQUIRE_MESSAGE(answer.ready(), "no end after " << steps << " steps");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
