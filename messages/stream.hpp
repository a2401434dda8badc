// Streams: messages that are appended, kept for a while, and read in order.
//
// One sequence counts the messages of a store. Parts, credit and `seq` work as for watches
// (`watch.hpp`); what retention removed before it was read is announced by `skipped`.

#pragma once

#include "trunnion/messages/watch.hpp"

namespace trunnion {

/// Appends; answered once it is kept. The subject is a name or `events`.
struct publish {
  trunnion::subject subject;
  trunnion::payload payload;
  bool operator==(const publish&) const = default;
};

struct published {
  trunnion::epoch epoch;
  trunnion::sequence sequence;
  bool operator==(const published&) const = default;
};

struct stream_message {
  trunnion::subject subject;
  trunnion::sequence sequence;
  wall_time time; ///< By the store's clock.
  trunnion::payload payload;
  bool operator==(const stream_message&) const = default;
};

/// Where a consumer begins. Append only; the further starts come with durable consumers.
enum class stream_start : std::uint8_t {
  only_new, ///< What is published from now on.
  all,      ///< What is still kept, then what follows.
};

/// Opens a consumer; the sender is its sink.
struct consume {
  trunnion::subject pattern; ///< A name, `events`, `*` or `>`.
  watch_id id = 0;           ///< Shares its numbers with the watches of the session.
  stream_start start = stream_start::only_new;
  std::uint64_t credit = 0;
  bool operator==(const consume&) const = default;
};

struct consuming {
  trunnion::epoch epoch;
  trunnion::sequence after; ///< The newest message that the start left behind.
  bool operator==(const consuming&) const = default;
};

/// To the sink: messages in the order of their sequences.
struct stream_part {
  watch_id id = 0;
  std::uint64_t seq = 0;
  trunnion::epoch epoch;
  std::vector<stream_message> messages;
  std::uint64_t skipped = 0; ///< Messages that retention removed before this part.
  bool operator==(const stream_part&) const = default;
};

/// To the sink: this consumer cannot be kept; nothing follows.
struct stream_lost {
  watch_id id = 0;
  failure error;
  bool operator==(const stream_lost&) const = default;
};

struct stream_credit {
  watch_id id = 0;
  std::uint64_t seen = 0;
  std::uint64_t up_to = 0;
  bool operator==(const stream_credit&) const = default;
};

struct unconsume {
  watch_id id = 0;
  bool operator==(const unconsume&) const = default;
};

[[nodiscard]] std::string to_string(stream_start x);

template <class F> auto inspect(F& f, publish& x) {
  return fields(f, x, "publish", field{"subject", x.subject}, field{"payload", x.payload});
}

template <class F> auto inspect(F& f, published& x) {
  return fields(f, x, "published", field{"epoch", x.epoch}, field{"sequence", x.sequence});
}

template <class F> auto inspect(F& f, stream_message& x) {
  return fields(f, x, "stream_message", field{"subject", x.subject}, field{"sequence", x.sequence},
                field{"time", x.time}, field{"payload", x.payload});
}

template <class F> auto inspect(F& f, consume& x) {
  return fields(f, x, "consume", field{"pattern", x.pattern}, field{"id", x.id},
                field{"start", x.start}, field{"credit", x.credit});
}

template <class F> auto inspect(F& f, consuming& x) {
  return fields(f, x, "consuming", field{"epoch", x.epoch}, field{"after", x.after});
}

template <class F> auto inspect(F& f, stream_part& x) {
  return fields(f, x, "stream_part", field{"id", x.id}, field{"seq", x.seq},
                field{"epoch", x.epoch}, field{"messages", x.messages},
                field{"skipped", x.skipped});
}

template <class F> auto inspect(F& f, stream_lost& x) {
  return fields(f, x, "stream_lost", field{"id", x.id}, field{"error", x.error});
}

template <class F> auto inspect(F& f, stream_credit& x) {
  return fields(f, x, "stream_credit", field{"id", x.id}, field{"seen", x.seen},
                field{"up_to", x.up_to});
}

template <class F> auto inspect(F& f, unconsume& x) {
  return fields(f, x, "unconsume", field{"id", x.id});
}

} // namespace trunnion
