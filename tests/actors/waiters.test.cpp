#include "trunnion/actors/waiters.hpp"

#include "trunnion/actors/turn_schedule.hpp"
#include "trunnion/tests/actors/lease_fixture.hpp"

#include <caf/actor_registry.hpp>

using namespace trunnion;
using namespace trunnion::test;

namespace {

constexpr instant zero{1h};

struct waiting_fixture : lease_fixture {
  using lease_fixture::lease_fixture;

  static lease_options patient(std::string_view key, nanoseconds ttl = 1s) {
    auto result = options(key, ttl);
    result.wait_forever = true;
    return result;
  }

  std::size_t creates() { return wire.requests[traffic::create]; }

  bool is_held(const lease_actor& lease) { return status(lease).phase == lease_phase::held; }
};

} // namespace

BOOST_AUTO_TEST_SUITE(turn_schedule_test)

BOOST_AUTO_TEST_CASE(after_an_unmarked_expiry_the_tries_come_at_the_stated_moments) {
  turn_schedule schedule{zero};
  schedule.on_held(zero, 1s);
  std::vector<std::int64_t> tries;
  for (int i = 0; i < 8; ++i) {
    const auto at = *schedule.next();
    tries.push_back((at - zero - 1s) / 1ms);
    schedule.on_missed(at);
  }
  const std::vector<std::int64_t> stated{10, 100, 200, 300, 350, 1350, 2350, 3350};
  BOOST_TEST(tries == stated, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_late_try_skips_the_moments_that_have_passed) {
  turn_schedule schedule{zero};
  schedule.on_held(zero, 1s);
  schedule.on_missed(zero + 1250ms);
  BOOST_TEST((schedule.next() == zero + 1300ms));
}

BOOST_AUTO_TEST_CASE(a_refresh_by_the_holder_starts_the_count_anew) {
  turn_schedule schedule{zero};
  schedule.on_held(zero, 1s);
  schedule.on_held(zero + 500ms, 1s);
  BOOST_TEST((schedule.next() == zero + 1510ms));
  schedule.on_held(zero + 600ms, std::nullopt); // No TTL: only a word of its end helps.
  BOOST_TEST(!schedule.next());
  schedule.on_free(zero + 700ms, 5ms);
  BOOST_TEST((schedule.next() == zero + 705ms));
}

BOOST_AUTO_TEST_CASE(a_miss_before_the_due_time_keeps_the_plan) {
  turn_schedule schedule{zero};
  schedule.on_held(zero, 1s);
  schedule.on_missed(zero + 1ms);
  BOOST_TEST((schedule.next() == zero + 1010ms));
}

BOOST_AUTO_TEST_CASE(a_try_for_want_of_news_that_misses_is_not_repeated_at_once) {
  turn_schedule schedule{zero};
  schedule.on_held(zero, 60s);
  schedule.on_trouble(zero); // The watch is lost: from now on once a second.
  BOOST_TEST((schedule.next() == zero + 1s));
  schedule.on_missed(zero + 1s);
  BOOST_TEST((schedule.next() == zero + 2s));
  schedule.on_missed(zero + 59'500ms);
  BOOST_TEST((schedule.next() == zero + 60'010ms)); // Not later than the TTL allows.
}

BOOST_AUTO_TEST_CASE(trouble_is_tried_again_once_a_second) {
  turn_schedule schedule{zero};
  schedule.on_trouble(zero);
  BOOST_TEST((schedule.next() == zero + 1s));
  schedule.on_trouble(zero + 500ms);
  BOOST_TEST((schedule.next() == zero + 1s));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(waiters_test, waiting_fixture)

BOOST_AUTO_TEST_CASE(a_waiter_takes_a_free_key_at_once) {
  const auto lease = begin(patient("a.A"));
  BOOST_TEST(is_held(lease));
  BOOST_TEST(creates() == 1U);
}

BOOST_AUTO_TEST_CASE(one_contender_for_a_thousand_waiters_of_one_process) {
  const auto holder = hold_directly("a.A", 60s);
  std::vector<lease_actor> waiters;
  for (int i = 0; i < 1000; ++i)
    waiters.push_back(begin(patient("a.A", 60s)));
  BOOST_TEST(creates() == 1U); // The first one looked whether the key is free.
  advance(30s);
  BOOST_TEST(creates() == 1U);
  BOOST_TEST(ask<lease_released>(holder, lease_release{}).ready());
  advance(longest_jitter);
  BOOST_TEST(creates() == 2U);
  BOOST_TEST(is_held(waiters[0]));
  BOOST_TEST(!is_held(waiters[1]));
}

BOOST_AUTO_TEST_CASE(waiters_are_served_in_the_order_in_which_they_came) {
  auto holder = hold_directly("a.A", 60s);
  std::vector<lease_actor> waiters;
  for (int i = 0; i < 5; ++i)
    waiters.push_back(begin(patient("a.A", 60s)));
  for (const auto& next : waiters) {
    BOOST_TEST(ask<lease_released>(holder, lease_release{}).ready());
    advance(longest_jitter);
    BOOST_TEST(is_held(next));
    holder = next;
  }
  BOOST_TEST(creates() == 6U);
}

BOOST_AUTO_TEST_CASE(after_a_release_the_try_comes_within_the_jitter_and_not_at_a_fixed_time) {
  std::set<std::int64_t> delays;
  for (int i = 0; i < 10; ++i) {
    const auto holder = hold_directly("a.A");
    const auto waiter = begin(patient("a.A"));
    BOOST_TEST(ask<lease_released>(holder, lease_release{}).ready());
    const auto released = now();
    while (!is_held(waiter) && now() - released < 30ms)
      advance(100us);
    BOOST_TEST((now() - released <= longest_jitter));
    delays.insert((now() - released) / 100us);
    BOOST_TEST(ask<lease_released>(waiter, lease_release{}).ready());
  }
  BOOST_TEST(delays.size() > 5U);
}

BOOST_AUTO_TEST_CASE(a_marked_expiry_wakes_a_waiter_and_the_lost_holder_is_out) {
  const auto holder = hold_directly("a.A");
  const auto waiter = begin(patient("a.A"));
  advance(1s);
  BOOST_TEST(!view(holder).held());
  BOOST_TEST(!is_held(waiter));
  advance(longest_jitter);
  BOOST_TEST(is_held(waiter));
}

BOOST_AUTO_TEST_CASE(a_silent_watch_still_leads_to_the_key_after_its_ttl) {
  const auto holder = hold_directly("a.A", 2s);
  const auto waiter
    = begin(patient("a.A")); // Its room watches directly, but for the fate of parts.
  wire.on_answer = [](traffic x) { return x == traffic::part ? fate::lose : fate::pass; };
  advance(2010ms);
  BOOST_TEST(is_held(waiter));
}

BOOST_AUTO_TEST_CASE(a_waiter_gives_up_after_its_time_and_names_the_holder) {
  const auto holder = hold_directly("a.A", 60s);
  auto wanted = options("a.A");
  wanted.wait = 5s;
  const auto waiter = begin(wanted);
  const auto awaiting = ask<lease_grant>(waiter, lease_await{});
  advance(5s - 1ns);
  BOOST_TEST(!awaiting.ready());
  advance(1ns);
  BOOST_TEST((awaiting.error().code == error_code::lease_unavailable));
  const auto& held = std::get<held_lease>(awaiting.error().detail);
  BOOST_TEST(held.owner == "host/a.A");
  BOOST_TEST((*held.time_left == 55s));
}

BOOST_AUTO_TEST_CASE(a_waiter_that_ends_makes_room_for_the_next) {
  const auto holder = hold_directly("a.A", 60s);
  const auto first = begin(patient("a.A")), second = begin(patient("a.A")),
             third = begin(patient("a.A"));
  kill(first);
  BOOST_TEST(ask<lease_released>(second, lease_release{}).ready());
  BOOST_TEST(ask<lease_released>(holder, lease_release{}).ready());
  advance(longest_jitter);
  BOOST_TEST(is_held(third));
}

BOOST_AUTO_TEST_CASE(a_contender_that_is_killed_in_its_turn_costs_the_next_a_second) {
  const auto holder = hold_directly("a.A", 60s);
  const auto first = begin(patient("a.A")), second = begin(patient("a.A"));
  wire.on_request = [](traffic x) { return x == traffic::create ? fate::lose : fate::pass; };
  BOOST_TEST(ask<lease_released>(holder, lease_release{}).ready());
  advance(longest_jitter);
  wire.heal();
  kill(first);
  BOOST_TEST(!is_held(second));
  advance(1s);
  BOOST_TEST(is_held(second));
}

BOOST_AUTO_TEST_CASE(keys_do_not_wait_for_each_other) {
  const auto holder = hold_directly("a.A", 60s), other = hold_directly("a.B", 60s);
  const auto waiter = begin(patient("a.A")), other_waiter = begin(patient("a.B"));
  BOOST_TEST(ask<lease_released>(other, lease_release{}).ready());
  advance(longest_jitter);
  BOOST_TEST(is_held(other_waiter));
  BOOST_TEST(!is_held(waiter));
}

BOOST_AUTO_TEST_CASE(a_queue_has_a_bound) {
  auto small = rt();
  small.bounds.waiters_per_key = 2;
  const auto holder = hold_directly("a.A", 60s);
  std::vector<lease_actor> waiters;
  for (int i = 0; i < 3; ++i)
    waiters.push_back(track(*acquire(
      system, small, link, caf::actor_cast<caf::strong_actor_ptr>(someone()), patient("a.A"))));
  BOOST_TEST((ask<lease_grant>(waiters[2], lease_await{}).error().code == error_code::overloaded));
  BOOST_TEST((status(waiters[1]).phase == lease_phase::acquiring));
  BOOST_TEST(metrics.counts["lease_waiters_refused_total"] == 1U);
}

BOOST_AUTO_TEST_CASE(a_store_in_trouble_is_tried_once_a_second) {
  wire.on_request = [](traffic x) { return x == traffic::create ? fate::lose : fate::pass; };
  const auto waiter = begin(patient("a.A", 60s));
  advance(10s);
  BOOST_TEST(!is_held(waiter));
  BOOST_TEST(creates() < 6U);
  wire.heal();
  advance(4s);
  BOOST_TEST(is_held(waiter));
}

BOOST_AUTO_TEST_CASE(the_room_ends_with_its_last_waiter_and_is_made_again) {
  const auto is_there
    = [this] { return system.registry().get<caf::strong_actor_ptr>(waiting_room_name) != nullptr; };
  const auto holder = hold_directly("a.A", 60s);
  const auto waiter = begin(patient("a.A"));
  BOOST_TEST(is_there());
  BOOST_TEST(ask<lease_released>(waiter, lease_release{}).ready());
  BOOST_TEST(!is_there());
  const auto next = begin(patient("a.A"));
  BOOST_TEST(is_there());
  kill(next);
  BOOST_TEST(!is_there());
}

BOOST_AUTO_TEST_CASE(waiters_survive_the_death_of_their_room) {
  const auto holder = hold_directly("a.A", 60s);
  const auto first = begin(patient("a.A")), second = begin(patient("a.A"));
  const auto room = system.registry().get<caf::strong_actor_ptr>(waiting_room_name);
  BOOST_REQUIRE(room);
  kill(room);
  const auto next = system.registry().get<caf::strong_actor_ptr>(waiting_room_name);
  BOOST_TEST((next && next != room));
  BOOST_TEST(ask<lease_released>(holder, lease_release{}).ready());
  advance(longest_jitter);
  BOOST_TEST((is_held(first) != is_held(second)));
  const auto& one = is_held(first) ? first : second;
  BOOST_TEST(ask<lease_released>(one, lease_release{}).ready());
  advance(longest_jitter);
  BOOST_TEST(is_held(one == first ? second : first));
  BOOST_TEST(!system.registry().get<caf::strong_actor_ptr>(waiting_room_name));
}

BOOST_AUTO_TEST_CASE(an_acquirer_that_does_not_wait_does_not_queue) {
  const auto holder = hold_directly("a.A", 60s);
  const auto waiter = begin(patient("a.A"));
  const auto hasty = begin(options("a.A"));
  BOOST_TEST((status(hasty).phase == lease_phase::unavailable));
}

BOOST_AUTO_TEST_SUITE_END()
