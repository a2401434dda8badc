#include "trunnion/kinds/controller.hpp"

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/kinds/sim_camera.hpp"
#include "trunnion/kinds/sim_dome.hpp"
#include "trunnion/kinds/sim_mount.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"
#include "trunnion/tests/fixtures/watch_probe.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

/// A whole observatory without services: instruments, leases as cells, weather by hand.
struct controller_fixture : deterministic_fixture {
  controller_fixture() {
    say(*this, out, backend, consume{at("ridge.>"), 1, stream_start::all, 1'000});
    for (const auto& x : {dome_lease, control})
      x->grant({{1}, {5}}, now() + 24h);
    put("ridge.mount", spawn_sim_mount(of("ridge.mount"), {.slew_deg_per_s = 90}, guard()));
    put("ridge.camera", spawn_sim_camera(of("ridge.camera"), {.readout = 100ms}, guard()));
    put("ridge.dome", spawn_sim_dome(of("ridge.dome"),
                                     {hardware, guard(), lease_view{dome_lease}, &devices, {}}));
  }

  member_context of(std::string_view who) {
    return {system, rt(), backend, *entity::parse(who), {}};
  }

  static std::shared_ptr<fence> guard() { return std::make_shared<fence>(); }

  void put(std::string_view who, const auto& device) {
    devices.put(*entity::parse(who), caf::actor_cast<caf::actor>(track(device)));
  }

  controlled by_control(std::string_view who) const {
    return {*entity::parse(who), lease_view{control}};
  }

  caf::actor start(const char* close_when = "weather.rain or weather.wind_mps > 12") {
    controller_settings settings{.exposure = 500ms,
                                 .mount = by_control("ridge.mount"),
                                 .camera = by_control("ridge.camera"),
                                 .dome = by_control("ridge.dome"),
                                 .condition = {.reopen_after = 5s}};
    if (close_when) {
      settings.condition.close_when = *expression::parse(close_when);
      settings.condition.streams = {{"weather", at("ridge.weather.weather"), 1s}};
    }
    return track(spawn_controller(of("ridge.observer"), devices, settings));
  }

  /// Weather each second for a while.
  void weather(const std::string& json, int seconds) {
    for (int i = 0; i < seconds; ++i) {
      (void)ask<published>(backend, publish{at("ridge.weather.weather"), payload{json}});
      advance(1s);
    }
  }

  void fine_weather(int seconds) { weather(R"({"rain":false,"wind_mps":5})", seconds); }

  shutter_phase shutter() const { return hardware->shutter(now()); }

  std::size_t count(const std::string& who, const std::string& event) const {
    std::size_t result = 0;
    for (const auto& part : out.log->stream_parts)
      for (const auto& x : part.messages)
        result += x.subject.text() == who + "._EVENTS"
                      && x.payload.bytes().starts_with(R"({"event":")" + event + "\"")
                    ? 1
                    : 0;
    return result;
  }

  backend_actor backend = track(spawn_memory_backend(system, rt()));
  probe out = make_probe(*this);
  device_directory devices;
  std::shared_ptr<lease_cell> dome_lease = std::make_shared<lease_cell>(*this);
  std::shared_ptr<lease_cell> control = std::make_shared<lease_cell>(*this);
  std::shared_ptr<dome_machine> hardware
    = std::make_shared<dome_machine>(dome_settings{.open_time = 2s, .close_after = 10s});
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(controller_test, controller_fixture)

BOOST_AUTO_TEST_CASE(without_a_condition_it_opens_and_observes) {
  (void)start(nullptr);
  BOOST_TEST((shutter() == shutter_phase::opening));
  BOOST_TEST(count("ridge.mount", "slew") == 0u); // Not before it is open.
  advance(20s); // Longer than the dome's patience: it is told again and again.
  BOOST_TEST((shutter() == shutter_phase::open));
  BOOST_TEST(count("ridge.observer", "observed") > 5u);
  BOOST_TEST(count("ridge.dome", "closing") == 0u);
}

BOOST_AUTO_TEST_CASE(it_opens_only_when_the_weather_has_been_fine_for_a_while) {
  (void)start();
  advance(20s); // Nothing is known.
  BOOST_TEST((shutter() == shutter_phase::closed));
  fine_weather(4);
  advance(900ms);
  BOOST_TEST(count("ridge.dome", "opening") == 0u);
  fine_weather(5);
  BOOST_TEST((shutter() == shutter_phase::open));
  BOOST_TEST(count("ridge.observer", "opening") == 1u);
}

BOOST_AUTO_TEST_CASE(it_closes_in_the_turn_in_which_the_weather_turns) {
  for (const auto* bad : {R"({"rain":true,"wind_mps":5})", R"({"rain":false,"wind_mps":12.1})",
                          R"({"wind_mps":5})", R"({"rain":"yes","wind_mps":5})"}) {
    controller_fixture world;
    (void)world.start();
    world.fine_weather(10);
    BOOST_REQUIRE((world.shutter() == shutter_phase::open));
    (void)world.ask<published>(world.backend, publish{at("ridge.weather.weather"), payload{bad}});
    BOOST_TEST((world.shutter() == shutter_phase::closing));
    const auto slews = world.count("ridge.mount", "slew");
    const auto observed = world.count("ridge.observer", "observed");
    world.weather(bad, 10);
    BOOST_TEST((world.shutter() == shutter_phase::closed));
    BOOST_TEST(world.count("ridge.mount", "slew") == slews);
    BOOST_TEST(world.count("ridge.observer", "observed") == observed); // Nor the frame under way.
    world.fine_weather(9);
    BOOST_TEST((world.shutter() == shutter_phase::open));
    BOOST_TEST(world.count("ridge.observer", "observed") > observed);
  }
}

BOOST_AUTO_TEST_CASE(weather_that_is_not_heard_of_any_more_is_unknown_and_closes) {
  (void)start();
  fine_weather(10); // The last one a second ago.
  advance(1'900ms);
  BOOST_TEST((shutter() == shutter_phase::open));
  advance(100ms + dome_told_every);
  BOOST_TEST((shutter() == shutter_phase::closing));
  BOOST_TEST(count("ridge.observer", "closing") == 1u);
}

BOOST_AUTO_TEST_CASE(a_controller_that_is_to_end_leaves_a_closing_dome) {
  const auto controller = start(nullptr);
  advance(10s);
  kill(controller, caf::exit_reason::user_shutdown);
  BOOST_TEST((shutter() == shutter_phase::closing));
  advance(3s);
  BOOST_TEST((shutter() == shutter_phase::closed));
  BOOST_TEST(count("ridge.observer", "closed") == 1u);
}

BOOST_AUTO_TEST_CASE(a_controller_that_hears_of_a_loss_closes_and_does_not_open_again) {
  const auto controller = start(nullptr);
  advance(10s);
  tell(controller, member_lost{"camera", loss_reason::holder_died, "camera", 10s, "observer"});
  BOOST_TEST((shutter() == shutter_phase::closing));
  advance(10s);
  BOOST_TEST((shutter() == shutter_phase::closed));
}

BOOST_AUTO_TEST_CASE(the_dome_of_a_killed_controller_closes_by_itself) {
  const auto controller = start(nullptr);
  advance(5s);
  kill(controller);
  BOOST_TEST((shutter() == shutter_phase::open));
  advance(13s);
  BOOST_TEST((shutter() == shutter_phase::closed));
}

BOOST_AUTO_TEST_CASE(a_controller_without_the_right_commands_nothing_and_the_dome_closes) {
  (void)start(nullptr);
  advance(5s);
  control->end();
  const auto slews = count("ridge.mount", "slew");
  advance(20s);
  BOOST_TEST((shutter() == shutter_phase::closed));
  BOOST_TEST(count("ridge.mount", "slew") == slews);
  const auto* of_the_dome = R"(problem","instrument":"ridge.dome)";
  BOOST_TEST(count("ridge.observer", of_the_dome) == 1u); // Told once.
}

BOOST_AUTO_TEST_CASE(a_dome_without_power_is_given_it) {
  (void)hardware->set_power(now(), false);
  (void)start(nullptr);
  advance(5s);
  BOOST_TEST((shutter() == shutter_phase::open));
}

BOOST_AUTO_TEST_CASE(a_backend_that_loses_the_subscription_is_asked_again) {
  const auto controller = start();
  tell(controller, stream_lost{1, {error_code::backend_unavailable}});
  advance(2s);
  fine_weather(10);
  BOOST_TEST((shutter() == shutter_phase::open));
}

BOOST_AUTO_TEST_SUITE_END()
