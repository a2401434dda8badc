#include "trunnion/tests/site/site_fixture.hpp"

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

const std::string head = "version: 1\nsite: {name: ridge}\n";

std::string host_problem(std::string_view more) { return problems(one_service(more)); }

std::string order_of(const site_model& site) {
  std::string result;
  for (const auto* service : site.start_order())
    result.append(result.empty() ? "" : " ").append(service->name);
  return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(site_reader_test)

BOOST_AUTO_TEST_CASE(the_full_example_reads_without_a_problem) {
  const auto report = read(example_site());
  BOOST_TEST(report.lines().empty());
  BOOST_REQUIRE(report.site.has_value());
  const auto& site = *report.site;
  BOOST_TEST(site.name == "ridge");
  BOOST_TEST((site.position == site_position{34.05, -118.25, 300}));
  BOOST_TEST((site.backend == "sqlite:./ridge.db"));
  BOOST_TEST((site.publish == "127.0.0.1:7716"));
  BOOST_TEST(site.web->listen == "127.0.0.1:7717");
  BOOST_TEST(!site.control);
  BOOST_TEST((site.defaults.stop_timeout == 10s));
  BOOST_TEST(site.services.size() == 6u);
  BOOST_TEST(order_of(site) == "host weather mount camera dome observer");

  const auto& host = *site.find("host");
  BOOST_TEST(site.entity_of(host) == "ridge.host");
  BOOST_TEST((host.every == 1s));
  BOOST_TEST(host.config.texts("read").size() == 8u);
  BOOST_TEST(host.config.texts("mounts") == std::vector<std::string>{"/"},
             boost::test_tools::per_element());
  BOOST_TEST(host.config.text("proc_root") == "/proc"); // A default.
  BOOST_TEST(host.publish->stream == "telemetry");
  BOOST_TEST((host.publish->keep->max_age == 1h));
  BOOST_TEST(host.alarms.at(0).when.text() == "memory.available_ratio < 0.05");
  BOOST_TEST((host.alarms.at(0).lasting == 30s));
  BOOST_TEST((host.alarms.at(0).level == alarm_level::warn));

  const auto& mount = *site.find("mount");
  BOOST_TEST(mount.config.number("slew_deg_per_s") == 3.0);
  BOOST_TEST((mount.config.duration("settle") == 800ms));
  BOOST_TEST(mount.config.section("limits").number("alt_min_deg") == 15.0);
  BOOST_TEST(mount.config.section("limits").number("alt_max_deg") == 90.0); // A default.
  BOOST_TEST((mount.lease.ttl == 10s));
  BOOST_TEST((mount.lease.grace == 2s));
  BOOST_TEST((mount.restart == restart_policy{}));

  BOOST_TEST((site.find("dome")->stop_grace == 6s));
  const auto& observer = *site.find("observer");
  BOOST_TEST(observer.lease.group.size() == 3u);
  BOOST_TEST((observer.lease.ttl == 15s));
  BOOST_TEST(observer.standby == 1u);
  BOOST_TEST((observer.config.condition("close_when").names()
              == std::vector<std::string>{"weather.rain", "weather.wind_mps"}));
  BOOST_TEST(observer.config.text("close_when") == "weather.rain or weather.wind_mps > 12");
  BOOST_TEST(site.groups.at(0).members.size() == 5u);
  BOOST_TEST((site.groups.at(0).strategy == group_strategy::rest_for_one));
}

BOOST_AUTO_TEST_CASE(what_is_valid_but_not_built_is_told_with_its_place) {
  std::string lines;
  for (const auto& line : read(example_site()).not_built_lines())
    lines.append(line) += '\n';
  BOOST_TEST(lines
             == "ridge.yaml:3:10: backend 'sqlite:./ridge.db' is not built in this version\n"
                "ridge.yaml:4:10: 'publish' of the site is not built in this version\n"
                "ridge.yaml:5:6: 'web' is not built in this version\n"
                "ridge.yaml:16:40: 'keep' of service 'host' is not built in this version\n");
}

BOOST_AUTO_TEST_CASE(a_preference_of_nodes_is_known_and_not_built) {
  const auto report = read(one_service("    on: [north, south]\n"));
  BOOST_REQUIRE(report.site.has_value());
  BOOST_TEST(report.site->services[0].on.size() == 2u);
  BOOST_TEST(
    report.not_built_lines()
      == std::vector<
        std::string>{"ridge.yaml:6:9: 'on' of service 'host' is not built in this version"},
    boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(control_of_a_running_site_is_off_unless_it_is_allowed) {
  const auto report = read("version: 1\nsite: {name: ridge, control: true}\n"
                           "services: [{name: host, kind: host.telemetry}]\n");
  BOOST_TEST(report.not_built_lines().empty());
  BOOST_REQUIRE(report.site.has_value());
  BOOST_TEST(report.site->control);
}

BOOST_AUTO_TEST_CASE(a_site_of_built_parts_has_nothing_that_is_not_built) {
  const auto report = read("backend: 'memory:'\n" + one_service("    publish: {stream: x}\n"));
  BOOST_TEST(report.site.has_value());
  BOOST_TEST(report.not_built.empty());
}

BOOST_AUTO_TEST_CASE(all_problems_are_told_at_once_in_the_order_of_the_file) {
  BOOST_TEST(problems("version: 2\n"
                      "sites: {name: ridge}\n"
                      "services:\n"
                      "  - {name: host, kind: host.telemetri, every: 5}\n"
                      "  - {name: host, kind: sim.mount, depend_on: [hots], restart: {max: 0777}}\n"
                      "  - {kind: sim.camera, config: {width: wide}, depends_on: [hots, hots]}\n")
             == "ridge.yaml:1:1: key 'site' is missing in the site file\n"
                "ridge.yaml:1:10: version 2 is not known; this program reads version 1\n"
                "ridge.yaml:2:1: unknown key 'sites' in the site file; did you mean 'site'?\n"
                "ridge.yaml:4:24: unknown kind 'host.telemetri' in service 'host'; did you mean "
                "'host.telemetry'?\n"
                "ridge.yaml:4:47: '5' needs a unit, as in 5s or 500ms (every)\n"
                "ridge.yaml:5:12: duplicate service 'host'; the first is at line 4\n"
                "ridge.yaml:5:35: unknown key 'depend_on' in service 'host'; did you mean "
                "'depends_on'?\n"
                "ridge.yaml:5:69: '0777' looks like an octal number; write 777, or put it in "
                "quotes if it is text\n"
                "ridge.yaml:6:5: key 'name' is missing in service number 3\n"
                "ridge.yaml:6:40: expected a whole number, but here is 'wide' (width)\n"
                "ridge.yaml:6:60: unknown service 'hots' in 'depends_on' of service number 3; did "
                "you mean 'host'?\n"
                "ridge.yaml:6:66: 'hots' is named twice (depends_on)\n");
}

BOOST_AUTO_TEST_CASE(an_unknown_key_is_told_with_the_word_that_was_probably_meant) {
  BOOST_TEST(host_problem("    depend_on: []\n")
             == "ridge.yaml:6:5: unknown key 'depend_on' in service 'host'; did you mean "
                "'depends_on'?\n");
  BOOST_TEST(host_problem("    config: {mount: [/]}\n")
             == "ridge.yaml:6:14: unknown key 'mount' in 'config' of service 'host'; did you mean "
                "'mounts'?\n");
  BOOST_TEST(host_problem("    wings: 2\n")
             == "ridge.yaml:6:5: unknown key 'wings' in service 'host'\n");
}

BOOST_AUTO_TEST_CASE(a_duplicate_key_is_told_with_the_line_of_the_first) {
  BOOST_TEST(host_problem("    every: 1s\n    every: 2s\n")
             == "ridge.yaml:7:5: duplicate key 'every'; the first is at line 6\n");
}

BOOST_AUTO_TEST_CASE(anchors_aliases_merge_keys_and_tags_are_refused) {
  BOOST_TEST(host_problem("    lease: &fast {ttl: 1s}\n    restart: *fast\n")
             == "ridge.yaml:6:12: anchors are not allowed\n"
                "ridge.yaml:7:14: aliases are not allowed\n");
  BOOST_TEST(host_problem("    <<: {every: 1s}\n")
             == "ridge.yaml:6:5: merge keys are not allowed\n");
  BOOST_TEST(host_problem("    every: !!str 1s\n")
             == "ridge.yaml:6:12: tags are not allowed: 'tag:yaml.org,2002:str'\n");
}

BOOST_AUTO_TEST_CASE(numbers_that_look_octal_are_refused_everywhere) {
  BOOST_TEST(host_problem("    standby: 01\n")
             == "ridge.yaml:6:14: '01' looks like an octal number; write 1, or put it in quotes if "
                "it is text\n");
  BOOST_TEST(host_problem("    config: {mounts: [-00.5]}\n")
             == "ridge.yaml:6:23: '-00.5' looks like an octal number; write -0.5, or put it in "
                "quotes if it is text\n");
  BOOST_TEST(host_problem("    config: {mounts: [\"0123\"]}\n") == "");
}

BOOST_AUTO_TEST_CASE(wrong_types_are_told_with_what_was_expected) {
  BOOST_TEST(host_problem("    every: [1s]\n")
             == "ridge.yaml:6:12: expected a duration, as in 5s or 500ms, but here is a list "
                "(every)\n");
  BOOST_TEST(host_problem("    standby: \"1\"\n")
             == "ridge.yaml:6:14: expected a whole number, but '1' is in quotes (standby)\n");
  BOOST_TEST(host_problem("    standby: 1.5\n")
             == "ridge.yaml:6:14: expected a whole number, but here is '1.5' (standby)\n");
  BOOST_TEST(host_problem("    standby:\n")
             == "ridge.yaml:6:5: expected a whole number, but here is nothing (standby)\n");
  BOOST_TEST(host_problem("    depends_on: host\n")
             == "ridge.yaml:6:17: expected a list, but here is 'host' (depends_on)\n");
  BOOST_TEST(host_problem("    lease: 10s\n")
             == "ridge.yaml:6:12: expected a map, but here is '10s' (lease)\n");
  BOOST_TEST(host_problem("    config: {read: [cpu, memroy]}\n")
             == "ridge.yaml:6:26: 'memroy' is not one of cpu, memory, load, pressure, disk, net, "
                "thermal, hwmon (read); did you mean 'memory'?\n");
  BOOST_TEST(problems("- version: 1\n") == "ridge.yaml:1:1: expected a map, but here is a list\n");
}

BOOST_AUTO_TEST_CASE(only_true_and_false_are_truth_values) {
  const auto control = [](std::string_view word) {
    return problems("version: 1\nsite: {name: ridge, control: " + std::string{word}
                    + "}\nservices: [{name: host, kind: host.telemetry}]\n");
  };
  BOOST_TEST(control("true") == "");
  for (const std::string_view yes : {"yes", "on", "True", "Y"})
    BOOST_TEST(control(yes)
               == "ridge.yaml:2:30: '" + std::string{yes}
                    + "' is not a truth value here; write true (control)\n");
  for (const std::string_view no : {"no", "off", "FALSE"})
    BOOST_TEST(control(no)
               == "ridge.yaml:2:30: '" + std::string{no}
                    + "' is not a truth value here; write false (control)\n");
  BOOST_TEST(control("1")
             == "ridge.yaml:2:30: expected true or false, but here is '1' (control)\n");
}

BOOST_AUTO_TEST_CASE(numbers_that_are_none_or_too_large_are_refused) {
  const auto rate = [](std::string_view text) {
    return problems(head + "services: [{name: m, kind: sim.mount, config: {slew_deg_per_s: "
                    + std::string{text} + "}}]\n");
  };
  BOOST_TEST(rate("2.5e1") == "");
  BOOST_TEST(rate("+3") == "");
  BOOST_TEST(rate(".nan")
             == "ridge.yaml:3:64: expected a number, but here is '.nan' (slew_deg_per_s)\n");
  BOOST_TEST(rate("nan")
             == "ridge.yaml:3:64: expected a number, but here is 'nan' (slew_deg_per_s)\n");
  BOOST_TEST(rate("inf")
             == "ridge.yaml:3:64: expected a number, but here is 'inf' (slew_deg_per_s)\n");
  BOOST_TEST(rate("0x10")
             == "ridge.yaml:3:64: expected a number, but here is '0x10' (slew_deg_per_s)\n");
  BOOST_TEST(rate("1_000")
             == "ridge.yaml:3:64: expected a number, but here is '1_000' (slew_deg_per_s)\n");
  BOOST_TEST(rate("1e999")
             == "ridge.yaml:3:64: '1e999' is too large or too small a number (slew_deg_per_s)\n");
  BOOST_TEST(rate("91") == "ridge.yaml:3:64: '91' is out of range: 0.01 to 90 (slew_deg_per_s)\n");
  BOOST_TEST(host_problem("    standby: 99999999999999999999\n")
             == "ridge.yaml:6:14: '99999999999999999999' is out of range: 0 to 16 (standby)\n");
}

BOOST_AUTO_TEST_CASE(names_must_be_parts_of_addresses) {
  const auto name = [](std::string_view text) {
    return problems(head + "services: [{name: " + std::string{text} + ", kind: sim.mount}]\n");
  };
  BOOST_TEST(name("Mount-1_a/b=c") == "");
  BOOST_TEST(name("'north mount'")
             == "ridge.yaml:3:19: 'north mount' is not a valid name: it has 1 to 128 characters of "
                "A-Z a-z 0-9 - _ / = (name)\n");
  BOOST_TEST(name("a.b")
             == "ridge.yaml:3:19: 'a.b' is not a valid name: a dot separates the parts of an "
                "address (name)\n");
  BOOST_TEST(name("_ctl")
             == "ridge.yaml:3:19: '_ctl' is not a valid name: names that begin with '_' are "
                "reserved (name)\n");
  BOOST_TEST(name("''") == "ridge.yaml:3:19: expected text, but it is empty (name)\n");
  BOOST_TEST(host_problem("    publish: {stream: a>b}\n")
             == "ridge.yaml:6:23: 'a>b' is not a valid name: it has 1 to 128 characters of A-Z a-z "
                "0-9 - _ / = (stream)\n");
  BOOST_TEST(problems("version: 1\nsite: {name: north.ridge}\n"
                      "services: [{name: m, kind: sim.mount}]\n")
             == "");
  BOOST_TEST(problems("version: 1\nsite: {name: north..ridge}\n"
                      "services: [{name: m, kind: sim.mount}]\n")
             == "ridge.yaml:2:14: 'north..ridge' is not a valid name: it has 1 to 128 characters "
                "of A-Z a-z 0-9 - _ / = (name)\n");
}

BOOST_AUTO_TEST_CASE(times_of_leases_are_checked_against_each_other) {
  BOOST_TEST(host_problem("    lease: {ttl: 199ms}\n")
             == "ridge.yaml:6:18: '199ms' is out of range: 200ms to 365d (ttl)\n");
  BOOST_TEST(host_problem("    lease: {ttl: 6s, grace: 2s}\n") == "");
  BOOST_TEST(host_problem("    lease: {ttl: 6s, grace: 2001ms}\n")
             == "ridge.yaml:6:29: grace 2001ms is more than a third of the ttl 6s in 'lease' of "
                "service 'host'\n");
  BOOST_TEST(
    problems("defaults: {lease: {ttl: 9s, grace: 3s}}\n" + one_service("    lease: {ttl: 3s}\n"))
    == "ridge.yaml:7:18: grace 3s is more than a third of the ttl 3s in 'lease' of "
       "service 'host'\n");
  BOOST_TEST(problems("defaults: {lease: {ttl: 3s, grace: 2s}}\n" + one_service(""))
             == "ridge.yaml:1:36: grace 2s is more than a third of the ttl 3s in 'lease' of the "
                "defaults\n");
  BOOST_TEST(host_problem("    stop_grace: 4s\n")
             == "ridge.yaml:6:17: stop_grace 4s is more than a third of the ttl 10s in service "
                "'host'\n");
  BOOST_TEST(host_problem("    stop_grace: 11s\n    lease: {ttl: 1m}\n")
             == "ridge.yaml:6:17: stop_grace 11s is more than the stop_timeout 10s in service "
                "'host'\n");
}

BOOST_AUTO_TEST_CASE(a_short_lease_has_a_short_grace_unless_one_is_given) {
  const auto report = read(one_service("    lease: {ttl: 2s}\n"));
  BOOST_REQUIRE(report.site.has_value());
  BOOST_TEST((report.site->services[0].lease.grace == 500ms));
  BOOST_TEST((report.site->services[0].stop_grace == 500ms));
}

BOOST_AUTO_TEST_CASE(ranges_of_the_other_times_hold_too) {
  BOOST_TEST(host_problem("    every: 0s\n")
             == "ridge.yaml:6:12: '0s' is out of range: 10ms to 1d (every)\n");
  BOOST_TEST(host_problem("    standby: 17\n")
             == "ridge.yaml:6:14: '17' is out of range: 0 to 16 (standby)\n");
  BOOST_TEST(host_problem("    standby: -1\n")
             == "ridge.yaml:6:14: '-1' is out of range: 0 to 16 (standby)\n");
  BOOST_TEST(host_problem("    restart: {backoff: 20s}\n")
             == "ridge.yaml:6:24: backoff 20s is longer than backoff_max 10s in 'restart' of "
                "service 'host'\n");
  BOOST_TEST(host_problem("    restart: {policy: allways}\n")
             == "ridge.yaml:6:23: 'allways' is not one of on-failure, always, never (policy); did "
                "you mean 'always'?\n");
  BOOST_TEST(host_problem("    publish: {stream: x, keep: {max_bytes: 10}}\n")
             == "ridge.yaml:6:44: '10' needs a unit, as in 10MiB or 512KiB (max_bytes)\n");
}

BOOST_AUTO_TEST_CASE(a_restart_policy_of_a_service_changes_the_default_one_key_by_key) {
  const auto report = read("defaults: {restart: {max: 9, backoff: 1s}}\n"
                           + one_service("    restart: {policy: never}\n"));
  BOOST_REQUIRE(report.site.has_value());
  BOOST_TEST((report.site->services[0].restart
              == restart_policy{.policy = restart_when::never, .max = 9, .backoff = 1s}));
}

BOOST_AUTO_TEST_CASE(secrets_are_refused_wherever_they_stand) {
  BOOST_TEST(problems("web: {listen: '127.0.0.1:1', token: abc}\n" + one_service(""))
             == "ridge.yaml:1:30: key 'token' in 'web': secrets are not kept here; use "
                "'token_file' or 'token_env'\n");
  BOOST_TEST(host_problem("    config: {db_password: x}\n")
             == "ridge.yaml:6:14: key 'db_password' in 'config' of service 'host': secrets are not "
                "kept here; use 'db_password_file' or 'db_password_env'\n");
  BOOST_TEST(problems("web: {listen: '127.0.0.1:1', token_file: t}\n" + one_service("")) == "");
  BOOST_TEST(problems("backend: nats://me:word@host:4222\n" + one_service(""))
             == "ridge.yaml:1:10: secrets are not kept in site files; give the user and password "
                "in TRUNNION_BACKEND (backend)\n");
}

BOOST_AUTO_TEST_CASE(secrets_in_the_options_of_a_url_are_refused_and_not_shown) {
  const auto backend = [](std::string_view url) {
    return problems("backend: '" + std::string{url} + "'\n" + one_service(""));
  };
  BOOST_TEST(backend("nats://host:4222?name=x&token=abc")
             == "ridge.yaml:1:10: secrets are not kept in site files; instead of 'token' give "
                "'token_file' or 'token_env', or the whole URL in TRUNNION_BACKEND (backend)\n");
  for (const auto* url : {"nats://h?PASSWORD=abc", "nats://h?x=1&pass=abc", "tls://h?nkey=abc",
                          "caf://h?api_key=abc", "nats://me:abc@h", "natz://me:abc@h", "me:abc@h",
                          "nats://h?secret=abc#x", "faulty+nats://me:abc@h", "sqlite://me:abc@h"}) {
    const auto told = backend(url);
    BOOST_TEST(told.find("secrets are not kept") != std::string::npos);
    BOOST_TEST(told.find("abc") == std::string::npos);
  }
  BOOST_TEST(backend("nats://h?token_file=/run/t&password_env=P") == "");
  BOOST_TEST(backend("sqlite:./me@home.db") == "");
}

BOOST_AUTO_TEST_CASE(a_flood_of_problems_is_cut) {
  std::string lists;
  for (int i = 0; i < 250; ++i)
    lists += "    wing" + std::to_string(i) + ": 1\n";
  const auto report = read(one_service(lists));
  BOOST_TEST(!report.site);
  BOOST_TEST(report.problems.size() == max_told_problems);
  BOOST_TEST(report.further == 150u);
  BOOST_TEST(report.lines().size() == max_told_problems + 1);
  BOOST_TEST(report.lines().front() == "ridge.yaml:6:5: unknown key 'wing0' in service 'host'");
  BOOST_TEST(report.lines().back() == "and 150 more");
}

BOOST_AUTO_TEST_CASE(a_mistake_in_an_expression_is_told_at_its_very_place) {
  const auto alarm = [](std::string_view when) {
    return host_problem("    publish: {stream: x}\n    alarms: [{when: " + std::string{when}
                        + "}]\n");
  };
  BOOST_TEST(alarm("\"load.one > 5\"") == "");
  BOOST_TEST(alarm("load.one > 5") == "");
  BOOST_TEST(alarm("\"load.one > 5 && ok\"")
             == "ridge.yaml:7:35: '&&' is not known here; write 'and' (when)\n");
  BOOST_TEST(alarm("load.one => 5")
             == "ridge.yaml:7:30: '=>' is not known here; write '>=' (when)\n");
  BOOST_TEST(alarm("\"load.\\x6fne => 5\"") // Written in another way than it reads.
             == "ridge.yaml:7:21: '=>' is not known here; write '>=', at character 10 (when)\n");
  BOOST_TEST(alarm("[a]") == "ridge.yaml:7:21: expected text, but here is a list (when)\n");
  BOOST_TEST(problems(one_service("    publish: {stream: x}\n    alarms: [{when: ok}]\n"),
                      {"services.host.alarms.0.when=ok or"})
             == "--set services.host.alarms.0.when: expected a name, a number or a text, but here "
                "is the end, at character 6 (when)\n");
}

BOOST_AUTO_TEST_CASE(alarms_need_samples_that_come_again_and_again) {
  BOOST_TEST(host_problem("    alarms: [{when: ok}]\n")
             == "ridge.yaml:6:13: alarms of service 'host' look at what it publishes; give "
                "'publish: {stream: NAME}'\n");
  const auto camera = [](std::string_view more) {
    return problems(head + "services:\n  - {name: camera, kind: sim.camera, publish: {stream: f}, "
                    + std::string{more} + "alarms: [{when: ok}]}\n");
  };
  BOOST_TEST(camera("every: 10s, ") == "");
  BOOST_TEST(camera("")
             == "ridge.yaml:4:68: alarms of service 'camera' need to know how often it publishes; "
                "give 'every'\n");
  std::string many = "[{when: ok}";
  for (std::size_t i = 0; i < max_alarms; ++i)
    many += ", {when: ok}";
  BOOST_TEST(host_problem("    publish: {stream: x}\n    alarms: " + many + "]\n")
             == "ridge.yaml:7:13: 101 alarms are more than the 100 of one service\n");
}

BOOST_AUTO_TEST_CASE(names_of_a_condition_are_readings_of_services_that_publish) {
  const auto observer = [](std::string_view condition, std::string_view stream) {
    return problems(head + "services:\n  - {name: host, kind: host.telemetry" + std::string{stream}
                    + "}\n  - {name: camera, kind: sim.camera, publish: {stream: frames}}\n"
                      "  - {name: o, kind: observatory.controller, config: {close_when: "
                    + std::string{condition} + "}}\n");
  };
  const std::string stream = ", publish: {stream: x}";
  BOOST_TEST(observer("host.load.one > 5", stream) == "");
  BOOST_TEST(observer("hist.load.one > 5", stream)
             == "ridge.yaml:6:66: unknown service 'hist' in 'close_when' of service 'o'; did you "
                "mean 'host'?\n");
  BOOST_TEST(observer("host", stream)
             == "ridge.yaml:6:66: 'host' in 'close_when' of service 'o' is a service; a reading is "
                "'SERVICE.NAME'\n");
  BOOST_TEST(observer("host.load.one > 5", "")
             == "ridge.yaml:6:66: service 'host' in 'close_when' of service 'o' publishes nothing; "
                "give it 'publish: {stream: NAME}'\n");
  BOOST_TEST(observer("camera.frame > 5", stream)
             == "ridge.yaml:6:66: service 'camera' in 'close_when' of service 'o' has no period by "
                "which its readings grow old; give it 'every'\n");
  BOOST_TEST(observer("host.load.one >", stream)
             == "ridge.yaml:6:81: expected a name, a number or a text, but here is the end "
                "(close_when)\n");
}

BOOST_AUTO_TEST_CASE(a_service_without_a_period_has_that_of_its_kind) {
  BOOST_TEST((read(one_service("")).site->services[0].every == 1s));
  BOOST_TEST((read(one_service("    every: 5s\n")).site->services[0].every == 5s));
  const auto report = read(head + "services: [{name: c, kind: sim.camera}]\n");
  BOOST_TEST(!report.site->services[0].every.has_value());
}

BOOST_AUTO_TEST_CASE(unknown_backends_and_endpoints_are_refused) {
  BOOST_TEST(problems("backend: sqlit:./x\n" + one_service(""))
             == "ridge.yaml:1:10: unknown backend 'sqlit:./x'; use memory:, sqlite:PATH, "
                "nats://HOST:PORT, tls://HOST:PORT or caf://HOST:PORT (backend); did you mean "
                "'sqlite'?\n");
  BOOST_TEST(problems("publish: 7716\n" + one_service(""))
             == "ridge.yaml:1:10: '7716' is not HOST:PORT, as in 127.0.0.1:7716 (publish)\n");
  BOOST_TEST(problems("publish: 'localhost:77160'\n" + one_service(""))
             == "ridge.yaml:1:10: 'localhost:77160' is not HOST:PORT, as in 127.0.0.1:7716 "
                "(publish)\n");
  BOOST_TEST(problems("publish: '[::1]:7716'\n" + one_service("")) == "");
}

BOOST_AUTO_TEST_CASE(unknown_services_are_told_wherever_they_are_named) {
  const std::string more = "  - {name: mount, kind: sim.mount, depends_on: [hist], "
                           "lease: {group: [cmaera]}}\n"
                           "groups:\n"
                           "  - {name: all, strategy: one-for-all, members: [host, mout]}\n";
  BOOST_TEST(host_problem(more)
             == "ridge.yaml:6:49: unknown service 'hist' in 'depends_on' of service 'mount'; did "
                "you mean 'host'?\n"
                "ridge.yaml:6:72: unknown service 'cmaera' in 'group' of service 'mount'\n"
                "ridge.yaml:8:56: unknown service 'mout' in 'members' of group 'all'; did you mean "
                "'mount'?\n");
  BOOST_TEST(
    host_problem("    depends_on: [host]\n")
    == "ridge.yaml:6:18: service 'host' is named in its own 'depends_on' of service 'host'\n");
}

BOOST_AUTO_TEST_CASE(a_circle_of_dependencies_is_told_once_with_its_members) {
  BOOST_TEST(problems(head
                      + "services:\n"
                        "  - {name: a, kind: sim.mount, depends_on: [b]}\n"
                        "  - {name: b, kind: sim.mount, depends_on: [c]}\n"
                        "  - {name: c, kind: sim.mount, depends_on: [d, b]}\n"
                        "  - {name: d, kind: sim.mount}\n"
                        "  - {name: e, kind: sim.mount, depends_on: [f]}\n"
                        "  - {name: f, kind: sim.mount, depends_on: [e]}\n")
             == "ridge.yaml:5:45: 'depends_on' goes in a circle: b -> c -> b\n"
                "ridge.yaml:8:45: 'depends_on' goes in a circle: e -> f -> e\n");
}

BOOST_AUTO_TEST_CASE(a_rest_for_one_order_must_agree_with_the_dependencies) {
  const std::string services = head
                               + "services:\n"
                                 "  - {name: a, kind: sim.mount, depends_on: [b]}\n"
                                 "  - {name: b, kind: sim.mount, depends_on: [c]}\n"
                                 "  - {name: c, kind: sim.mount}\n"
                                 "groups:\n";
  BOOST_TEST(problems(services + "  - {name: g, strategy: rest-for-one, members: [a, c]}\n")
             == "ridge.yaml:8:49: the order of group 'g' disagrees: 'a' depends on 'c', which "
                "comes later\n");
  BOOST_TEST(problems(services + "  - {name: g, strategy: rest-for-one, members: [c, b, a]}\n")
             == "");
  BOOST_TEST(problems(services + "  - {name: g, strategy: one-for-all, members: [a, c]}\n") == "");
  const auto report = read(services + "  - {name: g, strategy: one-for-all, members: [a]}\n");
  BOOST_REQUIRE(report.site.has_value());
  BOOST_TEST(order_of(*report.site) == "c b a");
}

BOOST_AUTO_TEST_CASE(a_service_is_in_one_group_and_groups_have_names_of_their_own) {
  BOOST_TEST(host_problem("groups:\n"
                          "  - {name: g, strategy: one-for-one, members: [host]}\n"
                          "  - {name: g, strategy: one-for-two, members: [host]}\n"
                          "  - {name: h, strategy: one-for-one, members: []}\n")
             == "ridge.yaml:8:12: duplicate group 'g'; the first is at line 7\n"
                "ridge.yaml:8:25: 'one-for-two' is not one of one-for-one, one-for-all, "
                "rest-for-one (strategy); did you mean 'one-for-one'?\n"
                "ridge.yaml:8:48: service 'host' is in group 'g' already\n"
                "ridge.yaml:9:47: group 'h' has no members\n");
}

BOOST_AUTO_TEST_CASE(files_that_are_no_site_at_all_are_told_as_such) {
  const std::string empty
    = "ridge.yaml:1:1: the file is empty; a site file begins with 'version: 1'\n";
  BOOST_TEST(problems("") == empty);
  BOOST_TEST(problems("# nothing but a comment\n\n") == empty);
  BOOST_TEST(problems("---\n") == empty);
  BOOST_TEST(problems("version: 1\n")
             == "ridge.yaml:1:1: key 'services' is missing in the site file\n"
                "ridge.yaml:1:1: key 'site' is missing in the site file\n");
  BOOST_TEST(problems(head + "services: []\n")
             == "ridge.yaml:3:11: a site has at least one service\n");
  BOOST_TEST(problems("just text\n")
             == "ridge.yaml:1:1: expected a map, but here is 'just text'\n");
  BOOST_TEST(problems(std::string((1 << 20) + 1, '#'))
             == "ridge.yaml:1:1: the file is larger than 1MiB\n");
  BOOST_TEST(problems("version: 1\nsite: \xFF\n")
             == "ridge.yaml:2:7: the file is not valid UTF-8\n");
  BOOST_TEST(problems(std::string{"version: 1\n\x04"} + one_service(""))
             == "ridge.yaml:2:1: control characters are not allowed: U+0004\n");
  BOOST_TEST(problems(one_service("") + "---\n" + one_service(""))
             == "ridge.yaml:7:1: one document is expected, but here begins another\n");
}

BOOST_AUTO_TEST_CASE(a_mistake_of_syntax_is_told_with_its_place) {
  BOOST_TEST(problems("version: 1\nsite: {name: ridge\nservices: []\n")
               .starts_with("ridge.yaml:3:9: not valid YAML: "));
  BOOST_TEST(problems("backend: memory:\n" + one_service(""))
             == "ridge.yaml:1:16: not valid YAML: illegal map value; text with a colon at its end "
                "belongs in quotes\n");
  BOOST_TEST(problems("version: \"1\nsite:").starts_with("ridge.yaml:2:6: not valid YAML: "));
}

BOOST_AUTO_TEST_CASE(nesting_is_bounded) {
  const auto nested = [](std::size_t depth) {
    return one_service("    config: {x: " + std::string(depth, '[') + std::string(depth, ']')
                       + "}\n");
  };
  BOOST_TEST(problems(nested(28)) // The file, its list, the service, and the config are four.
             == "ridge.yaml:6:14: unknown key 'x' in 'config' of service 'host'\n");
  BOOST_TEST(problems(nested(29)) == "ridge.yaml:6:45: nested more than 32 levels deep\n");
  BOOST_TEST(problems(nested(100'000)) == "ridge.yaml:6:45: nested more than 32 levels deep\n");
}

BOOST_AUTO_TEST_CASE(a_byte_order_mark_and_windows_line_ends_do_no_harm) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : one_service("    every: 5\n"))
    text.append(c == '\n' ? "\r\n" : std::string(1, c));
  BOOST_TEST(problems(text) == "ridge.yaml:6:12: '5' needs a unit, as in 5s or 500ms (every)\n");
}

BOOST_AUTO_TEST_CASE(a_ttl_that_nobody_gave_is_left_to_what_the_backend_needs) {
  const auto given = [](std::string_view defaults, std::string_view lease) {
    const auto report
      = read("version: 1\nsite: {name: ridge}\n" + std::string{defaults}
             + "services: [{name: host, kind: host.telemetry" + std::string{lease} + "}]\n");
    BOOST_REQUIRE(report.site.has_value());
    return report.site->services[0].lease.is_ttl_given;
  };
  BOOST_TEST(!given("", ""));
  BOOST_TEST(!given("defaults: {lease: {grace: 1s}}\n", ", lease: {grace: 1s}"));
  BOOST_TEST(given("defaults: {lease: {ttl: 10s}}\n", ""));
  BOOST_TEST(given("", ", lease: {ttl: 10s}"));
}

BOOST_AUTO_TEST_CASE(a_command_may_repeat_a_word_and_must_not_be_empty) {
  const auto command = [](std::string_view words) {
    return problems("version: 1\nsite: {name: ridge}\nservices:\n"
                    "  - {name: s, kind: exec.sensor, publish: {stream: x}, config: {command: "
                    + std::string{words} + "}}\n");
  };
  BOOST_TEST(command("[read, -n, '1', -m, '1']") == "");
  BOOST_TEST(command("[]").find("needs at least one text (command)") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
