#include "trunnion/runtime/boot_clock.hpp"
#include "trunnion/runtime/system_random.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace trunnion;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(clock_and_chance_test)

BOOST_AUTO_TEST_CASE(the_boot_clock_goes_on_and_never_back) {
  const boot_clock time;
  const auto start = time.now();
  auto last = start;
  while (last == start) // A clock that stands still hangs the test.
    last = time.now();
  for (int i = 0; i < 10'000; ++i) {
    const auto now = time.now();
    BOOST_REQUIRE((now >= last));
    last = now;
  }
}

BOOST_AUTO_TEST_CASE(the_boot_clock_counts_what_the_awake_time_counts_and_more) {
  const auto awake = awake_time();
  BOOST_TEST((awake > 0s));
  BOOST_TEST((boot_clock{}.now().time_since_epoch() >= awake));
}

BOOST_AUTO_TEST_CASE(the_wall_clock_tells_the_calendar) {
  const auto year
    = std::chrono::year_month_day{floor<std::chrono::days>(boot_clock{}.wall())}.year();
  BOOST_TEST((year >= std::chrono::year{2024}));
  BOOST_TEST((year < std::chrono::year{2200}));
}

BOOST_AUTO_TEST_CASE(random_numbers_do_not_repeat_and_use_every_bit) {
  system_random random;
  std::set<std::uint64_t> seen;
  std::uint64_t ones = 0;
  auto always = ~std::uint64_t{0};
  for (int i = 0; i < 1'000; ++i) {
    const auto x = random.next();
    seen.insert(x);
    ones |= x;
    always &= x;
  }
  BOOST_TEST(seen.size() == 1'000U);
  BOOST_TEST(ones == ~std::uint64_t{0});
  BOOST_TEST(always == 0U);
}

BOOST_AUTO_TEST_CASE(two_sources_of_one_thread_give_different_numbers) {
  system_random one, other;
  BOOST_TEST(one.next() != other.next());
}

BOOST_AUTO_TEST_CASE(a_forked_child_gets_numbers_of_its_own) {
  system_random random;
  (void)random.next(); // From here on the parent has numbers read ahead.
  std::array<int, 2> ends{};
  BOOST_REQUIRE(pipe(ends.data()) == 0);
  const auto child = fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    const auto x = random.next();
    _exit(write(ends[1], &x, sizeof x) == sizeof x ? 0 : 1);
  }
  std::uint64_t of_child = 0;
  BOOST_TEST(read(ends[0], &of_child, sizeof of_child) == ssize_t{sizeof of_child});
  int status = -1;
  BOOST_TEST(waitpid(child, &status, 0) == child);
  BOOST_TEST(status == 0);
  for (const auto end : ends)
    close(end);
  for (int i = 0; i < 64; ++i)
    BOOST_REQUIRE(random.next() != of_child);
}

BOOST_AUTO_TEST_SUITE_END()
