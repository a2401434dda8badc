#include "trunnion/kinds/host_sample.hpp"

#include "trunnion/messages/json.hpp"

namespace trunnion {

namespace {

/// A class, so that the functions for each sort of value find each other in any order.
class sample_writer {
public:
  std::string write(const host_sample& sample) {
    out_.begin_object();
    if (sample.elapsed)
      out_.key("elapsed_ms")
        .number(std::chrono::duration_cast<std::chrono::milliseconds>(*sample.elapsed).count());
    object("cpu", sample.cpu);
    object("memory", sample.memory);
    object("load", sample.load);
    object("pressure", sample.pressure);
    object("disk", sample.disk);
    object("net", sample.net);
    object("filesystem", sample.filesystem);
    object("thermal", sample.thermal);
    object("hwmon", sample.hwmon);
    out_.key("absent").begin_array();
    for (const auto& path : sample.absent)
      out_.text(path);
    out_.end_array();
    out_.end_object();
    return out_.str();
  }

private:
  void member(std::string_view name, double value) { out_.key(name).real(value); }

  void member(std::string_view name, std::uint64_t value) { out_.key(name).unsigned_number(value); }

  template <class T> void member(std::string_view name, const std::optional<T>& value) {
    if (value)
      member(name, *value);
  }

  void members(const cpu_sample& x) {
    member("count", x.count);
    member("busy_ratio", x.busy_ratio);
    member("user_ratio", x.user_ratio);
    member("system_ratio", x.system_ratio);
    member("iowait_ratio", x.iowait_ratio);
    member("steal_ratio", x.steal_ratio);
  }

  void members(const memory_sample& x) {
    member("total_bytes", x.total_bytes);
    member("free_bytes", x.free_bytes);
    member("available_bytes", x.available_bytes);
    member("available_ratio", x.available_ratio);
    member("swap_total_bytes", x.swap_total_bytes);
    member("swap_free_bytes", x.swap_free_bytes);
  }

  void members(const load_sample& x) {
    member("one", x.one);
    member("five", x.five);
    member("fifteen", x.fifteen);
  }

  void members(const pressure_line& x) {
    member("avg10_ratio", x.avg10_ratio);
    member("avg60_ratio", x.avg60_ratio);
    member("avg300_ratio", x.avg300_ratio);
    member("total_us", x.total_us);
  }

  template <class T> void object(std::string_view name, const T& x) {
    out_.key(name).begin_object();
    members(x);
    out_.end_object();
  }

  template <class T> void object(std::string_view name, const std::optional<T>& x) {
    if (x)
      object(name, *x);
  }

  void members(const pressure_sample& x) {
    object("some", x.some);
    object("full", x.full);
  }

  void members(const disk_sample& x) {
    member("read_bytes", x.read_bytes);
    member("written_bytes", x.written_bytes);
    member("read_bytes_per_s", x.read_bytes_per_s);
    member("written_bytes_per_s", x.written_bytes_per_s);
    member("busy_ratio", x.busy_ratio);
  }

  void members(const net_sample& x) {
    member("received_bytes", x.received_bytes);
    member("sent_bytes", x.sent_bytes);
    member("receive_errors", x.receive_errors);
    member("send_errors", x.send_errors);
    member("received_bytes_per_s", x.received_bytes_per_s);
    member("sent_bytes_per_s", x.sent_bytes_per_s);
  }

  void members(const filesystem_sample& x) {
    member("total_bytes", x.total_bytes);
    member("available_bytes", x.available_bytes);
    member("available_ratio", x.available_ratio);
  }

  void members(const thermal_sample& x) {
    out_.key("type").text(x.type);
    member("celsius", x.celsius);
  }

  void members(const hwmon_reading& x) {
    if (!x.label.empty())
      out_.key("label").text(x.label);
    member(x.unit, x.value);
  }

  template <class T> void members(const std::map<std::string, T>& items) {
    for (const auto& [name, item] : items)
      object(name, item);
  }

  void members(const hwmon_sample& x) {
    out_.key("name").text(x.name);
    object("readings", x.readings);
  }

  json_writer out_;
};

} // namespace

std::string to_json(const host_sample& sample) { return sample_writer{}.write(sample); }

} // namespace trunnion
