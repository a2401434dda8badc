#include "trunnion/site/readings.hpp"

#include <boost/test/unit_test.hpp>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1h};

struct fixture {
  bool take(std::string_view source, std::string_view json, instant at = start,
            nanoseconds period = 2s) {
    return latest.take(source, json, at, period).has_value();
  }

  std::string value(std::string_view name, instant now = start) const {
    const auto found = latest.lookup(now)(name);
    if (!found)
      return "nothing";
    if (const auto* truth = std::get_if<bool>(&*found))
      return *truth ? "true" : "false";
    if (const auto* text = std::get_if<std::string>(&*found))
      return "'" + *text + "'";
    return std::to_string(std::get<double>(*found));
  }

  readings latest;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(readings_test, fixture)

BOOST_AUTO_TEST_CASE(members_are_found_by_their_path) {
  BOOST_TEST(take("host", R"({"load":{"one":0.5,"cores":4},"disks":[{"name":"sda"},{"name":"sdb"}],
                             "ok":true,"gone":null,"big":18446744073709551615,"none":[]})"));
  BOOST_TEST(value("host.load.one") == "0.500000");
  BOOST_TEST(value("host.load.cores") == "4.000000");
  BOOST_TEST(value("host.disks.1.name") == "'sdb'");
  BOOST_TEST(value("host.ok") == "true");
  BOOST_TEST(value("host.big") == "18446744073709551616.000000");
  for (const auto* missing : {"host.gone", "host.load", "host.none", "host", "load.one", "mast.ok"})
    BOOST_TEST(value(missing) == "nothing");
  BOOST_TEST((latest.lookup(start, "host")("load.one") == expression_value{0.5}));
}

BOOST_AUTO_TEST_CASE(a_reading_counts_for_three_periods) {
  BOOST_TEST(take("weather", R"({"rain":false})"));
  BOOST_TEST(value("weather.rain", start + 6s) == "false");
  BOOST_TEST(value("weather.rain", start + 6s + 1ns) == "nothing");
  BOOST_TEST((latest.next_change(start) == start + 6s + 1ns));
  BOOST_TEST(!latest.next_change(start + 6s + 1ns));
  BOOST_TEST(take("weather", R"({"rain":true})", start + 7s));
  BOOST_TEST(value("weather.rain", start + 7s) == "true");
}

BOOST_AUTO_TEST_CASE(a_sample_replaces_the_one_before_as_a_whole_unless_that_is_newer) {
  BOOST_TEST(take("weather", R"({"rain":false,"wind_mps":3})"));
  BOOST_TEST(take("weather", R"({"rain":true})", start + 1s));
  BOOST_TEST(value("weather.rain", start + 1s) == "true");
  BOOST_TEST(value("weather.wind_mps", start + 1s) == "nothing");
  BOOST_TEST(take("weather", R"({"rain":false})", start));
  BOOST_TEST(value("weather.rain", start + 1s) == "true");
}

BOOST_AUTO_TEST_CASE(what_is_no_sample_changes_nothing) {
  BOOST_TEST(take("weather", R"({"rain":false})"));
  for (const auto* text : {"", "5", "[1]", "{\"rain\":", R"({"rain":true,"rain":false})"})
    BOOST_TEST(!take("weather", text, start + 1s));
  BOOST_TEST(value("weather.rain") == "false");
}

BOOST_AUTO_TEST_CASE(sources_names_and_members_are_bounded) {
  std::string many = "{";
  for (std::size_t i = 0; i < max_readings + 1; ++i)
    many += "\"m" + std::to_string(i) + "\":1,";
  BOOST_TEST(take("s0", many + "\"" + std::string(300, 'x') + "\":1}"));
  BOOST_TEST(value("s0.m" + std::to_string(max_readings - 1)) == "1.000000");
  BOOST_TEST(value("s0.m" + std::to_string(max_readings)) == "nothing");
  BOOST_TEST(
    take("s1", "{\"" + std::string(257, 'x') + "\":1,\"" + std::string(256, 'y') + "\":1}"));
  BOOST_TEST(value("s1." + std::string(257, 'x')) == "nothing");
  BOOST_TEST(value("s1." + std::string(256, 'y')) == "1.000000");
  for (std::size_t i = 2; i < max_reading_sources; ++i)
    BOOST_REQUIRE(take("s" + std::to_string(i), "{}"));
  BOOST_TEST(!take("another", "{}"));
  BOOST_TEST(take("s1", R"({"still":true})"));
  BOOST_TEST(value("s1.still") == "true");
}

BOOST_AUTO_TEST_SUITE_END()
