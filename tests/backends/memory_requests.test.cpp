// What requests, sessions and the end of a memory backend look like beyond what every engine does.

#include "trunnion/backends/common/request_table.hpp"
#include "trunnion/backends/common/service_table.hpp"
#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/watch_probe.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace trunnion::test {

/// Lets a session's actor do something. Local to these tests.
struct errand {
  std::function<void(caf::event_based_actor*)> run;
};

} // namespace trunnion::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::test::errand)

namespace {

struct session_log {
  std::vector<incoming_request> requests;
  std::vector<std::uint64_t> withdrawn;
  std::vector<failure> refused;
  std::size_t answered = 0;
};

struct session {
  caf::actor actor;
  std::shared_ptr<session_log> log;
};

struct fixture : deterministic_fixture {
  backend_actor backend = track(spawn_memory_backend(system, rt()));

  session make_session() {
    auto log = std::make_shared<session_log>();
    auto actor = system.spawn([log](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler(caf::drop);
      me->set_error_handler([](caf::error&) {});
      return {[me](errand& x) { x.run(me); },
              [log](const incoming_request& x) { log->requests.push_back(x); },
              [log](const request_withdrawn& x) { log->withdrawn.push_back(x.number); }};
    });
    return {track(actor), log};
  }

  /// Lets a session send requests at once, and runs nothing.
  template <class Answer, class Message>
  void send(const session& by, const Message& x, std::size_t times = 1) {
    const auto to = caf::actor_cast<caf::actor>(backend);
    caf::anon_send(by.actor, errand{[=, log = by.log](caf::event_based_actor* me) {
                     for (std::size_t i = 0; i < times; ++i)
                       me->request(to, caf::infinite, x)
                         .then(
                           [log](const Answer&) { ++log->answered; },
                           [log](const caf::error& e) { log->refused.push_back(to_failure(e)); });
                   }});
  }

  template <class Answer, class Message>
  void let(const session& by, const Message& x, std::size_t times = 1) {
    send<Answer>(by, x, times);
    run();
  }

  void reply(const session& by, std::uint64_t number) {
    const auto to = caf::actor_cast<caf::actor>(backend);
    caf::anon_send(by.actor, errand{[=](caf::event_based_actor* me) {
                     me->send(to, request_reply{number, payload{"done"}, {}});
                   }});
  }

  backend_status status() { return ask<backend_status>(backend, get_backend_status{}).value(); }
};

const auto question = [](nanoseconds timeout = 5s) {
  return invoke{*subject::parse("r.q"), payload{"x"}, timeout};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(memory_requests_test, fixture)

// -- bounds -------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(of_twenty_thousand_requests_of_one_caller_half_are_admitted) {
  const auto server = make_session(), greedy = make_session();
  let<listening>(server, listen{at("r.q"), most_requests_in_hand});
  let<invoked>(greedy, question(), 20'000);
  BOOST_TEST(server.log->requests.size() == 10'000U);
  BOOST_TEST(greedy.log->refused.size() == 10'000U);
  for (const auto& x : greedy.log->refused)
    BOOST_REQUIRE((x.code == error_code::overloaded && x.certainty == certainty::not_applied));
  BOOST_TEST(status().requests == 10'000U);
  BOOST_TEST(status().queued == 0U);
  BOOST_TEST(status().refused == 10'000U);
  for (const auto& x : server.log->requests)
    reply(server, x.number);
  run();
  BOOST_TEST(greedy.log->answered == 10'000U);
  BOOST_TEST(status().requests == 0U);
}

BOOST_AUTO_TEST_CASE(requests_that_waited_too_long_for_their_turn_were_certainly_not_handled) {
  const auto server = make_session(), caller = make_session();
  let<listening>(server, listen{at("r.q"), most_requests_in_hand});
  send<invoked>(caller, question(1ms), 6'000);
  scheduler.run_once(); // All are in the mailbox, which is long.
  for (int i = 0; i < 2'500; ++i)
    scheduler.run_once();
  scheduler.clock().current_time += 1ms;
  run();
  advance(1ms);
  std::size_t unhandled = 0;
  for (const auto& x : caller.log->refused) {
    BOOST_REQUIRE((x.code == error_code::timeout));
    unhandled += x.certainty == certainty::not_applied ? 1 : 0;
  }
  BOOST_TEST(caller.log->refused.size() == 6'000U);
  BOOST_TEST(unhandled == 6'000U - server.log->requests.size());
  BOOST_TEST(unhandled > 0U);
}

BOOST_AUTO_TEST_CASE(requests_wait_in_line_behind_the_listening_that_they_need) {
  const auto session = make_session();
  send<kv_written>(session, kv_update{at("a.k"), payload{"v"}, {}, {}}, 5'000);
  send<listening>(session, listen{at("r.q"), most_requests_in_hand});
  send<invoked>(session, question(), 100);
  run();
  BOOST_TEST(session.log->requests.size() == 100U);
  BOOST_TEST(session.log->refused.empty());
}

// -- time ---------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(one_wake_up_is_under_way_for_any_number_of_requests) {
  const auto server = make_session(), caller = make_session();
  let<listening>(server, listen{at("r.q"), most_requests_in_hand});
  let<invoked>(caller, question(5s), 1'000);
  BOOST_TEST(pending_timers() == 1U);
  for (const auto& x : server.log->requests)
    reply(server, x.number);
  run();
  advance(5s);
  BOOST_TEST(pending_timers() == 0U); // Nothing is waited for any more.
  BOOST_TEST(caller.log->refused.empty());
}

BOOST_AUTO_TEST_CASE(all_deadlines_of_one_moment_are_kept_and_leave_nothing_behind) {
  const auto server = make_session(), caller = make_session();
  let<listening>(server, listen{at("r.q"), most_requests_in_hand});
  let<invoked>(caller, question(5s), 3'000);
  advance(5s - 1ns);
  BOOST_TEST(caller.log->refused.empty());
  advance(1ns);
  BOOST_TEST(caller.log->refused.size() == 3'000U);
  for (const auto& x : caller.log->refused)
    BOOST_REQUIRE((x.code == error_code::timeout && x.certainty == certainty::unknown));
  BOOST_TEST(status().requests == 0U);
  BOOST_TEST(status().sessions == 1U); // The listener.
  for (const auto& x : server.log->requests)
    reply(server, x.number); // Too late.
  run();
  BOOST_TEST(caller.log->answered == 0U);
}

// -- sessions -----------------------------------------------------------------

BOOST_AUTO_TEST_CASE(closing_the_last_watch_of_a_listener_leaves_it_monitored) {
  const auto x = make_session(), caller = make_session();
  let<watch_opened>(x, watch{at("a.k"), 1, 8});
  let<listening>(x, listen{at("r.q")});
  caf::anon_send(x.actor, errand{[to = caf::actor_cast<caf::actor>(backend)](auto* me) {
                   me->send(to, unwatch{1});
                 }});
  let<invoked>(caller, question(1h));
  BOOST_TEST(status().watches == 0U);
  kill(x.actor);
  BOOST_REQUIRE(caller.log->refused.size() == 1U);
  BOOST_TEST((caller.log->refused[0].code == error_code::remote_request));
  BOOST_TEST(status().listeners == 0U);
  BOOST_TEST(status().sessions == 0U);
}

BOOST_AUTO_TEST_CASE(the_last_answer_to_a_watcher_leaves_it_monitored) {
  const auto server = make_session(), x = make_session();
  let<listening>(server, listen{at("r.q")});
  let<watch_opened>(x, watch{at("a.k"), 1, 8});
  let<invoked>(x, question());
  reply(server, server.log->requests[0].number);
  run();
  let<unlistened>(server, unlisten{at("r.q")});
  BOOST_TEST(status().sessions == 1U);
  kill(x.actor);
  BOOST_TEST(status().watches == 0U);
}

BOOST_AUTO_TEST_CASE(more_callers_than_are_kept_monitored_come_and_go) {
  const auto server = make_session();
  let<listening>(server, listen{at("r.q"), most_requests_in_hand});
  std::vector<session> callers;
  for (std::size_t i = 0; i < session_table::max_idle + 200; ++i) {
    callers.push_back(make_session());
    let<invoked>(callers.back(), question());
    reply(server, server.log->requests.back().number);
    run();
    BOOST_REQUIRE(callers.back().log->answered == 1U);
  }
  BOOST_TEST(status().sessions == 1U);
  let<invoked>(callers.front(), question(), 2); // No longer monitored, and monitored again.
  let<invoked>(callers.back(), question());
  kill(callers.front().actor);
  kill(callers.back().actor);
  BOOST_TEST(server.log->withdrawn.size() == 3U);
  BOOST_TEST(status().requests == 0U);
}

BOOST_AUTO_TEST_CASE(a_session_that_asks_itself_ends_without_leaving_anything) {
  const auto x = make_session();
  let<listening>(x, listen{at("r.q")});
  let<invoked>(x, question(), 3);
  BOOST_TEST(status().requests == 3U);
  kill(x.actor);
  BOOST_TEST(status().requests == 0U);
  BOOST_TEST(status().sessions == 0U);
}

BOOST_AUTO_TEST_CASE(a_caller_that_died_in_line_is_withdrawn_once_it_is_handed_over) {
  const auto server = make_session(), caller = make_session();
  let<listening>(server, listen{at("r.q"), most_requests_in_hand});
  send<invoked>(caller, question(1h), 6'000);
  scheduler.run_once();
  caf::anon_send_exit(caller.actor, caf::exit_reason::kill);
  run();
  BOOST_TEST(server.log->withdrawn.size() == server.log->requests.size());
  BOOST_TEST(status().requests == 0U);
}

BOOST_AUTO_TEST_CASE(an_error_without_a_code_is_no_success) {
  const auto server = make_session(), caller = make_session();
  let<listening>(server, listen{at("r.q")});
  let<invoked>(caller, question());
  const request_reply bad{server.log->requests[0].number, {}, failure{.code = error_code{}}};
  caf::anon_send(server.actor, errand{[=, to = caf::actor_cast<caf::actor>(backend)](
                                        caf::event_based_actor* me) { me->send(to, bad); }});
  run();
  BOOST_REQUIRE(caller.log->refused.size() == 1U);
  BOOST_TEST((caller.log->refused[0].code == error_code::backend_protocol));
}

// -- the end ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(closing_under_load_answers_everything) {
  const auto server = make_session(), caller = make_session(), writer = make_session();
  let<listening>(server, listen{at("r.q"), most_requests_in_hand});
  let<service_registered>(server, register_service{{"dome", "1.0.0"}, {}});
  let<watch_opened>(writer, watch{at("a.k"), 1, 8});
  let<invoked>(caller, question(1h), 10);
  send<kv_written>(writer, kv_update{at("a.k"), payload{"v"}, {}, {}}, 8'000);
  send<invoked>(caller, question(1h), 3'000);
  for (int i = 0; i < 5'000; ++i) // Some of them wait in lines now, others in the mailbox.
    scheduler.run_once();
  const auto closed = ask_later<backend_closed>(backend, close_backend{});
  run();
  BOOST_TEST(closed.get().engaged());
  BOOST_TEST(caller.log->refused.size() == 3'010U);
  BOOST_TEST(writer.log->answered + writer.log->refused.size() == 8'001U);
  const auto unknown
    = std::ranges::count(caller.log->refused, certainty::unknown, &failure::certainty);
  BOOST_TEST(static_cast<std::size_t>(unknown) == server.log->requests.size());
  for (const auto& x : caller.log->refused)
    BOOST_REQUIRE((x.code == error_code::shutting_down));
  BOOST_TEST((ask<kv_entry>(backend, kv_get{at("a.k")}).error().code
              == error_code::backend_unavailable)); // It has ended.
}

BOOST_AUTO_TEST_CASE(a_backend_that_is_killed_answers_its_callers) {
  const auto server = make_session(), caller = make_session();
  let<listening>(server, listen{at("r.q")});
  let<invoked>(caller, question(1h), 3);
  kill(backend);
  BOOST_REQUIRE(caller.log->refused.size() == 3U);
  for (const auto& x : caller.log->refused)
    BOOST_TEST((x.code == error_code::shutting_down && x.certainty == certainty::unknown));
}

// -- another life of the store ------------------------------------------------

BOOST_AUTO_TEST_CASE(a_revision_of_another_life_is_never_current) {
  const auto written = ask<kv_written>(backend, kv_create{at("a.k"), payload{"v"}, {}}).value();
  const epoch other{written.epoch.value + 1};
  kv_update update{at("a.k"), payload{"w"}, written.revision, {}, other};
  kv_delete removal{at("a.k"), written.revision, other};
  for (int i = 0; i < 2; ++i) { // With a revision, and without.
    const auto a = ask<kv_written>(backend, update).error();
    const auto b = ask<kv_deleted>(backend, removal).error();
    for (const auto& x : {a, b}) {
      BOOST_TEST((x.code == error_code::revision_mismatch));
      BOOST_TEST((x.detail == failure_detail{current_revision{written.revision.value}}));
    }
    update.expected.reset();
    removal.expected.reset();
  }
  update.in_epoch = written.epoch;
  BOOST_TEST(ask<kv_written>(backend, update).get().engaged());
  removal.in_epoch = written.epoch;
  BOOST_TEST(ask<kv_deleted>(backend, removal).get().engaged());
}

BOOST_AUTO_TEST_SUITE_END()
