#include "trunnion/messages/json.hpp"
#include "trunnion/tests/tool/tool_fixture.hpp"

#include <algorithm>

using namespace trunnion;

namespace {

const std::string small_site = "version: 1\n"
                               "site: {name: ridge}\n"
                               "services:\n"
                               "  - {name: host, kind: host.telemetry, every: 1s}\n";

struct fixture : tool_fixture {
  std::string site(std::string_view text) const { return write("ridge.yaml", text); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(service_check_test, fixture)

BOOST_AUTO_TEST_CASE(a_site_without_problems_is_ok) {
  const auto file = site(small_site);
  BOOST_TEST(run({"service", "check", file}) == 0);
  BOOST_TEST(out.str() == file + ": ok, 1 service\n");
  BOOST_TEST(err.str() == "");
  BOOST_TEST(run({"service", "check", file, "--json"}) == 0);
  BOOST_TEST(out.str()
             == "{\"ok\":true,\"file\":\"" + file
                  + "\",\"site\":\"ridge\",\"services\":[\"host\"],\"not_built\":[]}\n");
}

BOOST_AUTO_TEST_CASE(problems_are_lines_on_standard_error_with_exit_2) {
  const auto file = site("version: 1\nsite: {name: ridge}\n"
                         "services: [{name: dome, kind: sim.mount, depend_on: []}]\n");
  BOOST_TEST(run({"service", "check", file}) == 2);
  BOOST_TEST(err.str()
             == file
                  + ":3:42: unknown key 'depend_on' in service 'dome'; did you mean 'depends_on'?\n"
                    "trunnion: 1 problem in "
                  + file + "\n");
}

BOOST_AUTO_TEST_CASE(problems_are_a_list_under_json) {
  const auto file = site("version: 1\nsite: {name: ridge}\nservices: 5\n");
  BOOST_TEST(run({"service", "check", file, "--json"}) == 2);
  BOOST_TEST(err.str()
             == "{\"error\":{\"code\":\"bad_site_file\",\"message\":\"1 problem in " + file
                  + "\",\"exit\":2,\"hint\":null,\"problems\":[{\"file\":\"" + file
                  + "\",\"line\":3,\"column\":11,\"text\":\"expected a list, but here is '5' "
                    "(services)\"}]}}\n");
  BOOST_TEST(out.str() == "");
}

BOOST_AUTO_TEST_CASE(what_is_not_built_is_listed_and_no_error) {
  const auto file = std::string{TRUNNION_TEST_DATA} + "/site/ridge.yaml";
  BOOST_TEST(run({"service", "check", file}) == 0);
  BOOST_TEST(out.str().starts_with(file + ": ok, 6 services\n" + file
                                   + ":3:10: backend 'sqlite:./ridge.db' is not built in this "
                                     "version\n"));
  BOOST_TEST(run({"service", "check", file, "--json"}) == 0);
  BOOST_TEST(check_json(out.str()).has_value());
}

BOOST_AUTO_TEST_CASE(settings_are_applied_before_the_check) {
  const auto file = site(small_site);
  BOOST_TEST(run({"service", "check", file, "--set", "services.host.every=5"}) == 2);
  BOOST_TEST(err.str()
             == "--set services.host.every: '5' needs a unit, as in 5s or 500ms (every)\n"
                "trunnion: 1 problem in "
                  + file + "\n");
  BOOST_TEST(run({"service", "check", file, "--set", "services.host.every=5s"}) == 0);
}

BOOST_AUTO_TEST_CASE(run_with_check_only_checks) {
  const auto file = site(small_site);
  BOOST_TEST(run({"service", "run", file, "--check"}) == 0);
  BOOST_TEST(out.str() == file + ": ok, 1 service\n");
}

BOOST_AUTO_TEST_CASE(run_with_check_checks_the_names_of_services_too) {
  const auto file = site("version: 1\nsite: {name: ridge}\nservices:\n"
                         "  - {name: host, kind: host.telemetry}\n"
                         "  - {name: mount, kind: sim.mount}\n"
                         "  - {name: camera, kind: sim.camera, depends_on: [mount]}\n");
  const auto checked = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"service", "run", file, "--check"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words) == 0 ? std::string{"ok"} : err.str();
  };
  BOOST_TEST(checked({"--only", "mount", "--drill", "mount@1s"}) == "ok");
  BOOST_TEST(checked({"--only", "mout"})
               .find("no such service in this site (--only); did you mean "
                     "'mount'?")
             != std::string::npos);
  BOOST_TEST(checked({"--only", "camera"}).find("depends on 'mount', which --only leaves out")
             != std::string::npos);
  BOOST_TEST(checked({"--drill", "hots@1s"})
             == "trunnion: no service 'hots' in " + file + " (--drill); did you mean 'host'?\n");
  BOOST_TEST(checked({"--only", "host", "--drill", "mount@1s"})
             == "trunnion: service 'mount' does not run, since --only leaves it out (--drill)\n");
}

BOOST_AUTO_TEST_CASE(a_flood_of_problems_is_cut_and_counted) {
  std::string text = small_site;
  for (int i = 0; i < 150; ++i)
    text += "wing" + std::to_string(i) + ": 1\n";
  BOOST_TEST(run({"service", "check", site(text)}) == 2);
  BOOST_TEST(std::ranges::count(err.str(), '\n') == 101);
  BOOST_TEST(err.str().ends_with(": 150 problems in " + (folder / "ridge.yaml").string()
                                 + ", of which these are the first 100\n"));
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_read_is_a_bad_site_file) {
  const auto file = (folder / "none.yaml").string();
  BOOST_TEST(run({"service", "check", file}) == 2);
  BOOST_TEST(err.str() == "trunnion: cannot read " + file + ": No such file or directory\n");
  BOOST_TEST(run({"service", "check", folder.string()}) == 2);
  BOOST_TEST(err.str() == "trunnion: cannot read " + folder.string() + ": Is a directory\n");
}

BOOST_AUTO_TEST_SUITE_END()
