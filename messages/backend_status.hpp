// How a backend stands: for people, for figures, and for checks that no queue grows.

#pragma once

#include "trunnion/messages/entry.hpp"

namespace trunnion {

struct get_backend_status {
  bool operator==(const get_backend_status&) const = default;
};

struct backend_status {
  std::string location;     ///< Such as `memory:`; never with secrets.
  std::string journal_mode; ///< Of a file; empty where there is none.
  trunnion::epoch epoch;
  trunnion::revision revision;    ///< The newest.
  std::uint64_t keys = 0;         ///< Live.
  std::uint64_t tombstones = 0;   ///< Kept.
  std::uint64_t messages = 0;     ///< Kept in streams.
  std::uint64_t sessions = 0;     ///< Clients with a watch, listener, service or the like.
  std::uint64_t watches = 0;      ///< Watches, listings and consumers.
  std::uint64_t durables = 0;     ///< Names of durable consumers.
  std::uint64_t listeners = 0;    ///< Subjects that sessions listen on, each session's by itself.
  std::uint64_t requests = 0;     ///< Handed over, and not yet answered.
  std::uint64_t services = 0;     ///< Registered.
  std::uint64_t unseen_parts = 0; ///< Sent, and not yet seen by their sinks.
  std::uint64_t pending_changes = 0; ///< Coalesced, waiting for credit.
  std::uint64_t queued = 0;          ///< Operations admitted and not yet run.
  std::uint64_t operations = 0;      ///< Run so far.
  std::uint64_t refused = 0;         ///< Operations that were not admitted.
  std::uint64_t expired = 0;         ///< Keys whose TTL passed.
  std::uint64_t resent = 0;          ///< Parts that were sent again.
  bool operator==(const backend_status&) const = default;
};

/// Ends the backend that a handle names, for all its users: what was acknowledged is kept, open
/// operations and sinks end with `shutting_down`. Is answered when everything is closed.
struct close_backend {
  bool operator==(const close_backend&) const = default;
};

struct backend_closed {
  bool operator==(const backend_closed&) const = default;
};

template <class F> auto inspect(F& f, get_backend_status& x) {
  return fields(f, x, "get_backend_status");
}

template <class F> auto inspect(F& f, close_backend& x) { return fields(f, x, "close_backend"); }

template <class F> auto inspect(F& f, backend_closed& x) { return fields(f, x, "backend_closed"); }

template <class F> auto inspect(F& f, backend_status& x) {
  return fields(
    f, x, "backend_status", field{"location", x.location}, field{"journal_mode", x.journal_mode},
    field{"epoch", x.epoch}, field{"revision", x.revision}, field{"keys", x.keys},
    field{"tombstones", x.tombstones}, field{"messages", x.messages}, field{"sessions", x.sessions},
    field{"watches", x.watches}, field{"durables", x.durables}, field{"listeners", x.listeners},
    field{"requests", x.requests}, field{"services", x.services},
    field{"unseen_parts", x.unseen_parts}, field{"pending_changes", x.pending_changes},
    field{"queued", x.queued}, field{"operations", x.operations}, field{"refused", x.refused},
    field{"expired", x.expired}, field{"resent", x.resent});
}

} // namespace trunnion
