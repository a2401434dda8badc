// The whole observatory of the demo, but for this host's readings: that the dome closes in time,
// whatever dies.

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/runner/site_runner.hpp"
#include "trunnion/runner/story.hpp"
#include "trunnion/site/site_reader.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

constexpr auto observatory = R"(
version: 1
site: {name: ridge}
defaults:
  lease: {ttl: 5s, grace: 1s}
  restart: {policy: on-failure, max: 3, within: 1m, backoff: 200ms, backoff_max: 2s}
services:
  - name: weather
    kind: sim.weather
    every: 500ms
    config: {wind_mps: {mean: 6, gust: 14}, front: {after: 60s, lasts: 10s, rise: 1s, pause: 24h}}
    publish: {stream: weather}
  - {name: mount, kind: sim.mount, config: {slew_deg_per_s: 45.0, settle: 200ms}}
  - {name: camera, kind: sim.camera, config: {readout: 300ms}, publish: {stream: frames}}
  - name: dome
    kind: sim.dome
    config: {open_time: 1s, slave_to: mount, close_after: 5s}
    depends_on: [mount, weather]
    stop_grace: 2s
    lease: {ttl: 6s}
  - name: observer
    kind: observatory.controller
    lease: {group: [mount, camera, dome]}
    standby: 1
    depends_on: [mount, camera, dome, weather]
    config: {close_when: "weather.rain or weather.wind_mps > 12", reopen_after: 2s, exposure: 500ms}
)";

/// What actors use until the world has ended.
struct outlasting {
  device_directory devices;
  std::vector<story_line> lines;
};

struct observatory_fixture : outlasting, deterministic_fixture {
  explicit observatory_fixture(std::uint64_t seed = 1) : deterministic_fixture(seed) {
    auto report = read_site(observatory, "ridge.yaml", builtin_kinds().catalogue());
    BOOST_REQUIRE_MESSAGE(report.site.has_value(),
                          (report.lines().empty() ? "" : report.lines().front()));
    const auto story = track(spawn_story(system, rt(), backend, *entity::parse("ridge"),
                                         [this](const story_line& x) { lines.push_back(x); }));
    auto started
      = run_site(system, rt(), backend, builtin_kinds(), devices,
                 {.site = *report.site, .owner = "test/1", .watcher = story, .listener = story});
    BOOST_REQUIRE(started.has_value());
    site = track(*started);
  }

  void kill_service(const std::string& name) {
    (void)ask<site_killed>(site, site_kill{name}).get(); // It may be down already.
  }

  static bool is_phase(std::string_view what) {
    return what == "opening" || what == "open" || what == "closing" || what == "closed"
           || what == "halted";
  }

  /// What the dome said last.
  std::string dome() const {
    std::string result = "closed";
    for (const auto& x : lines)
      if (x.who == "ridge.dome" && is_phase(x.what))
        result = x.what;
    return result;
  }

  std::size_t count(std::string_view who, std::string_view what) const {
    return static_cast<std::size_t>(std::ranges::count_if(
      lines, [&](const story_line& x) { return x.who == who && x.what == what; }));
  }

  /// The dome's lease is never given back while it is not closed.
  void check_story() const {
    std::string phase = "closed";
    for (const auto& x : lines) {
      if (x.who == "ridge.dome" && is_phase(x.what))
        phase = x.what;
      if (x.who == "ridge.dome.EntityLease" && x.what == "gone")
        BOOST_REQUIRE_EQUAL(phase, "closed");
    }
    BOOST_REQUIRE_EQUAL(count("ridge.dome", "left_open"), 0u);
  }

  backend_actor backend = track(spawn_memory_backend(system, rt()));
  site_runner_actor site;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(observatory_test, observatory_fixture)

BOOST_AUTO_TEST_CASE(weather_that_turns_closes_the_dome_until_it_is_over) {
  advance(50s);
  BOOST_TEST(dome() == "open");
  BOOST_TEST(count("ridge.observer", "observed") > 10u);
  advance(15s); // The front came after a minute.
  BOOST_TEST(dome() == "closed");
  BOOST_TEST(count("ridge.dome", "closing") == 1u);
  advance(15s);
  BOOST_TEST(dome() == "open");
  const auto end = ask_later<site_end>(site, site_stop{});
  advance(10s);
  BOOST_TEST(end.value().killed.empty());
  BOOST_TEST(dome() == "closed");
  check_story();
}

BOOST_AUTO_TEST_CASE(the_dome_closes_whichever_service_dies_and_all_comes_back) {
  for (const auto* which : {"weather", "mount", "camera", "dome", "observer"}) {
    BOOST_TEST_INFO(which);
    observatory_fixture world;
    world.advance(20s);
    BOOST_REQUIRE_EQUAL(world.dome(), "open");
    world.kill_service(which);
    world.advance(1'500ms);
    BOOST_TEST(world.count("ridge.dome", "closed") == 1u);
    world.advance(30s);
    BOOST_TEST(world.dome() == "open");
    world.check_story();
  }
}

BOOST_AUTO_TEST_CASE(nights_with_random_kills_never_leave_the_dome_open) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    observatory_fixture world{seed};
    constexpr std::array names{"weather", "mount", "camera", "dome", "observer"};
    for (int i = 0; i < 5; ++i) {
      world.advance(milliseconds{below(world.random, 8'000)});
      world.kill_service(names[below(world.random, names.size())]);
    }
    world.advance(10s);
    const auto end = world.ask_later<site_end>(world.site, site_stop{});
    world.advance(15s);
    BOOST_REQUIRE(end.ready());
    BOOST_TEST(world.dome() == "closed");
    world.check_story();
  }
}

BOOST_AUTO_TEST_SUITE_END()
