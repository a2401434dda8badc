#include "trunnion/runtime/clock_jump_watchdog.hpp"

#include <boost/test/unit_test.hpp>

#include <semaphore>
#include <vector>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

using jump = std::optional<nanoseconds>;

constexpr clock_reading start{.boot = 100s, .awake = 80s};
constexpr auto planned = 250ms;

/// What a detector says of one look that came `boot` and `awake` after the start.
jump after(nanoseconds boot, nanoseconds awake) {
  return jump_detector{start}.look({start.boot + boot, start.awake + awake}, planned);
}

} // namespace

BOOST_AUTO_TEST_SUITE(clock_jump_watchdog_test)

BOOST_AUTO_TEST_CASE(a_look_in_time_or_a_little_late_is_no_jump) {
  BOOST_TEST((after(250ms, 250ms) == std::nullopt));
  BOOST_TEST((after(0ms, 0ms) == std::nullopt));
  BOOST_TEST((after(450ms, 450ms) == std::nullopt)); // 200 ms late: a busy machine.
  BOOST_TEST((after(300ms, 250ms) == std::nullopt)); // 50 ms apart: how the clocks are read.
}

BOOST_AUTO_TEST_CASE(a_boot_clock_that_ran_ahead_means_that_the_computer_was_suspended) {
  BOOST_TEST((after(301ms, 250ms) == jump{51ms}));
  BOOST_TEST((after(1h + 250ms, 250ms) == jump{1h}));
}

BOOST_AUTO_TEST_CASE(a_look_that_is_far_too_late_means_that_the_process_was_stopped) {
  BOOST_TEST((after(451ms, 451ms) == jump{201ms}));
  BOOST_TEST((after(10s + 250ms, 10s + 250ms) == jump{10s}));
}

BOOST_AUTO_TEST_CASE(both_at_once_are_one_jump) {
  BOOST_TEST((after(1h + 3s, 3s) == jump{1h + 2750ms}));
}

BOOST_AUTO_TEST_CASE(a_jump_is_told_once) {
  jump_detector detector{start};
  BOOST_TEST((detector.look({110s, 80s + 250ms}, planned) == jump{9750ms}));
  BOOST_TEST((detector.look({110s + 250ms, 80s + 500ms}, planned) == std::nullopt));
}

BOOST_AUTO_TEST_CASE(the_watchdog_reports_each_jump_with_its_size) {
  const std::vector<clock_reading> readings{
    {0s, 0s}, {250ms, 250ms}, {60s + 500ms, 500ms}, {60s + 750ms, 750ms}, {63s, 3s}};
  std::size_t next = 0;
  std::vector<nanoseconds> waits, jumps;
  std::binary_semaphore all_read{0};
  watchdog_means means;
  means.clocks = [&] { return readings.at(next++); };
  means.wait = [&](const std::stop_token& stop, nanoseconds span) {
    waits.push_back(span);
    if (next < readings.size())
      return;
    all_read.release();
    real_watchdog_means().wait(stop, 24h); // Ended by the destructor, or the test hangs.
    --next;                                // One more look, at what was seen before.
  };
  {
    const clock_jump_watchdog watchdog{[&](nanoseconds by) { jumps.push_back(by); }, means};
    all_read.acquire();
  }
  BOOST_TEST((jumps == std::vector<nanoseconds>{60s, 2s}));
  BOOST_TEST((waits == std::vector<nanoseconds>(5, clock_jump_watchdog::interval)));
}

BOOST_AUTO_TEST_CASE(a_jump_that_is_seen_while_the_watchdog_ends_is_not_reported) {
  std::binary_semaphore waiting{0};
  int looks = 0, jumps = 0;
  watchdog_means means;
  means.clocks = [&] { return clock_reading{++looks * 1h, 0s}; };
  means.wait = [&](const std::stop_token& stop, nanoseconds) {
    waiting.release();
    real_watchdog_means().wait(stop, 24h);
  };
  {
    const clock_jump_watchdog watchdog{[&](nanoseconds) { ++jumps; }, means};
    waiting.acquire();
  }
  BOOST_TEST(looks == 2);
  BOOST_TEST(jumps == 0);
}

BOOST_AUTO_TEST_CASE(the_clocks_of_this_computer_show_no_jump_when_nothing_happens) {
  const auto means = real_watchdog_means();
  const auto now = means.clocks();
  BOOST_TEST((now.awake > 0s));
  const auto later = means.clocks();
  BOOST_TEST((later.boot >= now.awake));
  BOOST_TEST((later.boot >= now.boot));
  BOOST_TEST((later.awake >= now.awake));
}

BOOST_AUTO_TEST_SUITE_END()
