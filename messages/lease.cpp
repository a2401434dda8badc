#include "trunnion/messages/lease.hpp"

namespace trunnion {

std::string to_string(lease_phase x) {
  switch (x) {
  case lease_phase::acquiring: return "acquiring";
  case lease_phase::held: return "held";
  case lease_phase::releasing: return "releasing";
  case lease_phase::released: return "released";
  case lease_phase::lost: return "lost";
  case lease_phase::unavailable: return "unavailable";
  case lease_phase::failed: return "failed";
  }
  return "unknown phase"; // Of a newer peer.
}

} // namespace trunnion
