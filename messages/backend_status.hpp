// How a backend stands: for people, for figures, and for checks that no queue grows.

#pragma once

#include "trunnion/messages/entry.hpp"

namespace trunnion {

struct get_backend_status {
  bool operator==(const get_backend_status&) const = default;
};

struct backend_status {
  std::string location; ///< Such as `memory:`; never with secrets.
  trunnion::epoch epoch;
  trunnion::revision revision;       ///< The newest.
  std::uint64_t keys = 0;            ///< Live.
  std::uint64_t tombstones = 0;      ///< Kept.
  std::uint64_t messages = 0;        ///< Kept in streams.
  std::uint64_t sessions = 0;        ///< Clients with a watch, listing, consumer or open operation.
  std::uint64_t watches = 0;         ///< Watches, listings and consumers.
  std::uint64_t unseen_parts = 0;    ///< Sent, and not yet seen by their sinks.
  std::uint64_t pending_changes = 0; ///< Coalesced, waiting for credit.
  std::uint64_t queued = 0;          ///< Operations admitted and not yet run.
  std::uint64_t operations = 0;      ///< Run so far.
  std::uint64_t refused = 0;         ///< Operations that were not admitted.
  std::uint64_t expired = 0;         ///< Keys whose TTL passed.
  std::uint64_t resent = 0;          ///< Parts that were sent again.
  bool operator==(const backend_status&) const = default;
};

template <class F> auto inspect(F& f, get_backend_status& x) {
  return fields(f, x, "get_backend_status");
}

template <class F> auto inspect(F& f, backend_status& x) {
  return fields(
    f, x, "backend_status", field{"location", x.location}, field{"epoch", x.epoch},
    field{"revision", x.revision}, field{"keys", x.keys}, field{"tombstones", x.tombstones},
    field{"messages", x.messages}, field{"sessions", x.sessions}, field{"watches", x.watches},
    field{"unseen_parts", x.unseen_parts}, field{"pending_changes", x.pending_changes},
    field{"queued", x.queued}, field{"operations", x.operations}, field{"refused", x.refused},
    field{"expired", x.expired}, field{"resent", x.resent});
}

} // namespace trunnion
