#include "trunnion/runner/site_runner.hpp"

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/runner/story.hpp"
#include "trunnion/site/site_reader.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

/// The demo's site without this host's readings, which need real files.
constexpr auto observatory = R"(
version: 1
site: {name: ridge}
defaults:
  lease: {ttl: 5s, grace: 1s}
  restart: {policy: on-failure, max: 3, within: 1m, backoff: 200ms, backoff_max: 2s}
services:
  - {name: mount, kind: sim.mount, config: {slew_deg_per_s: 45.0, settle: 200ms}}
  - {name: camera, kind: sim.camera, config: {readout: 300ms}, publish: {stream: frames}}
  - name: observer
    kind: observatory.controller
    lease: {group: [mount, camera]}
    standby: 1
    depends_on: [mount, camera]
    config: {exposure: 500ms}
)";

struct site_fixture : deterministic_fixture {
  using deterministic_fixture::deterministic_fixture;

  site_model read(std::string_view text) {
    auto report = trunnion::read_site(text, "ridge.yaml", builtin_kinds().catalogue());
    BOOST_REQUIRE_MESSAGE(report.site.has_value(),
                          (report.lines().empty() ? "" : report.lines().front()));
    return *report.site;
  }

  outcome<site_runner_actor> try_start(std::string_view text, std::vector<std::string> only = {}) {
    auto story = track(spawn_story(system, rt(), backend, *entity::parse("ridge"),
                                   [this](const story_line& x) { lines.push_back(x); }));
    return run_site(system, rt(), backend, builtin_kinds(), devices,
                    {.site = read(text),
                     .only = std::move(only),
                     .owner = "test/1",
                     .watcher = story,
                     .listener = story});
  }

  site_runner_actor start(std::string_view text, std::vector<std::string> only = {}) {
    auto started = try_start(text, std::move(only));
    BOOST_REQUIRE(started.has_value());
    return track(*started);
  }

  std::size_t count(std::string_view who, std::string_view what) const {
    return static_cast<std::size_t>(std::ranges::count_if(
      lines, [&](const story_line& x) { return x.who == who && x.what == what; }));
  }

  /// The first line of `who` and `what` from line `from` on.
  std::size_t find(std::string_view who, std::string_view what, std::size_t from = 0) const {
    for (std::size_t i = from; i < lines.size(); ++i)
      if (lines[i].who == who && lines[i].what == what)
        return i;
    BOOST_FAIL("not in the story: " << who << " " << what << "\n" << text());
    return 0;
  }

  std::string text() const {
    std::string result;
    for (const auto& x : lines)
      result += x.who + " " + x.what + " " + x.text + "\n";
    return result;
  }

  /// No key is taken twice without going in between, and no instrument obeys an older token.
  void check_story() const {
    std::map<std::string, bool> held;
    std::map<std::string, fencing_token> newest;
    for (const auto& x : lines) {
      if (x.what == "taken") {
        BOOST_REQUIRE_MESSAGE(!held[x.who], x.who << " is taken twice");
        held[x.who] = true;
      } else if (x.what == "gone") {
        BOOST_REQUIRE(held[x.who]);
        held[x.who] = false;
      } else if (x.what == "slew" || x.what == "exposure") {
        const auto begin = x.data.find("\"token\":\"") + 9;
        const auto token
          = parse_fencing_token(x.data.substr(begin, x.data.find('"', begin) - begin));
        BOOST_REQUIRE(token.has_value());
        BOOST_REQUIRE((newest[x.who] <= *token));
        newest[x.who] = *token;
      }
    }
  }

  std::uint64_t keys() { return ask<backend_status>(backend, get_backend_status{}).value().keys; }

  backend_actor backend = track(spawn_memory_backend(system, rt()));
  device_directory devices;
  std::vector<story_line> lines;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(site_runner_test, site_fixture)

BOOST_AUTO_TEST_CASE(a_night_is_observed_and_ends_in_order) {
  const auto site = start(observatory);
  advance(1min);
  BOOST_TEST(count("ridge.mount", "slew") > 10u);
  BOOST_TEST(count("ridge.camera", "exposure") > 10u);
  BOOST_TEST(count("ridge.camera", "frames") > 10u);
  BOOST_TEST(count("ridge.observer", "observed") > 10u);
  BOOST_TEST(count("ridge.mount.ControlLease", "taken") == 1u);
  BOOST_TEST(count("ridge.observer#1", "running") == 0u); // The standby only waits.
  const auto end = ask_later<site_end>(site, site_stop{});
  advance(5s);
  BOOST_TEST(end.value().down.empty());
  BOOST_TEST(end.value().killed.empty());
  BOOST_TEST(keys() == 0u);
  check_story();
  // The observer ends before the instruments that it depends on.
  BOOST_TEST(find("ridge.observer", "stopped") < find("ridge.mount", "stopping"));
  BOOST_TEST(find("ridge.observer", "stopped") < find("ridge.camera", "stopping"));
  // And its standby before that, so that it does not take over.
  BOOST_TEST(find("ridge.observer#1", "stopped") < find("ridge.observer", "stopping"));
}

BOOST_AUTO_TEST_CASE(a_killed_camera_service_is_told_as_lost_and_the_standby_takes_over) {
  const auto site = start(observatory);
  advance(10s);
  const auto killed_at = lines.size();
  (void)ask<site_killed>(site, site_kill{"camera"}).value();
  advance(10s);
  const auto lost = find("ridge.camera", "lost", killed_at);
  BOOST_TEST(lines[lost].text.starts_with("ridge.camera: holder_died, culprit its owner"));
  const auto observer_lost = find("ridge.observer", "lost", killed_at);
  BOOST_TEST(lines[observer_lost].text.starts_with("camera: holder_died, culprit camera"));
  // The observer's group ends in order, then its keys are free, then the standby runs.
  const auto ended = find("ridge.observer", "ended", killed_at);
  const auto standby = find("ridge.observer#1", "running", killed_at);
  BOOST_TEST(ended < standby);
  BOOST_TEST(find("ridge.camera", "running", killed_at) < standby);
  BOOST_TEST(find("ridge.mount", "slew", standby) > standby);
  check_story();
  const auto end = ask_later<site_end>(site, site_stop{});
  advance(5s);
  BOOST_TEST(end.value().restarts == 2u); // The camera, and the observer that became the standby.
  BOOST_TEST(keys() == 0u);
}

BOOST_AUTO_TEST_CASE(a_deleted_control_lease_stops_the_observer_and_nobody_else) {
  const auto site = start(observatory);
  advance(10s);
  const auto deleted_at = lines.size();
  (void)ask<kv_deleted>(backend, kv_delete{at("ridge.mount.ControlLease"), std::nullopt});
  advance(10s);
  BOOST_TEST(lines[find("ridge.observer", "lost", deleted_at)].text.starts_with(
    "ridge.mount.ControlLease: deleted"));
  BOOST_TEST(find("ridge.observer#1", "running", deleted_at) > 0u);
  BOOST_TEST(count("ridge.mount", "stopping") == 0u);
  check_story();
}

BOOST_AUTO_TEST_CASE(a_service_that_fails_once_too_often_stays_down_and_a_site_without_any_ends) {
  const auto site = start(observatory, {"mount"});
  const auto end = ask_later<site_end>(site, site_wait_ended{});
  for (int i = 0; i < 4; ++i) {
    advance(3s);
    (void)ask<site_killed>(site, site_kill{"mount"}).value();
  }
  advance(10s);
  BOOST_TEST((end.value().down == std::vector<std::string>{"mount"}));
  BOOST_TEST(end.value().restarts == 3u);
}

BOOST_AUTO_TEST_CASE(only_what_can_run_is_started) {
  BOOST_TEST((try_start(observatory, {"dome"}).error().code == error_code::invalid_argument));
  const auto left_out = try_start(observatory, {"observer", "mount"});
  BOOST_TEST(to_string(left_out.error())
             == "observer: depends on 'camera', which --only leaves out");
  const auto planned = try_start("version: 1\nsite: {name: ridge}\nservices:\n"
                                 "  - {name: weather, kind: sim.weather}\n");
  BOOST_TEST((planned.error().code == error_code::unsupported));
}

BOOST_AUTO_TEST_CASE(twenty_nights_with_random_kills_never_show_two_owners) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    site_fixture world{seed};
    const auto site = world.start(observatory);
    for (int i = 0; i < 12; ++i) {
      world.advance(std::chrono::milliseconds{world.random.next() % 20'000});
      const auto* victim = std::array{"mount", "camera", "observer"}[world.random.next() % 3];
      world.ask<site_killed>(site, site_kill{victim});
    }
    world.advance(5s);
    world.check_story();
    world.kill(site, caf::exit_reason::user_shutdown);
    world.advance(20s);
    BOOST_TEST(world.keys() == 0u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
