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
           option::text("sys_root", "Where the kernel's device files are.").or_else("/sys")}};
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
           option::duration("exposure", "Of each frame.").range(1ms, 1h).or_else("5s")}};
}

kind_schema planned(std::string name, std::string help) {
  return {.name = std::move(name), .help = std::move(help), .built = false};
}

} // namespace

const kind_catalogue& standard_kinds() {
  static const kind_catalogue all = [] {
    kind_catalogue kinds;
    kinds.add(host_telemetry());
    kinds.add(sim_mount());
    kinds.add(sim_camera());
    kinds.add(observatory_controller());
    kinds.add(planned("exec.sensor", "Runs a program and publishes the JSON lines it prints."));
    kinds.add(planned("sim.weather", "Simulated weather."));
    kinds.add(planned("sim.dome", "A simulated dome that takes time and needs power."));
    return kinds;
  }();
  return all;
}

} // namespace trunnion
