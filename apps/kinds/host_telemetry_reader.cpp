#include "trunnion/kinds/host_telemetry_reader.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

namespace trunnion {

namespace {

namespace fs = std::filesystem;

/// The text of a file; nothing if it can't be read, is no ordinary file, or is larger than any of
/// the kernel's. Does not wait for a pipe's other end.
std::optional<std::string> read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return std::nullopt;
  std::optional<std::string> result{std::in_place};
  struct stat about {};
  if (::fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
    result.reset();
  std::array<char, 16'384> block{};
  while (result) {
    const auto n = ::read(file, block.data(), block.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n == 0)
      break;
    if (n < 0 || result->size() + static_cast<std::size_t>(n) > max_proc_file)
      result.reset();
    else
      result->append(block.data(), static_cast<std::size_t>(n));
  }
  ::close(file);
  return result;
}

/// Names of a folder's entries that begin with `prefix`, sorted; a folder with more than the kernel
/// would put there is cut.
std::optional<std::vector<std::string>> entries(const std::string& folder,
                                                std::string_view prefix) {
  constexpr std::size_t most = 4'096;
  std::error_code error;
  fs::directory_iterator at{folder, error};
  if (error)
    return std::nullopt;
  std::vector<std::string> names;
  while (at != fs::directory_iterator{} && names.size() < most) {
    auto name = at->path().filename().string();
    if (name.starts_with(prefix))
      names.push_back(std::move(name));
    at.increment(error);
    if (error)
      break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::int64_t> read_number(const std::string& path) {
  const auto text = read_file(path);
  return text ? parse_number(*text) : std::nullopt;
}

std::string read_label(const std::string& path) {
  const auto text = read_file(path);
  return text ? parse_label(*text) : std::string{};
}

/// The growth of a counter for each second; nothing if it went back.
std::optional<double> rate(std::uint64_t before, std::uint64_t now, double seconds) {
  if (now < before || seconds <= 0)
    return std::nullopt;
  return static_cast<double>(now - before) / seconds;
}

/// What sensors of each sort measure, and in which part of the unit.
struct channel_sort {
  std::string_view prefix;
  std::string_view unit;
  double divisor;
  double least; ///< In the unit: readings outside are a driver's way to say that there is none.
  double most;
};

constexpr std::array<channel_sort, 5> channel_sorts{{{"temp", "celsius", 1e3, -273.15, 1'000},
                                                     {"fan", "rpm", 1, 0, 1e6},
                                                     {"in", "volts", 1e3, -1e4, 1e4},
                                                     {"curr", "amperes", 1e3, -1e5, 1e5},
                                                     {"power", "watts", 1e6, 0, 1e6}}};

/// The sort of a channel such as `temp1`.
const channel_sort* sort_of(std::string_view channel) {
  for (const auto& sort : channel_sorts)
    if (channel.starts_with(sort.prefix) && channel.size() > sort.prefix.size()
        && channel.find_first_not_of("0123456789", sort.prefix.size()) == std::string_view::npos)
      return &sort;
  return nullptr;
}

std::optional<double> scaled(std::int64_t raw, const channel_sort& sort) {
  const auto value = static_cast<double>(raw) / sort.divisor;
  return value >= sort.least && value <= sort.most ? std::optional{value} : std::nullopt;
}

} // namespace

std::optional<filesystem_size> measure_filesystem(const std::string& path) {
  struct statvfs about {};
  if (::statvfs(path.c_str(), &about) != 0)
    return std::nullopt;
  filesystem_size result;
  if (__builtin_mul_overflow(about.f_blocks, about.f_frsize, &result.total_bytes)
      || __builtin_mul_overflow(about.f_bavail, about.f_frsize, &result.available_bytes))
    return std::nullopt;
  return result;
}

host_sample host_telemetry_reader::sample(std::chrono::nanoseconds elapsed) {
  host_sample result;
  const auto has_rates = !std::exchange(is_first_, false) && elapsed.count() > 0;
  if (has_rates)
    result.elapsed = elapsed;
  const auto seconds = has_rates ? std::chrono::duration<double>{elapsed}.count() : 0;
  for (const auto& source : options_.sources)
    read_source(source, result, seconds);
  read_filesystems(result);
  return result;
}

void host_telemetry_reader::read_source(const std::string& source, host_sample& into,
                                        double seconds) {
  if (source == "cpu")
    read_cpu(into);
  else if (source == "memory")
    read_memory(into);
  else if (source == "pressure")
    read_pressure(into);
  else if (source == "disk")
    read_disk(into, seconds);
  else if (source == "net")
    read_net(into, seconds);
  else if (source == "thermal")
    read_thermal(into);
  else if (source == "hwmon")
    read_hwmon(into);
  else if (source == "load") {
    if (const auto text = read_file(options_.proc_root + "/loadavg"))
      into.load = parse_loadavg(*text);
    if (!into.load)
      into.absent.insert(source);
  } else {
    into.absent.insert(source); // No machine has it.
  }
}

void host_telemetry_reader::read_cpu(host_sample& into) {
  const auto text = read_file(options_.proc_root + "/stat");
  const auto now = text ? parse_stat(*text) : std::nullopt;
  const auto before = std::exchange(cpu_, now);
  if (!now) {
    into.absent.insert("cpu");
    return;
  }
  cpu_sample result{.count = now->processors};
  if (before && now->total() > before->total()) {
    const auto total = static_cast<double>(now->total() - before->total());
    // The kernel's own sums can go back by a little when processors are switched off.
    const auto share = [&](std::uint64_t cpu_ticks::*part) {
      const auto grown = (*now).*part > (*before).*part ? (*now).*part - (*before).*part : 0;
      return std::min(static_cast<double>(grown) / total, 1.0);
    };
    result.user_ratio = share(&cpu_ticks::user);
    result.system_ratio = share(&cpu_ticks::system);
    result.iowait_ratio = share(&cpu_ticks::iowait);
    result.steal_ratio = share(&cpu_ticks::steal);
    result.busy_ratio = std::max(0.0, 1.0 - (share(&cpu_ticks::idle) + share(&cpu_ticks::iowait)));
  }
  into.cpu = result;
}

void host_telemetry_reader::read_memory(host_sample& into) {
  if (const auto text = read_file(options_.proc_root + "/meminfo"))
    into.memory = parse_meminfo(*text);
  if (!into.memory)
    into.absent.insert("memory");
  else if (!into.memory->available_bytes)
    into.absent.insert("memory.available_bytes");
}

void host_telemetry_reader::read_pressure(host_sample& into) {
  std::map<std::string, pressure_sample> found;
  std::vector<std::string> missing;
  for (const std::string resource : {"cpu", "memory", "io"}) {
    const auto text = read_file(options_.proc_root + "/pressure/" + resource);
    if (const auto pressure = text ? parse_pressure(*text) : std::nullopt)
      found.emplace(resource, *pressure);
    else
      missing.push_back("pressure." + resource);
  }
  if (found.empty()) {
    into.absent.insert("pressure");
    return;
  }
  into.absent.insert(missing.begin(), missing.end());
  into.pressure = std::move(found);
}

void host_telemetry_reader::read_disk(host_sample& into, double seconds) {
  const auto text = read_file(options_.proc_root + "/diskstats");
  auto counters = text ? parse_diskstats(*text) : std::nullopt;
  const auto before = std::exchange(disks_, {});
  if (!counters) {
    into.absent.insert("disk");
    return;
  }
  // Only whole devices: partitions would count everything twice.
  const auto devices = entries(options_.sys_root + "/block", "");
  const auto is_whole = [&](const std::string& name) {
    return !devices || std::binary_search(devices->begin(), devices->end(), name);
  };
  std::map<std::string, disk_sample> disks;
  for (const auto& [name, now] : *counters) {
    if (!is_whole(name) || name.starts_with("loop") || name.starts_with("ram"))
      continue;
    disk_sample disk{.read_bytes = now.read_bytes, .written_bytes = now.written_bytes};
    if (const auto at = before.find(name); at != before.end()) {
      const auto& then = at->second;
      disk.read_bytes_per_s = rate(then.read_bytes, now.read_bytes, seconds);
      disk.written_bytes_per_s = rate(then.written_bytes, now.written_bytes, seconds);
      if (const auto busy_ms = rate(then.busy_ms, now.busy_ms, seconds))
        disk.busy_ratio = std::min(*busy_ms / 1000, 1.0);
    }
    disks.emplace(name, disk);
  }
  disks_ = *std::move(counters);
  into.disk = std::move(disks);
}

void host_telemetry_reader::read_net(host_sample& into, double seconds) {
  const auto text = read_file(options_.proc_root + "/net/dev");
  auto counters = text ? parse_net_dev(*text) : std::nullopt;
  const auto before = std::exchange(nets_, {});
  if (!counters) {
    into.absent.insert("net");
    return;
  }
  nets_ = *counters;
  for (auto& [name, now] : *counters)
    if (const auto at = before.find(name); at != before.end()) {
      now.received_bytes_per_s = rate(at->second.received_bytes, now.received_bytes, seconds);
      now.sent_bytes_per_s = rate(at->second.sent_bytes, now.sent_bytes, seconds);
    }
  into.net = std::move(counters);
}

void host_telemetry_reader::read_filesystems(host_sample& into) {
  if (options_.mounts.empty())
    return;
  std::map<std::string, filesystem_sample> found;
  for (const auto& mount : options_.mounts) {
    const auto size = options_.measure(mount);
    if (size && size->total_bytes > 0 && size->available_bytes <= size->total_bytes)
      found.emplace(mount, filesystem_sample{size->total_bytes, size->available_bytes,
                                             static_cast<double>(size->available_bytes)
                                               / static_cast<double>(size->total_bytes)});
    else
      into.absent.insert("filesystem." + mount);
  }
  into.filesystem = std::move(found);
}

void host_telemetry_reader::read_thermal(host_sample& into) {
  const auto root = options_.sys_root + "/class/thermal/";
  std::map<std::string, thermal_sample> found;
  for (const auto& zone : entries(root, "thermal_zone").value_or(std::vector<std::string>{})) {
    const auto raw = read_number(root + zone + "/temp");
    if (const auto celsius = raw ? scaled(*raw, channel_sorts[0]) : std::nullopt)
      found.emplace(zone, thermal_sample{read_label(root + zone + "/type"), *celsius});
  }
  if (found.empty())
    into.absent.insert("thermal");
  else
    into.thermal = std::move(found);
}

void host_telemetry_reader::read_hwmon(host_sample& into) {
  constexpr std::string_view input = "_input";
  const auto root = options_.sys_root + "/class/hwmon/";
  std::map<std::string, hwmon_sample> found;
  for (const auto& chip : entries(root, "hwmon").value_or(std::vector<std::string>{})) {
    const auto folder = root + chip + "/";
    hwmon_sample result{.name = read_label(folder + "name")};
    for (const auto& file : entries(folder, "").value_or(std::vector<std::string>{})) {
      if (!file.ends_with(input))
        continue;
      const auto channel = file.substr(0, file.size() - input.size());
      const auto* sort = sort_of(channel);
      if (sort == nullptr)
        continue;
      const auto raw = read_number(folder + file);
      if (const auto value = raw ? scaled(*raw, *sort) : std::nullopt)
        result.readings.emplace(channel, hwmon_reading{read_label(folder + channel + "_label"),
                                                       std::string{sort->unit}, *value});
    }
    if (!result.readings.empty())
      found.emplace(chip, std::move(result));
  }
  if (found.empty())
    into.absent.insert("hwmon");
  else
    into.hwmon = std::move(found);
}

} // namespace trunnion
