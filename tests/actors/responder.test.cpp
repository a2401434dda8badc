#include "trunnion/actors/kv_monitor.hpp"
#include "trunnion/messages/group.hpp"
#include "trunnion/tests/actors/responder_fixture.hpp"
#include "trunnion/tests/fixtures/flaky_backend.hpp"

#include <stdexcept>

using namespace trunnion;
using namespace trunnion::test;

namespace {

outcome<payload> echo(const handle_request& x) { return x.payload; }

} // namespace

BOOST_FIXTURE_TEST_SUITE(responder_test, responder_fixture)

BOOST_AUTO_TEST_CASE(a_function_serves_requests) {
  const auto responder = start(request_function{echo});
  BOOST_TEST(text(call("north")) == "north");
  const auto shown = status(responder);
  BOOST_TEST((shown.phase == responder_phase::serving));
  BOOST_TEST(shown.served == 1U);
  BOOST_TEST(trace == "0 responder: ridge.mount.slew: serving\n");
}

BOOST_AUTO_TEST_CASE(an_actor_serves_requests_and_is_told_how_long_a_caller_waits) {
  nanoseconds time_left{};
  const auto handler = track(system.spawn([&]() -> request_handler::behavior_type {
    return {[&](const handle_request& x) {
      time_left = x.time_left;
      return handled{payload{x.subject.text() + " " + std::string{x.payload.bytes()}}};
    }};
  }));
  start(options(handler));
  BOOST_TEST(text(call("north", 7s)) == "ridge.mount.slew north");
  BOOST_TEST((time_left == 7s));
}

// -- many callers -------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_thousand_callers_are_served_in_order_with_sixty_four_at_once) {
  const auto handler = make_handler();
  const auto responder = start(handler);
  std::vector<pending<invoked>> calls;
  for (int i = 0; i < 1'000; ++i)
    calls.push_back(call(std::to_string(i)));
  BOOST_TEST(handler.log->begun.size() == 64U);
  BOOST_TEST(status(responder).queued == 936U);
  for (int i = 0; i < 1'000; ++i)
    answer_oldest(handler, "done " + handler.log->begun.at(static_cast<std::size_t>(i)));
  BOOST_TEST(handler.log->most_in_hand == 64U);
  for (int i = 0; i < 1'000; ++i) {
    BOOST_REQUIRE_EQUAL(handler.log->begun.at(static_cast<std::size_t>(i)), std::to_string(i));
    BOOST_REQUIRE_EQUAL(text(calls.at(static_cast<std::size_t>(i))), "done " + std::to_string(i));
  }
  BOOST_TEST(status(responder).served == 1'000U);
}

BOOST_AUTO_TEST_CASE(of_a_thousand_callers_those_beyond_limit_and_queue_are_refused) {
  const auto handler = make_handler();
  auto terms = options(handler.actor);
  terms.queue = 436;
  start(terms);
  std::vector<pending<invoked>> calls;
  for (int i = 0; i < 1'000; ++i) // All at once, in an order of the scheduler's.
    calls.push_back(ask_later<invoked>(
      backend, invoke{at("ridge.mount.slew"), payload{std::to_string(i)}, 1min}));
  run();
  const auto refused
    = std::ranges::count_if(calls, [](const pending<invoked>& x) { return x.ready(); });
  BOOST_TEST(refused == 500);
  for (const auto& x : calls)
    if (x.ready()) {
      BOOST_REQUIRE((x.error().code == error_code::overloaded));
      BOOST_REQUIRE((x.error().certainty == certainty::not_applied));
    }
  for (int i = 0; i < 500; ++i)
    answer_oldest(handler, "done");
  for (const auto& x : calls)
    BOOST_REQUIRE(x.ready());
}

BOOST_AUTO_TEST_CASE(a_thousand_callers_of_a_function_are_all_served) {
  start(request_function{echo});
  std::vector<pending<invoked>> calls;
  for (int i = 0; i < 1'000; ++i)
    calls.push_back(ask_later<invoked>(
      backend, invoke{at("ridge.mount.slew"), payload{std::to_string(i)}, 1min}));
  run();
  for (int i = 0; i < 1'000; ++i)
    BOOST_REQUIRE_EQUAL(text(calls.at(static_cast<std::size_t>(i))), std::to_string(i));
}

BOOST_AUTO_TEST_CASE(a_slow_function_does_not_keep_the_responder_from_its_mailbox) {
  int handled_so_far = 0;
  std::vector<pending<invoked>> calls;
  const auto responder = start(request_function{[&](const handle_request& x) -> outcome<payload> {
    scheduler.clock().current_time += 2ms;
    ++handled_so_far;
    return x.payload;
  }});
  for (int i = 0; i < 20; ++i)
    calls.push_back(
      ask_later<invoked>(backend, invoke{at("ridge.mount.slew"), payload{"x"}, 15ms}));
  run();
  advance(1s);
  // Those that came up after their callers' time were dropped, and the rest was served.
  BOOST_TEST(handled_so_far < 20);
  BOOST_TEST(status(responder).withdrawn == static_cast<std::uint64_t>(20 - handled_so_far));
  for (const auto& x : calls)
    BOOST_REQUIRE(x.ready());
}

// -- failures -----------------------------------------------------------------

BOOST_AUTO_TEST_CASE(an_exception_becomes_its_type_and_text_with_details) {
  start(request_function{[](const handle_request&) -> outcome<payload> {
    try {
      throw std::invalid_argument{"no such star"};
    } catch (...) {
      std::throw_with_nested(std::runtime_error{"cannot slew"});
    }
  }});
  const auto told = remote_error(call("north"));
  BOOST_TEST(told.message.ends_with("std::runtime_error>: cannot slew")); // Wrapped by the library.
  BOOST_TEST(
    told.details.value()
    == "in the handler of ridge.mount.slew\ncaused by std::invalid_argument: no such star");
}

BOOST_AUTO_TEST_CASE(an_exception_of_no_class_has_its_type_too) {
  start(request_function{[](const handle_request&) -> outcome<payload> { throw 7; }});
  BOOST_TEST(remote_error(call("north")).message == "int: not an exception type");
}

BOOST_AUTO_TEST_CASE(a_responder_goes_on_after_a_handler_threw) {
  const auto responder = start(request_function{[](const handle_request& x) -> outcome<payload> {
    if (x.payload.bytes() == "bad")
      throw std::out_of_range{"beyond the horizon"};
    return x.payload;
  }});
  BOOST_TEST(remote_error(call("bad")).message == "std::out_of_range: beyond the horizon");
  BOOST_TEST(text(call("good")) == "good");
  const auto shown = status(responder);
  BOOST_TEST(shown.failed == 1U);
  BOOST_TEST(shown.served == 1U);
}

BOOST_AUTO_TEST_CASE(a_failure_becomes_its_code_and_text) {
  start(request_function{[](const handle_request&) -> outcome<payload> {
    return trunnion::fail(error_code::key_not_found, "no such star", "sky.vega");
  }});
  const auto told = remote_error(call("vega"));
  BOOST_TEST(told.message == "key_not_found: no such star");
  BOOST_TEST(told.details.value() == "sky.vega, not applied");
}

BOOST_AUTO_TEST_CASE(a_remote_failure_is_kept_as_it_is) {
  const auto handler = make_handler();
  start(handler);
  const auto pending = call("vega");
  const remote_failure deep{"ValueError: no such star", "Traceback: line 1"};
  answer_oldest(handler, caf::expected<handled>{to_error(failure{
                           error_code::remote_request, certainty::unknown, "", "failed", deep})});
  BOOST_TEST((remote_error(pending) == deep));
}

BOOST_AUTO_TEST_CASE(a_handlers_error_of_another_category_is_told_in_words) {
  const auto handler = make_handler();
  start(handler);
  const auto pending = call("vega");
  answer_oldest(handler,
                caf::expected<handled>{caf::make_error(caf::sec::runtime_error, "burnt out")});
  BOOST_TEST(remote_error(pending).message.find("burnt out") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_reply_that_looks_like_an_error_is_one) {
  const auto responder = start(request_function{[](const handle_request&) -> outcome<payload> {
    return payload{std::string{remote_error_magic} + "fake"};
  }});
  BOOST_TEST(remote_error(call("x")).message
             == "remote_request: the handler's reply begins with the mark of an error");
  BOOST_TEST(status(responder).failed == 1U);
}

BOOST_AUTO_TEST_CASE(an_error_too_long_for_a_response_is_cut) {
  start(request_function{[](const handle_request&) -> outcome<payload> {
    throw std::runtime_error{std::string(2'000'000, 'x')};
  }});
  BOOST_TEST(remote_error(call("x")).message.size() == std::size_t{64U << 10U});
}

BOOST_AUTO_TEST_CASE(a_reply_over_the_payload_limit_is_told_as_such) {
  start(request_function{[](const handle_request&) -> outcome<payload> {
    return payload{std::string(max_payload_size + 1, 'x')};
  }});
  const auto why = call("x").error();
  BOOST_TEST((why.code == error_code::payload_too_large));
  BOOST_TEST((why.certainty == certainty::unknown));
}

BOOST_AUTO_TEST_CASE(when_the_handlers_actor_is_killed_its_callers_know_and_the_responder_ends) {
  const auto handler = make_handler();
  auto terms = options(handler.actor);
  terms.limit = 2;
  const auto responder = start(terms);
  const auto end = end_of(responder);
  const auto first = call("1"), second = call("2"), third = call("3");
  kill(handler.actor);
  for (const auto& running : {first, second})
    BOOST_TEST(
      remote_error(running).message.starts_with("remote_request: the handler's actor has ended"));
  BOOST_TEST((third.error().code == error_code::shutting_down));
  BOOST_TEST((third.error().certainty == certainty::not_applied));
  BOOST_REQUIRE(end->has_value());
  BOOST_TEST(((*end)->code == error_code::remote_request));
  BOOST_TEST((call("4").error().code == error_code::unregistered_responder));
}

BOOST_AUTO_TEST_CASE(when_the_handlers_actor_ends_unread_requests_in_its_mailbox_end_too) {
  const auto handler = make_handler();
  const auto responder = start(handler);
  const auto end = end_of(responder);
  caf::anon_send_exit(handler.actor, caf::exit_reason::kill); // Not read yet.
  const auto pending = call("1");
  BOOST_TEST(pending.ready());
  BOOST_TEST(end->has_value());
}

// -- callers that are gone ----------------------------------------------------

BOOST_AUTO_TEST_CASE(a_request_whose_caller_has_ended_before_it_starts_is_dropped) {
  const auto handler = make_handler();
  auto terms = options(handler.actor);
  terms.limit = 1;
  const auto responder = start(terms);
  const auto first = call("1");
  auto caller = system.spawn([&](caf::event_based_actor* me) -> caf::behavior {
    me->request(backend, caf::infinite, invoke{at("ridge.mount.slew"), payload{"2"}, 1min})
      .then([](const invoked&) { BOOST_ERROR("nobody is there to be answered"); },
            [](const caf::error&) {});
    return {[](caf::unit_t) {}};
  });
  run();
  const auto third = call("3");
  BOOST_TEST(status(responder).queued == 2U);
  kill(caller);
  BOOST_TEST(status(responder).queued == 1U);
  answer_oldest(handler, "one");
  answer_oldest(handler, "three");
  BOOST_TEST(handler.log->begun == (std::vector<std::string>{"1", "3"}),
             boost::test_tools::per_element());
  BOOST_TEST(text(third) == "three");
  BOOST_TEST(status(responder).withdrawn == 1U);
}

BOOST_AUTO_TEST_CASE(a_request_whose_time_has_passed_before_it_starts_is_dropped) {
  const auto handler = make_handler();
  auto terms = options(handler.actor);
  terms.limit = 1;
  const auto responder = start(terms);
  const auto first = call("1"), second = call("2", 3s), third = call("3");
  advance(4s);
  BOOST_TEST((second.error().code == error_code::timeout));
  answer_oldest(handler, "one");
  answer_oldest(handler, "three");
  BOOST_TEST(handler.log->begun == (std::vector<std::string>{"1", "3"}),
             boost::test_tools::per_element());
  BOOST_TEST(text(third) == "three");
  BOOST_TEST(status(responder).withdrawn == 1U);
}

BOOST_AUTO_TEST_CASE(a_request_whose_time_has_passed_keeps_its_place_until_the_handler_is_done) {
  const auto handler = make_handler();
  auto terms = options(handler.actor);
  terms.limit = 1;
  const auto responder = start(terms);
  const auto first = call("1", 3s), second = call("2");
  advance(3s);
  BOOST_TEST((first.error().code == error_code::timeout));
  BOOST_TEST(handler.log->begun.size() == 1U); // No more than the limit is in its hands.
  answer_oldest(handler, "late");
  BOOST_TEST(handler.log->begun.size() == 2U);
  BOOST_TEST(!second.ready());
  answer_oldest(handler, "two");
  BOOST_TEST(text(second) == "two");
}

BOOST_AUTO_TEST_CASE(a_handler_that_answers_nobody_any_more_ends_its_responder) {
  const auto handler = make_handler();
  auto terms = options(handler.actor);
  terms.limit = 2;
  const auto responder = start(terms);
  const auto end = end_of(responder);
  const auto first = call("1", 1s), second = call("2", 1s);
  advance(1s);
  const auto third = call("3", 1min);
  BOOST_TEST(!end->has_value()); // It may be slow.
  advance(terms.grace);
  const auto fourth = call("4", 1min);
  BOOST_REQUIRE(end->has_value());
  BOOST_TEST(((*end)->code == error_code::remote_request));
  for (const auto& waiting : {third, fourth})
    BOOST_TEST((waiting.error().code == error_code::shutting_down));
  BOOST_TEST(handler.log->begun.size() == 2U);
}

// -- the end ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(stopping_lets_running_requests_finish_and_refuses_those_that_wait) {
  const auto handler = make_handler();
  auto terms = options(handler.actor);
  terms.limit = 2;
  const auto responder = start(terms);
  const auto first = call("1"), second = call("2"), third = call("3");
  const auto stopped = ask<responder_stopped>(responder, responder_stop{});
  BOOST_TEST((third.error().code == error_code::shutting_down));
  BOOST_TEST((third.error().certainty == certainty::not_applied));
  BOOST_TEST((call("4").error().code == error_code::unregistered_responder));
  BOOST_TEST((status(responder).phase == responder_phase::stopping));
  answer_oldest(handler, "one");
  BOOST_TEST(text(first) == "one");
  BOOST_TEST(!stopped.ready());
  advance(1s);
  answer_oldest(handler, "two");
  BOOST_TEST(text(second) == "two");
  BOOST_TEST(stopped.value().cut_off == 0U);
  BOOST_TEST(trace
             == "0 responder: ridge.mount.slew: serving\n"
                "0 responder: ridge.mount.slew: stopping: 2 running, 1 refused\n"
                "1000 responder: ridge.mount.slew: ended: 2 served, 0 failed, 0 cut off\n");
}

BOOST_AUTO_TEST_CASE(what_still_runs_at_the_end_of_the_grace_is_answered_with_an_unknown_outcome) {
  const auto handler = make_handler();
  const auto responder = start(handler);
  const auto end = end_of(responder);
  const auto first = call("1");
  const auto stopped = ask<responder_stopped>(responder, responder_stop{});
  advance(1999ms);
  BOOST_TEST(!stopped.ready());
  advance(1ms);
  BOOST_TEST(stopped.value().cut_off == 1U);
  BOOST_TEST((first.error().code == error_code::shutting_down));
  BOOST_TEST((first.error().certainty == certainty::unknown));
  BOOST_TEST((*end)->text == "by itself");
}

BOOST_AUTO_TEST_CASE(an_exit_message_stops_it_within_the_grace_as_well) {
  const auto handler = make_handler();
  const auto responder = start(handler);
  const auto end = end_of(responder);
  const auto first = call("1");
  kill(responder, caf::exit_reason::user_shutdown);
  BOOST_TEST(!end->has_value());
  answer_oldest(handler, "one");
  BOOST_TEST(text(first) == "one");
  BOOST_REQUIRE(end->has_value());
}

BOOST_AUTO_TEST_CASE(a_group_that_is_about_to_end_shortens_the_grace) {
  const auto handler = make_handler();
  const auto responder = start(handler);
  const auto first = call("1");
  tell(caf::actor_cast<caf::actor>(responder),
       member_lost{.which = "ridge.mount.EntityLease", .close_within = 500ms});
  BOOST_TEST((status(responder).phase == responder_phase::serving));
  const auto stopped = ask<responder_stopped>(responder, responder_stop{});
  advance(500ms);
  BOOST_TEST(stopped.value().cut_off == 1U);
  BOOST_TEST(first.ready());
}

BOOST_AUTO_TEST_CASE(it_ends_with_its_owner) {
  const auto owner = track(
    system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](caf::unit_t) {}}; }));
  auto terms = options(request_function{echo});
  terms.owner = caf::actor_cast<caf::strong_actor_ptr>(owner);
  const auto responder = start(terms);
  const auto end = end_of(responder);
  kill(owner);
  BOOST_TEST(end->has_value());
}

BOOST_AUTO_TEST_CASE(it_serves_though_nobody_holds_its_handle) {
  caf::actor_addr who;
  {
    auto started = serve(system, rt(), backend, options(request_function{echo}));
    BOOST_REQUIRE(started.has_value());
    who = started->address();
    run();
  }
  BOOST_TEST(text(call("north")) == "north");
  track(caf::actor_cast<responder_actor>(who));
}

BOOST_AUTO_TEST_CASE(when_it_is_killed_its_callers_know_at_once) {
  const auto handler = make_handler();
  const auto responder = start(handler);
  const auto first = call("1");
  kill(responder);
  BOOST_TEST((first.error().code == error_code::remote_request));
  BOOST_TEST((first.error().certainty == certainty::unknown));
}

// -- interruptions ------------------------------------------------------------

BOOST_AUTO_TEST_CASE(it_listens_again_after_its_backend_was_out_of_reach) {
  flaky_link link;
  const auto shaky = spawn_flaky(*this, link, backend);
  const auto responder = start(options(request_function{echo}), shaky);
  BOOST_TEST(text(call("north")) == "north");
  link.go_silent();
  advance(health_check_every + health_check_timeout);
  BOOST_TEST((status(responder).phase == responder_phase::starting));
  link.heal();
  advance(longest_reopen_after * 2);
  BOOST_TEST((status(responder).phase == responder_phase::serving));
  BOOST_TEST(text(call("south")) == "south");
}

BOOST_AUTO_TEST_CASE(it_tries_again_when_listening_is_refused_or_goes_unanswered) {
  flaky_link link;
  const auto shaky = spawn_flaky(*this, link, backend);
  link.on_request = [](traffic) { return fate::lose; };
  const auto responder = start(options(request_function{echo}), shaky);
  advance(6s);
  BOOST_TEST((status(responder).phase == responder_phase::starting));
  link.heal();
  advance(6s);
  BOOST_TEST(text(call("north")) == "north");
}

BOOST_AUTO_TEST_CASE(while_the_backend_is_dead_it_stays_and_says_so) {
  const auto handler = make_handler();
  const auto responder = start(handler);
  const auto first = call("1");
  kill(backend);
  BOOST_TEST(first.ready());
  advance(1min);
  BOOST_TEST((status(responder).phase == responder_phase::starting));
  const auto stopped = ask<responder_stopped>(responder, responder_stop{});
  answer_oldest(handler, "one");
  BOOST_TEST(stopped.value().cut_off == 0U);
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused_at_the_start) {
  const auto refusal = [&](const responder_options& x) {
    const auto started = serve(system, rt(), backend, x);
    BOOST_REQUIRE(!started.has_value());
    return started.error().code;
  };
  auto terms = options(request_function{echo});
  terms.subject = at("ridge.mount.*");
  BOOST_TEST((refusal(terms) == error_code::invalid_subject));
  BOOST_TEST((refusal(options(request_function{})) == error_code::invalid_argument));
  BOOST_TEST((refusal(options(request_handler{})) == error_code::invalid_argument));
  terms = options(request_function{echo});
  terms.limit = 0;
  BOOST_TEST((refusal(terms) == error_code::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()
