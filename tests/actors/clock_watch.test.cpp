#include "trunnion/actors/clock_watch.hpp"

#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

#include <caf/actor_registry.hpp>

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct clock_fixture : deterministic_fixture {
  /// Subscribes to the clock watch, and writes to the trace what it is told.
  caf::actor listener(const std::string& name) {
    return track(system.spawn([this, name](caf::event_based_actor* me) -> caf::behavior {
      me->send(watch, watch_clock{});
      return {[this, name](const clock_jumped& x) {
                write(log_level::info, name, std::to_string(x.by / 1ms));
              },
              [this, me](unwatch_clock x) { me->send(watch, x); }};
    }));
  }

  clock_watch_actor watch = track(spawn_clock_watch(system));
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(clock_watch_test, clock_fixture)

BOOST_AUTO_TEST_CASE(all_who_asked_are_told_until_they_take_it_back_or_end) {
  const auto mount = listener("mount"), camera = listener("camera"), dome = listener("dome");
  tell(camera, unwatch_clock{});
  kill(dome);
  tell(watch, clock_jumped{2s});
  BOOST_TEST(trace == "0 mount: 2000\n");
}

BOOST_AUTO_TEST_CASE(it_is_found_in_the_registry_as_long_as_it_lives) {
  BOOST_TEST((system.registry().get<clock_watch_actor>(clock_watch_name) == watch));
  kill(watch, caf::exit_reason::user_shutdown);
  BOOST_TEST(!system.registry().get<clock_watch_actor>(clock_watch_name));
}

BOOST_AUTO_TEST_SUITE_END()
