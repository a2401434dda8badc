#include "trunnion/kinds/weather_machine.hpp"

#include "trunnion/messages/json.hpp"

#include <algorithm>
#include <cmath>

namespace trunnion {
namespace {

double seconds(nanoseconds x) { return std::chrono::duration<double>{x}.count(); }

/// From 0 to below 1.
double unit(std::uint64_t x) { return static_cast<double>(x >> 11U) * 0x1p-53; }

constexpr double rain_from = 0.7; // So much of a front must be there.

} // namespace

weather_machine::weather_machine(const weather_settings& settings)
  : settings_(settings),
    chance_(settings.seed),
    temperature_{900},
    humidity_{900},
    pressure_{7'200},
    wind_{20},
    direction_{300},
    cloud_{600} {
  front_begin_ = settings_.front.after ? *settings_.front.after : pause();
  for (auto* x : {&temperature_, &humidity_, &pressure_, &wind_, &direction_, &cloud_})
    x->value = normal(); // Begins anywhere in its range.
}

weather_sample weather_machine::next() {
  const double front_share = front(settings_.every * static_cast<std::int64_t>(++step_));
  const double gustiness = settings_.wind_gust_mps - settings_.wind_mean_mps;
  weather_sample x;
  x.step = step_;
  x.temperature_c = 12 + 2 * wander(temperature_) - 4 * front_share;
  x.humidity_ratio = std::clamp(0.5 + 0.1 * wander(humidity_) + 0.4 * front_share, 0.05, 1.0);
  x.pressure_hpa = 1'015 + 3 * wander(pressure_) - 8 * front_share;
  x.wind_mps = std::clamp(settings_.wind_mean_mps + 0.1 * gustiness * wander(wind_)
                            + gustiness * front_share,
                          0.0, settings_.wind_gust_mps);
  x.wind_from_deg = std::fmod(250 + 25 * wander(direction_) + 60 * front_share + 360, 360);
  x.cloud_ratio = std::clamp(0.2 + 0.1 * wander(cloud_) + 0.8 * front_share, 0.0, 1.0);
  x.rain = front_share >= rain_from;
  return x;
}

/// SplitMix64: the generators of the standard library would do, its distributions differ.
std::uint64_t weather_machine::chance() {
  auto x = chance_ += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// Twelve even chances make up a normal one, nearly.
double weather_machine::normal() {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += unit(chance());
  return sum;
}

double weather_machine::wander(wanderer& x) {
  const double kept = std::exp(-seconds(settings_.every) / x.pace_s);
  return x.value = kept * x.value + std::sqrt(1 - kept * kept) * normal();
}

/// How much of a front is there, 0 to 1.
double weather_machine::front(nanoseconds at) {
  const auto& front = settings_.front;
  while (at >= front_begin_ + 2 * front.rise + front.lasts)
    front_begin_ += 2 * front.rise + front.lasts + pause();
  const auto since = at - front_begin_;
  const auto left = 2 * front.rise + front.lasts - since;
  const auto inside = std::min(since, left);
  if (inside < nanoseconds{})
    return 0;
  if (inside >= front.rise)
    return 1;
  const double share = seconds(inside) / seconds(front.rise);
  return share * share * (3 - 2 * share);
}

/// Half to one and a half of the mean.
nanoseconds weather_machine::pause() {
  const double share = 0.5 + unit(chance());
  return std::max(settings_.every,
                  std::chrono::duration_cast<nanoseconds>(settings_.front.pause * share));
}

std::string to_json(const weather_sample& x) {
  json_writer out;
  out.begin_object().key("step").unsigned_number(x.step);
  out.key("temperature_c").real(x.temperature_c).key("humidity_ratio").real(x.humidity_ratio);
  out.key("pressure_hpa").real(x.pressure_hpa).key("wind_mps").real(x.wind_mps);
  out.key("wind_from_deg").real(x.wind_from_deg).key("cloud_ratio").real(x.cloud_ratio);
  out.key("rain").boolean(x.rain).end_object();
  return out.str();
}

} // namespace trunnion
