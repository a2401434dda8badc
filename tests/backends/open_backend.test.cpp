#include "trunnion/backends/open_backend.hpp"

#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

BOOST_FIXTURE_TEST_SUITE(open_backend_test, deterministic_fixture)

BOOST_AUTO_TEST_CASE(memory_opens) {
  auto opened = open_backend(system, rt(), "memory:");
  BOOST_REQUIRE(opened.has_value());
  track(*opened);
  BOOST_TEST(ask<capabilities>(*opened, get_capabilities{}).value().engine == "memory");
}

BOOST_AUTO_TEST_CASE(an_engine_that_is_not_built_in_is_named_and_so_is_one_that_is) {
  for (const std::string url : {"sqlite:/tmp/x.db", "nats://u:secret@host:4222", "tls://host",
                                "caf://host:9", "faulty+nats://u:secret@host#seed=1,plan=none"}) {
    const auto opened = open_backend(system, rt(), url);
    BOOST_REQUIRE_MESSAGE(!opened, url);
    BOOST_TEST((opened.error().code == error_code::unsupported), url);
    BOOST_TEST(opened.error().text.find("memory:") != std::string::npos, url);
    BOOST_TEST(to_string(opened.error()).find("secret") == std::string::npos, url);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_scheme_is_told_which_are_known) {
  for (const std::string url :
       {"memroy:", "postgres://u:secret@host", "", "host:4222x", "secret"}) {
    const auto opened = open_backend(system, rt(), url);
    BOOST_REQUIRE_MESSAGE(!opened, url);
    BOOST_TEST((opened.error().code == error_code::invalid_argument), url);
    BOOST_TEST(opened.error().text.find("sqlite:") != std::string::npos, url);
    BOOST_TEST(to_string(opened.error()).find("secret") == std::string::npos, url);
  }
}

BOOST_AUTO_TEST_CASE(memory_takes_no_path) {
  BOOST_TEST((open_backend(system, rt(), "memory:x").error().code == error_code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(any_backend_opens_behind_a_faulty_link) {
  const auto opened = open_backend(system, rt(), "faulty+memory:#seed=1,plan=drop:1");
  BOOST_REQUIRE(opened.has_value());
  track(*opened);
  const auto answer = ask<capabilities>(*opened, get_capabilities{});
  BOOST_TEST(!answer.ready());
  advance(1min);
  BOOST_TEST((answer.error().code == error_code::timeout));
}

BOOST_AUTO_TEST_CASE(a_faulty_link_that_makes_no_sense_is_told_what_would) {
  for (const std::string url :
       {"faulty+memory:", "faulty+memory:#seed=1,plan=dorp:1", "faulty+:#seed=1,plan=none",
        "faulty+faulty+memory:#seed=1,plan=none", "faulty+memroy:#seed=1,plan=none"}) {
    const auto opened = open_backend(system, rt(), url);
    BOOST_REQUIRE_MESSAGE(!opened, url);
    BOOST_TEST((opened.error().code == error_code::invalid_argument), url);
  }
}

BOOST_AUTO_TEST_CASE(a_shown_url_has_no_secrets) {
  BOOST_TEST(redact_url("memory:") == "memory:");
  BOOST_TEST(redact_url("sqlite:/home/a@b/x.db?sync=off") == "sqlite:/home/a@b/x.db?sync=off");
  BOOST_TEST(redact_url("nats://host:4222?prefix=p") == "nats://host:4222?prefix=p");
  BOOST_TEST(redact_url("nats://user:pw@host:4222") == "nats://***@host:4222");
  BOOST_TEST(redact_url("nats://token@host") == "nats://***@host");
  BOOST_TEST(redact_url("tls://h/?password=a#token=b,c=d")
             == "tls://h/?password=***#token=***,c=d");
  BOOST_TEST(redact_url("sqlite:/x?key=a&sync=off") == "sqlite:/x?key=***&sync=off");
  BOOST_TEST(redact_url("nats://u:p@h1,nats://u:p@h2") == "nats://***@h2");
  BOOST_TEST(redact_url("nats://u:p@ss/w?rd@host/x") == "nats://***@host/x");
  BOOST_TEST(redact_url("nats://h?token=abc&prefix=p&password=x#y")
             == "nats://h?token=***&prefix=p&password=***#y");
  BOOST_TEST(redact_url("faulty+nats://u:p@h?token=t#seed=1,plan=drop:0.1")
             == "faulty+nats://***@h?token=***#seed=1,plan=drop:0.1");
}

BOOST_AUTO_TEST_SUITE_END()
