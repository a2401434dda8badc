#include "trunnion/runner/restart_intensity.hpp"

#include <boost/test/unit_test.hpp>

using namespace trunnion;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(restart_intensity_test)

BOOST_AUTO_TEST_CASE(the_pause_doubles_up_to_its_limit_and_one_failure_too_many_ends_it) {
  restart_intensity intensity{{.max = 5, .within = 1min, .backoff = 200ms, .backoff_max = 1s}};
  const instant now{1h};
  for (const auto expected : {200ms, 400ms, 800ms, 1'000ms, 1'000ms})
    BOOST_TEST((intensity.on_failure(now, 0) == expected));
  BOOST_TEST(!intensity.on_failure(now, 0));
}

BOOST_AUTO_TEST_CASE(a_service_that_has_run_for_long_begins_anew) {
  restart_intensity intensity{{.max = 2, .within = 1min, .backoff = 200ms, .backoff_max = 10s}};
  const instant now{1h};
  BOOST_TEST((intensity.on_failure(now, 0) == 200ms));
  BOOST_TEST((intensity.on_failure(now + 30s, 0) == 400ms));
  BOOST_TEST((intensity.on_failure(now + 60s, 0) == 400ms)); // The first is a minute ago.
  BOOST_TEST(!intensity.on_failure(now + 61s, 0));
  BOOST_TEST((intensity.on_failure(now + 3min, 0) == 200ms));
}

BOOST_AUTO_TEST_CASE(jitter_adds_a_tenth_at_most) {
  for (std::uint64_t chance = 0; chance < 500; ++chance) {
    restart_intensity intensity{{.backoff = 1s, .backoff_max = 10s}};
    const auto pause = intensity.on_failure(instant{1h}, chance);
    BOOST_REQUIRE((*pause >= 1s && *pause <= 1'100ms));
  }
}

BOOST_AUTO_TEST_CASE(none_at_all_stays_down_at_once) {
  restart_intensity intensity{{.max = 0}};
  BOOST_TEST(!intensity.on_failure(instant{1h}, 0));
}

BOOST_AUTO_TEST_SUITE_END()
