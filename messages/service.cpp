#include "trunnion/messages/service.hpp"

namespace trunnion {

std::string to_string(service_phase x) {
  switch (x) {
  case service_phase::waiting: return "waiting";
  case service_phase::starting: return "starting";
  case service_phase::running: return "running";
  case service_phase::stopping: return "stopping";
  case service_phase::stopped: return "stopped";
  case service_phase::failed: return "failed";
  }
  return "unknown phase"; // Of a newer peer.
}

} // namespace trunnion
