#include "trunnion/tests/backends/faulty_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

bool is(const failure& x, error_code code, certainty sure) {
  return x.code == code && x.certainty == sure;
}

template <class T> std::string name_of(const T& x) { return caf::deep_to_string(x).substr(0, 20); }

std::vector<std::string> texts(const std::vector<stream_part>& parts) {
  std::vector<std::string> result;
  for (const auto& part : parts)
    for (const auto& x : part.messages)
      result.emplace_back(x.payload.bytes());
  return result;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(faulty_backend_test, faulty_fixture)

// -- drop -----------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(each_request_that_got_lost_ends_with_a_timeout_of_unknown_outcome) {
  const auto link = make_link("drop:1");
  for_each_operation([&]<class T>(const T& x) {
    const auto before = status().operations;
    const auto answer = ask_later<typename T::answer>(link, x.operation);
    advance(lost_answer_after - 1ms);
    BOOST_TEST(!answer.ready(), name_of(x.operation));
    advance(1ms);
    BOOST_TEST(is(answer.error(), error_code::timeout, certainty::unknown), name_of(x.operation));
    BOOST_TEST(status().operations <= before + 1, "our own look at most");
  });
  BOOST_TEST(status().keys == 0U);
  BOOST_TEST(report(link).of(fault_kind::drop) == 19U);
  BOOST_TEST(metrics.counts["faulty_dropped"] == 19U);
}

BOOST_AUTO_TEST_CASE(each_answer_that_got_lost_ends_with_a_timeout_of_unknown_outcome) {
  for_each_operation([&]<class T>(const T& x) {
    const auto text = "drop:0.5"; // Parts may come before the answer.
    const auto link = make_link(text, seed_with(text, {{fault_kind::drop, {3, 1}, false},
                                                       {fault_kind::drop, {4, 1}},
                                                       {fault_kind::drop, {4, 2}},
                                                       {fault_kind::drop, {4, 3}}}));
    const auto answer = ask_later<typename T::answer>(link, x.operation);
    advance(lost_answer_after - 1ms);
    BOOST_TEST(!answer.ready(), name_of(x.operation));
    advance(1ms);
    BOOST_TEST(is(answer.error(), error_code::timeout, certainty::unknown), name_of(x.operation));
  });
  BOOST_TEST(has("o.new")); // It had happened.
}

BOOST_AUTO_TEST_CASE(a_lost_call_ends_when_its_own_time_is_over) {
  const auto link = make_link("drop:1");
  for (const auto timeout : {100ms, 60'000ms}) {
    const auto answer = ask_later<invoked>(link, invoke{at("o.r"), payload{"q"}, timeout});
    advance(timeout - 1ms);
    BOOST_TEST(!answer.ready());
    advance(1ms);
    BOOST_TEST(is(answer.error(), error_code::timeout, certainty::unknown));
  }
}

BOOST_AUTO_TEST_CASE(a_part_that_got_lost_comes_again) {
  const auto text = "drop:0.5"; // The part and the answer get lost.
  const auto link = make_link(text, seed_with(text, {{fault_kind::drop, {3, 1}, false},
                                                     {fault_kind::drop, {4, 1}},
                                                     {fault_kind::drop, {4, 2}},
                                                     {fault_kind::drop, {4, 3}, false}}));
  const auto who = make_probe(*this);
  say(*this, who, link, watch{at("o.>"), 1, 8});
  BOOST_TEST(who.log->parts.empty());
  advance(part_resend_after);
  BOOST_REQUIRE(who.log->parts.size() == 1U);
  BOOST_TEST((who.log->parts[0].kind == part_kind::snapshot_end));
}

BOOST_AUTO_TEST_CASE(that_something_is_over_is_never_lost) {
  const auto text = "drop:0.9";
  const auto link = make_link(text, seed_with(text, {{fault_kind::drop, {3, 1}, false}}));
  const auto who = make_probe(*this);
  say(*this, who, link, watch{at("o.>"), 1, 8});
  const auto closed = ask<backend_closed>(link, close_backend{});
  BOOST_TEST(closed.get().engaged());
  BOOST_REQUIRE(who.log->lost.size() == 1U);
  BOOST_TEST((who.log->lost[0].error.code == error_code::shutting_down));
}

// -- repeat ---------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(conditional_writes_arrive_twice_and_are_answered_once) {
  const auto link = make_link("repeat:1");
  const auto runs = [&](auto ask_it) {
    const auto before = status().operations;
    ask_it();
    return status().operations - before;
  };
  revision written;
  BOOST_TEST(runs([&] { written = ask<kv_written>(link, create("o.k", "1")).value().revision; })
             == 2U);
  BOOST_TEST(runs([&] {
               auto x = put("o.k", "2");
               x.expected = written;
               written = ask<kv_written>(link, x).value().revision;
             })
             == 2U);
  BOOST_TEST(value("o.k") == "2");
  BOOST_TEST(
    runs([&] {
      BOOST_TEST(
        ask<kv_deleted>(link, kv_delete{at("o.k"), written, {}}).value().tombstone.has_value());
    })
    == 2U);
  BOOST_TEST(report(link).of(fault_kind::repeat) == 3U);
}

BOOST_AUTO_TEST_CASE(nothing_else_is_asked_twice) {
  const auto link = make_link("repeat:1");
  const auto who = make_probe(*this);
  (void)ask<kv_written>(link, put("o.k", "1"));
  (void)ask<kv_deleted>(link, kv_delete{at("o.k"), {}, {}});
  (void)ask<published>(link, publish{at("o.s"), payload{"m"}});
  BOOST_TEST(report(link).of(fault_kind::repeat) == 0U);
  BOOST_TEST(status().messages == 1U);
  BOOST_TEST(status().revision.value == 2U);
}

BOOST_AUTO_TEST_CASE(parts_come_twice_with_their_number) {
  const auto link = make_link("repeat:1");
  const auto who = make_probe(*this, probe_manner::silent);
  say(*this, who, link, watch{at("o.>"), 1, 8});
  say(*this, who, link, consume{at("o.>"), 2, stream_start::all, 8, {}, {}, ""});
  (void)ask<published>(store, publish{at("o.s"), payload{"m"}});
  BOOST_REQUIRE(who.log->parts.size() == 2U);
  BOOST_TEST((who.log->parts[0] == who.log->parts[1]));
  BOOST_TEST((texts(who.log->stream_parts) == std::vector<std::string>{"m", "m"}));
}

BOOST_AUTO_TEST_CASE(a_request_is_handled_once_although_its_reply_comes_twice) {
  const auto link = make_link("repeat:1");
  const auto log = serve(link, "o.r");
  run();
  BOOST_TEST(ask<invoked>(link, invoke{at("o.r"), payload{"q"}}).value().payload.bytes() == "q");
  BOOST_TEST(log->handed.size() == 1U);
  BOOST_TEST(report(link).of(fault_kind::repeat) == 1U);
}

// -- delay ----------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(each_answer_may_be_late) {
  for_each_operation([&]<class T>(const T& x) {
    const auto link = make_link("delay:100ms");
    const auto answer = ask_later<typename T::answer>(link, x.operation);
    run();
    BOOST_TEST(!answer.ready(), name_of(x.operation));
    advance(200ms); // There and back.
    BOOST_TEST(answer.ready(), name_of(x.operation));
  });
}

BOOST_AUTO_TEST_CASE(a_delay_does_not_change_the_order_of_one_clients_operations) {
  const auto link = make_link("delay:100ms", 5);
  const auto who = track(system.spawn([link](caf::event_based_actor* me) -> caf::behavior {
    me->set_error_handler([](caf::error&) {});
    me->set_default_handler(caf::drop);
    for (int i = 0; i < 50; ++i)
      me->send(caf::actor_cast<caf::actor>(link), put("o.k", std::to_string(i)));
    return {[](caf::unit_t) {}};
  }));
  const auto seen = make_probe(*this);
  say(*this, seen, store, watch{at("o.k"), 1, 100});
  advance(10s);
  int before = -1;
  for (const auto& x : seen.log->entries(part_kind::change)) {
    const auto now = std::stoi(std::string{x.payload.bytes()});
    BOOST_TEST(now > before);
    before = now;
  }
  BOOST_TEST(value("o.k") == "49");
}

BOOST_AUTO_TEST_CASE(delayed_parts_may_come_in_any_order_but_none_is_lost) {
  const auto link = make_link("delay:100ms", 2);
  const auto who = make_probe(*this, probe_manner::silent);
  say(*this, who, link, consume{at("o.>"), 1, stream_start::all, 100, {}, {}, ""});
  advance(100ms);
  for (int i = 0; i < 20; ++i) {
    (void)ask<published>(store, publish{at("o.s"), payload{std::to_string(i)}});
    advance(1ms);
  }
  advance(200ms);
  std::vector<std::uint64_t> numbers;
  for (const auto& part : who.log->stream_parts)
    numbers.push_back(part.seq);
  BOOST_TEST(!std::ranges::is_sorted(numbers));
  BOOST_TEST((std::set<std::uint64_t>{numbers.begin(), numbers.end()}.size() == 20U));
}

BOOST_AUTO_TEST_CASE(no_request_is_handed_over_once_unlisten_is_answered) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto link = make_link("delay:100ms", seed);
    std::vector<std::string> order;
    const auto listener = track(system.spawn([&](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler(caf::drop);
      me->set_error_handler([](caf::error&) {});
      me->request(caf::actor_cast<caf::actor>(link), caf::infinite, listen{at("o.r")})
        .then([](const listening&) {}, [](const caf::error&) {});
      return {[&](const incoming_request&) { order.push_back("handed"); },
              [&order, me, link](const unlisten& x) {
                me->request(caf::actor_cast<caf::actor>(link), caf::infinite, x)
                  .then([&](const unlistened&) { order.push_back("unlistened"); },
                        [](const caf::error&) {});
              }};
    }));
    advance(1s);
    caf::anon_send(listener, unlisten{at("o.r")});
    std::vector<pending<invoked>> calls;
    for (int i = 0; i < 20; ++i) {
      calls.push_back(ask_later<invoked>(store, invoke{at("o.r"), payload{"q"}, 500ms}));
      advance(5ms);
    }
    advance(1s);
    BOOST_TEST((order.empty() ? "" : order.back()) == "unlistened");
    BOOST_TEST(std::ranges::all_of(calls, [](const auto& x) { return x.ready(); }));
    kill(listener);
  }
}

// -- stall ----------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(while_the_link_stalls_nothing_passes_and_then_all_in_order) {
  const auto text = "stall:0.5:2s";
  const auto link = make_link(text, seed_with(text, {{fault_kind::stall, {0, 1}, false},
                                                     {fault_kind::stall, {0, 2}},
                                                     {fault_kind::stall, {0, 3}, false}}));
  const auto who = make_probe(*this, probe_manner::silent);
  say(*this, who, link, watch{at("o.>"), 1, 8});
  const auto before = who.log->parts.size();
  const auto first = ask_later<kv_written>(link, put("o.k", "1"));
  run();
  const auto second = ask_later<kv_written>(link, put("o.k", "2"));
  (void)ask<kv_written>(store, put("o.other", "1")); // Its part is held up, too.
  advance(1999ms);
  BOOST_TEST((!first.ready() && !second.ready()));
  BOOST_TEST(!has("o.k"));
  BOOST_TEST(who.log->parts.size() == before);
  advance(1ms);
  BOOST_TEST((first.ready() && second.ready()));
  BOOST_TEST(who.log->parts.size() > before);
  BOOST_TEST(report(link).of(fault_kind::stall) == 1U);
}

// -- cut ------------------------------------------------------------------------------------

constexpr auto cuts = "cut:0.5:1s";

BOOST_AUTO_TEST_CASE(a_cut_ends_all_that_is_open_and_says_so) {
  const auto link = make_link(cuts, seed_with(cuts, {{fault_kind::cut, {0, 1}, false},
                                                     {fault_kind::cut, {0, 2}, false},
                                                     {fault_kind::cut, {0, 3}, false},
                                                     {fault_kind::cut, {0, 4}},
                                                     {fault_kind::cut, {0, 5}, false}}));
  const auto log = serve(store, "o.r", false);
  const auto who = make_probe(*this, probe_manner::silent);
  say(*this, who, link, watch{at("o.>"), 1, 8});
  say(*this, who, link, consume{at("o.>"), 2, stream_start::all, 8, {}, {}, ""});
  const auto call = ask<invoked>(link, invoke{at("o.r"), payload{"q"}, 60s});
  BOOST_TEST(!call.ready());
  BOOST_TEST(status().watches == 2U);
  const auto victim = ask<kv_written>(link, create("o.k"));
  BOOST_TEST(is(victim.error(), error_code::backend_unavailable, certainty::not_applied));
  BOOST_TEST(!has("o.k"));
  BOOST_TEST(is(call.error(), error_code::backend_unavailable, certainty::unknown));
  BOOST_REQUIRE(who.log->lost.size() == 1U);
  BOOST_TEST((who.log->lost[0].error.code == error_code::backend_unavailable));
  BOOST_TEST(who.log->streams_lost.size() == 1U);
  BOOST_TEST(status().watches == 0U); // The backend sees a client that is gone.
  BOOST_TEST(log->withdrawn == 1U);
  advance(999ms);
  for_each_operation([&]<class T>(const T& x) {
    BOOST_TEST(is(ask<typename T::answer>(link, x.operation).error(),
                  error_code::backend_unavailable, certainty::not_applied),
               name_of(x.operation));
  });
  advance(1ms);
  BOOST_TEST(ask<kv_written>(link, create("o.k")).get().engaged());
  BOOST_TEST(report(link).of(fault_kind::cut) == 1U);
}

BOOST_AUTO_TEST_CASE(after_a_cut_listeners_and_services_are_there_again) {
  const auto link = make_link(cuts, seed_with(cuts, {{fault_kind::cut, {0, 1}, false},
                                                     {fault_kind::cut, {0, 2}, false},
                                                     {fault_kind::cut, {0, 3}}}));
  const auto log = serve(link, "o.r");
  run();
  const auto info = service_info{.name = "dome", .version = "1.0.0"};
  const auto owner = track(system.spawn([&](caf::event_based_actor* me) -> caf::behavior {
    me->set_error_handler([](caf::error&) {});
    me->request(caf::actor_cast<caf::actor>(link), caf::infinite, register_service{info, {}})
      .then([](const service_registered&) {}, [](const caf::error&) {});
    return {[](caf::unit_t) {}};
  }));
  BOOST_TEST(status().services == 1U);
  (void)ask<kv_entry>(link, kv_get{at("o.k")}); // The victim.
  BOOST_TEST(status().listeners == 0U);
  BOOST_TEST(status().services == 0U);
  BOOST_TEST((ask<invoked>(store, invoke{at("o.r"), payload{"q"}}).error().code
              == error_code::unregistered_responder));
  advance(1s);
  BOOST_TEST(status().listeners == 1U);
  BOOST_TEST(status().services == 1U);
  BOOST_TEST(ask<invoked>(store, invoke{at("o.r"), payload{"q"}}).value().payload.bytes() == "q");
}

BOOST_AUTO_TEST_CASE(a_client_that_ends_while_the_link_is_cut_is_not_registered_again) {
  const auto link = make_link(
    cuts, seed_with(cuts, {{fault_kind::cut, {0, 1}, false}, {fault_kind::cut, {0, 2}}}));
  (void)serve(link, "o.r");
  const auto server = tracked.back();
  run();
  (void)ask<kv_entry>(link, kv_get{at("o.k")});
  kill(server);
  advance(2s);
  BOOST_TEST(status().listeners == 0U);
}

// -- bounds and ends ------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(what_the_link_holds_of_one_client_is_bounded) {
  const auto link = make_link("delay:1s", 1, {.operations_per_client = 10});
  int refused = 0, done = 0;
  const auto greedy = track(system.spawn([&](caf::event_based_actor* me) -> caf::behavior {
    me->set_error_handler([](caf::error&) {});
    me->delayed_send(me, 1ms, 1);
    for (int i = 0; i < 10; ++i)
      me->request(link, caf::infinite, put("o.k", "v"))
        .then([&](const kv_written&) { ++done; }, [&](const caf::error&) { ++refused; });
    return {[&, me, link](int) {
      me->request(link, caf::infinite, put("o.k", "v"))
        .then([&](const kv_written&) { ++done; },
              [&](const caf::error& e) {
                refused
                  += is(to_failure(e), error_code::overloaded, certainty::not_applied) ? 1 : 0;
              });
    }};
  }));
  advance(1ms);
  BOOST_TEST(refused == 1);
  BOOST_TEST(metrics.counts["faulty_refused"] == 1U);
  const auto other = ask_later<kv_written>(link, put("o.k", "w")); // It is not held back.
  advance(5s);
  BOOST_TEST(done == 10);
  BOOST_TEST(other.get().engaged());
}

BOOST_AUTO_TEST_CASE(a_link_ends_with_its_backend_and_answers_what_is_open) {
  const auto link = make_link("delay:1s");
  const auto who = make_probe(*this);
  say(*this, who, link, watch{at("o.>"), 1, 8});
  advance(2s);
  const auto answer = ask<kv_entry>(link, kv_get{at("o.k")});
  BOOST_TEST(!answer.ready());
  kill(store);
  BOOST_TEST(is(answer.error(), error_code::backend_unavailable, certainty::unknown));
  BOOST_TEST(who.log->lost.size() == 1U);
  BOOST_TEST(
    (ask<kv_entry>(link, kv_get{at("o.k")}).error().code == error_code::backend_unavailable));
}

BOOST_AUTO_TEST_CASE(a_link_that_owns_its_backend_ends_it_in_order) {
  const auto link
    = track(spawn_faulty_backend(system, rt(), store, {1, plan("delay:1s+drop:0.5")}, true));
  const auto who = make_probe(*this);
  for (watch_id id = 1; id <= 8; ++id)
    say(*this, who, link, watch{at("o.>"), id, 8});
  advance(3s);
  const auto open = status().watches;
  kill(link, caf::exit_reason::user_shutdown);
  BOOST_TEST(who.log->lost.size() == open);
  BOOST_TEST(std::ranges::all_of(
    who.log->lost, [](const auto& x) { return x.error.code == error_code::shutting_down; }));
  BOOST_TEST((ask<kv_entry>(store, kv_get{at("o.k")}).error().code
              == error_code::backend_unavailable)); // It has ended.
}

BOOST_AUTO_TEST_CASE(a_link_that_does_not_own_its_backend_leaves_it_alone) {
  const auto link = make_link("none");
  const auto who = make_probe(*this);
  say(*this, who, link, watch{at("o.>"), 1, 8});
  kill(link, caf::exit_reason::user_shutdown);
  BOOST_REQUIRE(who.log->lost.size() == 1U);
  BOOST_TEST((who.log->lost[0].error.code == error_code::shutting_down));
  BOOST_TEST(status().watches == 0U);
}

BOOST_AUTO_TEST_CASE(a_killed_link_leaves_nobody_waiting_and_nothing_open) {
  const auto link = make_link("delay:1s");
  const auto answer = ask<kv_entry>(link, kv_get{at("o.k")});
  kill(link);
  BOOST_TEST(is(answer.error(), error_code::backend_unavailable, certainty::unknown));
  advance(1min);
  BOOST_TEST(status().sessions == 0U);
}

// -- as a whole -----------------------------------------------------------------------------

/// Clients that do this and that over a bad link; what came of it, as text.
std::string bad_day(std::uint64_t seed, const char* text, std::uint64_t schedule = 1) {
  faulty_fixture world{schedule};
  const auto link = world.make_link(text, seed);
  std::string result;
  std::vector<std::function<std::string()>> outcomes;
  const auto log = world.serve(link, "o.r");
  const auto who = make_probe(world);
  say(world, who, link, watch{world.at("o.>"), 1, 8});
  for (int round = 0; round < 15; ++round) {
    faulty_fixture::for_each_operation([&]<class T>(const T& x) {
      const auto answer = world.ask_later<typename T::answer>(link, x.operation);
      outcomes.push_back([answer] {
        if (!answer.ready())
          return std::string{"open "};
        return answer.get().engaged() ? std::string{"done "}
                                      : to_string(to_failure(answer.get().error()).code) + " ";
      });
      world.advance(7ms);
    });
  }
  world.advance(longest_answer);
  for (const auto& x : outcomes)
    result += x();
  return result + to_string(world.report(link)) + "\n" + world.trace;
}

constexpr auto all_faults = "drop:0.1+repeat:0.1+delay:0.5:50ms+cut:0.01:500ms+stall:0.01:300ms";

BOOST_AUTO_TEST_CASE(every_request_ends) {
  std::string all;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto result = bad_day(seed, all_faults);
    BOOST_TEST(result.find("open ") == std::string::npos, result);
    all += result;
  }
  for (const auto* word : {"done ", "timeout ", "backend_unavailable ", "cut off", "stalled"})
    BOOST_TEST(all.find(word) != std::string::npos, word);
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_run) {
  BOOST_TEST(bad_day(3, all_faults) == bad_day(3, all_faults));
  BOOST_TEST(bad_day(3, all_faults) != bad_day(4, all_faults));
}

BOOST_AUTO_TEST_CASE(what_a_link_did_is_logged_at_its_end) {
  const auto link = make_link("drop:1");
  (void)ask<kv_entry>(link, kv_get{at("o.k")});
  kill(link, caf::exit_reason::user_shutdown);
  BOOST_TEST(trace.find("faulty: a faulty link, seed 1, plan drop:1\n") != std::string::npos,
             trace);
  BOOST_TEST(trace.find("faulty: the faulty link ends: 1 messages, 1 sessions, drop 1\n")
               != std::string::npos,
             trace);
}

/// Consumes durably as a careful user would: acknowledges in order, and opens again when lost.
caf::actor careful_consumer(faulty_fixture& world, const backend_actor& link,
                            std::vector<std::string>& read) {
  struct mind {
    watch_id id = 0;
    std::uint64_t next = 1;
  };
  return world.track(world.system.spawn([&read, link](caf::event_based_actor* me) -> caf::behavior {
    me->set_default_handler(caf::drop);
    me->set_error_handler([](caf::error&) {});
    const auto to = caf::actor_cast<caf::actor>(link);
    auto state = std::make_shared<mind>();
    const auto open = [=] {
      state->next = 1;
      const auto id = ++state->id;
      me->request(to, caf::infinite,
                  consume{faulty_fixture::at("o.>"), id, stream_start::all, 8, {}, {}, "log"})
        .then([](const consuming&) {},
              [=](const caf::error&) {
                if (id == state->id && state->next == 1)
                  me->delayed_send(me, 300ms, id);
              });
    };
    open();
    return {
      [=](watch_id id) {
        if (id == state->id && state->next == 1)
          open();
      },
      [=, &read](const stream_part& x) {
        if (x.id != state->id || x.seq > state->next)
          return;
        if (x.seq == state->next) {
          ++state->next;
          for (const auto& y : x.messages)
            read.emplace_back(y.payload.bytes());
          if (!x.messages.empty())
            me->request(to, caf::infinite, stream_ack{"log", x.messages.back().sequence})
              .then([](const stream_acked&) {}, [](const caf::error&) {});
        }
        me->send(to, stream_credit{x.id, state->next - 1, state->next + 7});
      },
      [=](const stream_lost& x) {
        if (x.id != state->id)
          return;
        state->next = 1;
        me->delayed_send(me, 300ms, x.id);
      },
    };
  }));
}

BOOST_AUTO_TEST_CASE(a_durable_consumer_over_a_bad_link_loses_nothing) {
  std::uint64_t drops = 0, cuts_made = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    faulty_fixture world{seed};
    const auto link = world.make_link("drop:0.2+repeat:0.1+delay:20ms+cut:0.03:500ms", seed);
    std::vector<std::string> read;
    (void)careful_consumer(world, link, read);
    for (int i = 0; i < 400; ++i) {
      (void)world.ask<published>(world.store, publish{world.at("o.s"), payload{std::to_string(i)}});
      world.advance(50ms);
    }
    world.advance(3min);
    BOOST_TEST((std::set<std::string>{read.begin(), read.end()}.size() == 400U), "seed " << seed);
    drops += world.report(link).of(fault_kind::drop);
    cuts_made += world.report(link).of(fault_kind::cut);
  }
  BOOST_TEST(drops > 50U);
  BOOST_TEST(cuts_made > 3U);
}

BOOST_AUTO_TEST_SUITE_END()
