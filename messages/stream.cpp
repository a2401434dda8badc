#include "trunnion/messages/stream.hpp"

namespace trunnion {

std::string to_string(stream_start x) {
  switch (x) {
  case stream_start::only_new: return "new";
  case stream_start::all: return "all";
  case stream_start::sequence: return "sequence";
  case stream_start::time: return "time";
  case stream_start::latest: return "latest";
  }
  return "unknown start"; // Of a newer peer.
}

} // namespace trunnion
