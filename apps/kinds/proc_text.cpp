#include "trunnion/kinds/proc_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace trunnion {

namespace {

template <class T> std::optional<T> number(std::string_view text) {
  T result{};
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, result);
  if (read.ec != std::errc{} || read.ptr != end)
    return std::nullopt;
  return result;
}

/// A share of 100, as a ratio.
std::optional<double> percent(std::string_view text) {
  const auto result = number<double>(text);
  if (!result || !std::isfinite(*result) || *result < 0 || *result > 100)
    return std::nullopt;
  return *result / 100;
}

std::optional<std::uint64_t> times(std::uint64_t x, std::uint64_t factor) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(x, factor, &result))
    return std::nullopt;
  return result;
}

/// Takes the text up to `end` off the front, and `end` itself.
std::string_view take_until(std::string_view& text, char end) {
  const auto at = text.find(end);
  const auto taken = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
  return taken;
}

/// The words of a line; far more than any line has are not looked at.
std::vector<std::string_view> words(std::string_view line) {
  constexpr std::size_t most = 64;
  std::vector<std::string_view> result;
  while (result.size() < most) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos)
      break;
    line.remove_prefix(begin);
    const auto end = std::min(line.find_first_of(" \t\r"), line.size());
    result.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return result;
}

/// A device's name as the kernel gives it; nothing that could lead out of a folder.
bool is_device_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() != '.'
         && name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789-_.!:@")
              == std::string_view::npos;
}

/// Numbers `first` to `first + N - 1` of the words, all of which must be there.
template <std::size_t N>
std::optional<std::array<std::uint64_t, N>> numbers(const std::vector<std::string_view>& all,
                                                    std::size_t first) {
  std::array<std::uint64_t, N> result{};
  for (std::size_t i = 0; i < N; ++i) {
    const auto value
      = first + i < all.size() ? number<std::uint64_t>(all[first + i]) : std::nullopt;
    if (!value)
      return std::nullopt;
    result[i] = *value;
  }
  return result;
}

std::optional<cpu_ticks> parse_cpu_line(const std::vector<std::string_view>& line) {
  // user nice system idle, then iowait irq softirq steal on all but very old kernels. Guests are
  // part of user. Numbers so large that they could not be added up are garbage.
  std::array<std::uint64_t, 8> ticks{};
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max() / ticks.size();
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (i >= 4 && i + 1 >= line.size())
      break;
    const auto value = i + 1 < line.size() ? number<std::uint64_t>(line[i + 1]) : std::nullopt;
    if (!value || *value > largest)
      return std::nullopt;
    ticks[i] = *value;
  }
  return cpu_ticks{.user = ticks[0] + ticks[1],
                   .system = ticks[2] + ticks[5] + ticks[6],
                   .idle = ticks[3],
                   .iowait = ticks[4],
                   .steal = ticks[7]};
}

std::optional<pressure_line> parse_pressure_line(const std::vector<std::string_view>& line) {
  pressure_line result;
  unsigned found = 0;
  for (std::size_t i = 1; i < line.size(); ++i) {
    auto value = line[i];
    const auto key = take_until(value, '=');
    if (key == "total") {
      const auto total = number<std::uint64_t>(value);
      if (!total)
        return std::nullopt;
      result.total_us = *total;
    } else {
      auto* into = key == "avg10"    ? &result.avg10_ratio
                   : key == "avg60"  ? &result.avg60_ratio
                   : key == "avg300" ? &result.avg300_ratio
                                     : nullptr;
      if (into == nullptr)
        continue;
      const auto ratio = percent(value);
      if (!ratio)
        return std::nullopt;
      *into = *ratio;
    }
    ++found;
  }
  return found == 4 ? std::optional{result} : std::nullopt;
}

} // namespace

std::optional<cpu_ticks> parse_stat(std::string_view text) {
  std::optional<cpu_ticks> result;
  std::uint64_t processors = 0;
  while (!text.empty()) {
    const auto line = take_until(text, '\n');
    if (!line.starts_with("cpu"))
      continue;
    const auto fields = words(line);
    if (fields[0] == "cpu")
      result = parse_cpu_line(fields);
    else if (number<std::uint32_t>(fields[0].substr(3)))
      ++processors;
  }
  if (result)
    result->processors = processors;
  return result;
}

std::optional<memory_sample> parse_meminfo(std::string_view text) {
  std::map<std::string_view, std::uint64_t> bytes;
  while (!text.empty()) {
    auto line = take_until(text, '\n');
    const auto key = take_until(line, ':');
    const auto fields = words(line);
    if (fields.size() != 2 || fields[1] != "kB")
      continue;
    if (const auto kib = number<std::uint64_t>(fields[0]))
      if (const auto size = times(*kib, 1024))
        bytes.emplace(key, *size);
  }
  const auto find = [&](std::string_view key) {
    const auto at = bytes.find(key);
    return at == bytes.end() ? std::nullopt : std::optional{at->second};
  };
  const auto total = find("MemTotal");
  if (!total || *total == 0)
    return std::nullopt;
  memory_sample result{.total_bytes = *total};
  result.free_bytes = find("MemFree");
  result.available_bytes = find("MemAvailable");
  result.swap_total_bytes = find("SwapTotal");
  result.swap_free_bytes = find("SwapFree");
  if (result.available_bytes && *result.available_bytes > *total)
    result.available_bytes.reset(); // Not what a kernel says.
  if (result.available_bytes)
    result.available_ratio
      = static_cast<double>(*result.available_bytes) / static_cast<double>(*total);
  return result;
}

std::optional<load_sample> parse_loadavg(std::string_view text) {
  const auto fields = words(take_until(text, '\n'));
  if (fields.size() < 3)
    return std::nullopt;
  std::array<double, 3> loads{};
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto load = number<double>(fields[i]);
    if (!load || !std::isfinite(*load) || *load < 0)
      return std::nullopt;
    loads[i] = *load;
  }
  return load_sample{loads[0], loads[1], loads[2]};
}

std::optional<pressure_sample> parse_pressure(std::string_view text) {
  pressure_sample result;
  while (!text.empty()) {
    const auto line = words(take_until(text, '\n'));
    if (line.empty())
      continue;
    if (line[0] == "some")
      result.some = parse_pressure_line(line);
    else if (line[0] == "full")
      result.full = parse_pressure_line(line);
  }
  return result.some || result.full ? std::optional{result} : std::nullopt;
}

std::optional<std::map<std::string, disk_counters>> parse_diskstats(std::string_view text) {
  std::map<std::string, disk_counters> result;
  while (!text.empty() && result.size() < max_devices) {
    const auto line = words(take_until(text, '\n'));
    // major minor name, then reads merged sectors ms, writes merged sectors ms, running, busy ms.
    const auto fields = numbers<10>(line, 3);
    if (!fields)
      continue;
    std::string name{line[2]};
    for (char& c : name)
      if (c == '/')
        c = '!';                          // As /sys spells it.
    constexpr std::uint64_t sector = 512; // Always, whatever the device's own is.
    const auto read = times((*fields)[2], sector);
    const auto written = times((*fields)[6], sector);
    if (is_device_name(name) && read && written)
      result.emplace(std::move(name), disk_counters{*read, *written, (*fields)[9]});
  }
  return result.empty() ? std::nullopt : std::optional{std::move(result)};
}

std::optional<std::map<std::string, net_sample>> parse_net_dev(std::string_view text) {
  std::map<std::string, net_sample> result;
  while (!text.empty() && result.size() < max_devices) {
    auto line = take_until(text, '\n');
    const auto colon = line.rfind(':'); // An alias has one in its name.
    if (colon == std::string_view::npos)
      continue;
    const auto name = words(line.substr(0, colon));
    // Eight numbers of what came in, eight of what went out.
    const auto fields = numbers<16>(words(line.substr(colon + 1)), 0);
    if (fields && name.size() == 1 && is_device_name(name[0]))
      result.emplace(name[0], net_sample{.received_bytes = (*fields)[0],
                                         .sent_bytes = (*fields)[8],
                                         .receive_errors = (*fields)[2],
                                         .send_errors = (*fields)[10]});
  }
  return result.empty() ? std::nullopt : std::optional{std::move(result)};
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  const auto fields = words(take_until(text, '\n'));
  return fields.size() == 1 && text.empty() ? number<std::int64_t>(fields[0]) : std::nullopt;
}

std::string parse_label(std::string_view text) {
  constexpr std::size_t longest = 128;
  std::string result;
  for (const char c : take_until(text, '\n').substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F)
      result += c;
  }
  while (result.ends_with(' '))
    result.pop_back();
  return result;
}

} // namespace trunnion
