#include "trunnion/runner/site_runner.hpp"

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/runner/selection.hpp"
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

/// What actors use to their end, so that it outlives the fixture that ends them.
struct site_surroundings {
  device_directory devices;
  std::vector<story_line> lines;
};

struct site_fixture : site_surroundings, deterministic_fixture {
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

  /// The observer that was the first to hold the lease, and the one that waits. Either may be.
  std::string leader() const {
    for (const auto& x : lines)
      if (x.what == "running" && x.who.starts_with("ridge.observer"))
        return x.who;
    BOOST_FAIL("no observer runs\n" << text());
    return {};
  }
  std::string waiter() const {
    return leader() == "ridge.observer" ? "ridge.observer#1" : "ridge.observer";
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

  /// Leases that are held, by the story.
  std::ptrdiff_t leases() const {
    const auto all = [this](std::string_view what) {
      return std::ranges::count(lines, what, &story_line::what);
    };
    return all("taken") - all("gone");
  }

  backend_actor backend = track(spawn_memory_backend(system, rt()));
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
  BOOST_TEST(count(waiter(), "running") == 0u); // The standby only waits.
  const auto end = ask_later<site_end>(site, site_stop{});
  advance(5s);
  BOOST_TEST(end.value().down.empty());
  BOOST_TEST(end.value().killed.empty());
  BOOST_TEST(leases() == 0);
  check_story();
  // The observer ends before the instruments that it depends on.
  BOOST_TEST(find(leader(), "stopped") < find("ridge.mount", "stopping"));
  BOOST_TEST(find(leader(), "stopped") < find("ridge.camera", "stopping"));
  // And its standby before that, so that it does not take over.
  BOOST_TEST(find(waiter(), "stopped") < find(leader(), "stopping"));
}

BOOST_AUTO_TEST_CASE(a_killed_camera_service_is_told_as_lost_and_the_standby_takes_over) {
  const auto site = start(observatory);
  advance(10s);
  const auto killed_at = lines.size();
  (void)ask<site_killed>(site, site_kill{"camera"}).value();
  advance(10s);
  const auto lost = find("ridge.camera", "lost", killed_at);
  BOOST_TEST(lines[lost].text.starts_with("ridge.camera: holder_died, culprit its owner"));
  const auto observer_lost = find(leader(), "lost", killed_at);
  BOOST_TEST(lines[observer_lost].text.starts_with("camera: holder_died, culprit camera"));
  // The observer's group ends in order, then its keys are free, then the standby runs.
  const auto ended = find(leader(), "ended", killed_at);
  const auto standby = find(waiter(), "running", killed_at);
  BOOST_TEST(ended < standby);
  BOOST_TEST(find("ridge.camera", "running", killed_at) < standby);
  BOOST_TEST(find("ridge.mount", "slew", standby) > standby);
  check_story();
  const auto end = ask_later<site_end>(site, site_stop{});
  advance(5s);
  BOOST_TEST(end.value().restarts == 2u); // The camera, and the observer that became the standby.
  BOOST_TEST(leases() == 0);
}

BOOST_AUTO_TEST_CASE(a_deleted_control_lease_stops_the_observer_and_nobody_else) {
  const auto site = start(observatory);
  advance(10s);
  const auto deleted_at = lines.size();
  (void)ask<kv_deleted>(backend, kv_delete{at("ridge.mount.ControlLease"), std::nullopt});
  advance(10s);
  BOOST_TEST(lines[find(leader(), "lost", deleted_at)].text.starts_with(
    "ridge.mount.ControlLease: deleted"));
  BOOST_TEST(find(waiter(), "running", deleted_at) > 0u);
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
  kind_registry kinds = builtin_kinds();
  kinds.add_planned({.name = "lab.laser", .help = "Not there yet."});
  const auto planned = read_site("version: 1\nsite: {name: ridge}\nservices:\n"
                                 "  - {name: laser, kind: lab.laser}\n",
                                 "ridge.yaml", kinds.catalogue());
  BOOST_REQUIRE(planned.site.has_value());
  BOOST_TEST((check_built(kinds, *planned.site, {}).error().code == error_code::unsupported));
}

BOOST_AUTO_TEST_CASE(in_a_rest_for_one_group_those_that_come_later_start_anew) {
  const auto site = start(
    std::string{observatory}
    + "groups: [{name: night, strategy: rest-for-one, members: [mount, camera, observer]}]\n");
  advance(10s);
  const auto killed_at = lines.size();
  (void)ask<site_killed>(site, site_kill{"camera"}).value();
  advance(10s);
  const auto ended = find(leader(), "ended", killed_at);
  BOOST_TEST(find(waiter(), "stopped", killed_at) > killed_at);
  BOOST_TEST(find("ridge.camera", "running", killed_at) > ended);
  BOOST_TEST(count("ridge.mount", "stopping") == 0u);
  BOOST_TEST(count("ridge.observer", "observed") > 0u);
  check_story();
  const auto end = ask_later<site_end>(site, site_stop{});
  advance(5s);
  BOOST_TEST(end.value().restarts == 3u); // The camera, the observer and its standby.
  BOOST_TEST(end.value().killed.empty());
  BOOST_TEST(leases() == 0);
}

BOOST_AUTO_TEST_CASE(in_a_one_for_all_group_all_start_anew) {
  const auto site
    = start(std::string{observatory}
            + "groups: [{name: night, strategy: one-for-all, members: [mount, camera]}]\n");
  advance(10s);
  const auto killed_at = lines.size();
  (void)ask<site_killed>(site, site_kill{"camera"}).value();
  advance(10s);
  BOOST_TEST(find("ridge.mount", "stopped", killed_at) < find("ridge.mount", "running", killed_at));
  BOOST_TEST(find("ridge.camera", "running", killed_at) > killed_at);
  check_story();
}

BOOST_AUTO_TEST_CASE(a_group_whose_member_fails_once_too_often_goes_down_and_says_so) {
  const auto site
    = start(std::string{observatory}
              + "groups: [{name: night, strategy: rest-for-one, members: [mount, camera]}]\n",
            {"mount", "camera"});
  const auto end = ask_later<site_end>(site, site_wait_ended{});
  for (int i = 0; i < 4; ++i) {
    advance(3s);
    (void)ask<site_killed>(site, site_kill{"mount"}).value();
  }
  advance(10s);
  BOOST_TEST((end.value().down == std::vector<std::string>{"mount", "camera"}));
  BOOST_TEST(lines[find("ridge.mount", "stays_down")].text
             == "instance mount, why it failed 4 times within 1m");
  BOOST_TEST(lines[find("ridge.camera", "stays_down")].text
             == "instance camera, why its group 'night' is down, since mount is");
  BOOST_TEST(leases() == 0);
}

BOOST_AUTO_TEST_CASE(twenty_nights_of_groups_with_random_kills_end_in_order) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    site_fixture world{seed};
    const auto* strategy = std::array{"one-for-one", "one-for-all", "rest-for-one"}[seed % 3];
    const auto site = world.start(std::string{observatory} + "groups: [{name: night, strategy: "
                                  + strategy + ", members: [mount, camera, observer]}]\n");
    for (int i = 0; i < 12; ++i) {
      world.advance(std::chrono::milliseconds{world.random.next() % 20'000});
      const auto* victim = std::array{"mount", "camera", "observer"}[world.random.next() % 3];
      world.ask<site_killed>(site, site_kill{victim});
    }
    world.advance(5s);
    world.check_story();
    world.kill(site, caf::exit_reason::user_shutdown);
    world.advance(20s);
    BOOST_TEST(world.leases() == 0);
  }
}

BOOST_AUTO_TEST_CASE(an_alarm_is_told_when_it_is_raised_and_when_it_is_over) {
  const auto site = start("version: 1\nsite: {name: ridge}\nservices:\n"
                          "  - name: mount\n    kind: sim.mount\n    every: 1s\n"
                          "    publish: {stream: samples}\n"
                          "    alarms:\n"
                          "      - {when: \"motor.celsius > 80\", for: 3s, level: error}\n"
                          "      - {when: \"not ok\"}\n");
  advance(1s);
  const auto sample = [this](const char* json) {
    (void)ask<published>(backend, publish{at("ridge.mount.samples"), payload{std::string{json}}})
      .value();
    advance(1s);
  };
  for (int i = 0; i < 3; ++i)
    sample(R"({"motor":{"celsius":81},"ok":true})");
  BOOST_TEST(count("ridge.mount", "alarm") == 1u); // Just now, and not at the next sample.
  const auto raised = lines[find("ridge.mount", "alarm")];
  BOOST_TEST(raised.text == "when motor.celsius > 80, level error, held_ms 3000");
  sample("no JSON");
  sample(R"({"ok":false})"); // The temperature is unknown: nothing new is known of it.
  BOOST_TEST(count("ridge.mount", "alarm") == 2u);
  BOOST_TEST(count("ridge.mount", "alarm_over") == 0u);
  sample(R"({"motor":{"celsius":60},"ok":false})");
  BOOST_TEST(lines[find("ridge.mount", "alarm_over")].text
             == "when motor.celsius > 80, level error, held_ms 5000");
  const auto end = ask_later<site_end>(site, site_stop{});
  advance(5s);
  BOOST_TEST(end.value().killed.empty());
  BOOST_TEST(count("ridge.mount", "alarm_over") == 1u);
  BOOST_TEST(leases() == 0);
}

BOOST_AUTO_TEST_CASE(a_gap_in_the_samples_begins_an_alarm_anew) {
  start("version: 1\nsite: {name: ridge}\nservices:\n"
        "  - {name: mount, kind: sim.mount, every: 1s, publish: {stream: samples}, "
        "alarms: [{when: hot, for: 10s}]}\n");
  advance(1s);
  const auto sample = [this] {
    (void)ask<published>(backend, publish{at("ridge.mount.samples"), payload{R"({"hot":true})"}})
      .value();
    advance(1s);
  };
  for (int i = 0; i < 6; ++i)
    sample();
  advance(4s); // More than three periods.
  for (int i = 0; i < 9; ++i)
    sample();
  BOOST_TEST(count("ridge.mount", "alarm") == 0u);
  sample();
  BOOST_TEST(count("ridge.mount", "alarm") == 1u);
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
    BOOST_TEST(world.leases() == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
