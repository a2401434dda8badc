#include "trunnion/tests/tool/tool_fixture.hpp"

using namespace trunnion;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(options_test, tool_fixture)

BOOST_AUTO_TEST_CASE(without_anybody_saying_so_there_are_defaults) {
  const auto globals = parse({"version"}).globals;
  BOOST_TEST((globals.backend == sourced<std::string>{"memory:", option_source::fallback}));
  BOOST_TEST((globals.timeout.value == 5s));
  BOOST_TEST((globals.time.value == time_style::utc));
  BOOST_TEST((globals.colour.value == colour_choice::automatic));
  BOOST_TEST(!globals.json.value);
}

BOOST_AUTO_TEST_CASE(a_flag_wins_over_a_variable_and_that_over_the_file) {
  write("trunnion/config.yaml", "backend: 'from-file:'\ntimeout: 7s\ntime: local\njson: true\n");
  env["TRUNNION_BACKEND"] = "from-variable:";
  env["TRUNNION_TIMEOUT"] = "8s";
  const auto globals = parse({"version", "-b", "from-flag:"}).globals;
  BOOST_TEST((globals.backend == sourced<std::string>{"from-flag:", option_source::flag}));
  BOOST_TEST(
    (globals.timeout == sourced<std::chrono::nanoseconds>{8s, option_source::environment}));
  BOOST_TEST(
    (globals.time == sourced<time_style>{time_style::local, option_source::configuration_file}));
  BOOST_TEST((globals.json == sourced<bool>{true, option_source::configuration_file}));
}

BOOST_AUTO_TEST_CASE(a_site_file_stands_between_variable_and_configuration_file) {
  const std::optional<std::string> of_site{"from-site:"};
  write("trunnion/config.yaml", "backend: 'from-file:'\n");
  BOOST_TEST((choose_backend(parse({"version"}).globals, of_site)
              == sourced<std::string>{"from-site:", option_source::site_file}));
  BOOST_TEST((choose_backend(parse({"version"}).globals, std::nullopt)
              == sourced<std::string>{"from-file:", option_source::configuration_file}));
  env["TRUNNION_BACKEND"] = "from-variable:";
  BOOST_TEST((choose_backend(parse({"version"}).globals, of_site)
              == sourced<std::string>{"from-variable:", option_source::environment}));
}

BOOST_AUTO_TEST_CASE(the_configuration_file_is_found_at_home_too) {
  write("home/.config/trunnion/config.yaml", "time: relative\n");
  env["HOME"] = (folder / "home").string();
  env["XDG_CONFIG_HOME"] = "relative/path"; // Would depend on where the tool is called.
  BOOST_TEST((parse({"version"}).globals.time.value == time_style::relative));
}

BOOST_AUTO_TEST_CASE(a_bad_configuration_file_is_told_with_places_and_exits_with_2) {
  const auto path = write("trunnion/config.yaml", "timeout: 5\ncolor: red\nbackend: 'memory:'\n"
                                                  "tiem: utc\ntoken: abc\njson: yes\n");
  const auto line = parse({"version"});
  BOOST_REQUIRE(line.error.has_value());
  BOOST_TEST(line.error->code == "bad_configuration_file");
  BOOST_TEST((line.error->exit == exit_code::usage));
  BOOST_TEST(to_text(*line.error, false)
             == path + ":1:10: '5' needs a unit, as in 5s or 500ms (timeout)\n" + path
                  + ":2:8: 'red' is not one of auto, always, never (color)\n" + path
                  + ":4:1: unknown key 'tiem' in the configuration file; did you mean 'time'?\n"
                  + path
                  + ":5:1: key 'token' in the configuration file: secrets are not kept here; use "
                    "'token_file' or 'token_env'\n"
                  + path
                  + ":6:7: 'yes' is not a truth value here; write true (json)\n"
                    "trunnion: the configuration file is not valid\n");
}

BOOST_AUTO_TEST_CASE(an_empty_or_missing_configuration_file_says_nothing) {
  write("trunnion/config.yaml", "# nothing yet\n");
  BOOST_TEST(!parse({"version"}).error.has_value());
  env.clear();
  BOOST_TEST(!parse({"version"}).error.has_value());
}

BOOST_AUTO_TEST_CASE(a_bad_variable_is_told_by_its_name) {
  env["TRUNNION_TIMEOUT"] = "soon";
  BOOST_TEST(error_of({"version"})
             == "trunnion: 'soon' is not a duration, as in 5s or 500ms (TRUNNION_TIMEOUT)\n");
  env["TRUNNION_TIMEOUT"] = "";
  env["TRUNNION_QUIET"] = "yes";
  BOOST_TEST(error_of({"version"}) == "trunnion: 'yes' is not true or false (TRUNNION_QUIET)\n");
}

BOOST_AUTO_TEST_CASE(values_that_make_no_sense_are_refused) {
  BOOST_TEST(error_of({"version", "--timeout", "0s"})
             == "trunnion: '0s' is no time to wait (--timeout)\n");
  BOOST_TEST(error_of({"version", "--time", "mars"})
             == "trunnion: 'mars' is not one of utc, local, relative (--time)\n");
  BOOST_TEST(error_of({"version", "-b", ""}) == "trunnion: a value is missing (--backend)\n");
  BOOST_TEST(error_of({"version", "-q", "-v"}) == "trunnion: -q and -v exclude each other\n");
}

BOOST_AUTO_TEST_CASE(verbose_says_which_source_won_without_passwords) {
  env["TRUNNION_BACKEND"] = "nats://me:secret@host:4222";
  const auto lines = explain_globals(parse({"version", "--timeout", "2s"}).globals);
  BOOST_REQUIRE(lines.size() >= 3u);
  BOOST_TEST(lines[0] == "backend nats://***@host:4222 (environment, TRUNNION_BACKEND)");
  BOOST_TEST(lines[1] == "color auto (default)");
  BOOST_TEST(lines[2] == "timeout 2s (flag)");
}

BOOST_AUTO_TEST_CASE(passwords_and_tokens_in_urls_are_hidden) {
  BOOST_TEST(redacted("nats://host:4222") == "nats://host:4222");
  BOOST_TEST(redacted("nats://me:p@ss@host/x") == "nats://***@host/x");
  BOOST_TEST(redacted("nats://a:b@host,nats://c:d@other") == "nats://***@other");
  BOOST_TEST(redacted("nats://host?token=abc") == "nats://host?token=***");
  BOOST_TEST(redacted("me:secret@host") == "***@host");
  BOOST_TEST(redacted("sqlite:/home/a@b/x.db") == "sqlite:/home/a@b/x.db");
  BOOST_TEST(redacted("nats://token@host") == "nats://***@host");
  BOOST_TEST(redacted("memory:") == "memory:");
}

BOOST_AUTO_TEST_CASE(a_backend_with_a_secret_has_no_place_in_the_configuration_file) {
  for (const std::string url : {"nats://me:secret@host", "nats://host?token=secret"}) {
    const auto path = write("trunnion/config.yaml", "backend: '" + url + "'\n");
    BOOST_TEST(error_of({"version"})
               == path
                    + ":1:10: secrets are not kept in configuration files; give the user and "
                      "password in TRUNNION_BACKEND (backend)\n"
                      "trunnion: the configuration file is not valid\n");
  }
}

BOOST_AUTO_TEST_CASE(of_quiet_and_verbose_the_stronger_source_wins) {
  env["TRUNNION_QUIET"] = "1";
  const auto loud = parse({"version", "-v"}).globals;
  BOOST_TEST(!loud.quiet.value);
  BOOST_TEST(loud.verbose.value);
  write("trunnion/config.yaml", "verbose: true\n");
  const auto still = parse({"version"}).globals;
  BOOST_TEST(still.quiet.value);
  BOOST_TEST(!still.verbose.value);
}

BOOST_AUTO_TEST_CASE(colour_is_for_terminals_unless_asked_for_or_forbidden) {
  auto globals = parse({"version"}).globals;
  BOOST_TEST(globals.colours(true));
  BOOST_TEST(!globals.colours(false));
  BOOST_TEST(parse({"version", "--color", "always"}).globals.colours(false));
  BOOST_TEST(!parse({"version", "--color", "never"}).globals.colours(true));
  env["NO_COLOR"] = "1";
  BOOST_TEST(!parse({"version"}).globals.colours(true));
  BOOST_TEST(parse({"version", "--color", "always"}).globals.colours(true));
}

BOOST_AUTO_TEST_CASE(notes_are_kept_back_when_quiet_and_further_ones_need_verbose) {
  auto globals = parse({"version"}).globals;
  globals.io = &io;
  say(globals, "a note\x07");
  say_more(globals, "more");
  BOOST_TEST(err.str() == "trunnion: a note\\x07\n");
  globals.verbose.value = true;
  say_more(globals, "more");
  BOOST_TEST(err.str() == "trunnion: a note\\x07\ntrunnion: more\n");
  globals.quiet.value = true;
  say(globals, "nothing");
  BOOST_TEST(err.str() == "trunnion: a note\\x07\ntrunnion: more\n");
}

BOOST_AUTO_TEST_CASE(a_failure_of_the_protocol_has_its_code_and_status) {
  const auto error
    = to_tool_error(fail(error_code::unregistered_responder, "no responder", "mount.slew").value());
  BOOST_TEST(error.code == "unregistered_responder");
  BOOST_TEST((error.exit == exit_code::not_found));
  BOOST_TEST(to_text(error, true) == "\x1B[31mtrunnion:\x1B[0m mount.slew: no responder\n");
}

BOOST_AUTO_TEST_SUITE_END()
