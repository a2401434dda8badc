#include "trunnion/site/standard_kinds.hpp"

namespace trunnion {

namespace {

using namespace std::chrono_literals;

kind_schema host_telemetry() {
  return {"host.telemetry",
          "Readings of this machine, as far as it has them.",
          {option::text_list("read", "What to read.")
             .one_of({"cpu", "memory", "load", "pressure", "disk", "net", "thermal", "hwmon"})
             .or_else("[cpu, memory, load, pressure, disk, net, thermal, hwmon]"),
           option::text_list("mounts", "File systems to measure, by mount point.").or_else("[/]"),
           option::text("proc_root", "Where the kernel's process files are.").or_else("/proc"),
           option::text("sys_root", "Where the kernel's device files are.").or_else("/sys")},
          true,
          1s};
}

kind_schema sim_mount() {
  return {"sim.mount",
          "A simulated mount that slews at a stated rate, settles, and has limits.",
          {option::number("slew_deg_per_s", "Rate of both axes.").range(0.01, 90).or_else("3.0"),
           option::duration("settle", "Rest after a slew.").range(0s, 1h).or_else("800ms"),
           option::section(
             "limits", "Where it may not point.",
             {option::number("alt_min_deg", "Lowest altitude.").range(-90, 90).or_else("0"),
              option::number("alt_max_deg", "Highest altitude.").range(-90, 90).or_else("90")})}};
}

kind_schema sim_camera() {
  return {"sim.camera",
          "A simulated camera that exposes and reads out frames.",
          {option::integer("width", "Pixels.").range(1, 65'536).or_else("640"),
           option::integer("height", "Pixels.").range(1, 65'536).or_else("480"),
           option::duration("readout", "Time that a frame takes to read.")
             .range(0s, 1h)
             .or_else("1500ms")}};
}

kind_schema observatory_controller() {
  return {"observatory.controller",
          "Holds the instruments of its lease group, and observes with them.",
          {option::expression("close_when", "Condition on readings that closes the observatory."),
           option::duration("reopen_after", "How long close_when must be false before it opens.")
             .range(0s, 24h)
             .or_else("30s"),
           option::duration("exposure", "Of each frame.").range(1ms, 1h).or_else("5s")}};
}

kind_schema exec_sensor() {
  return {"exec.sensor",
          "Runs a program and publishes the JSON lines it prints.",
          {option::text_list("command", "The program and its arguments; no shell.")
             .required()
             .repeating(),
           option::number("rate", "Lines in a second; more are left out.")
             .range(0.01, 10'000)
             .or_else("10")}};
}

kind_schema sim_weather() {
  return {
    "sim.weather",
    "Simulated weather with fronts that bring wind and rain.",
    {option::integer("seed", "The same seed gives the same weather.").range(0, 1e15).or_else("1"),
     option::section("wind_mps", "Wind in metres per second.",
                     {option::number("mean", "Between fronts.").range(0, 100).or_else("5"),
                      option::number("gust", "The strongest.").range(0, 100).or_else("12")}),
     option::section(
       "front", "Bad weather that passes.",
       {option::duration("after", "When the first one comes; by chance if not given.")
          .range(0s, 8'760h),
        option::duration("pause", "Mean time between fronts.").range(1s, 8'760h).or_else("20m"),
        option::duration("lasts", "How long it is there.").range(0s, 24h).or_else("5m"),
        option::duration("rise", "How long it takes to come, and to go.")
          .range(1ms, 24h)
          .or_else("30s")})},
    true,
    2s};
}

kind_schema sim_dome() {
  return {"sim.dome",
          "A simulated dome that takes time and needs power.",
          {option::duration("open_time", "From closed to open.").range(1ms, 1h).or_else("1s"),
           option::number("turn_deg_per_s", "Rate of the slit.").range(0.01, 90).or_else("6.0"),
           option::text("slave_to", "The mount that the slit follows."),
           option::duration("close_after", "Closes when nobody has commanded it for so long.")
             .range(1s, 24h)
             .or_else("30s"),
           option::boolean("powered", "Whether it has power at the start.").or_else("true")}};
}

} // namespace

const kind_catalogue& standard_kinds() {
  static const kind_catalogue all = [] {
    kind_catalogue kinds;
    kinds.add(host_telemetry());
    kinds.add(sim_mount());
    kinds.add(sim_camera());
    kinds.add(observatory_controller());
    kinds.add(sim_dome());
    kinds.add(sim_weather());
    kinds.add(exec_sensor());
    return kinds;
  }();
  return all;
}

} // namespace trunnion
