#include "trunnion/tests/tool/tool_fixture.hpp"
#include "trunnion/tool/commands/service.hpp"
#include "trunnion/tool/help.hpp"

using namespace trunnion;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(command_line_test, tool_fixture)

BOOST_AUTO_TEST_CASE(options_of_a_command_are_read_into_its_struct) {
  const auto line
    = parse({"service", "run", "ridge.yaml", "--only", "mount", "--only", "camera", "--set",
             "a.b=[c, d]", "--for", "90s", "--drill", "camera@8s", "--check"});
  BOOST_REQUIRE(!line.error.has_value());
  BOOST_TEST(line.command == "service run");
  const auto& options = line.get<service_run_options>();
  BOOST_TEST(options.file == "ridge.yaml");
  BOOST_TEST(options.only == (std::vector<std::string>{"mount", "camera"}),
             boost::test_tools::per_element());
  BOOST_TEST(options.settings == std::vector<std::string>{"a.b=[c, d]"},
             boost::test_tools::per_element());
  BOOST_TEST((options.lasting == 90s));
  BOOST_TEST((options.drills == std::vector<service_drill>{{"camera", 8s}}));
  BOOST_TEST(options.check);
}

BOOST_AUTO_TEST_CASE(a_repeated_option_does_not_swallow_the_argument_after_it) {
  const auto line = parse({"service", "run", "--only", "mount", "ridge.yaml"});
  BOOST_REQUIRE(!line.error.has_value());
  BOOST_TEST(line.get<service_run_options>().file == "ridge.yaml");
}

BOOST_AUTO_TEST_CASE(global_options_stand_before_between_or_after_the_words) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-b", "memory:x", "--json", "service", "check", "s"},
        {"service", "-b", "memory:x", "--json", "check", "s"},
        {"service", "check", "s", "--json", "--backend=memory:x"},
        {"service", "check", "--json", "s", "-bmemory:x"}}) {
    const auto line = parse(words);
    BOOST_REQUIRE(!line.error.has_value());
    BOOST_TEST(line.globals.backend.value == "memory:x");
    BOOST_TEST(line.globals.json.value);
    BOOST_TEST(line.get<service_run_options>().file == "s");
  }
}

BOOST_AUTO_TEST_CASE(what_follows_two_dashes_is_no_option) {
  const auto line = parse({"service", "check", "--", "--json"});
  BOOST_REQUIRE(!line.error.has_value());
  BOOST_TEST(line.get<service_run_options>().file == "--json");
  BOOST_TEST(!line.globals.json.value);
}

BOOST_AUTO_TEST_CASE(mistyped_words_are_answered_with_the_likely_one) {
  BOOST_TEST(error_of({"servce", "run"})
             == "trunnion: unknown command 'servce'; did you mean 'service'? (try 'trunnion help')"
                "\n");
  BOOST_TEST(error_of({"service", "chek", "x"})
             == "trunnion: unknown command 'service chek'; did you mean 'service check'? (try "
                "'trunnion help service')\n");
  BOOST_TEST(error_of({"service", "strat"})
             == "trunnion: unknown command 'service strat' (try 'trunnion help service')\n");
  BOOST_TEST(error_of({"laese", "hold"}) // Of a later version, and known all the same.
             == "trunnion: unknown command 'laese'; did you mean 'lease'? (try 'trunnion help')\n");
  BOOST_TEST(error_of({"service", "run", "s", "--jsno"})
             == "trunnion: unknown option '--jsno' of 'service run'; did you mean '--json'? (try "
                "'trunnion help service run')\n");
  BOOST_TEST(error_of({"service", "run", "s", "--olny=x"})
             == "trunnion: unknown option '--olny' of 'service run'; did you mean '--only'? (try "
                "'trunnion help service run')\n");
  BOOST_TEST(error_of({"version", "-x"})
             == "trunnion: unknown option '-x' of 'version' (try 'trunnion help version')\n");
}

BOOST_AUTO_TEST_CASE(commands_of_later_versions_say_so_and_exit_with_2) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"kv", "get", "a.b"},
                                                {"lease", "hold", "x", "--", "ls", "-l"},
                                                {"top"},
                                                {"service", "init"},
                                                {"bench", "--rate", "5"}}) {
    const auto line = parse(words);
    BOOST_REQUIRE(line.error.has_value());
    BOOST_TEST(line.error->code == "not_built");
    BOOST_TEST((line.error->exit == exit_code::usage));
  }
  BOOST_TEST(error_of({"kv", "get", "a"}) == "trunnion: 'kv get' is not built in this version\n");
  BOOST_TEST(error_of({"kv", "gett"}) == "trunnion: 'kv' is not built in this version\n");
  BOOST_TEST(error_of({"doctor"}) == "trunnion: 'doctor' is not built in this version\n");
}

BOOST_AUTO_TEST_CASE(missing_and_superfluous_words_are_told) {
  BOOST_TEST(error_of({}) == "trunnion: a command is missing (try 'trunnion help')\n");
  BOOST_TEST(error_of({"service"})
             == "trunnion: 'service' needs a second word (try 'trunnion help service')\n");
  BOOST_TEST(error_of({"service", "run"})
             == "trunnion: SITE.yaml is required by 'service run' (try 'trunnion help service "
                "run')\n");
  BOOST_TEST(error_of({"service", "run", "a", "b"})
             == "trunnion: 'b' is more than 'service run' takes (try 'trunnion help service run')"
                "\n");
  BOOST_TEST(error_of({"service", "run", "a", "--for"})
             == "trunnion: --for needs a value (try 'trunnion help service run')\n");
  BOOST_TEST(error_of({"service", "run", "a", "--only=", "--for", "1s"})
             == "trunnion: --only needs a value (try 'trunnion help service run')\n");
  BOOST_TEST(error_of({"--backend=", "service", "run", "a"})
             == "trunnion: --backend needs a value (try 'trunnion help service run')\n");
  BOOST_TEST(error_of({"service", "run", "a", "--for", "1s", "--for", "2s"})
             == "trunnion: --for is given more than once (try 'trunnion help service run')\n");
}

BOOST_AUTO_TEST_CASE(a_drill_is_a_service_and_a_time) {
  BOOST_TEST(error_of({"service", "run", "s", "--drill", "camera"})
             == "trunnion: 'camera' is not NAME@DUR, as in camera@8s (--drill)\n");
  BOOST_TEST(error_of({"service", "run", "s", "--drill", "camera@8"})
             == "trunnion: '8' needs a unit, as in 5s or 500ms (--drill)\n");
}

BOOST_AUTO_TEST_CASE(times_need_a_unit) {
  BOOST_TEST(error_of({"service", "run", "a", "--for", "5"})
             == "trunnion: '5' needs a unit, as in 5s or 500ms (--for)\n");
  BOOST_TEST(error_of({"version", "--timeout", "5"})
             == "trunnion: '5' needs a unit, as in 5s or 500ms (--timeout)\n");
}

BOOST_AUTO_TEST_CASE(help_is_given_however_it_is_asked_for) {
  BOOST_TEST(run({"service", "run", "-h"}) == 0);
  const auto page = out.str();
  BOOST_TEST(page.starts_with("trunnion service run SITE.yaml [--only NAME]..."));
  BOOST_TEST(page.find("Examples:\n  trunnion service run ridge.yaml ") < page.find("Options:"));
  BOOST_TEST(page.find("      --for DUR ") != std::string::npos);
  BOOST_TEST(page.find("Exit status:\n  0  done\n") != std::string::npos);
  BOOST_TEST(run({"help", "service", "run"}) == 0);
  BOOST_TEST(out.str() == page);
  BOOST_TEST(run({"--help", "service", "run", "--for", "nonsense"}) == 0);
  BOOST_TEST(out.str() == page);
  BOOST_TEST(err.str() == "");
}

BOOST_AUTO_TEST_CASE(every_command_that_is_built_has_a_page_with_examples) {
  for (const auto& command : all_commands().all()) {
    const auto page
      = help_page(command.group.empty() ? std::vector<std::string>{command.verb}
                                        : std::vector<std::string>{command.group, command.verb});
    BOOST_TEST(page.has_value() == command.is_built());
    BOOST_TEST((!page || page->find("Examples:\n  trunnion ") != std::string::npos));
  }
}

BOOST_AUTO_TEST_CASE(help_about_what_is_not_there_is_an_error) {
  BOOST_TEST(run({"help", "servic"}) == 2);
  BOOST_TEST(err.str()
             == "trunnion: unknown command 'servic'; did you mean 'service'? (try 'trunnion help')"
                "\n");
  BOOST_TEST(run({"help", "kv"}) == 2);
  BOOST_TEST(err.str() == "trunnion: 'kv' is not built in this version\n");
  BOOST_TEST(out.str() == "");
}

BOOST_AUTO_TEST_CASE(the_version_is_data) {
  BOOST_TEST(run({"version"}) == 0);
  BOOST_TEST(out.str() == "trunnion 0.1.0\n");
  BOOST_TEST(run({"-V"}) == 0);
  BOOST_TEST(out.str() == "trunnion 0.1.0\n");
  BOOST_TEST(run({"version", "--json"}) == 0);
  BOOST_TEST(out.str() == "{\"name\":\"trunnion\",\"version\":\"0.1.0\"}\n");
}

BOOST_AUTO_TEST_CASE(under_json_an_error_is_an_object_and_nothing_is_on_standard_output) {
  BOOST_TEST(run({"servce", "--json"}) == 2);
  BOOST_TEST(err.str()
             == R"({"error":{"code":"usage","message":"unknown command 'servce'; did you mean )"
                R"('service'?","exit":2,"hint":"try 'trunnion help'"}})"
                "\n");
  BOOST_TEST(out.str() == "");
  BOOST_TEST(run({"--json", "top"}) == 2);
  BOOST_TEST(err.str()
             == R"({"error":{"code":"not_built","message":"'top' is not built in this version",)"
                R"("exit":2,"hint":null}})"
                "\n");
  env["TRUNNION_JSON"] = "true";
  BOOST_TEST(run({"top"}) == 2);
  BOOST_TEST(err.str().starts_with("{\"error\":"));
}

BOOST_AUTO_TEST_CASE(text_from_others_cannot_act_on_the_terminal) {
  BOOST_TEST(error_of({"\x1B[31mred\n"})
             == "trunnion: unknown command '\\x1b[31mred\\n' (try 'trunnion help')\n");
}

BOOST_AUTO_TEST_SUITE_END()
