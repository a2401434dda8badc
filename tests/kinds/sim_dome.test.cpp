#include "trunnion/kinds/sim_dome.hpp"

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/kinds/sim_mount.hpp"
#include "trunnion/kinds/sim_weather.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"
#include "trunnion/tests/fixtures/watch_probe.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct dome_fixture : deterministic_fixture {
  dome_fixture() {
    say(*this, out, backend, consume{at("ridge.>"), 1, stream_start::all, 1'000});
    extend_lease(1h);
  }

  static fencing_token token(std::uint64_t at) { return {{1}, {at}}; }

  void extend_lease(nanoseconds left) { cell->grant(token(1), now() + left); }

  dome_actor start() { return track(spawn_sim_dome(context, parts)); }

  shutter_phase shutter(const dome_actor& of) {
    return ask<dome_state>(of, get_dome_state{}).value().shutter;
  }

  dome_actor start_open() {
    const auto dome = start();
    (void)ask<dome_state>(dome, open_dome{token(5)}).value();
    advance(4s);
    BOOST_REQUIRE((shutter(dome) == shutter_phase::open));
    return dome;
  }

  bool is_alive(const dome_actor& of) {
    return ask<dome_state>(of, get_dome_state{}).get().engaged();
  }

  /// The kinds of events so far, in order.
  std::string events() const {
    std::string result;
    for (const auto& part : out.log->stream_parts)
      for (const auto& x : part.messages)
        if (const auto json = x.payload.bytes(); json.starts_with(R"({"event":")"))
          result.append(json.substr(10, json.find('"', 10) - 10)) += ' ';
    return result;
  }

  backend_actor backend = track(spawn_memory_backend(system, rt()));
  probe out = make_probe(*this);
  member_context context{system, rt(), backend, *entity::parse("ridge.dome"), {}};
  std::shared_ptr<lease_cell> cell = std::make_shared<lease_cell>(*this);
  device_directory devices;
  dome_parts parts{.hardware = std::make_shared<dome_machine>(
                     dome_settings{.open_time = 4s, .turn_deg_per_s = 20, .close_after = 30s}),
                   .guard = std::make_shared<fence>(),
                   .right = lease_view{cell},
                   .devices = &devices};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(sim_dome_test, dome_fixture)

BOOST_AUTO_TEST_CASE(it_opens_and_closes_when_told_and_says_so) {
  const auto dome = start();
  BOOST_TEST((shutter(dome) == shutter_phase::closed));
  const auto answer = ask<dome_state>(dome, open_dome{token(5)});
  BOOST_TEST((answer.value().shutter == shutter_phase::opening));
  advance(4s);
  BOOST_TEST((shutter(dome) == shutter_phase::open));
  (void)ask<dome_state>(dome, close_dome{token(5), "rain"}).value();
  advance(4s);
  BOOST_TEST((shutter(dome) == shutter_phase::closed));
  BOOST_TEST(events() == "opening open closing closed ");
}

BOOST_AUTO_TEST_CASE(an_older_token_moves_nothing) {
  const auto dome = start_open();
  for (const auto& refused :
       {ask<dome_state>(dome, open_dome{token(4)}), ask<dome_state>(dome, close_dome{token(4), ""}),
        ask<dome_state>(dome, power_dome{token(4), false})})
    BOOST_TEST((refused.error().code == error_code::stale_token));
  const auto state = ask<dome_state>(dome, get_dome_state{}).value();
  BOOST_TEST((state.shutter == shutter_phase::open));
  BOOST_TEST(state.refused == 3u);
}

BOOST_AUTO_TEST_CASE(a_dome_that_nobody_commands_closes) {
  const auto dome = start_open();
  advance(25s);
  (void)ask<dome_state>(dome, open_dome{token(5)}).value(); // At 29 s: in time.
  advance(29s);
  BOOST_TEST((shutter(dome) == shutter_phase::open));
  advance(1s + dome_look_every);
  BOOST_TEST((shutter(dome) == shutter_phase::closing));
  advance(4s);
  BOOST_TEST((shutter(dome) == shutter_phase::closed));
}

BOOST_AUTO_TEST_CASE(power_is_commanded_and_needed) {
  parts.hardware
    = std::make_shared<dome_machine>(dome_settings{.open_time = 4s, .has_power = false});
  const auto dome = start();
  BOOST_TEST((ask<dome_state>(dome, open_dome{token(5)}).error().code == error_code::unsupported));
  BOOST_TEST(ask<dome_state>(dome, power_dome{token(5), true}).value().has_power);
  BOOST_TEST(
    (ask<dome_state>(dome, open_dome{token(5)}).value().shutter == shutter_phase::opening));
  BOOST_TEST((ask<dome_state>(dome, power_dome{token(5), false}).error().code
              == error_code::permission_denied));
  BOOST_TEST(events() == "power opening ");
}

BOOST_AUTO_TEST_CASE(a_dome_that_is_to_end_closes_first) {
  const auto dome = start_open();
  kill(dome, caf::exit_reason::user_shutdown);
  BOOST_TEST(
    (ask<dome_state>(dome, open_dome{token(5)}).error().code == error_code::shutting_down));
  advance(3'900ms);
  BOOST_TEST(is_alive(dome));
  advance(200ms);
  BOOST_TEST(!is_alive(dome));
  BOOST_TEST(events() == "opening open closing closed ");
}

BOOST_AUTO_TEST_CASE(a_closed_dome_ends_at_once) {
  const auto dome = start();
  kill(dome, caf::exit_reason::user_shutdown);
  BOOST_TEST(!is_alive(dome));
}

BOOST_AUTO_TEST_CASE(a_dome_whose_group_has_lost_something_closes_before_it_is_asked_to_end) {
  const auto dome = start_open();
  tell(caf::actor_cast<caf::actor>(dome),
       member_lost{"weather", loss_reason::holder_died, "weather", 10s, "ridge.dome"});
  BOOST_TEST((shutter(dome) == shutter_phase::closing));
  BOOST_TEST(
    (ask<dome_state>(dome, open_dome{token(5)}).error().code == error_code::shutting_down));
  advance(5s);
  BOOST_TEST((shutter(dome) == shutter_phase::closed));
  BOOST_TEST(is_alive(dome)); // Its supervisor ends it in its turn.
}

BOOST_AUTO_TEST_CASE(a_dome_whose_own_lease_is_lost_does_not_move_any_more) {
  const auto dome = start_open();
  cell->end();
  BOOST_TEST((ask<dome_state>(dome, close_dome{token(5), "rain"}).error().code
              == error_code::lease_abandoned));
  advance(1min); // Nobody commands it, but it may not close.
  BOOST_TEST((shutter(dome) == shutter_phase::open));
  kill(dome, caf::exit_reason::user_shutdown);
  BOOST_TEST(!is_alive(dome));
  BOOST_TEST(events() == "opening open left_open ");
}

BOOST_AUTO_TEST_CASE(the_motor_stops_at_the_deadline_of_the_lease) {
  const auto dome = start_open();
  extend_lease(1s);
  kill(dome, caf::exit_reason::user_shutdown); // Closing takes 4 s.
  advance(1min);
  BOOST_TEST(!is_alive(dome));
  BOOST_TEST(parts.hardware->open_ratio(now()) == 0.75, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(events() == "opening open closing halted left_open ");
}

BOOST_AUTO_TEST_CASE(the_motor_stops_in_time_also_when_its_process_stands_still) {
  (void)start_open();
  const auto dome = start(); // As open as it was: it closes.
  extend_lease(1s);
  advance(500ms);
  jump(1min); // Nobody looks.
  BOOST_TEST((parts.hardware->open_ratio(now()) >= 0.74));
  BOOST_TEST((shutter(dome) == shutter_phase::halted));
}

BOOST_AUTO_TEST_CASE(a_dome_that_was_left_open_is_closed_by_the_next_life) {
  kill(start_open());
  BOOST_TEST((parts.hardware->shutter(now()) == shutter_phase::open));
  const auto dome = start();
  BOOST_TEST((shutter(dome) == shutter_phase::closing));
  advance(4s + dome_look_every);
  BOOST_TEST((shutter(dome) == shutter_phase::closed));
  BOOST_TEST((ask<dome_state>(dome, open_dome{token(4)}).error().code == error_code::stale_token));
}

BOOST_AUTO_TEST_CASE(the_slit_follows_its_mount_while_it_is_open) {
  parts.mount = *entity::parse("ridge.mount");
  const auto dome = start_open(); // No mount yet: nothing happens.
  const auto mount = track(spawn_sim_mount({system, rt(), backend, *parts.mount, {}},
                                           {.slew_deg_per_s = 45}, std::make_shared<fence>()));
  devices.put(*parts.mount, caf::actor_cast<caf::actor>(mount));
  (void)ask<slewed>(mount, slew_to{token(1), {40, 90}});
  advance(10s);
  const auto az = ask<dome_state>(dome, get_dome_state{}).value().az_deg;
  BOOST_TEST(az == 90, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(weather_is_published_in_each_period_and_goes_on_after_a_restart) {
  const auto sky = std::make_shared<weather_machine>(weather_settings{.every = 2s});
  const auto stream = at("ridge.weather.weather");
  const auto first = track(spawn_sim_weather(context, 2s, stream, sky));
  advance(7s); // At 0, 2, 4 and 6 s.
  kill(first);
  track(spawn_sim_weather(context, 2s, stream, sky));
  std::vector<std::string> samples;
  for (const auto& part : out.log->stream_parts)
    for (const auto& x : part.messages)
      samples.emplace_back(x.payload.bytes().substr(0, 10));
  BOOST_TEST((samples
              == std::vector<std::string>{R"({"step":1,)", R"({"step":2,)", R"({"step":3,)",
                                          R"({"step":4,)", R"({"step":5,)"}));
}

BOOST_AUTO_TEST_SUITE_END()
