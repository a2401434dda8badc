#include "trunnion/actors/service_members.hpp"

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct members_fixture : deterministic_fixture {
  backend_actor backend = track(spawn_memory_backend(system, rt()));
  std::vector<std::string> told;

  service_actor start(std::vector<service_member> members) {
    auto started = start_service(system, rt(), backend,
                                 {.info = {"camera", "1"},
                                  .entity = *entity::parse("ridge.camera"),
                                  .members = std::move(members)});
    BOOST_REQUIRE(started.has_value());
    return track(*started);
  }

  service_member exposing() {
    return serving("expose", [this](const member_context& x) -> any_request_handler {
      return [this, view = x.leases.front().view](const handle_request& r) -> outcome<payload> {
        told.push_back("expose " + std::string{r.payload.bytes()});
        return payload{view.held() ? "done" : "not ours"};
      };
    });
  }

  service_member reading_weather() {
    return reading("weather", at("ridge.weather._EVENTS"),
                   [this](const member_context&) -> any_read_sink {
                     return [this](const read_batch& x) -> outcome<void> {
                       for (const auto& y : x.messages)
                         told.push_back("weather " + std::string{y.payload.bytes()});
                       return {};
                     };
                   });
  }

  service_member watching_mount() {
    return watching("mount", at("ridge.mount.*"), [this](const member_context&) -> change_function {
      return [this](const monitor_part& x) {
        for (const auto& y : x.entries)
          told.push_back("mount " + std::string{y.payload.bytes()});
      };
    });
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(service_members_test, members_fixture)

BOOST_AUTO_TEST_CASE(a_service_is_composed_of_responders_readers_and_monitors) {
  const auto service = start({exposing(), reading_weather(), watching_mount()});
  advance(1s);
  const auto status = ask<service_status>(service, service_inspect{}).value();
  BOOST_TEST((status.phase == service_phase::running));
  (void)ask<published>(backend, publish{at("ridge.weather._EVENTS"), payload{"rain"}}).value();
  (void)ask<kv_written>(backend, kv_update{at("ridge.mount.state"), payload{"parked"}}).value();
  const auto answer = ask<invoked>(backend, invoke{at("ridge.camera.expose"), payload{"5 s"}});
  advance(1s);
  BOOST_TEST(answer.value().payload.bytes() == "done");
  std::ranges::sort(told);
  const std::vector<std::string> expected{"expose 5 s", "mount parked", "weather rain"};
  BOOST_TEST(told == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(all_of_them_end_in_order_with_the_service) {
  const auto service = start({exposing(), reading_weather(), watching_mount()});
  advance(1s);
  const auto report = ask_later<group_report>(service, service_stop{});
  advance(5s);
  BOOST_TEST(report.value().is_orderly());
  BOOST_TEST(report.value().killed.empty());
  BOOST_TEST((ask<invoked>(backend, invoke{at("ridge.camera.expose"), payload{}}).error().code
              == error_code::unregistered_responder));
  advance(1min);
  const auto status = ask<backend_status>(backend, get_backend_status{}).value();
  BOOST_TEST(status.watches == 0u);
  BOOST_TEST(status.listeners == 0u);
}

BOOST_AUTO_TEST_CASE(a_reader_whose_sink_fails_ends_the_service) {
  const auto service
    = start({exposing(), reading("weather", at("ridge.weather._EVENTS"),
                                 [](const member_context&) -> any_read_sink {
                                   return [](const read_batch&) -> outcome<void> {
                                     return fail(error_code::storage_full, "no room");
                                   };
                                 })});
  advance(1s);
  std::optional<caf::error> end;
  service->attach_functor([&](const caf::error& reason) { end = reason; });
  (void)ask<published>(backend, publish{at("ridge.weather._EVENTS"), payload{"rain"}}).value();
  advance(5s);
  BOOST_REQUIRE(end.has_value());
  const auto lost = std::get<abandonment>(to_failure(*end).detail).leases;
  BOOST_REQUIRE(lost.size() == 1u);
  BOOST_TEST(lost[0].subject == "weather");
}

BOOST_AUTO_TEST_CASE(a_member_that_makes_no_sense_fails_the_service) {
  const auto service = start(
    {watching("mount", at("ridge.mount._EVENTS"), [](const member_context&) -> change_function {
      return [](const monitor_part&) {};
    })});
  BOOST_TEST(trace.find("ridge.camera: failed") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
