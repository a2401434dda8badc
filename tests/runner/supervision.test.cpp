#include "trunnion/runner/supervision.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant begin_time{1h};
constexpr std::size_t mount = 0, camera = 1, observer = 2, standby = 3, host = 4;

/// Carries out what the machine asks for: what is asked to stop ends when `finish` says so.
struct world {
  explicit world(group_strategy strategy, restart_policy policy = {})
    : machine({{.label = "mount", .rank = 0, .restart = policy, .group = 0, .place = 0},
               {.label = "camera", .rank = 1, .restart = policy, .group = 0, .place = 1},
               {.label = "observer", .rank = 2, .restart = policy, .group = 0, .place = 2},
               {.label = "observer#1", .rank = 2, .restart = policy, .group = 0, .place = 2},
               {.label = "host", .rank = 3, .restart = policy}},
              {{"observatory", strategy}}, 10s) {
    perform(machine.begin());
    for (const auto i : {mount, camera, observer, host})
      machine.on_active(i);
    told.clear();
  }

  void perform(const supervision_actions& actions) {
    static const std::vector<std::string> names{"mount", "camera", "observer", "standby", "host"};
    for (const auto& [verb, i, text] : actions) {
      const auto& name = names[i];
      if (verb == supervision_verb::start) {
        BOOST_REQUIRE(alive.insert(i).second);
        told += "start " + name + "; ";
      } else if (verb == supervision_verb::stop) {
        BOOST_REQUIRE(alive.contains(i));
        asked.push_back(i);
        told += "stop " + name + "; ";
      } else if (verb == supervision_verb::kill) {
        told += "kill " + name + "; ";
      } else if (verb == supervision_verb::stays_down) {
        told += name + " down: " + text + "; ";
      } else {
        plans.push_back(text);
      }
    }
  }

  void end(std::size_t i, bool failed) {
    BOOST_REQUIRE(alive.erase(i) == 1);
    std::erase(asked, i);
    perform(machine.on_ended(now, i, failed, 0));
  }
  void fail(std::size_t i) { end(i, true); }

  /// All that was asked to stop ends, in order.
  void finish() {
    while (!asked.empty())
      end(asked.front(), false);
  }

  void advance(nanoseconds by) {
    const auto until = now + by;
    for (auto due = machine.next_due(); due && *due <= until; due = machine.next_due()) {
      now = std::max(now, *due);
      perform(machine.on_time(now));
    }
    now = until;
  }

  /// What was told since the last look.
  std::string look() { return std::exchange(told, {}); }

  supervision machine;
  instant now = begin_time;
  std::set<std::size_t> alive;
  std::vector<std::size_t> asked;
  std::vector<std::string> plans;
  std::string told;
};

constexpr restart_policy twice{.max = 2};

} // namespace

BOOST_AUTO_TEST_SUITE(supervision_test)

BOOST_AUTO_TEST_CASE(outside_of_groups_and_one_for_one_only_the_failed_one_starts_again) {
  world x{group_strategy::one_for_one};
  x.fail(mount);
  x.fail(host);
  BOOST_TEST(x.look() == "");
  BOOST_TEST(
    (x.plans == std::vector<std::string>{"starts again in 200ms", "starts again in 200ms"}));
  x.advance(199ms);
  BOOST_TEST(x.look() == "");
  x.advance(1ms);
  BOOST_TEST(x.look() == "start mount; start host; ");
}

BOOST_AUTO_TEST_CASE(one_for_all_stops_the_others_from_the_last_and_starts_all_from_the_first) {
  world x{group_strategy::one_for_all};
  x.fail(camera);
  BOOST_TEST(x.plans.back() == "starts again in 200ms, with its group 'observatory' (one-for-all)");
  BOOST_TEST(x.look() == "stop standby; "); // First, so that it does not take over.
  x.end(standby, false);
  BOOST_TEST(x.look() == "stop observer; ");
  x.fail(observer); // It fails at its end, as it may when what it needs is gone.
  BOOST_TEST(x.look() == "stop mount; ");
  x.advance(1s); // The pause is over, but the mount is not.
  BOOST_TEST(x.look() == "");
  x.end(mount, false);
  BOOST_TEST(x.look() == "start mount; start camera; start observer; start standby; ");
}

BOOST_AUTO_TEST_CASE(rest_for_one_takes_those_that_come_later) {
  world x{group_strategy::rest_for_one};
  x.fail(camera);
  x.finish();
  BOOST_TEST(x.look() == "stop standby; stop observer; ");
  x.advance(200ms);
  BOOST_TEST(x.look() == "start camera; start observer; start standby; ");
}

BOOST_AUTO_TEST_CASE(the_last_of_rest_for_one_leaves_its_work_to_its_standby) {
  world x{group_strategy::rest_for_one};
  x.fail(observer);
  BOOST_TEST(x.look() == "");
  x.machine.on_active(standby);
  x.advance(200ms);
  BOOST_TEST(x.look() == "start observer; ");
}

BOOST_AUTO_TEST_CASE(a_standby_that_fails_while_it_waits_concerns_nobody_else) {
  world x{group_strategy::one_for_all};
  x.fail(standby);
  x.advance(200ms);
  BOOST_TEST(x.look() == "start standby; ");
}

BOOST_AUTO_TEST_CASE(an_earlier_failure_widens_a_turn_under_way) {
  world x{group_strategy::rest_for_one};
  x.fail(camera);
  x.fail(mount);
  x.finish();
  BOOST_TEST(x.look() == "stop standby; stop observer; ");
  x.advance(200ms);
  BOOST_TEST(x.look() == "start mount; start camera; start observer; start standby; ");
}

BOOST_AUTO_TEST_CASE(a_failure_during_the_pause_lengthens_it) {
  world x{group_strategy::rest_for_one};
  x.fail(camera);
  x.finish();
  x.advance(100ms);
  x.fail(mount);
  x.look();
  x.advance(199ms);
  BOOST_TEST(x.look() == "");
  x.advance(1ms);
  BOOST_TEST(x.look() == "start mount; start camera; start observer; start standby; ");
}

BOOST_AUTO_TEST_CASE(with_one_for_one_a_failure_too_often_keeps_down_that_service_alone) {
  world x{group_strategy::one_for_one, twice};
  for (int i = 0; i < 2; ++i) {
    x.fail(camera);
    x.advance(1s);
  }
  x.look();
  x.fail(camera);
  BOOST_TEST(x.look() == "camera down: it failed 3 times within 1m; ");
  x.advance(1h);
  BOOST_TEST(x.look() == "");
  BOOST_TEST(x.alive.size() == 4u);
}

BOOST_AUTO_TEST_CASE(with_the_other_strategies_it_takes_the_whole_group_down) {
  for (const auto strategy : {group_strategy::one_for_all, group_strategy::rest_for_one}) {
    world x{strategy, twice};
    for (int i = 0; i < 2; ++i) {
      x.fail(observer);
      x.finish();
      x.advance(1s);
      x.machine.on_active(observer);
    }
    for (const auto i : {mount, camera})
      x.machine.on_active(i);
    x.look();
    x.fail(observer);
    x.finish();
    BOOST_TEST(x.look()
               == "observer down: it failed 3 times within 1m; "
                  "mount down: its group 'observatory' is down, since observer is; "
                  "camera down: its group 'observatory' is down, since observer is; "
                  "standby down: its group 'observatory' is down, since observer is; "
                  "stop standby; stop camera; stop mount; ");
    x.advance(1h);
    BOOST_TEST(x.look() == "");
    BOOST_TEST((x.alive == std::set<std::size_t>{host}));
    BOOST_TEST(!x.machine.is_over());
    x.end(host, false);
    BOOST_TEST(x.machine.is_over());
  }
}

BOOST_AUTO_TEST_CASE(no_restart_at_all_is_told_as_such) {
  world x{group_strategy::one_for_one, {.max = 0}};
  x.fail(host);
  BOOST_TEST(x.look() == "host down: it failed, and its restart.max is 0; ");
}

BOOST_AUTO_TEST_CASE(policies_say_which_ends_count) {
  world on_failure{group_strategy::one_for_all};
  on_failure.end(host, false);
  on_failure.end(camera, false);
  on_failure.advance(1h);
  BOOST_TEST(on_failure.look() == "");
  on_failure.fail(mount); // All start again: the camera, which had ended in order, too.
  on_failure.finish();
  on_failure.advance(1s);
  BOOST_TEST(on_failure.look()
             == "stop standby; stop observer; "
                "start mount; start camera; start observer; start standby; ");
  world always{group_strategy::one_for_one, {.policy = restart_when::always}};
  always.end(host, false);
  always.advance(200ms);
  BOOST_TEST(always.look() == "start host; ");
  world never{group_strategy::one_for_all, {.policy = restart_when::never}};
  never.fail(mount);
  never.advance(1h);
  BOOST_TEST(never.look() == "");
}

BOOST_AUTO_TEST_CASE(a_member_that_never_restarts_is_stopped_with_the_others_only) {
  supervision machine{
    {{.label = "a", .group = 0, .place = 0},
     {.label = "b", .rank = 1, .restart = {.policy = restart_when::never}, .group = 0, .place = 1}},
    {{"g", group_strategy::one_for_all}},
    10s};
  (void)machine.begin();
  machine.on_active(0);
  machine.on_active(1);
  const auto stops = machine.on_ended(begin_time, 0, true, 0);
  BOOST_REQUIRE(stops.size() == 2u);
  BOOST_TEST((stops[1].verb == supervision_verb::stop && stops[1].instance == 1));
  BOOST_TEST(machine.on_ended(begin_time, 1, false, 0).empty());
  const auto starts = machine.on_time(begin_time + 200ms);
  BOOST_REQUIRE(starts.size() == 1u);
  BOOST_TEST((starts[0].verb == supervision_verb::start && starts[0].instance == 0));
}

BOOST_AUTO_TEST_CASE(one_that_does_not_end_in_time_is_killed_and_then_all_goes_on) {
  world x{group_strategy::rest_for_one};
  x.fail(camera);
  x.end(standby, false);
  x.look();
  x.advance(9s);
  BOOST_TEST(x.look() == "");
  x.advance(1s);
  BOOST_TEST(x.look() == "kill observer; ");
  x.advance(1h);
  BOOST_TEST(x.look() == "");
  x.fail(observer);
  BOOST_TEST(x.look() == "start camera; start observer; start standby; ");
}

BOOST_AUTO_TEST_CASE(one_that_cannot_start_stays_down_and_its_group_with_it) {
  world x{group_strategy::rest_for_one};
  x.fail(mount);
  x.finish();
  x.look();
  x.advance(200ms);
  BOOST_TEST(x.look() == "start mount; start camera; start observer; start standby; ");
  x.alive.erase(camera);
  x.perform(x.machine.on_cannot_start(x.now, camera, "no such thing"));
  x.finish();
  BOOST_TEST(x.look()
             == "camera down: no such thing; "
                "mount down: its group 'observatory' is down, since camera is; "
                "observer down: its group 'observatory' is down, since camera is; "
                "standby down: its group 'observatory' is down, since camera is; "
                "stop mount; stop observer; stop standby; "); // All of them only wait yet.
}

BOOST_AUTO_TEST_CASE(the_end_of_the_site_stops_all_from_the_last_and_nothing_starts_again) {
  world x{group_strategy::one_for_all};
  x.fail(mount);
  x.look();
  x.perform(x.machine.stop_all(x.now));
  x.finish();
  BOOST_TEST(x.look() == "stop standby; stop host; stop observer; stop camera; ");
  BOOST_TEST(x.machine.is_over());
  x.advance(1h);
  BOOST_TEST(x.look() == "");
  BOOST_TEST(x.machine.stop_all(x.now).empty());
}

BOOST_AUTO_TEST_CASE(the_end_of_the_site_waits_for_nobody_for_ever) {
  world x{group_strategy::one_for_all};
  x.perform(x.machine.stop_all(x.now));
  x.end(standby, false);
  x.look();
  x.advance(10s);
  BOOST_TEST(x.look() == "kill mount; kill camera; kill observer; kill host; ");
  BOOST_TEST(!x.machine.is_over());
  x.advance(1s);
  BOOST_TEST(x.machine.is_over());
}

BOOST_AUTO_TEST_CASE(random_ends_never_start_what_runs_nor_leave_a_group_torn) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::uint64_t state = seed;
    const auto chance = [&state] {
      state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      return state >> 33U;
    };
    world x{static_cast<group_strategy>(seed % 3), {.max = 1'000}};
    for (int i = 0; i < 60; ++i) {
      if (!x.alive.empty() && chance() % 2 == 0)
        x.end(*std::next(x.alive.begin(), static_cast<int>(chance() % x.alive.size())),
              chance() % 4 != 0);
      else if (!x.asked.empty() && chance() % 2 == 0)
        x.end(x.asked.front(), false);
      else
        x.advance(std::chrono::milliseconds{chance() % 400});
      if (!x.alive.empty() && chance() % 2 == 0)
        x.machine.on_active(*x.alive.begin());
    }
    for (int i = 0; i < 10; ++i) {
      x.finish();
      x.advance(1min);
    }
    BOOST_TEST(x.asked.empty());
    BOOST_REQUIRE(!x.machine.next_due());
    x.perform(x.machine.stop_all(x.now));
    x.finish();
    BOOST_REQUIRE(x.machine.is_over());
    BOOST_REQUIRE(x.alive.empty());
  }
}

BOOST_AUTO_TEST_CASE(an_order_to_restart_ends_all_instances_of_a_service_and_concerns_nobody_else) {
  world x{group_strategy::one_for_all};
  x.perform(x.machine.order(x.now, {observer, standby}, true).value());
  BOOST_TEST(x.look() == "stop standby; "); // First, so that it does not take over.
  x.end(standby, false);
  BOOST_TEST(x.look() == "stop observer; ");
  x.fail(observer); // Even so: it was to end.
  BOOST_TEST(x.look() == "start observer; start standby; ");
  x.advance(1min);
  BOOST_TEST(x.look() == "");
}

BOOST_AUTO_TEST_CASE(what_was_stopped_by_an_order_stays_down_until_the_next_one) {
  world x{group_strategy::one_for_all};
  x.perform(x.machine.order(x.now, {mount}, false).value());
  x.end(mount, false);
  BOOST_TEST(x.look() == "stop mount; ");
  x.fail(camera); // Starts all of its group, but what was stopped.
  x.finish();
  x.advance(1s);
  BOOST_TEST(x.look()
             == "stop standby; stop observer; start camera; start observer; start standby; ");
  x.perform(x.machine.order(x.now, {mount}, true).value());
  BOOST_TEST(x.look() == "start mount; ");
}

BOOST_AUTO_TEST_CASE(a_site_whose_services_were_all_stopped_by_orders_waits_for_the_next_one) {
  world x{group_strategy::one_for_one};
  x.perform(x.machine.order(x.now, {mount, camera, observer, standby, host}, false).value());
  x.finish();
  BOOST_TEST(x.alive.empty());
  BOOST_TEST(!x.machine.is_over());
  x.perform(x.machine.stop_all(x.now));
  BOOST_TEST(x.machine.is_over());
}

BOOST_AUTO_TEST_CASE(an_ordered_end_that_takes_too_long_is_a_kill) {
  world x{group_strategy::one_for_one};
  x.perform(x.machine.order(x.now, {mount}, true).value());
  x.advance(10s);
  BOOST_TEST(x.look() == "stop mount; kill mount; ");
  x.fail(mount);
  BOOST_TEST(x.look() == "start mount; ");
}

BOOST_AUTO_TEST_CASE(a_group_that_restarts_meanwhile_and_an_order_start_nobody_twice) {
  world x{group_strategy::one_for_all};
  x.perform(x.machine.order(x.now, {mount}, true).value());
  x.fail(camera); // The others follow, the mount among them.
  x.advance(1s);
  while (!x.asked.empty())
    x.end(x.asked.front(), false); // The world requires that nothing starts twice.
  x.advance(1min);
  BOOST_TEST(x.alive.size() == 5U);
}

BOOST_AUTO_TEST_CASE(a_second_order_waits_for_nobody_and_a_stopping_site_takes_none) {
  world x{group_strategy::one_for_one};
  x.perform(x.machine.order(x.now, {mount}, true).value());
  BOOST_TEST((x.machine.order(x.now, {mount}, false).error().code == error_code::cancelled));
  x.perform(x.machine.stop_all(x.now));
  BOOST_TEST((x.machine.order(x.now, {camera}, true).error().code == error_code::shutting_down));
  x.finish();
  BOOST_TEST(x.machine.is_over());
}

BOOST_AUTO_TEST_SUITE_END()
