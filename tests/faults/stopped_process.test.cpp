// A process that is stopped from outside, as by Ctrl-Z or a debugger, in real time.

#include "trunnion/runtime/clock_jump_watchdog.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

/// The life of the child: tells through `out` that it is watching, then the first long jump.
[[noreturn]] void watch(int out) {
  auto means = real_watchdog_means();
  const auto told = [out](std::int64_t number) {
    if (write(out, &number, sizeof number) != sizeof number)
      _exit(1);
  };
  means.wait
    = [told, first = true, real = means.wait](std::stop_token stop, nanoseconds span) mutable {
        if (std::exchange(first, false))
          told(0);
        real(std::move(stop), span);
      };
  const clock_jump_watchdog watchdog{[told](nanoseconds by) {
                                       if (by < 500ms)
                                         return; // The machine is merely busy.
                                       told(by.count());
                                       _exit(0);
                                     },
                                     means};
  std::this_thread::sleep_for(30s);
  _exit(2);
}

} // namespace

BOOST_AUTO_TEST_SUITE(stopped_process_test)

BOOST_AUTO_TEST_CASE(a_process_that_was_stopped_notices_when_it_goes_on) {
  std::array<int, 2> ends{};
  BOOST_REQUIRE(pipe(ends.data()) == 0);
  const auto child = fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0)
    watch(ends[1]);
  close(ends[1]); // So that a child that dies is an end, not a wait.
  std::int64_t news = -1;
  BOOST_TEST(read(ends[0], &news, sizeof news) == ssize_t{sizeof news});
  BOOST_TEST(news == 0);
  BOOST_TEST(kill(child, SIGSTOP) == 0);
  std::this_thread::sleep_for(1s);
  BOOST_TEST(kill(child, SIGCONT) == 0);
  BOOST_TEST(read(ends[0], &news, sizeof news) == ssize_t{sizeof news});
  BOOST_TEST((nanoseconds{news} >= 750ms)); // What is left of the second after one interval.
  int status = -1;
  BOOST_TEST(waitpid(child, &status, 0) == child);
  BOOST_TEST(status == 0);
  close(ends[0]);
}

BOOST_AUTO_TEST_SUITE_END()
