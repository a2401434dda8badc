#include "trunnion/kinds/weather_machine.hpp"

#include "trunnion/messages/json.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <vector>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

std::vector<weather_sample> weather(const weather_settings& settings, std::size_t steps) {
  weather_machine machine{settings};
  std::vector<weather_sample> result;
  while (result.size() < steps)
    result.push_back(machine.next());
  return result;
}

/// How often it begins to rain.
std::size_t fronts(const std::vector<weather_sample>& samples) {
  std::size_t result = 0;
  for (std::size_t i = 1; i < samples.size(); ++i)
    result += samples[i].rain && !samples[i - 1].rain ? 1 : 0;
  return result;
}

constexpr weather_settings windy{.seed = 7,
                                 .every = 1s,
                                 .wind_mean_mps = 6,
                                 .wind_gust_mps = 14,
                                 .front = {.after = 60s, .pause = 1h, .lasts = 30s, .rise = 10s}};

} // namespace

BOOST_AUTO_TEST_SUITE(weather_machine_test)

BOOST_AUTO_TEST_CASE(one_seed_is_one_weather_and_another_is_another) {
  const auto once = weather({.seed = 7}, 1'000);
  BOOST_TEST((once == weather({.seed = 7}, 1'000)));
  const auto other = weather({.seed = 8}, 1'000);
  for (std::size_t i = 0; i < once.size(); ++i)
    BOOST_REQUIRE(once[i].temperature_c != other[i].temperature_c);
}

BOOST_AUTO_TEST_CASE(a_front_brings_wind_and_rain_when_it_was_asked_for_and_passes) {
  const auto samples = weather(windy, 200);
  for (const auto& x : samples) {
    const bool may_rain = x.step > 60 && x.step < 110; // Rise, 30 s, and the same way back.
    BOOST_TEST_INFO("step " << x.step);
    BOOST_REQUIRE((!x.rain || may_rain));
    BOOST_REQUIRE((x.wind_mps < 12 || may_rain));
  }
  std::size_t strong = 0;
  for (std::size_t step = 70; step <= 100; ++step) {
    BOOST_REQUIRE(samples.at(step - 1).rain);
    strong += samples.at(step - 1).wind_mps > 12 ? 1 : 0;
  }
  BOOST_TEST(strong > 25u);
  BOOST_TEST(fronts(samples) == 1u);
}

BOOST_AUTO_TEST_CASE(fronts_come_by_chance_about_as_often_as_said) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto day = weather({.seed = seed, .every = 10s}, 8'640); // A front each 26 minutes.
    BOOST_TEST(fronts(day) > 40u);
    BOOST_TEST(fronts(day) < 75u);
  }
}

BOOST_AUTO_TEST_CASE(the_weather_moves_smoothly_and_stays_in_its_range) {
  for (const nanoseconds every : {nanoseconds{500ms}, nanoseconds{2s}}) {
    weather_machine machine{{.seed = 3, .every = every}};
    auto before = machine.next();
    for (int i = 0; i < 50'000; ++i) {
      const auto x = machine.next();
      BOOST_REQUIRE(std::abs(x.temperature_c - before.temperature_c) < 1.5);
      BOOST_REQUIRE(std::abs(x.pressure_hpa - before.pressure_hpa) < 2);
      BOOST_REQUIRE(std::abs(x.wind_mps - before.wind_mps) < 3);
      BOOST_REQUIRE((x.humidity_ratio >= 0.05 && x.humidity_ratio <= 1));
      BOOST_REQUIRE((x.cloud_ratio >= 0 && x.cloud_ratio <= 1));
      BOOST_REQUIRE((x.wind_mps >= 0 && x.wind_mps <= 12));
      BOOST_REQUIRE((x.wind_from_deg >= 0 && x.wind_from_deg < 360));
      before = x;
    }
  }
}

BOOST_AUTO_TEST_CASE(a_sample_is_one_json_object) {
  weather_machine machine{windy};
  const auto json = to_json(machine.next());
  BOOST_TEST(check_json(json).has_value());
  BOOST_TEST(json.starts_with(R"({"step":1,"temperature_c":)"));
  BOOST_TEST(json.ends_with(R"("rain":false})"));
}

BOOST_AUTO_TEST_SUITE_END()
