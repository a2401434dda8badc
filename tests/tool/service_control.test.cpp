#include "trunnion/tool/commands/service_control.hpp"

#include "trunnion/actors/janitor.hpp"
#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/messages/json.hpp"
#include "trunnion/runner/site_runner.hpp"
#include "trunnion/site/site_reader.hpp"
#include "trunnion/tests/fixtures/threaded_fixture.hpp"
#include "trunnion/tests/tool/tool_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

constexpr auto site_text = "version: 1\nsite: {name: ridge, control: true}\n"
                           "services:\n"
                           "  - {name: mount, kind: sim.mount}\n"
                           "  - {name: camera, kind: sim.camera}\n";

struct surroundings {
  device_directory devices;
};

/// A site that runs in this process, and a tool that asks it.
struct fixture : surroundings, threaded_fixture, tool_fixture {
  fixture() {
    globals.io = &io;
    auto report = read_site(site_text, "ridge.yaml", builtin_kinds().catalogue());
    BOOST_REQUIRE(report.site.has_value());
    auto started = run_site(system, rt(), backend, builtin_kinds(), devices, {*report.site});
    BOOST_REQUIRE(started.has_value());
    site = *started;
    ask<running_service>(await_service{"mount"});
    ask<running_service>(await_service{"camera"});
  }

  ~fixture() {
    ask<site_end>(site_stop{});
    dismiss_janitor(system);
  }

  /// Asks the site's runner.
  template <class Answer> void ask(auto message) {
    caf::scoped_actor self{system};
    self->request(site, 60s, std::move(message))
      .receive([](const Answer&) {},
               [](const caf::error& x) { BOOST_ERROR(to_string(to_failure(x))); });
  }

  int exit_of(const command_result& x) { return x ? 0 : report(globals, x.error()); }

  global_options globals;
  site_runner_actor site;
  backend_actor backend = track(spawn_memory_backend(system, rt()));
  blocking_client root{system, rt(), backend};
};

} // namespace

BOOST_AUTO_TEST_SUITE(service_control_test)

BOOST_FIXTURE_TEST_CASE(a_site_is_listed_shown_and_commanded, fixture) {
  BOOST_TEST(exit_of(list_services(globals, {"ridge"}, root)) == 0);
  BOOST_TEST(out.str().starts_with("mount\t0\tsim.mount\trunning\t"), out.str());
  out.str({});
  BOOST_TEST(exit_of(show_service(globals, {"ridge.mount"}, root)) == 0);
  BOOST_TEST(out.str().starts_with("mount\t0\tsim.mount\trunning\t"), out.str());
  out.str({});
  globals.json.value = true;
  BOOST_TEST(exit_of(command_service(globals, {"ridge.mount"}, control_op::stop, root)) == 0);
  BOOST_TEST(out.str()
             == R"({"site":"ridge","service":"mount","done":"stop"})"
                "\n");
  out.str({});
  BOOST_TEST(exit_of(tell_events(globals, {"ridge"}, root)) == 0);
  BOOST_TEST(out.str().find(R"("who":"ridge.mount","event":"stop")") != std::string::npos,
             out.str());
}

BOOST_FIXTURE_TEST_CASE(recorded_services_are_listed_with_their_leases, fixture) {
  const auto peer = root.at("ridge", "dome");
  BOOST_REQUIRE(peer
                  .update("ServiceRecord", payload{R"({"info":{"name":"dome","version":"1"},)"
                                                   R"("last_registered":"2026-01-02T03:04:05"})"})
                  .has_value());
  BOOST_REQUIRE(root.at("odd").update("ServiceRecord", payload{"[]"}).has_value());
  BOOST_TEST(exit_of(list_services(globals, {}, root)) == 0);
  BOOST_TEST(out.str().find("ridge.dome\tdome\t1\tfree\t2026-01-02T03:04:05.000000Z\n")
               != std::string::npos,
             out.str());
  BOOST_TEST(err.str().find("odd.ServiceRecord is skipped") != std::string::npos, err.str());
}

BOOST_FIXTURE_TEST_CASE(what_is_not_there_has_its_own_exit_status, fixture) {
  BOOST_TEST(exit_of(list_services(globals, {"valley"}, root)) == 3);
  BOOST_TEST(err.str().find("no site 'valley' runs on this backend") != std::string::npos);
  BOOST_TEST(exit_of(show_service(globals, {"ridge.dome"}, root)) == 3);
  BOOST_TEST(exit_of(show_service(globals, {"ridge"}, root)) == 2);
  BOOST_TEST(exit_of(list_services(globals, {"no site"}, root)) == 2);
  BOOST_TEST(out.str() == "");
}

BOOST_FIXTURE_TEST_CASE(a_tool_by_itself_finds_no_site_in_memory, tool_fixture) {
  BOOST_TEST(run({"service", "ls", "ridge"}) == 3);
  BOOST_TEST(err.str().find("no site 'ridge' runs on this backend") != std::string::npos,
             err.str());
  BOOST_TEST(run({"service", "ls"}) == 0);
  BOOST_TEST(out.str() == "");
}

BOOST_AUTO_TEST_SUITE_END()
