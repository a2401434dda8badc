// Reads this machine: processors, memory, load, pressure, disks, network, file systems, sensors.
//
// Everything comes from files of the kernel, whose roots are settings, so that tests point them at
// folders of their own. A source that the machine lacks, may not be read or makes no sense is named
// in the sample's `absent`: never an error, and never a made-up number. Rates are of the time since
// the sample before, which the caller measures; counters that went back give none.
//
// Clock: none. Threads: used by one at a time. It blocks as long as the file systems do.

#pragma once

#include "trunnion/kinds/host_sample.hpp"
#include "trunnion/kinds/proc_text.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trunnion {

inline constexpr std::size_t max_proc_file = 1 << 20; ///< Bytes; a larger file is absent.

struct filesystem_size {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0; ///< To ordinary users.
};

/// Asks the kernel about the file system at a path.
[[nodiscard]] std::optional<filesystem_size> measure_filesystem(const std::string& path);

class host_telemetry_reader {
public:
  struct settings {
    std::vector<std::string> sources
      = {"cpu", "memory", "load", "pressure", "disk", "net", "thermal", "hwmon"};
    std::vector<std::string> mounts
      = {"/"}; ///< File systems to measure; none, and it is no source.
    std::string proc_root = "/proc";
    std::string sys_root = "/sys";
    std::function<std::optional<filesystem_size>(const std::string&)> measure = measure_filesystem;
  };

  explicit host_telemetry_reader(settings options) : options_(std::move(options)) {}

  /// Reads all sources. `elapsed` is the time since the call before, and has no meaning in the
  /// first.
  [[nodiscard]] host_sample sample(std::chrono::nanoseconds elapsed);

private:
  void read_source(const std::string& source, host_sample& into, double seconds);
  void read_cpu(host_sample& into);
  void read_memory(host_sample& into);
  void read_pressure(host_sample& into);
  void read_disk(host_sample& into, double seconds);
  void read_net(host_sample& into, double seconds);
  void read_filesystems(host_sample& into);
  void read_thermal(host_sample& into);
  void read_hwmon(host_sample& into);

  settings options_;
  bool is_first_ = true;
  // Counters of the sample before; rates are of the difference.
  std::optional<cpu_ticks> cpu_;
  std::map<std::string, disk_counters> disks_;
  std::map<std::string, net_sample> nets_;
};

} // namespace trunnion
