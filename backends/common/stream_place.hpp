// Where a consumer of streams stands, and what a log answers to one that reads from there.
//
// A place is two numbers, whatever the start was, so that a consumer costs the same at each: a
// start by time becomes a sequence when it is opened, and `latest` needs no list of messages, since
// each message knows which one of its subject came next.
//
// Threads: none; plain values.

#pragma once

#include "trunnion/messages/stream.hpp"

namespace trunnion {

struct stream_place {
  sequence from;      ///< The first message to look at.
  sequence latest_at; ///< Up to this one, only what was the newest of its subject then.

  /// Whether a consumer here is to get a message, whose `successor` is the next one of its subject;
  /// zero if there is none.
  [[nodiscard]] bool takes(sequence x, sequence successor) const {
    return x >= from && (x > latest_at || successor.value == 0 || successor > latest_at);
  }
};

/// Messages that a consumer's pattern covers, from a place in the log on.
struct message_batch {
  std::vector<stream_message> messages;
  sequence next;             ///< Where to read on.
  bool at_tail = false;      ///< Nothing is kept from there on.
  std::uint64_t pending = 0; ///< At most so many are kept from there on.
};

/// What retention took.
struct removed_message {
  const stream_message& message;
  sequence successor; ///< The next one of its subject; zero if there is none.
};

/// What an engine has decided about a consumer that is being opened.
struct stream_opening {
  stream_place place;
  bool at_tail = false;      ///< Nothing is kept from there on.
  std::uint64_t skipped = 0; ///< Removed before it was read, since it was acknowledged.
  sequence after;            ///< For the answer.
  bool resumed = false;      ///< For the answer.
};

} // namespace trunnion
