#include "trunnion/messages/responder.hpp"

namespace trunnion {

std::string to_string(responder_phase x) {
  switch (x) {
  case responder_phase::starting: return "starting";
  case responder_phase::serving: return "serving";
  case responder_phase::stopping: return "stopping";
  }
  return "unknown phase"; // Of a newer peer.
}

} // namespace trunnion
