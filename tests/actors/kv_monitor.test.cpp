#include "trunnion/actors/kv_monitor.hpp"

#include "trunnion/actors/monitor_waiters.hpp"
#include "trunnion/actors/watch_machine.hpp"
#include "trunnion/tests/actors/monitor_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

view_predicate has(std::string_view key) {
  return [key = *subject::parse(key)](const entry_map& view) { return view.contains(key); };
}

/// Random writes over a bad link to stores that are replaced; after all has healed, every view must
/// equal the store. Returns what was wrong.
std::string random_history(std::uint64_t seed) {
  monitor_fixture world{seed};
  std::mt19937_64 random{seed};
  auto& manner = *world.manner;
  const auto monitor = world.start(world.link());
  manner.lost_percent = random() % 2 * 20;
  manner.repeated_percent = random() % 2 * 20;
  manner.delayed_percent = random() % 2 * 30;
  std::vector<subscriber> subscribers;
  for (int i = 0; i < 60; ++i) {
    const auto key = "a.k" + std::to_string(random() % 12);
    switch (random() % 10) {
    case 0: world.remove(key); break;
    case 1: world.put(key, std::to_string(i), milliseconds{200 + random() % 2000}); break;
    case 2: world.advance(milliseconds{random() % 1500}); break;
    case 3: subscribers.push_back(world.subscribe(monitor, random() % 2 == 0, 2)); break;
    case 4:
      manner.cuts_silently = random() % 2 == 0;
      if (random() % 3 == 0)
        world.cut();
      break;
    case 5:
      manner.is_deaf = random() % 4 == 0;
      if (random() % 8 == 0) {
        world.kill(world.store);
        world.advance(1ms); // The epoch is the time of the store's start.
        world.store = world.new_store();
        world.cut();
      }
      break;
    default: world.put(key, std::to_string(i)); break;
    }
  }
  manner.is_deaf = false;
  manner.lost_percent = manner.repeated_percent = manner.delayed_percent = 0;
  world.advance(60s);
  for (const auto& x : subscribers)
    world.grant(x, monitor, 1000);
  const auto expected = world.listing();
  if (!world.status(monitor).healthy)
    return "not healthy";
  if (text(world.ask<monitor_entries>(monitor, monitor_get_all{}).value().entries) != expected)
    return "the monitor's view differs";
  for (const auto& x : subscribers) {
    if (!x.log->mistake.empty())
      return x.log->mistake;
    if (text(x.log->known) != expected)
      return "a subscriber has " + text(x.log->known) + ", the store " + expected;
  }
  return {};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(kv_monitor_test, monitor_fixture)

BOOST_AUTO_TEST_CASE(a_subscriber_gets_a_snapshot_and_then_the_changes) {
  put("a.x", "1");
  put("b.x", "other");
  const auto camera = subscribe(start(store));
  put("a.x", "2");
  put("a.deep.down.y", "3");
  put("b.x", "other");
  BOOST_TEST(camera.log->text()
             == "snapshot: a.x=1; snapshot_end; change: a.x=2; change: a.deep.down.y=3");
}

BOOST_AUTO_TEST_CASE(deletions_and_expiries_are_told) {
  const auto camera = subscribe(start(store));
  put("a.x", "1");
  put("a.y", "2", 5s);
  remove("a.x");
  advance(5100ms);
  BOOST_TEST(camera.log->text()
             == "snapshot_end; change: a.x=1; change: a.y=2; change: a.x deleted; "
                "change: a.y expired");
}

BOOST_AUTO_TEST_CASE(a_late_subscriber_gets_the_monitors_own_state_from_the_one_watch) {
  const auto monitor = start(store);
  put("a.x", "1", 10s);
  put("a.y", "2");
  remove("a.y");
  advance(4s);
  const auto late = subscribe(monitor);
  BOOST_TEST(late.log->text() == "snapshot: a.x=1; snapshot_end");
  BOOST_TEST((late.log->known.at("a.x").time_left == 6s));
  BOOST_TEST(ask<backend_status>(store, get_backend_status{}).value().watches == 1u);
  BOOST_TEST(status(monitor).subscribers == 1u);
}

BOOST_AUTO_TEST_CASE(changes_that_came_together_are_told_together) {
  const auto monitor = start(link());
  const auto camera = subscribe(monitor);
  manner->is_deaf = true; // The store has no more credit after its window, and coalesces.
  for (std::uint64_t i = 0; i < watch_window + 50; ++i)
    put("a.k" + std::to_string(i), "x");
  manner->is_deaf = false;
  advance(5s);
  BOOST_TEST(camera.log->known.size() == watch_window + 50);
  BOOST_TEST(camera.log->parts.size() < watch_window + 10);
  BOOST_TEST(camera.log->mistake == "");
}

BOOST_AUTO_TEST_CASE(a_lost_part_is_asked_for_and_nothing_is_lost) {
  const auto monitor = start(link());
  const auto camera = subscribe(monitor);
  manner->lose_parts = 1;
  put("a.x", "1");
  BOOST_TEST(camera.log->text() == "snapshot_end");
  put("a.y", "2"); // Shows the gap.
  BOOST_TEST(camera.log->text() == "snapshot_end; change: a.x=1; change: a.y=2");
  BOOST_TEST(status(monitor).gaps == 1u);
}

BOOST_AUTO_TEST_CASE(a_lost_last_part_comes_again_after_a_second) {
  const auto camera = subscribe(start(link()));
  manner->lose_parts = 1;
  put("a.x", "1");
  advance(1s);
  BOOST_TEST(camera.log->text() == "snapshot_end; change: a.x=1");
}

BOOST_AUTO_TEST_CASE(a_repeated_part_is_ignored) {
  const auto camera = subscribe(start(link()));
  manner->repeated_percent = 100;
  put("a.x", "1");
  remove("a.x");
  BOOST_TEST(camera.log->text() == "snapshot_end; change: a.x=1; change: a.x deleted");
}

BOOST_AUTO_TEST_CASE(what_vanished_while_the_watch_was_lost_is_told_as_deleted) {
  put("a.x", "1");
  put("a.y", "2");
  const auto monitor = start(link());
  const auto camera = subscribe(monitor);
  cut();
  BOOST_TEST(!status(monitor).healthy);
  remove("a.x");
  put("a.z", "3");
  advance(200ms);
  BOOST_TEST(status(monitor).healthy);
  BOOST_TEST(status(monitor).reopened == 1u);
  BOOST_TEST(camera.log->text()
             == "snapshot: a.x=1 a.y=2; snapshot_end; change: a.z=3; change: a.x deleted");
  BOOST_TEST(camera.log->known.size() == 2u);
}

BOOST_AUTO_TEST_CASE(
  an_interruption_and_the_recovery_are_told_once_each_and_logged_in_one_line_each) {
  const auto camera = subscribe(start(link()));
  cut();
  manner->is_deaf = true;
  advance(60s);
  manner->is_deaf = false;
  advance(10s);
  BOOST_REQUIRE(camera.log->health.size() == 2u);
  BOOST_TEST(!camera.log->health[0].healthy);
  BOOST_TEST(camera.log->health[0].text == "the link was cut");
  BOOST_TEST(camera.log->health[1].healthy);
  BOOST_TEST(trace.find("kv_monitor: a.>: watching, 0 keys\n") != std::string::npos);
  BOOST_TEST(trace.find("0 kv_monitor: a.>: interrupted: the link was cut\n") != std::string::npos);
  BOOST_TEST(std::ranges::count(trace, '\n') == 3);
}

BOOST_AUTO_TEST_CASE(a_backend_that_hangs_is_noticed_within_seven_seconds) {
  const auto monitor = start(link());
  const auto camera = subscribe(monitor);
  advance(30s);
  BOOST_TEST(status(monitor).healthy);
  BOOST_TEST((status(monitor).age == 0s));
  manner->is_deaf = true;
  advance(7s);
  BOOST_TEST(camera.log->health.size() == 1u);
  BOOST_TEST((status(monitor).age >= 7s));
  BOOST_TEST((status(monitor).age <= 12s));
  manner->is_deaf = false;
  advance(3s);
  BOOST_TEST(status(monitor).healthy);
  put("a.x", "1");
  BOOST_TEST(camera.log->text() == "snapshot_end; change: a.x=1");
}

BOOST_AUTO_TEST_CASE(a_watch_that_was_forgotten_without_a_word_is_opened_again) {
  const auto camera = subscribe(start(link()));
  advance(10s);
  manner->cuts_silently = true;
  cut();
  put("a.x", "1");
  advance(6s);
  BOOST_TEST(camera.log->text() == "snapshot_end; change: a.x=1");
  BOOST_REQUIRE(camera.log->health.size() == 2u);
  BOOST_TEST(camera.log->health[0].text == "not open here");
}

BOOST_AUTO_TEST_CASE(the_view_outlives_the_backend_and_says_how_old_it_is) {
  put("a.x", "1");
  const auto monitor = start(store);
  const auto camera = subscribe(monitor);
  advance(1s);
  kill(store);
  BOOST_TEST(camera.log->health.size() == 1u);
  advance(60s);
  const auto all = ask<monitor_entries>(monitor, monitor_get_all{}).value();
  BOOST_TEST(text(all.entries) == "a.x=1");
  BOOST_TEST((all.age >= 60s));
  BOOST_TEST((all.age <= 61s));
}

BOOST_AUTO_TEST_CASE(another_store_behind_the_same_link_replaces_the_view) {
  put("a.x", "1");
  put("a.y", "2");
  put("a.y", "3");
  const auto camera = subscribe(start(link()));
  advance(1s);
  kill(store);
  store = new_store();
  put("a.y", "4");
  cut();
  advance(1s);
  BOOST_TEST(camera.log->text()
             == "snapshot: a.x=1 a.y=3; snapshot_end; change: a.y=4+ a.x deleted");
  BOOST_TEST(camera.log->parts.back().epoch.value > camera.log->parts.front().epoch.value);
}

BOOST_AUTO_TEST_CASE(a_slow_subscriber_is_coalesced_and_delays_no_other) {
  put("a.x", "1");
  const auto monitor = start(store);
  const auto slow = subscribe(monitor, false, 2);
  const auto quick = subscribe(monitor);
  put("a.x", "2");
  remove("a.x");
  put("a.x", "3");
  for (int i = 0; i < 1000; ++i) {
    put("a.busy", std::to_string(i));
    put("a.flash", "x");
    remove("a.flash");
  }
  BOOST_TEST(quick.log->parts.size() == 3005u);
  BOOST_TEST(slow.log->text() == "snapshot: a.x=1; snapshot_end");
  BOOST_TEST(status(monitor).pending == 2u);
  grant(slow, monitor, 3);
  BOOST_TEST(slow.log->text() == "snapshot: a.x=1; snapshot_end; change: a.x=3+ a.busy=999");
  BOOST_TEST(slow.log->parts.back().revision.value == quick.log->parts.back().revision.value);
  BOOST_TEST(status(monitor).pending == 0u);
}

BOOST_AUTO_TEST_CASE(subscribing_again_starts_over) {
  put("a.x", "1");
  const auto monitor = start(store);
  const auto camera = subscribe(monitor);
  caf::anon_send(camera.actor, caf::actor_cast<caf::actor>(monitor), monitor_subscribe{16});
  camera.log->newest.clear();
  run();
  BOOST_TEST(camera.log->text() == "snapshot: a.x=1; snapshot_end; snapshot: a.x=1; snapshot_end");
  BOOST_TEST(camera.log->mistake == "");
  BOOST_TEST(status(monitor).subscribers == 1u);
}

BOOST_AUTO_TEST_CASE(who_unsubscribed_or_died_is_told_nothing_and_costs_nothing) {
  const auto monitor = start(store);
  const auto first = subscribe(monitor), second = subscribe(monitor);
  caf::anon_send(first.actor, caf::actor_cast<caf::actor>(monitor), monitor_unsubscribe{});
  kill(second.actor);
  BOOST_TEST(status(monitor).subscribers == 0u);
  put("a.x", "1");
  BOOST_TEST(first.log->text() == "snapshot_end");
}

BOOST_AUTO_TEST_CASE(one_subscriber_too_many_is_refused_and_counted) {
  auto narrow = rt();
  narrow.bounds.subscribers = 1;
  const auto monitor = track(spawn_kv_monitor(system, narrow, store, at("a.>"), nullptr));
  const auto first = subscribe(monitor), second = subscribe(monitor);
  BOOST_REQUIRE(second.log->refused.size() == 1u);
  BOOST_TEST((second.log->refused[0].code == error_code::overloaded));
  BOOST_TEST(metrics.counts["monitor_refused"] == 1u);
  kill(first.actor);
  BOOST_TEST(subscribe(monitor).log->refused.empty());
}

BOOST_AUTO_TEST_CASE(all_entries_are_there_once_the_first_snapshot_is) {
  put("a.x", "1");
  manner->is_deaf = true;
  const auto monitor = start(link());
  const auto all = ask<monitor_entries>(monitor, monitor_get_all{});
  advance(4s);
  BOOST_TEST(!all.ready());
  manner->is_deaf = false;
  advance(2s); // The watch that was swallowed is given up after 5 s.
  BOOST_TEST(text(all.value().entries) == "a.x=1");
  BOOST_TEST((all.value().age == 0s));
}

BOOST_AUTO_TEST_CASE(who_asks_for_all_entries_is_answered_after_half_a_minute_at_most) {
  manner->is_deaf = true;
  const auto all = ask<monitor_entries>(start(link()), monitor_get_all{});
  advance(29'999ms);
  BOOST_TEST(!all.ready());
  advance(1ms);
  BOOST_TEST((all.error().code == error_code::timeout));
}

BOOST_AUTO_TEST_CASE(waiting_for_what_is_true_is_answered_at_once) {
  put("a.x", "1");
  const auto done = ask<monitor_entries>(start(store), monitor_wait_for{has("a.x"), 1s});
  BOOST_TEST(text(done.value().entries) == "a.x=1");
}

BOOST_AUTO_TEST_CASE(waiting_for_a_change_is_answered_by_it) {
  const auto monitor = start(store);
  const auto first = ask<monitor_entries>(monitor, monitor_wait_for{has("a.y"), 10s});
  const auto second = ask<monitor_entries>(monitor, monitor_wait_for{has("a.z"), 10s});
  put("a.x", "1");
  BOOST_TEST(!first.ready());
  put("a.y", "2");
  BOOST_TEST(text(first.value().entries) == "a.x=1 a.y=2");
  BOOST_TEST(status(monitor).waiters == 1u);
  advance(10s);
  BOOST_TEST((second.error().code == error_code::timeout));
}

BOOST_AUTO_TEST_CASE(waiting_in_vain_ends_at_the_exact_moment) {
  const auto monitor = start(store);
  const auto done = ask<monitor_entries>(monitor, monitor_wait_for{has("a.x"), 1234ms});
  advance(1233ms);
  BOOST_TEST(!done.ready());
  advance(1ms);
  BOOST_TEST((done.error().code == error_code::timeout));
  BOOST_TEST(status(monitor).waiters == 0u);
  BOOST_TEST((ask<monitor_entries>(monitor, monitor_wait_for{has("a.x"), 0s}).error().code
              == error_code::timeout));
}

BOOST_AUTO_TEST_CASE(a_predicate_that_throws_harms_only_who_brought_it) {
  const auto monitor = start(store);
  const view_predicate bad = [](const entry_map& view) -> bool {
    return view.empty() ? false : throw std::runtime_error{"oops"};
  };
  const auto done = ask<monitor_entries>(monitor, monitor_wait_for{bad, 10s});
  put("a.x", "1");
  BOOST_TEST((done.error().code == error_code::invalid_argument));
  BOOST_TEST((ask<monitor_entries>(monitor, monitor_wait_for{bad, 10s}).error().code
              == error_code::invalid_argument));
  BOOST_TEST(status(monitor).healthy);
}

BOOST_AUTO_TEST_CASE(one_waiter_too_many_is_refused) {
  const auto monitor = start(store);
  for (std::size_t i = 0; i < max_monitor_waiters; ++i)
    ask_later<monitor_entries>(monitor, monitor_wait_for{has("a.x"), 1s});
  run();
  const auto refused = ask<monitor_entries>(monitor, monitor_wait_for{has("a.x"), 1s});
  BOOST_TEST((refused.error().code == error_code::overloaded));
}

BOOST_AUTO_TEST_CASE(killing_the_monitor_answers_all_who_wait) {
  const auto monitor = start(store);
  const auto done = ask<monitor_entries>(monitor, monitor_wait_for{has("a.x"), 1h});
  kill(monitor);
  BOOST_TEST((done.error().code == error_code::cancelled));
}

BOOST_AUTO_TEST_CASE(an_orderly_end_ends_the_watch_and_tells_subscribers) {
  const auto monitor = start(store);
  const auto camera = subscribe(monitor);
  const auto done = ask<monitor_entries>(monitor, monitor_wait_for{has("a.x"), 1h});
  kill(monitor, caf::exit_reason::user_shutdown);
  BOOST_TEST(ask<backend_status>(store, get_backend_status{}).value().watches == 0u);
  BOOST_REQUIRE(camera.log->health.size() == 1u);
  BOOST_TEST(camera.log->health[0].text == "the monitor ends");
  BOOST_TEST((done.error().code == error_code::cancelled));
}

BOOST_AUTO_TEST_CASE(a_monitor_ends_with_its_owner) {
  const auto owner = make_probe(*this);
  track(spawn_kv_monitor(system, rt(), store, at("a.>"),
                         caf::actor_cast<caf::strong_actor_ptr>(owner.actor)));
  BOOST_TEST(ask<backend_status>(store, get_backend_status{}).value().watches == 1u);
  kill(owner.actor);
  BOOST_TEST(ask<backend_status>(store, get_backend_status{}).value().watches == 0u);
}

BOOST_AUTO_TEST_CASE(a_pattern_that_is_refused_for_good_ends_the_monitor) {
  const auto monitor
    = track(spawn_kv_monitor(system, rt(), store, subject{}, nullptr)); // The root as such.
  const auto all = ask<monitor_entries>(monitor, monitor_get_all{});
  BOOST_TEST((all.error().code == error_code::backend_unavailable)); // It is gone.
  advance(60s);
  BOOST_TEST(pending_timers() == 0u);
}

BOOST_AUTO_TEST_CASE(an_idle_monitor_has_one_timer) {
  const auto monitor = start(store);
  for (int i = 0; i < 100; ++i) {
    put("a.x", "1");
    advance(100ms);
  }
  BOOST_TEST(pending_timers() <= 2u); // The store may have one, too.
}

BOOST_AUTO_TEST_CASE(two_hundred_random_histories_converge) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto problem = random_history(seed);
    BOOST_REQUIRE_MESSAGE(problem.empty(), "seed " << seed << ": " << problem);
  }
}

BOOST_AUTO_TEST_SUITE_END()
