#include "trunnion/actors/refresh_schedule.hpp"

#include <boost/test/unit_test.hpp>

using namespace trunnion;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(refresh_schedule_test)

BOOST_AUTO_TEST_CASE(a_refresh_is_due_between_40_and_75_percent_of_the_way_to_jeopardy) {
  const lease_times times{.ttl = 10s, .guard = 200ms, .grace = 2s};
  const instant sent{1h};
  const auto deadline = sent + times.ttl - times.guard;
  const auto way = deadline - jeopardy_lead(times) - sent; // 7.3 s
  instant earliest = deadline, latest = sent;
  for (std::uint64_t chance = 0; chance < 351; ++chance) {
    const auto due = next_refresh(sent, deadline, times, chance);
    earliest = std::min(earliest, due);
    latest = std::max(latest, due);
  }
  BOOST_TEST(((earliest - sent) == way / 1000 * 400));
  BOOST_TEST(((latest - sent) == way / 1000 * 750));
  BOOST_TEST((earliest - sent >= times.ttl * 29 / 100)); // About 30 % to 55 % of the TTL.
  BOOST_TEST((latest - sent <= times.ttl * 55 / 100));
}

BOOST_AUTO_TEST_CASE(a_refresh_that_is_overdue_is_due_now) {
  const lease_times times{.ttl = 1s, .guard = 20ms, .grace = 0s};
  const instant now{1h};
  BOOST_TEST((next_refresh(now, now + 100ms, times, 7) == now));
}

BOOST_AUTO_TEST_CASE(a_long_grace_moves_jeopardy_and_refresh_forward) {
  const lease_times times{.ttl = 9s, .guard = 180ms, .grace = 3s};
  BOOST_TEST((jeopardy_lead(times) == 3s));
  const instant sent{1h};
  BOOST_TEST((next_refresh(sent, sent + 8820ms, times, 350) <= sent + 4365ms));
}

BOOST_AUTO_TEST_CASE(refreshes_that_are_due_close_to_each_other_are_made_in_one_go) {
  const instant due{1h + 12'345us};
  BOOST_TEST((shared_moment(due, 10s) == instant{1h + 20ms}));
  BOOST_TEST((shared_moment(due + 7ms, 10s) == instant{1h + 20ms}));
  BOOST_TEST((shared_moment(instant{1h + 20ms}, 10s) == instant{1h + 20ms}));
  BOOST_TEST((shared_moment(due, 200ms) == instant{1h + 12'400us})); // Late by little of the TTL.
  BOOST_TEST((shared_moment(due, 24h) == instant{1h + 20ms}));       // By little in any case.
}

BOOST_AUTO_TEST_SUITE_END()
