#include "trunnion/runner/site_control.hpp"

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/site/site_reader.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

/// A mount and a camera that needs it, which may be commanded or not.
std::string site_text(bool control) {
  return std::string{"version: 1\nsite: {name: ridge, control: "} + (control ? "true" : "false")
         + "}\nservices:\n"
           "  - {name: mount, kind: sim.mount}\n"
           "  - {name: camera, kind: sim.camera, standby: 1, depends_on: [mount]}\n";
}

struct surroundings {
  device_directory devices;
};

struct control_fixture : surroundings, deterministic_fixture {
  void start(bool control = true) {
    auto report = read_site(site_text(control), "ridge.yaml", builtin_kinds().catalogue());
    BOOST_REQUIRE(report.site.has_value());
    auto started
      = run_site(system, rt(), backend, builtin_kinds(), devices, {.site = *report.site});
    BOOST_REQUIRE(started.has_value());
    runner = track(*started);
    advance(2s);
  }

  /// As any tool of the bus would ask.
  std::string ask_text(std::string json) {
    auto answer = ask_later<invoked>(
      backend, invoke{at("ridge._ctl"), payload{std::move(json)}, default_request_timeout});
    advance(1s);
    return std::string{answer.value().payload.bytes()};
  }

  outcome<control_answer> ask_control(const control_request& x) {
    return read_answer(ask_text(write_request(x)));
  }

  std::vector<instance_state> instances(control_request x = {control_op::ls}) {
    const auto answer = ask_control(x);
    BOOST_REQUIRE(answer.has_value());
    return std::get<control_services>(answer->what).instances;
  }

  /// `mount running, camera running, camera#1 waiting`.
  std::string phases() {
    std::string result;
    for (const auto& x : instances())
      result += (result.empty() ? "" : ", ") + x.service
                + (x.instance == 0 ? "" : "#" + std::to_string(x.instance)) + " " + x.phase;
    return result;
  }

  backend_actor backend = track(spawn_memory_backend(system, rt()));
  site_runner_actor runner;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(site_control_test, control_fixture)

BOOST_AUTO_TEST_CASE(a_running_site_tells_its_instances) {
  start();
  const auto all = instances();
  BOOST_REQUIRE(all.size() == 3U);
  BOOST_TEST(all[0].service == "mount");
  BOOST_TEST(all[0].kind == "sim.mount");
  BOOST_TEST(all[0].phase == "running");
  BOOST_TEST(parse_fencing_token(all[0].token).has_value());
  BOOST_TEST(instances({control_op::show, "camera"}).size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_service_is_restarted_with_what_needs_it) {
  start();
  const auto before = instances({control_op::show, "mount"})[0];
  BOOST_TEST(ask_control({control_op::restart, "mount"}).has_value());
  advance(20s);
  const auto after = instances({control_op::show, "mount"})[0];
  BOOST_TEST(after.phase == "running");
  BOOST_TEST(after.restarts == before.restarts + 1);
  BOOST_TEST((*parse_fencing_token(before.token) < *parse_fencing_token(after.token)));
  BOOST_TEST(phases().starts_with("mount running, camera"));
}

BOOST_AUTO_TEST_CASE(a_stopped_service_stays_down_until_it_is_restarted) {
  start();
  BOOST_TEST(ask_control({control_op::stop, "camera"}).has_value());
  advance(1min);
  BOOST_TEST(phases() == "mount running, camera down, camera#1 down");
  BOOST_TEST(ask_control({control_op::restart, "camera"}).has_value());
  advance(20s);
  const auto now = phases();
  BOOST_TEST((now == "mount running, camera running, camera#1 waiting"
              || now == "mount running, camera waiting, camera#1 running"),
             now);
}

BOOST_AUTO_TEST_CASE(a_site_without_control_can_be_looked_at_only) {
  start(false);
  BOOST_TEST(instances().size() == 3U);
  for (const auto op : {control_op::restart, control_op::stop}) {
    const auto answer = ask_control({op, "mount"});
    BOOST_REQUIRE(!answer);
    BOOST_TEST((answer.error().code == error_code::permission_denied));
  }
  BOOST_TEST(phases().starts_with("mount running"));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_told_and_changes_nothing) {
  start();
  BOOST_TEST((ask_control({control_op::show, "dome"}).error().code == error_code::key_not_found));
  BOOST_TEST((ask_control({control_op::stop, "dome"}).error().code == error_code::key_not_found));
  for (const auto* text : {"", "ls", "{}", R"({"v":1,"op":"stop"})", R"({"v":9,"op":"ls"})"})
    BOOST_TEST(!read_answer(ask_text(text)), text);
  BOOST_TEST(phases().starts_with("mount running, camera"));
}

BOOST_AUTO_TEST_CASE(an_order_while_another_is_under_way_is_refused) {
  start();
  const auto first = ask_later<site_done>(runner, site_restart{"mount"});
  const auto second = ask_later<site_done>(runner, site_stop_service{"mount"});
  advance(20s);
  BOOST_TEST(first.get().engaged() != second.get().engaged());
  const auto& refused = first.get().engaged() ? second : first;
  BOOST_TEST((refused.error().code == error_code::cancelled));
  const auto now = instances({control_op::show, "mount"})[0].phase;
  BOOST_TEST((now == "running" || now == "down"), now);
}

BOOST_AUTO_TEST_CASE(events_are_told_from_where_one_stopped) {
  start();
  const auto read = [&](std::uint64_t after) {
    const auto answer = ask_control({control_op::events, "", after, 1'000});
    BOOST_REQUIRE(answer.has_value());
    return std::get<control_events>(answer->what);
  };
  const auto first = read(0);
  BOOST_REQUIRE(!first.events.empty());
  BOOST_TEST(read(first.next).events.empty());
  (void)ask_control({control_op::stop, "mount"});
  advance(5s);
  const auto more = read(first.next).events;
  BOOST_REQUIRE(!more.empty());
  BOOST_TEST(more.front().number == first.next + 1);
  BOOST_TEST(more.front().who == "ridge.mount");
  BOOST_TEST(more.front().what == "stop");
}

BOOST_AUTO_TEST_CASE(a_site_that_is_over_has_no_responder) {
  start();
  const auto end = ask_later<site_end>(runner, site_stop{});
  advance(15s);
  BOOST_TEST(end.value().killed.empty());
  const auto answer = ask_later<invoked>(backend, invoke{at("ridge._ctl"), {}, 5s});
  advance(6s);
  BOOST_TEST((answer.error().code == error_code::unregistered_responder));
}

BOOST_AUTO_TEST_SUITE_END()
