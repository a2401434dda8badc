// Simulated weather: a smooth random process that takes the same course each time for one seed.
//
// Each quantity wanders, and is drawn back to its mean (an Ornstein-Uhlenbeck process), so that its
// spread and its pace do not depend on how often it is sampled. Now and then a front passes: wind
// rises to the strongest gusts, clouds close, and it rains while most of the front is there. The
// first front may be given a time, so that who watches is sure to see one.
//
// Clock: none; a step stands for one period. Threads: one user at a time.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <optional>
#include <string>

namespace trunnion {

/// A front is there for `lasts`; before and after that it comes and goes within `rise`.
struct front_settings {
  std::optional<nanoseconds> after;             ///< The first one's begin; by chance if not given.
  nanoseconds pause = std::chrono::minutes{20}; ///< Mean time from one front to the next.
  nanoseconds lasts = std::chrono::minutes{5};
  nanoseconds rise = std::chrono::seconds{30};
};

struct weather_settings {
  std::uint64_t seed = 1;
  nanoseconds every = std::chrono::seconds{2}; ///< From sample to sample.
  double wind_mean_mps = 5;
  double wind_gust_mps = 12; ///< The strongest; reached in fronts.
  front_settings front;
};

struct weather_sample {
  std::uint64_t step = 0; ///< Counts from 1.
  double temperature_c = 0;
  double humidity_ratio = 0;
  double pressure_hpa = 0;
  double wind_mps = 0;
  double wind_from_deg = 0;
  double cloud_ratio = 0;
  bool rain = false;
  bool operator==(const weather_sample&) const = default;
};

class weather_machine {
public:
  explicit weather_machine(const weather_settings& settings);

  /// The weather one period later.
  [[nodiscard]] weather_sample next();

private:
  /// Wanders around zero with a spread of one.
  struct wanderer {
    double pace_s; ///< So long it remembers where it was.
    double value = 0;
  };

  std::uint64_t chance();
  double normal();
  double wander(wanderer& x);
  double front(nanoseconds at);
  nanoseconds pause();

  weather_settings settings_;
  std::uint64_t chance_; // State of the generator.
  std::uint64_t step_ = 0;
  nanoseconds front_begin_{}; // Of the front that is there, or comes next.
  wanderer temperature_, humidity_, pressure_, wind_, direction_, cloud_;
};

[[nodiscard]] std::string to_json(const weather_sample& x);

} // namespace trunnion
