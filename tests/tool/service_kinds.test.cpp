#include "trunnion/backends/open_backend.hpp"
#include "trunnion/kinds/kind.hpp"
#include "trunnion/messages/json.hpp"
#include "trunnion/site/site_schema.hpp"
#include "trunnion/tests/tool/tool_fixture.hpp"

using namespace trunnion;

BOOST_FIXTURE_TEST_SUITE(service_kinds_test, tool_fixture)

BOOST_AUTO_TEST_CASE(the_schema_is_that_of_the_reader_and_of_this_programs_kinds) {
  BOOST_TEST(run({"service", "schema"}) == 0);
  BOOST_TEST(out.str() == site_json_schema(builtin_kinds().catalogue()) + "\n");
  BOOST_TEST(check_json(out.str()).has_value());
  const auto plain = out.str();
  BOOST_TEST(run({"service", "schema", "--json"}) == 0);
  BOOST_TEST(out.str() == plain);
}

BOOST_AUTO_TEST_CASE(kinds_are_a_table_with_tabs_where_no_terminal_is) {
  BOOST_TEST(run({"service", "kinds"}) == 0);
  BOOST_TEST(out.str().starts_with("KIND\tEVERY\tMEANING\n"));
  BOOST_TEST(out.str().find("\nhost.telemetry\t1s\tReadings of this machine, as far as it has "
                            "them.\n")
             != std::string::npos);
  io.out_is_terminal = true;
  BOOST_TEST(run({"service", "kinds"}) == 0);
  BOOST_TEST(out.str().find('\t') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(options_of_a_kind_have_type_default_and_range) {
  BOOST_TEST(run({"service", "kinds", "sim.mount"}) == 0);
  BOOST_TEST(out.str()
             == "OPTION\tTYPE\tDEFAULT\tRANGE\tMEANING\n"
                "slew_deg_per_s\tnumber\t3.0\t0.01 to 90\tRate of both axes.\n"
                "settle\tduration\t800ms\t0s to 1h\tRest after a slew.\n"
                "limits.alt_min_deg\tnumber\t0\t-90 to 90\tLowest altitude.\n"
                "limits.alt_max_deg\tnumber\t90\t-90 to 90\tHighest altitude.\n");
}

BOOST_AUTO_TEST_CASE(kinds_are_objects_for_programs) {
  BOOST_TEST(run({"service", "kinds", "--json"}) == 0);
  BOOST_TEST(check_json(out.str()).has_value());
  BOOST_TEST(out.str().starts_with("[{\"name\":\""));
  BOOST_TEST(run({"service", "kinds", "sim.mount", "--json"}) == 0);
  BOOST_TEST(
    out.str().starts_with(R"({"name":"sim.mount","help":"A simulated mount that slews at a )"
                          R"(stated rate, settles, and has limits.","built":true,"every_ms":null,)"
                          R"("options":[{"name":"slew_deg_per_s","type":"number","required":false,)"
                          R"("default":"3.0","least":0.01,"most":90.0,"help":"Rate of both )"
                          R"(axes."},{"name":"settle","type":"duration","required":false,)"
                          R"("default":"800ms","least":"0s","most":"1h")"));
  BOOST_TEST(check_json(out.str()).has_value());
}

BOOST_AUTO_TEST_CASE(an_unknown_kind_is_not_found) {
  BOOST_TEST(run({"service", "kinds", "sim.mout"}) == 3);
  BOOST_TEST(err.str()
             == "trunnion: unknown kind 'sim.mout'; did you mean 'sim.mount'? ('trunnion service "
                "kinds' lists them)\n");
  BOOST_TEST(run({"service", "kinds", "a", "b"}) == 2);
}

BOOST_AUTO_TEST_CASE(a_site_file_holds_no_url_that_would_be_hidden) {
  for (const auto* url :
       {"nats://me:word@h:4222", "nats://me@h", "nats://h?token=x", "tls://h?a=b&Password=x",
        "nats://h?pass=x", "nats://h?nkey=x", "nats://h?secret=x#y", "sqlite://u:p@x"}) {
    BOOST_TEST(redact_url(url) != url);
    const auto file
      = write("ridge.yaml", "version: 1\nsite: {name: ridge}\nbackend: \"" + std::string{url}
                              + "\"\nservices: [{name: m, kind: sim.mount}]\n");
    BOOST_TEST(run({"service", "check", file}) == 2);
    BOOST_TEST(err.str().find("secrets are not kept in site files") != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()
