// How one speaks with a reader of streams, and what it hands to the one it reads for.

#pragma once

#include "trunnion/messages/stream.hpp"

namespace trunnion {

/// To the reader's sink: messages in the order of their sequences. The next batch comes after the
/// answer, which acknowledges this one; an error as answer ends the reader.
struct read_batch {
  std::vector<stream_message> messages;
  std::uint64_t skipped = 0; ///< Messages that retention removed before these.
  bool operator==(const read_batch&) const = default;
};

struct batch_read {
  bool operator==(const batch_read&) const = default;
};

/// Ends the reader; is answered when what its sink has read is acknowledged.
struct reader_stop {
  bool operator==(const reader_stop&) const = default;
};

struct reader_stopped {
  trunnion::sequence read; ///< The newest message that the sink has answered for.
  bool operator==(const reader_stopped&) const = default;
};

struct reader_inspect {
  bool operator==(const reader_inspect&) const = default;
};

struct reader_status {
  trunnion::subject pattern;
  std::string durable; ///< Empty: none.
  bool healthy = false;
  trunnion::sequence read;         ///< The newest that the sink has answered for.
  trunnion::sequence acknowledged; ///< Of a durable consumer: what the backend knows of it.
  std::uint64_t messages = 0;      ///< Answered for so far.
  std::uint64_t skipped = 0;       ///< Removed by retention before they were read.
  std::uint64_t buffered = 0;      ///< Received, and not yet answered for.
  std::uint64_t lag = 0;           ///< At most so many messages are yet to be answered for.
  std::uint64_t reopened = 0;      ///< Consumers opened anew after an interruption.
  bool operator==(const reader_status&) const = default;
};

template <class F> auto inspect(F& f, read_batch& x) {
  return fields(f, x, "read_batch", field{"messages", x.messages}, field{"skipped", x.skipped});
}

template <class F> auto inspect(F& f, batch_read& x) { return fields(f, x, "batch_read"); }

template <class F> auto inspect(F& f, reader_stop& x) { return fields(f, x, "reader_stop"); }

template <class F> auto inspect(F& f, reader_stopped& x) {
  return fields(f, x, "reader_stopped", field{"read", x.read});
}

template <class F> auto inspect(F& f, reader_inspect& x) { return fields(f, x, "reader_inspect"); }

template <class F> auto inspect(F& f, reader_status& x) {
  return fields(f, x, "reader_status", field{"pattern", x.pattern}, field{"durable", x.durable},
                field{"healthy", x.healthy}, field{"read", x.read},
                field{"acknowledged", x.acknowledged}, field{"messages", x.messages},
                field{"skipped", x.skipped}, field{"buffered", x.buffered}, field{"lag", x.lag},
                field{"reopened", x.reopened});
}

} // namespace trunnion
