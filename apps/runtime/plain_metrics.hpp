// Figures of a process, kept in memory until somebody asks.
//
// Actors count with every message, so counting must cost no lock and no memory. Names are few and
// fixed: each gets a slot of a table at its first use and keeps it, and a name that finds the table
// full is counted as refused.
//
// Distributions are kept in buckets that double in width from 2^-30 to 2^33: whatever the unit, a
// quantile is right within a factor of two, and never above the largest value seen.
//
// Threads: any. A snapshot is taken figure by figure while others count.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace trunnion {

inline constexpr std::size_t max_metric_names = 256; ///< Counters and distributions, each.
inline constexpr std::size_t metric_buckets = 64;

/// What is known of the values observed under one name.
struct distribution {
  std::uint64_t count = 0;
  double sum = 0;
  double largest = 0; ///< Zero if there is none, or if all are below.
  std::array<std::uint64_t, metric_buckets> buckets{};

  /// A value that a share `q` (0 to 1) of all values does not exceed; zero if there are none.
  [[nodiscard]] double quantile(double q) const;
};

struct metrics_snapshot {
  std::map<std::string, std::uint64_t, std::less<>> counters;
  std::map<std::string, distribution, std::less<>> distributions;
  std::uint64_t refused = 0; ///< Calls that found no slot for their name.
};

class plain_metrics final : public metrics_sink {
public:
  plain_metrics();
  ~plain_metrics() override;

  void count(std::string_view name, std::uint64_t by = 1) override;

  /// Values below 2^-30, negative ones too, share the first bucket. What is not a number is
  /// refused.
  void observe(std::string_view name, double value) override;

  [[nodiscard]] metrics_snapshot snapshot() const;

private:
  struct tables;
  std::unique_ptr<tables> tables_;
};

/// Takes no figures, for programs that show none.
class null_metrics final : public metrics_sink {
public:
  void count(std::string_view, std::uint64_t = 1) override {}
  void observe(std::string_view, double) override {}
};

} // namespace trunnion
