#include "trunnion/messages/capabilities.hpp"

namespace trunnion {

std::string to_string(durability x) {
  switch (x) {
  case durability::process: return "process";
  case durability::host: return "host";
  case durability::disk: return "disk";
  }
  return "unknown durability"; // Of a newer peer.
}

std::string to_string(expiry_events x) {
  switch (x) {
  case expiry_events::marked: return "marked";
  case expiry_events::by_own_clock: return "by own clock";
  }
  return "unknown"; // Of a newer peer.
}

} // namespace trunnion
