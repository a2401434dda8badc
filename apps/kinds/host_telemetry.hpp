// The kind `host.telemetry`: real readings of this machine, published as JSON.
//
// A source that a machine lacks is said to be `absent`; nothing is made up. Files are read by a
// thread of the actor's own, since a file system may hang.

#pragma once

#include "trunnion/actors/service.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trunnion {

struct telemetry_settings {
  nanoseconds every = std::chrono::seconds{1};
  std::optional<subject> stream;    ///< Where samples go; without, they are only taken.
  std::vector<std::string> sources; ///< Such as `cpu`, `memory`, `load`.
  std::vector<std::string> mounts;  ///< File systems, by mount point.
  std::string proc_root = "/proc";
  std::string sys_root = "/sys";
  bool own_thread = true; ///< False in virtual time, where only small fixture files are read.
};

caf::actor spawn_host_telemetry(const member_context& context, const telemetry_settings& settings);

} // namespace trunnion
