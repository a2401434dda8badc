#include "trunnion/tool/end_guard.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace trunnion;

namespace {

/// How a process ends that arms a guard, does this, and then waits for ever.
template <class Act> int status_of_a_process_that(Act act) {
  const auto child = ::fork();
  if (child == 0) {
    // As in a running site: the signals are blocked, and read elsewhere.
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM})
      sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    {
      end_guard guard;
      guard.arm(1, std::chrono::seconds{1});
      act(guard);
      for (;;)
        ::pause();
    }
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

} // namespace

BOOST_AUTO_TEST_SUITE(end_guard_test)

BOOST_AUTO_TEST_CASE(a_process_whose_output_nobody_reads_ends_at_the_bound) {
  BOOST_TEST(status_of_a_process_that([](end_guard&) {}) == 1);
  BOOST_TEST(status_of_a_process_that([](end_guard& guard) { guard.settle(6); }) == 6);
}

BOOST_AUTO_TEST_CASE(a_signal_during_the_end_ends_the_process_at_once) {
  BOOST_TEST(status_of_a_process_that([](end_guard&) { ::raise(SIGTERM); }) == 128 + SIGTERM);
  BOOST_TEST(status_of_a_process_that([](end_guard&) { ::raise(SIGINT); }) == 128 + SIGINT);
}

BOOST_AUTO_TEST_CASE(a_guard_that_is_gone_ends_nothing) {
  BOOST_TEST(status_of_a_process_that([](end_guard& guard) {
               guard.~end_guard();
               std::_Exit(::alarm(0) == 0 ? 0 : 9);
             })
             == 0);
}

BOOST_AUTO_TEST_SUITE_END()
