// Streams: messages that are appended, kept for a while, and read in order.
//
// One sequence counts the messages of a store. Parts, credit and `seq` work as for watches
// (`watch.hpp`); what retention removed before it was read is announced by `skipped`.
//
// A durable consumer has a name in its store, of 1 to 64 letters, digits, `-` and `_`, and one live
// session at a time: a second one takes over, and the first gets `stream_lost` with
// `consumer_taken`. It resumes after the newest message that was acknowledged, in another process,
// too: each message is delivered at least once.

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

/// Where a consumer begins. Append only.
enum class stream_start : std::uint8_t {
  only_new, ///< What is published from now on.
  all,      ///< What is still kept, then what follows.
  sequence, ///< From `from` on; zero is `all`, one that is not there yet is waited for.
  time,     ///< From the first message on whose time is not before `since`.
  latest,   ///< The newest message of each subject, then what follows.
};

inline constexpr std::size_t max_durable_name = 64; ///< Characters.
inline constexpr std::size_t max_durables = 1'000;  ///< Names of one store; more is `overloaded`.

/// Opens a consumer; the sender is its sink.
struct consume {
  trunnion::subject pattern; ///< A name, `events`, `*` or `>`.
  watch_id id = 0;           ///< Shares its numbers with the watches of the session.
  stream_start start = stream_start::only_new; ///< Of a durable consumer: when it is new.
  std::uint64_t credit = 0;
  trunnion::sequence from; ///< With `stream_start::sequence`.
  wall_time since{};       ///< With `stream_start::time`; by the store's clock.
  std::string durable;     ///< Empty: none. Known with another pattern: `invalid_argument`.
  bool operator==(const consume&) const = default;
};

struct consuming {
  trunnion::epoch epoch;
  trunnion::sequence after; ///< Messages up to this one will not come, but those of `latest`.
  bool resumed = false;     ///< A durable consumer that was known.
  bool operator==(const consuming&) const = default;
};

/// To the sink: messages in the order of their sequences.
struct stream_part {
  watch_id id = 0;
  std::uint64_t seq = 0;
  trunnion::epoch epoch;
  std::vector<stream_message> messages;
  std::uint64_t skipped = 0; ///< Messages that retention removed before this part.
  std::uint64_t pending = 0; ///< At most so many messages follow by now.
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

/// All messages up to `up_to` need not come again. From another session than the live consumer's:
/// `consumer_taken`; for an unknown name: `invalid_argument`. Going back changes nothing.
struct stream_ack {
  std::string durable;
  trunnion::sequence up_to;
  bool operator==(const stream_ack&) const = default;
};

struct stream_acked {
  trunnion::sequence up_to; ///< What is acknowledged now.
  bool operator==(const stream_acked&) const = default;
};

/// Forgets a durable consumer; its live session, if any, gets `stream_lost` with `cancelled`.
struct drop_durable {
  std::string durable;
  bool operator==(const drop_durable&) const = default;
};

struct durable_dropped {
  bool existed = false;
  bool operator==(const durable_dropped&) const = default;
};

inline constexpr std::uint32_t max_listed_streams = 1'000; ///< In one answer.

/// The subjects under an entity that have messages, in the order of subjects, page by page.
struct list_streams {
  trunnion::entity entity;
  bool deep = false;            ///< Of its descendants, too.
  std::optional<subject> after; ///< The last of the page before.
  std::uint32_t at_most = max_listed_streams;
  bool operator==(const list_streams&) const = default;
};

struct stream_subjects {
  std::vector<subject> subjects;
  bool more = false; ///< Ask again, `after` the last.
  bool operator==(const stream_subjects&) const = default;
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
                field{"start", x.start}, field{"credit", x.credit}, field{"from", x.from},
                field{"since", x.since}, field{"durable", x.durable});
}

template <class F> auto inspect(F& f, consuming& x) {
  return fields(f, x, "consuming", field{"epoch", x.epoch}, field{"after", x.after},
                field{"resumed", x.resumed});
}

template <class F> auto inspect(F& f, stream_part& x) {
  return fields(f, x, "stream_part", field{"id", x.id}, field{"seq", x.seq},
                field{"epoch", x.epoch}, field{"messages", x.messages}, field{"skipped", x.skipped},
                field{"pending", x.pending});
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

template <class F> auto inspect(F& f, stream_ack& x) {
  return fields(f, x, "stream_ack", field{"durable", x.durable}, field{"up_to", x.up_to});
}

template <class F> auto inspect(F& f, stream_acked& x) {
  return fields(f, x, "stream_acked", field{"up_to", x.up_to});
}

template <class F> auto inspect(F& f, drop_durable& x) {
  return fields(f, x, "drop_durable", field{"durable", x.durable});
}

template <class F> auto inspect(F& f, durable_dropped& x) {
  return fields(f, x, "durable_dropped", field{"existed", x.existed});
}

template <class F> auto inspect(F& f, list_streams& x) {
  return fields(f, x, "list_streams", field{"entity", x.entity}, field{"deep", x.deep},
                field{"after", x.after}, field{"at_most", x.at_most});
}

template <class F> auto inspect(F& f, stream_subjects& x) {
  return fields(f, x, "stream_subjects", field{"subjects", x.subjects}, field{"more", x.more});
}

} // namespace trunnion
