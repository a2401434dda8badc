// One client's place at a backend behind a faulty link. Private to the faulty backend.
//
// The front hands it the client's messages, in order. It sends them to the backend as its own, and
// passes on what comes back; the dice decide about each message on its way. Operations are
// collected until the front says `session_flush`, so that a burst reaches the backend as a burst:
// engines are fair, and refuse, by what has come in.
//
// Order: messages to the backend stay in the order in which the client sent them, but for second
// copies. From the backend, delays may reorder answers, parts and requests among each other, as the
// protocol allows; that something is over (`watch_lost`, `stream_lost`, the answers to `unlisten`,
// `purge_listeners` and `close_backend`) overtakes nothing.

#pragma once

#include "trunnion/backends/faulty/faulty_backend.hpp"
#include "trunnion/backends/faulty/session_book.hpp"

#include <atomic>
#include <memory>

namespace trunnion {

/// What all sessions of a link count together.
struct fault_tally {
  std::array<std::atomic<std::uint64_t>, fault_kinds> fired{};
  std::atomic<std::uint64_t> messages = 0;
  std::atomic<std::uint64_t> sessions = 0;

  /// Counts a fault, for the report and for the figures of the process.
  void count(fault_kind kind, metrics_sink& metrics);
  [[nodiscard]] faulty_report report() const;
};

// -- from the front ---------------------------------------------------------------------------

/// All that the front had in hand has been handed over.
struct session_flush {};

/// The link is cut: everything in flight is lost. The session says `session_ended`, and ends.
struct session_cut {};

/// The link ends, or its client has. Sinks are told, unless the client is gone.
struct session_end {
  bool client_is_gone = false;
};

struct session_stall {
  instant until;
};

/// The first message to a session that follows one that was cut.
struct session_reopen {
  kept_registrations what;
};

/// To the front, from a session that was cut.
struct session_ended {
  caf::actor_addr client;
  kept_registrations kept;
};

using session_front = caf::typed_actor<takes<session_ended>>;

using faulty_session
  = backend_actor::extend<takes<watch_part>, takes<watch_lost>, takes<stream_part>,
                          takes<stream_lost>, takes<incoming_request>, takes<request_withdrawn>,
                          takes<session_flush>, takes<session_cut>, takes<session_end>,
                          takes<session_stall>, takes<session_reopen>>;

struct session_setup {
  backend_actor backend;
  caf::actor_addr front;
  caf::actor_addr client;
  std::uint64_t serial = 0; ///< From 1.
  fault_dice dice;
  std::shared_ptr<fault_tally> tally;
  instant stalled_until{};
};

[[nodiscard]] faulty_session spawn_faulty_session(caf::actor_system& sys, const runtime& rt,
                                                  const session_setup& setup);

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::session_flush)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::session_cut)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::session_end)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::session_stall)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::session_reopen)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::session_ended)
