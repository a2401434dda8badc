// Requests: one caller, one of those who listen, one answer.

#pragma once

#include "trunnion/tests/conformance/conformance.hpp"

namespace trunnion::test::request_checks {

inline constexpr limits few{.operations_per_client = 50};

inline invoke asking(std::string_view to, std::string text = "x", nanoseconds timeout = 3s) {
  return {client::at(to), payload{std::move(text)}, timeout};
}

/// Invokes so many times at once, with the numbers from 0 as payloads.
inline std::vector<client::pending<invoked>> burst(client& by, std::string_view to,
                                                   std::size_t count, nanoseconds timeout = 3s) {
  std::vector<invoke> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(asking(to, std::to_string(i), timeout));
  return by.ask_at_once(std::move(all));
}

/// Waits for the answer, which must be an error.
template <class Answer> failure error_of(client& by, const client::pending<Answer>& x) {
  const auto answer = by.wait_for(x);
  REQUIRE_FOR("an answer in place of an error", !answer.has_value());
  return answer.error();
}

inline std::string text_of(client& by, const client::pending<invoked>& x) {
  const auto answer = by.wait_for(x);
  if (!answer)
    FAIL_CHECK("an error in place of an answer: " + to_string(answer.error()));
  return std::string{answer->payload.bytes()};
}

// -- the way there and back -----------------------------------------------------

CONFORMANCE(request, a_caller_gets_the_bytes_of_the_listeners_reply) {
  auto server = b.more();
  server.serve("r.q", [](const incoming_request& x) {
    return request_reply{x.number, payload{"re: " + std::string{x.payload.bytes()}}, {}};
  });
  EXPECT(b.a.call("r.q", "ping") == "re: ping");
  const auto incoming = server.incoming(1);
  EXPECT(incoming[0].subject.text() == "r.q");
  EXPECT(incoming[0].payload.bytes() == "ping");
}

CONFORMANCE(request, request_and_reply_are_any_bytes_and_may_be_empty) {
  auto server = b.more();
  server.echo("r.q");
  const std::string bytes{"\0\xff ERR\0 \r\n", 10};
  EXPECT(b.a.call("r.q", bytes) == bytes);
  EXPECT(b.a.call("r.q", "").empty());
}

CONFORMANCE(request, an_encoded_failure_is_a_reply_like_any_other) {
  auto server = b.more();
  const std::string encoded{"ERR\0no such dome", 16};
  server.serve("r.q", [encoded](const incoming_request& x) {
    return request_reply{x.number, payload{encoded}, {}};
  });
  EXPECT(b.a.call("r.q", "x") == encoded);
}

CONFORMANCE(request, nobody_listening_is_said_at_once) {
  const auto before = b.now();
  const auto error = b.a.refused(asking("r.q"));
  EXPECT(error.code == error_code::unregistered_responder);
  EXPECT(error.certainty == certainty::not_applied);
  EXPECT(b.now() - before < 1s + b.where->slack());
}

CONFORMANCE(request, no_answer_in_time_is_a_timeout_whose_outcome_is_unknown) {
  auto server = b.more(), caller = b.more();
  server.get(listen{server.at("r.q")});
  const auto before = b.now();
  const auto answer = caller.ask_later(asking("r.q", "x", 2s));
  server.incoming(1);
  b.pass(2s - 100ms - (b.now() - before));
  EXPECT(!answer.ready() || !b.still_before(before + 2s)); // Not early.
  const auto error = error_of(caller, answer);
  EXPECT(error.code == error_code::timeout);
  EXPECT(error.certainty == certainty::unknown);
  EXPECT(b.now() - before <= 2s + 100ms + b.where->slack());
}

CONFORMANCE(request, the_timeout_travels_along) {
  auto server = b.more(), caller = b.more();
  server.get(listen{server.at("r.q")});
  caller.ask_later(asking("r.q", "x", 3s));
  caller.ask_later(asking("r.q", "y", 1min));
  std::map<std::string, nanoseconds> left;
  for (const auto& x : server.incoming(2))
    left[std::string{x.payload.bytes()}] = x.time_left;
  EXPECT(left["x"] > 0s);
  EXPECT(left["x"] <= 3s);
  EXPECT(left["y"] > 3s);
  EXPECT(left["y"] <= 1min);
}

CONFORMANCE(request, a_timeout_must_be_positive_and_at_most_a_day) {
  auto server = b.more();
  server.echo("r.q");
  for (const nanoseconds timeout :
       {0ns, -1ns, nanoseconds::min(), longest_request_timeout + 1ns, nanoseconds::max()}) {
    const auto error = b.a.refused(asking("r.q", "x", timeout));
    EXPECT_FOR(std::to_string(timeout.count()), error.code == error_code::invalid_argument);
    EXPECT_FOR(std::to_string(timeout.count()), error.certainty == certainty::not_applied);
  }
  EXPECT(b.a.call("r.q", "x", longest_request_timeout) == "x");
  EXPECT(server.incoming().size() == 1U);
}

CONFORMANCE(request, what_is_no_name_can_be_neither_invoked_nor_listened_on) {
  const auto dev = *entity::parse("a");
  for (const auto& prop : {property::none(), property::events(), property::all_properties(),
                           property::all_descendants()}) {
    const subject x{dev, prop};
    const auto about = to_string(prop.kind());
    EXPECT_FOR(about, b.a.refused(invoke{x, payload{"v"}}).code == error_code::invalid_subject);
    EXPECT_FOR(about, b.a.refused(listen{x}).code == error_code::invalid_subject);
  }
  EXPECT(b.status().listeners == 0U);
}

CONFORMANCE(request, a_request_goes_to_its_own_subject_and_no_other) {
  auto server = b.more();
  server.echo("r.q");
  server.echo("q");
  for (const auto* other : {"r.qq", "r.q.q", "r", "rr.q"})
    EXPECT_FOR(other, b.a.refused(asking(other)).code == error_code::unregistered_responder);
  EXPECT(b.a.call("q", "root") == "root");
  const auto incoming = server.incoming();
  REQUIRE(incoming.size() == 1U);
  EXPECT(incoming[0].subject.text() == "q");
}

CONFORMANCE(request, keys_streams_and_requests_of_one_name_are_apart) {
  auto server = b.more();
  server.echo("a.s", "served ");
  b.a.create("a.s", "key");
  b.a.say("a.s", "message");
  EXPECT(b.a.call("a.s", "x") == "served x");
  EXPECT(b.a.read("a.s").payload.bytes() == "key");
  EXPECT(server.incoming().size() == 1U);
}

CONFORMANCE(request, a_session_may_ask_itself) {
  b.a.echo("r.q", "me ");
  EXPECT(b.a.call("r.q", "x") == "me x");
}

CONFORMANCE(request, many_requests_under_way_each_get_their_own_answer) {
  constexpr std::size_t count = 200;
  auto server = b.more(), caller = b.more();
  server.get(listen{server.at("r.q")});
  const auto answers = burst(caller, "r.q", count);
  auto incoming = server.incoming(count);
  std::ranges::reverse(incoming); // There is no order between requests.
  for (const auto& x : incoming)
    server.reply(x, "re " + std::string{x.payload.bytes()});
  for (std::size_t i = 0; i < count; ++i)
    EXPECT(text_of(caller, answers[i]) == "re " + std::to_string(i));
  EXPECT(b.status().requests == 0U);
}

CONFORMANCE(request, each_request_has_a_number_of_its_own) {
  auto one = b.more(), two = b.more();
  one.get(listen{one.at("r.q")});
  two.get(listen{two.at("r.p")});
  burst(b.a, "r.q", 5);
  burst(b.a, "r.p", 5);
  std::set<std::uint64_t> numbers;
  for (auto* x : {&one, &two})
    for (const auto& y : x->incoming(5))
      numbers.insert(y.number);
  EXPECT(numbers.size() == 10U);
}

// -- sharing --------------------------------------------------------------------

CONFORMANCE(request, of_several_sessions_exactly_one_handles_a_request) {
  std::vector<client> servers;
  for (int i = 0; i < 3; ++i) {
    servers.push_back(b.more());
    servers.back().echo("r.q");
  }
  for (int i = 0; i < 30; ++i)
    EXPECT(b.a.call("r.q", std::to_string(i)) == std::to_string(i));
  b.settle();
  std::multiset<std::string> handled;
  for (auto& x : servers)
    for (const auto& y : x.incoming())
      handled.emplace(y.payload.bytes());
  EXPECT(handled.size() == 30U);
  for (int i = 0; i < 30; ++i)
    EXPECT(handled.count(std::to_string(i)) == 1U);
}

CONFORMANCE(request, sessions_that_are_equally_idle_take_turns) {
  auto one = b.more(), two = b.more();
  one.echo("r.q");
  two.echo("r.q");
  for (int i = 0; i < 10; ++i)
    b.a.call("r.q", "x");
  EXPECT(one.incoming().size() == 5U);
  EXPECT(two.incoming().size() == 5U);
}

CONFORMANCE(request, a_request_goes_to_the_session_with_the_fewest_in_hand) {
  auto busy = b.more(), idle = b.more();
  busy.get(listen{busy.at("r.q")});
  burst(b.a, "r.q", 4);
  busy.incoming(4);
  idle.get(listen{idle.at("r.q")});
  burst(b.a, "r.q", 4);
  EXPECT(idle.incoming(4).size() == 4U);
  EXPECT(busy.incoming().size() == 4U);
}

CONFORMANCE(request, a_listener_is_handed_no_more_than_it_takes) {
  auto server = b.more(), caller = b.more();
  server.get(listen{server.at("r.q"), 2});
  const auto answers = burst(caller, "r.q", 3);
  const auto error = error_of(caller, answers[2]);
  EXPECT(error.code == error_code::overloaded);
  EXPECT(error.certainty == certainty::not_applied);
  const auto incoming = server.incoming(2);
  EXPECT(incoming.size() == 2U);
  server.reply(incoming[0], "done"); // Makes room.
  caller.wait_for(answers[0]);
  caller.ask_later(asking("r.q", "next"));
  EXPECT(server.incoming(3).back().payload.bytes() == "next");
}

CONFORMANCE(request, only_when_all_who_listen_are_full_is_a_request_refused) {
  auto one = b.more(), two = b.more(), caller = b.more();
  one.get(listen{one.at("r.q"), 1});
  two.get(listen{two.at("r.q"), 2});
  const auto answers = burst(caller, "r.q", 4);
  EXPECT(error_of(caller, answers[3]).code == error_code::overloaded);
  EXPECT(one.incoming(1).size() == 1U);
  EXPECT(two.incoming(2).size() == 2U);
}

// -- who listens ----------------------------------------------------------------

CONFORMANCE(request, listening_again_replaces_the_earlier_listener_of_the_session) {
  auto server = b.more(), caller = b.more();
  EXPECT(!server.get(listen{server.at("r.q"), 5}).replaced);
  EXPECT(server.get(listen{server.at("r.q"), 1}).replaced);
  EXPECT(b.status().listeners == 1U);
  const auto answers = burst(caller, "r.q", 2);
  EXPECT(error_of(caller, answers[1]).code == error_code::overloaded); // The new bound counts.
  EXPECT(server.incoming(1).size() == 1U);                             // And it comes once.
  server.get(unlisten{server.at("r.q")});
  EXPECT(b.a.refused(asking("r.q")).code == error_code::unregistered_responder);
}

CONFORMANCE(request, the_listener_of_another_session_is_not_replaced) {
  auto one = b.more(), two = b.more();
  EXPECT(!one.get(listen{one.at("r.q")}).replaced);
  EXPECT(!two.get(listen{two.at("r.q")}).replaced);
  EXPECT(b.status().listeners == 2U);
}

CONFORMANCE(request, after_unlisten_callers_are_told_that_nobody_listens) {
  auto server = b.more();
  server.echo("r.q");
  server.echo("r.p");
  EXPECT(server.get(unlisten{server.at("r.q")}).listened);
  EXPECT(!server.get(unlisten{server.at("r.q")}).listened);
  EXPECT(b.a.refused(asking("r.q")).code == error_code::unregistered_responder);
  EXPECT(b.a.call("r.p", "x") == "x"); // The other subject is not concerned.
  EXPECT(server.incoming().size() == 1U);
}

CONFORMANCE(request, what_is_in_hand_is_answered_after_unlisten) {
  auto server = b.more(), caller = b.more();
  server.get(listen{server.at("r.q")});
  const auto answer = caller.ask_later(asking("r.q"));
  const auto request = server.incoming(1)[0];
  server.get(unlisten{server.at("r.q")});
  server.reply(request, "late but good");
  EXPECT(text_of(caller, answer) == "late but good");
}

CONFORMANCE(request, purging_ends_all_listeners_of_the_session_and_no_others) {
  auto server = b.more(), other = b.more(), caller = b.more();
  for (const auto* x : {"r.q", "r.p", "r.o"})
    server.get(listen{server.at(x)});
  other.echo("r.p", "other ");
  const auto answer = caller.ask_later(asking("r.q"));
  const auto request = server.incoming(1)[0];
  EXPECT(server.get(purge_listeners{}).subjects == 3U);
  EXPECT(server.get(purge_listeners{}).subjects == 0U);
  EXPECT(b.a.refused(asking("r.q")).code == error_code::unregistered_responder);
  EXPECT(b.a.call("r.p", "x") == "other x");
  server.reply(request, "in hand");
  EXPECT(text_of(caller, answer) == "in hand");
}

CONFORMANCE(request, the_listeners_of_a_dead_session_end_with_it) {
  auto server = b.more();
  server.echo("r.q");
  server.echo("r.p");
  EXPECT(b.status().listeners == 2U);
  EXPECT(b.status().sessions == 1U);
  server.die();
  b.wait_until([&] { return b.status().listeners == 0U; }, "the listeners end");
  EXPECT(b.status().sessions == 0U);
  EXPECT(b.a.refused(asking("r.q")).code == error_code::unregistered_responder);
}

CONFORMANCE(request, the_callers_of_a_listener_that_ends_are_told_at_once) {
  auto server = b.more(), caller = b.more();
  server.get(listen{server.at("r.q")});
  const auto answers = burst(caller, "r.q", 3, 1h);
  server.incoming(3);
  const auto before = b.now();
  server.die();
  for (const auto& x : answers) {
    const auto error = error_of(caller, x);
    EXPECT(error.code == error_code::remote_request);
    EXPECT(error.certainty == certainty::unknown); // It may have been handled.
  }
  EXPECT(b.now() - before < 2s + b.where->slack());
  EXPECT(b.status().requests == 0U);
}

CONFORMANCE(request, another_session_goes_on_when_one_ends) {
  auto dying = b.more(), staying = b.more();
  dying.echo("r.q", "dying ");
  staying.echo("r.q", "staying ");
  dying.die();
  b.wait_until([&] { return b.status().listeners == 1U; }, "the listener ends");
  for (int i = 0; i < 4; ++i)
    EXPECT(b.a.call("r.q", "x") == "staying x");
}

CONFORMANCE(request, a_listener_is_told_that_a_caller_is_gone) {
  b.needs(b.of.tells_withdrawals, "it does not know at once when a caller is gone");
  auto server = b.more(), caller = b.more();
  server.get(listen{server.at("r.q")});
  caller.ask_later(asking("r.q", "x", 1h));
  const auto request = server.incoming(1)[0];
  caller.die();
  b.wait_until([&] { return server.withdrawn().size() == 1; }, "the request is withdrawn");
  EXPECT(server.withdrawn()[0] == request.number);
  EXPECT(b.status().requests == 0U);
  server.reply(request, "to nobody"); // Is ignored.
  server.echo("r.q");
  EXPECT(b.a.call("r.q", "next") == "next");
}

// -- who may answer ---------------------------------------------------------------

CONFORMANCE(request, a_reply_of_one_who_was_not_handed_the_request_is_ignored) {
  auto server = b.more(), stranger = b.more(), caller = b.more();
  server.get(listen{server.at("r.q")});
  stranger.get(listen{stranger.at("r.p")});
  const auto answer = caller.ask_later(asking("r.q"));
  const auto request = server.incoming(1)[0];
  stranger.reply(request, "forged");
  b.settle();
  EXPECT(!answer.ready());
  server.reply(request, "mine");
  EXPECT(text_of(caller, answer) == "mine");
}

CONFORMANCE(request, only_the_first_reply_counts) {
  auto server = b.more(), caller = b.more();
  server.get(listen{server.at("r.q")});
  const auto one = caller.ask_later(asking("r.q", "1"));
  const auto request = server.incoming(1)[0];
  server.reply(request, "first");
  server.reply(request, "second");
  server.tell(request_reply{request.number + 1'000'000, payload{"nobody asked"}, {}});
  EXPECT(text_of(caller, one) == "first");
  const auto two = caller.ask_later(asking("r.q", "2"));
  server.reply(server.incoming(2)[1], "answer of the second");
  EXPECT(text_of(caller, two) == "answer of the second");
}

CONFORMANCE(request, a_reply_that_comes_too_late_is_ignored) {
  auto server = b.more(), caller = b.more();
  server.get(listen{server.at("r.q"), 1});
  const auto late = caller.ask_later(asking("r.q", "x", 1s));
  const auto request = server.incoming(1)[0];
  EXPECT(error_of(caller, late).code == error_code::timeout);
  b.settle();
  EXPECT(b.status().requests == 0U);
  server.reply(request, "too late");
  const auto next = caller.ask_later(asking("r.q", "y")); // There is room again.
  server.reply(server.incoming(2)[1], "in time");
  EXPECT(text_of(caller, next) == "in time");
}

CONFORMANCE(request, what_a_listener_refuses_reaches_the_caller_as_it_is) {
  auto server = b.more();
  for (const auto code :
       {error_code::overloaded, error_code::shutting_down, error_code::cancelled}) {
    const failure refusal{code, certainty::not_applied, "r.q", "the dome is shut", {}};
    server.serve("r.q", [refusal](const incoming_request& x) {
      return request_reply{x.number, {}, refusal};
    });
    const auto error = b.a.refused(asking("r.q"));
    EXPECT(error.code == code);
    EXPECT(error.certainty == certainty::not_applied);
    EXPECT(error.text == "the dome is shut");
  }
}

// -- bounds -----------------------------------------------------------------------

CONFORMANCE(request, the_largest_request_and_reply_fit) {
  auto server = b.more();
  server.echo("r.q");
  const std::string largest(b.can.max_payload, 'x');
  EXPECT(b.a.call("r.q", largest).size() == largest.size());
}

CONFORMANCE(request, a_request_over_the_limit_is_refused_before_anybody_gets_it) {
  auto server = b.more();
  server.echo("r.q");
  const auto error = b.a.refused(asking("r.q", std::string(b.can.max_payload + 1, 'x')));
  EXPECT(error.code == error_code::payload_too_large);
  EXPECT(error.certainty == certainty::not_applied);
  EXPECT(b.a.call("r.q", "after") == "after");
  EXPECT(server.incoming().size() == 1U);
}

CONFORMANCE(request, a_reply_over_the_limit_is_told_apart_from_silence) {
  auto server = b.more();
  server.serve("r.q", [&](const incoming_request& x) {
    return request_reply{x.number, payload{std::string(b.can.max_payload + 1, 'x')}, {}};
  });
  const auto error = b.a.refused(asking("r.q"));
  EXPECT(error.code == error_code::payload_too_large);
  EXPECT(error.certainty == certainty::unknown); // It was handled.
  server.echo("r.q");
  EXPECT(b.a.call("r.q", "after") == "after");
}

CONFORMANCE(request, a_caller_with_too_many_requests_in_flight_is_refused, few) {
  auto server = b.more(), greedy = b.more();
  server.get(listen{server.at("r.q"), most_requests_in_hand});
  const auto answers = burst(greedy, "r.q", few.operations_per_client + 10, 1h);
  for (std::size_t i = few.operations_per_client; i < answers.size(); ++i) {
    const auto error = error_of(greedy, answers[i]);
    EXPECT(error.code == error_code::overloaded);
    EXPECT(error.certainty == certainty::not_applied);
  }
  const auto incoming = server.incoming(few.operations_per_client);
  EXPECT(incoming.size() == few.operations_per_client);
  EXPECT(b.status().requests == few.operations_per_client);
  EXPECT(b.status().refused == 10U);
  auto other = b.more();
  const auto others = other.ask_later(asking("r.q", "other"));
  server.reply(server.incoming(few.operations_per_client + 1).back(), "answered");
  EXPECT(text_of(other, others) == "answered"); // Others are not concerned.
  server.reply(incoming[0], "room");
  EXPECT(text_of(greedy, answers[0]) == "room");
  greedy.ask_later(asking("r.q", "again"));
  EXPECT(server.incoming(few.operations_per_client + 2).back().payload.bytes() == "again");
}

CONFORMANCE(request, requests_that_nobody_sent_reach_nobody) {
  auto server = b.more();
  server.get(listen{server.at("r.q")});
  const auto to = caf::actor_cast<caf::actor>(b.where->engine());
  caf::anon_send(to, listen{client::at("r.p")});
  caf::anon_send(to, unlisten{client::at("r.q")});
  caf::anon_send(to, purge_listeners{});
  caf::anon_send(to, request_reply{1, payload{"x"}, {}});
  caf::anon_send(to, request_withdrawn{1});
  b.settle();
  EXPECT(b.status().listeners == 1U);
  EXPECT(b.status().requests == 0U);
  EXPECT(b.a.refused(asking("r.p")).code == error_code::unregistered_responder);
}

CONFORMANCE(request, the_status_counts_listeners_and_requests_in_hand) {
  auto server = b.more(), caller = b.more();
  server.get(listen{server.at("r.q")});
  server.get(listen{server.at("r.p")});
  burst(caller, "r.q", 3);
  const auto incoming = server.incoming(3);
  EXPECT(b.status().listeners == 2U);
  EXPECT(b.status().requests == 3U);
  server.reply(incoming[0], "x");
  EXPECT(b.status().requests == 2U);
  server.get(purge_listeners{});
  EXPECT(b.status().listeners == 0U);
  EXPECT(b.status().requests == 2U); // Still in hand.
}

} // namespace trunnion::test::request_checks
