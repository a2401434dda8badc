#include "trunnion/messages/runtime/timer_queue.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <random>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

const instant start{1h};

/// All that is due at `now`, in the order in which it comes up.
std::string due(timer_queue<char>& queue, instant now) {
  std::string result;
  while (const auto item = queue.pop_due(now))
    result += *item;
  return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(timer_queue_test)

BOOST_AUTO_TEST_CASE(items_come_up_by_due_time) {
  timer_queue<char> queue;
  queue.add(start + 3s, 'c');
  queue.add(start + 1s, 'a');
  queue.add(start + 2s, 'b');
  BOOST_TEST((queue.next_due() == start + 1s));
  BOOST_TEST(due(queue, start + 10s) == "abc");
  BOOST_TEST(queue.size() == 0u);
}

BOOST_AUTO_TEST_CASE(equal_times_come_up_in_the_order_in_which_they_were_added) {
  timer_queue<char> queue;
  for (const char c : std::string{"hello world"})
    queue.add(start, c);
  queue.add(start - 1ns, '<');
  queue.add(start + 1ns, '>');
  BOOST_TEST(due(queue, start + 1ns) == "<hello world>");
}

BOOST_AUTO_TEST_CASE(an_item_comes_up_at_its_time_and_not_before) {
  timer_queue<char> queue;
  queue.add(start + 1s, 'a');
  queue.add(start + 2s, 'b');
  BOOST_TEST(due(queue, start + 1s - 1ns) == "");
  BOOST_TEST(due(queue, start + 1s) == "a");
  BOOST_TEST(queue.size() == 1u);
  BOOST_TEST((queue.next_due() == start + 2s));
}

BOOST_AUTO_TEST_CASE(an_empty_queue_has_nothing_due) {
  timer_queue<char> queue;
  BOOST_TEST(!queue.next_due().has_value());
  BOOST_TEST(!queue.pop_due(instant::max()).has_value());
}

BOOST_AUTO_TEST_CASE(items_may_be_moved_in_and_out) {
  timer_queue<std::unique_ptr<int>> queue;
  queue.add(start + 1s, std::make_unique<int>(2));
  queue.add(start, std::make_unique<int>(1));
  BOOST_TEST(**queue.pop_due(start) == 1);
  BOOST_TEST(**queue.pop_due(start + 1s) == 2);
}

BOOST_AUTO_TEST_CASE(any_order_of_adding_comes_up_sorted_and_stable) {
  std::mt19937_64 random{1};
  timer_queue<std::pair<instant, int>> queue;
  std::vector<std::pair<instant, int>> expected, actual;
  for (int i = 0; i < 5'000; ++i) {
    const auto at = start + nanoseconds{random() % 500};
    queue.add(at, {at, i});
    expected.emplace_back(at, i);
  }
  std::ranges::sort(expected);
  while (const auto item = queue.pop_due(start + 1s))
    actual.push_back(*item);
  BOOST_TEST((actual == expected));
}

// -- alarm --------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(an_alarm_is_armed_for_a_due_time_and_not_without) {
  trunnion::alarm wake; // POSIX has one, too.
  BOOST_TEST(!wake.arm(start, std::nullopt).has_value());
  const auto sent = wake.arm(start, start + 5s);
  BOOST_REQUIRE(sent.has_value());
  BOOST_TEST((sent->after == 5s));
}

BOOST_AUTO_TEST_CASE(a_wake_up_that_comes_early_enough_is_not_sent_twice) {
  trunnion::alarm wake;
  BOOST_TEST(wake.arm(start, start + 5s).has_value());
  BOOST_TEST(!wake.arm(start + 1s, start + 5s).has_value());
  BOOST_TEST(!wake.arm(start + 1s, start + 9s).has_value());
}

BOOST_AUTO_TEST_CASE(an_earlier_due_time_is_armed_before_the_wake_up_under_way) {
  trunnion::alarm wake;
  const auto late = wake.arm(start, start + 5s);
  const auto early = wake.arm(start + 1s, start + 2s);
  BOOST_REQUIRE((late && early));
  BOOST_TEST((early->after == 1s));
  BOOST_TEST((late->generation != early->generation));
  BOOST_TEST(wake.heed(early->generation));
  BOOST_TEST(!wake.arm(start + 2s, start + 5s).has_value()); // It is still under way.
  BOOST_TEST(wake.heed(late->generation));
  BOOST_TEST(!wake.heed(late->generation));
}

BOOST_AUTO_TEST_CASE(a_far_due_time_costs_one_wake_up_however_many_near_ones_there_are) {
  trunnion::alarm wake;
  auto now = start;
  int sent = wake.arm(now, start + std::chrono::hours{1}).has_value() ? 1 : 0;
  for (int i = 0; i < 100; ++i) {
    const auto near = wake.arm(now, now + 1s);
    BOOST_REQUIRE(near.has_value());
    now += 1s;
    BOOST_TEST(wake.heed(near->generation));
    sent += wake.arm(now, start + std::chrono::hours{1}).has_value() ? 1 : 0;
  }
  BOOST_TEST(sent == 1);
}

BOOST_AUTO_TEST_CASE(after_the_clock_has_jumped_nothing_that_is_under_way_counts) {
  trunnion::alarm wake;
  const auto late = wake.arm(start, start + 5s);
  wake.distrust();
  BOOST_TEST(wake.arm(start + 1s, start + 5s).has_value());
  BOOST_TEST(!wake.heed(late->generation));
}

BOOST_AUTO_TEST_CASE(a_due_time_that_has_passed_wakes_at_once) {
  trunnion::alarm wake;
  const auto sent = wake.arm(start + 3s, start + 1s);
  BOOST_REQUIRE(sent.has_value());
  BOOST_TEST((sent->after == 0s));
}

BOOST_AUTO_TEST_CASE(after_a_wake_up_the_next_may_be_armed_for_any_time) {
  trunnion::alarm wake;
  const auto first = wake.arm(start, start + 1s);
  BOOST_TEST(wake.heed(first->generation));
  const auto second = wake.arm(start + 1s, start + 9s);
  BOOST_REQUIRE(second.has_value());
  BOOST_TEST((second->after == 8s));
  BOOST_TEST(!wake.heed(first->generation)); // One that came again, or late.
  BOOST_TEST(wake.heed(second->generation));
}

BOOST_AUTO_TEST_SUITE_END()
