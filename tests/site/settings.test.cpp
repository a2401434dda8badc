#include "trunnion/tests/site/site_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

site_model changed(const std::vector<std::string>& settings) {
  const auto report = read(example_site(), settings);
  for (const auto& line : report.lines())
    BOOST_ERROR(line);
  BOOST_REQUIRE(report.site.has_value());
  return *report.site;
}

std::string refused(const std::string& setting) { return problems(example_site(), {setting}); }

} // namespace

BOOST_AUTO_TEST_SUITE(settings_test)

BOOST_AUTO_TEST_CASE(a_setting_changes_what_the_file_says) {
  BOOST_TEST((changed({"services.host.every=2s"}).find("host")->every == 2s));
  BOOST_TEST((changed({"backend=memory:"}).backend == "memory:"));
  BOOST_TEST((changed({"services.0.every=3s"}).find("host")->every == 3s));
  BOOST_TEST(changed({"groups.1.name=works"}).groups.at(1).name == "works");
}

BOOST_AUTO_TEST_CASE(a_setting_makes_what_is_missing_on_its_way) {
  const auto site = changed({"services.camera.lease.ttl=30s", "site.control=true"});
  BOOST_TEST((site.find("camera")->lease.ttl == 30s));
  BOOST_TEST(site.control);
}

BOOST_AUTO_TEST_CASE(a_setting_may_be_a_list_and_the_last_one_wins) {
  const auto site = changed(
    {"services.host.config.mounts=[/, /home]", "services.host.every=9s", "services.host.every=4s"});
  BOOST_TEST(site.find("host")->config.texts("mounts").size() == 2u);
  BOOST_TEST((site.find("host")->every == 4s));
}

BOOST_AUTO_TEST_CASE(problems_of_a_setting_name_its_path) {
  BOOST_TEST(refused("services.host.every=5")
             == "--set services.host.every: '5' needs a unit, as in 5s or 500ms (every)\n");
  BOOST_TEST(refused("services.host.evry=5s")
             == "--set services.host.evry: unknown key 'evry' in service 'host'; did you mean "
                "'every'?\n");
  BOOST_TEST(refused("services.hots.every=5s")
             == "--set services.hots.every: there is no item 'hots'; did you mean 'host'?\n");
  BOOST_TEST(refused("services.host.every.x=5s")
             == "--set services.host.every.x: there is nothing below the text that stands before "
                "'x'\n");
  BOOST_TEST(refused("services.host.config.mounts=[/")
               .starts_with("--set services.host.config.mounts: not valid YAML: "));
  BOOST_TEST(refused("services.host.standby=01")
             == "--set services.host.standby: '01' looks like an octal number\n");
}

BOOST_AUTO_TEST_CASE(a_setting_without_path_or_value_is_refused) {
  for (const std::string_view setting : {"services.host.every", "=5s", ".a=1", "a..b=1", "a.=1"})
    BOOST_TEST(refused(std::string{setting})
                 .ends_with(": expected PATH=VALUE, as in services.host.every=2s\n"));
  BOOST_TEST(refused("=5s").starts_with("--set =5s: "));
}

BOOST_AUTO_TEST_CASE(a_setting_is_not_deeper_than_a_file) {
  std::string path;
  for (int i = 0; i < 32; ++i)
    path += "a.";
  BOOST_TEST(refused(path + "b=1")
             == "--set " + path.substr(0, 64) + "...: a path has at most 32 words\n");
}

BOOST_AUTO_TEST_SUITE_END()
