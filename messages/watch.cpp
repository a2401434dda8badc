#include "trunnion/messages/watch.hpp"

namespace trunnion {

std::string to_string(part_kind x) {
  switch (x) {
  case part_kind::snapshot: return "snapshot";
  case part_kind::snapshot_end: return "snapshot_end";
  case part_kind::change: return "change";
  case part_kind::resync: return "resync";
  }
  return "unknown kind of part"; // Of a newer peer.
}

} // namespace trunnion
