// Reads the texts that a Linux kernel shows under /proc and /sys.
//
// Each function takes a whole file's text and answers with its numbers, or with nothing if the text
// is not what the kernel writes: a missing field, a number that overflows, garbage. Nothing is
// guessed or put in its place. Unknown further lines and fields are passed over, since kernels add
// them.
//
// Threads: plain functions.

#pragma once

#include "trunnion/kinds/host_sample.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace trunnion {

inline constexpr std::size_t max_devices = 256; ///< Of one sort; further ones are left out.

/// Time that all processors spent, in ticks since the start.
struct cpu_ticks {
  std::uint64_t processors = 0;
  std::uint64_t user = 0, system = 0, idle = 0, iowait = 0, steal = 0; ///< `nice` is in `user`.
  [[nodiscard]] std::uint64_t total() const { return user + system + idle + iowait + steal; }
  bool operator==(const cpu_ticks&) const = default;
};

struct disk_counters {
  std::uint64_t read_bytes = 0, written_bytes = 0, busy_ms = 0;
  bool operator==(const disk_counters&) const = default;
};

[[nodiscard]] std::optional<cpu_ticks> parse_stat(std::string_view text);
[[nodiscard]] std::optional<memory_sample> parse_meminfo(std::string_view text);
[[nodiscard]] std::optional<load_sample> parse_loadavg(std::string_view text);
[[nodiscard]] std::optional<pressure_sample> parse_pressure(std::string_view text);

/// Lines that are not understood are left out; nothing if no line is.
[[nodiscard]] std::optional<std::map<std::string, disk_counters>>
parse_diskstats(std::string_view text);
[[nodiscard]] std::optional<std::map<std::string, net_sample>> parse_net_dev(std::string_view text);

/// A whole number on a line of its own, as /sys shows sensors.
[[nodiscard]] std::optional<std::int64_t> parse_number(std::string_view text);

/// The first line, without what a terminal would act on; at most 128 bytes.
[[nodiscard]] std::string parse_label(std::string_view text);

} // namespace trunnion
