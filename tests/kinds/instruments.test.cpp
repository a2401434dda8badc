#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/kinds/controller.hpp"
#include "trunnion/kinds/sim_camera.hpp"
#include "trunnion/kinds/sim_mount.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct instrument_fixture : deterministic_fixture {
  backend_actor backend = track(spawn_memory_backend(system, rt()));
  member_context context{system, rt(), backend, *entity::parse("ridge.mount"), {}};

  std::shared_ptr<fence> guard = std::make_shared<fence>();

  static fencing_token token(std::uint64_t epoch, std::uint64_t at) { return {{epoch}, {at}}; }
};

constexpr instant start{1h};

} // namespace

BOOST_AUTO_TEST_SUITE(mount_machine_test)

BOOST_AUTO_TEST_CASE(a_slew_takes_the_longer_axis_at_the_stated_rate_and_then_settles) {
  mount_machine mount{{.slew_deg_per_s = 2, .settle = 500ms, .alt_min_deg = 10}};
  BOOST_TEST((mount.slew(start, {30, 350}).value() == start + 10s + 500ms)); // 20 up, 10 across.
  const auto half = mount.position(start + 5s);
  BOOST_TEST(half.alt_deg == 20, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(half.az_deg == 355, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(mount.is_moving(start + 10s)); // Settling.
  BOOST_TEST(!mount.is_moving(start + 10s + 500ms));
}

BOOST_AUTO_TEST_CASE(a_target_beyond_the_limits_is_refused_and_nothing_moves) {
  mount_machine mount{{.alt_min_deg = 15, .alt_max_deg = 85}};
  for (const double alt : {14.9, 85.1, -90.0, std::numeric_limits<double>::quiet_NaN()})
    BOOST_TEST((mount.slew(start, {alt, 0}).error().code == error_code::invalid_argument));
  BOOST_TEST(!mount.is_moving(start));
}

BOOST_AUTO_TEST_CASE(the_shorter_way_round_is_taken) {
  BOOST_TEST(azimuth_way(350, 10) == 20, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(azimuth_way(10, 350) == -20, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(targets_stay_in_the_sky_and_near_the_one_before) {
  sky_position at{50, 180};
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const auto next = next_target(at, i * 7919, i * 104'729);
    BOOST_REQUIRE(next.alt_deg >= least_target_alt_deg);
    BOOST_REQUIRE(next.alt_deg <= most_target_alt_deg);
    BOOST_REQUIRE((next.az_deg >= 0 && next.az_deg < 360));
    BOOST_REQUIRE(std::abs(azimuth_way(at.az_deg, next.az_deg)) <= longest_step_deg + 1e-9);
    at = next;
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(instruments_test, instrument_fixture)

BOOST_AUTO_TEST_CASE(a_mount_obeys_until_it_has_seen_a_newer_token) {
  const auto mount
    = track(spawn_sim_mount(context, {.slew_deg_per_s = 10, .settle = 100ms}, guard));
  const auto first = ask_later<slewed>(mount, slew_to{token(1, 5), {20, 0}});
  advance(1s);
  BOOST_TEST(!first.ready());
  advance(2s);
  BOOST_TEST(first.value().position.alt_deg == 20);
  BOOST_TEST((first.value().took == 2'100ms));
  const auto second = ask_later<slewed>(mount, slew_to{token(1, 9), {30, 0}});
  run();
  BOOST_TEST(
    (ask<slewed>(mount, slew_to{token(1, 5), {40, 0}}).error().code == error_code::stale_token));
  advance(2s);
  BOOST_TEST(second.value().position.alt_deg == 30); // The refused one changed nothing.
  BOOST_TEST(ask<mount_state>(mount, get_mount_state{}).value().refused == 1u);
}

BOOST_AUTO_TEST_CASE(a_new_slew_takes_over_from_the_one_under_way) {
  const auto mount = track(spawn_sim_mount(context, {.slew_deg_per_s = 1}, guard));
  const auto first = ask<slewed>(mount, slew_to{token(1, 5), {20, 0}});
  const auto second = ask<slewed>(mount, slew_to{token(1, 5), {5, 0}});
  BOOST_TEST((first.error().code == error_code::cancelled));
  advance(10s);
  BOOST_TEST(second.value().position.alt_deg == 5);
}

BOOST_AUTO_TEST_CASE(a_camera_takes_one_frame_at_a_time_and_refuses_an_older_token) {
  const auto camera = track(spawn_sim_camera(context, {.readout = 300ms}, guard));
  const auto first = ask<frame>(camera, expose{token(2, 1), 1s});
  BOOST_TEST((ask<frame>(camera, expose{token(2, 1), 1s}).error().code == error_code::overloaded));
  BOOST_TEST((ask<frame>(camera, expose{token(1, 99), 1s}).error().code
              == error_code::stale_token)); // Of an older epoch.
  advance(1'299ms);
  BOOST_TEST(!first.ready());
  advance(1ms);
  BOOST_TEST(first.value().number == 1u);
  BOOST_TEST(
    (ask<frame>(camera, expose{token(2, 1), 0s}).error().code == error_code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(an_instrument_that_starts_again_still_refuses_older_tokens) {
  const auto first = track(spawn_sim_mount(context, {}, guard));
  (void)ask<slewed>(first, slew_to{token(1, 9), {20, 0}});
  kill(first);
  const auto second = track(spawn_sim_mount(context, {}, guard));
  BOOST_TEST(
    (ask<slewed>(second, slew_to{token(1, 8), {20, 0}}).error().code == error_code::stale_token));
}

BOOST_AUTO_TEST_CASE(a_killed_instrument_answers_who_waits) {
  const auto mount = track(spawn_sim_mount(context, {}, guard));
  const auto slew = ask<slewed>(mount, slew_to{token(1, 5), {20, 0}});
  kill(mount);
  BOOST_TEST((slew.error().code == error_code::cancelled));
}

BOOST_AUTO_TEST_SUITE_END()
