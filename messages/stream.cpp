#include "trunnion/messages/stream.hpp"

namespace trunnion {

std::string to_string(stream_start x) {
  switch (x) {
  case stream_start::only_new: return "new";
  case stream_start::all: return "all";
  }
  return "unknown start"; // Of a newer peer.
}

} // namespace trunnion
