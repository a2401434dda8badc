// One look at a machine: what it has been found to be like, and as JSON.
//
// Only what was read is there. A source or value that the machine lacks is named in `absent`, by
// its path, and has no number; a rate needs two looks, so the first has none. Ratios go from 0
// to 1.
//
// Threads: plain values.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace trunnion {

struct cpu_sample {
  std::uint64_t count = 0; ///< Processors.
  std::optional<double> busy_ratio, user_ratio, system_ratio, iowait_ratio, steal_ratio;
  bool operator==(const cpu_sample&) const = default;
};

struct memory_sample {
  std::uint64_t total_bytes = 0;
  std::optional<std::uint64_t> free_bytes, available_bytes, swap_total_bytes, swap_free_bytes;
  std::optional<double> available_ratio;
  bool operator==(const memory_sample&) const = default;
};

struct load_sample {
  double one = 0, five = 0, fifteen = 0; ///< Averages over so many minutes.
  bool operator==(const load_sample&) const = default;
};

/// Share of the time in which some, or all, tasks waited.
struct pressure_line {
  double avg10_ratio = 0, avg60_ratio = 0, avg300_ratio = 0; ///< Over so many seconds.
  std::uint64_t total_us = 0;
  bool operator==(const pressure_line&) const = default;
};

struct pressure_sample {
  std::optional<pressure_line> some, full;
  bool operator==(const pressure_sample&) const = default;
};

struct disk_sample {
  std::uint64_t read_bytes = 0, written_bytes = 0; ///< Since the machine started.
  std::optional<double> read_bytes_per_s, written_bytes_per_s, busy_ratio;
  bool operator==(const disk_sample&) const = default;
};

struct net_sample {
  std::uint64_t received_bytes = 0, sent_bytes = 0; ///< Since the interface came up.
  std::uint64_t receive_errors = 0, send_errors = 0;
  std::optional<double> received_bytes_per_s, sent_bytes_per_s;
  bool operator==(const net_sample&) const = default;
};

struct filesystem_sample {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0; ///< To ordinary users.
  double available_ratio = 0;
  bool operator==(const filesystem_sample&) const = default;
};

struct thermal_sample {
  std::string type;
  double celsius = 0;
  bool operator==(const thermal_sample&) const = default;
};

struct hwmon_reading {
  std::string label; ///< Empty if the driver gives none.
  std::string unit;  ///< `celsius`, `rpm`, `volts`, `amperes` or `watts`.
  double value = 0;
  bool operator==(const hwmon_reading&) const = default;
};

struct hwmon_sample {
  std::string name;
  std::map<std::string, hwmon_reading> readings; ///< By channel, such as `temp1`.
  bool operator==(const hwmon_sample&) const = default;
};

struct host_sample {
  std::optional<std::chrono::nanoseconds> elapsed; ///< What rates are over; none in a first one.
  std::optional<cpu_sample> cpu;
  std::optional<memory_sample> memory;
  std::optional<load_sample> load;
  std::optional<std::map<std::string, pressure_sample>> pressure;     ///< By resource.
  std::optional<std::map<std::string, disk_sample>> disk;             ///< By device.
  std::optional<std::map<std::string, net_sample>> net;               ///< By interface.
  std::optional<std::map<std::string, filesystem_sample>> filesystem; ///< By mount point.
  std::optional<std::map<std::string, thermal_sample>> thermal;       ///< By zone.
  std::optional<std::map<std::string, hwmon_sample>> hwmon;           ///< By chip.
  std::set<std::string> absent; ///< Paths such as `hwmon`, `pressure.io`, `memory.available_bytes`.
};

/// One JSON object with the names above; what is not known is left out.
[[nodiscard]] std::string to_json(const host_sample& sample);

} // namespace trunnion
