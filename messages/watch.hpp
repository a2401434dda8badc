// Watches and listings: entries in numbered parts.
//
// `watch` opens; the sink, which is the sender of `watch`, then gets parts: `snapshot` parts with
// the live entries, one `snapshot_end`, and `change` parts, in revision order for each key,
// deletions and expiries included. A listing is a watch that ends itself with `snapshot_end`.
//
// `seq` counts the parts of one watch from 1. A receiver that sees a gap says `rewatch` with the
// first number that it lacks. Credit is absolute: `watch_credit` names the newest part seen, and
// the newest part that may be sent, so that a lost grant is made good by the next. A part that was
// not seen within a second is sent again, and known by its `seq`. While there is no credit, changes
// are coalesced for each key: the newest wins, with `skipped_delete` if a deletion lay between.
//
// After an interruption a watch resumes by itself, or says `resync`, followed by a fresh snapshot,
// from which vanished keys can be told. One that cannot be kept ends with `watch_lost`. It never
// goes quiet without a word. Watches are named by the session, which is the sender, and an id that
// the session chose; they end with their session.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trunnion {

inline constexpr std::size_t max_part_entries = 256;
inline constexpr std::size_t max_part_bytes = 256U << 10U; ///< Of payloads; one entry may be over.
inline constexpr nanoseconds part_resend_after = std::chrono::seconds{1};

/// Names a watch, listing or consumer within its session.
using watch_id = std::uint64_t;

/// Opens a watch; the id must not be in use by this session.
struct watch {
  subject pattern; ///< A name, `*` or `>`.
  watch_id id = 0;
  std::uint64_t credit = 0; ///< Parts that may be sent, counted from the first.
  bool operator==(const watch&) const = default;
};

/// Opens a listing: live entries only, as `snapshot` parts up to `snapshot_end`, then it is over.
struct kv_list {
  subject pattern;
  watch_id id = 0;
  std::uint64_t credit = 0;
  bool operator==(const kv_list&) const = default;
};

/// The watch or listing is open; parts may have come before this.
struct watch_opened {
  trunnion::epoch epoch;
  bool operator==(const watch_opened&) const = default;
};

enum class part_kind : std::uint8_t {
  snapshot,     ///< Live entries.
  snapshot_end, ///< No entries; what was not named since the snapshot began does not exist.
  change,       ///< Writes, deletions and expiries.
  resync,       ///< No entries; history was lost, a fresh snapshot follows.
};

/// One part, to the sink.
struct watch_part {
  watch_id id = 0;
  std::uint64_t seq = 0;
  part_kind kind{};
  trunnion::epoch epoch;
  trunnion::revision revision; ///< The newest that this part, and all before it, take account of.
  std::vector<entry> entries;
  bool operator==(const watch_part&) const = default;
};

/// To the sink: this watch cannot be kept; nothing follows.
struct watch_lost {
  watch_id id = 0;
  failure error;
  bool operator==(const watch_lost&) const = default;
};

/// All parts up to `seen` have arrived; all up to `up_to` may be sent.
struct watch_credit {
  watch_id id = 0;
  std::uint64_t seen = 0;
  std::uint64_t up_to = 0;
  bool operator==(const watch_credit&) const = default;
};

/// Send again from `from_seq` on.
struct rewatch {
  watch_id id = 0;
  std::uint64_t from_seq = 0;
  bool operator==(const rewatch&) const = default;
};

/// Ends a watch or listing; parts under way may still arrive.
struct unwatch {
  watch_id id = 0;
  bool operator==(const unwatch&) const = default;
};

[[nodiscard]] std::string to_string(part_kind x);

template <class F> auto inspect(F& f, watch& x) {
  return fields(f, x, "watch", field{"pattern", x.pattern}, field{"id", x.id},
                field{"credit", x.credit});
}

template <class F> auto inspect(F& f, kv_list& x) {
  return fields(f, x, "kv_list", field{"pattern", x.pattern}, field{"id", x.id},
                field{"credit", x.credit});
}

template <class F> auto inspect(F& f, watch_opened& x) {
  return fields(f, x, "watch_opened", field{"epoch", x.epoch});
}

template <class F> auto inspect(F& f, watch_part& x) {
  return fields(f, x, "watch_part", field{"id", x.id}, field{"seq", x.seq}, field{"kind", x.kind},
                field{"epoch", x.epoch}, field{"revision", x.revision},
                field{"entries", x.entries});
}

template <class F> auto inspect(F& f, watch_lost& x) {
  return fields(f, x, "watch_lost", field{"id", x.id}, field{"error", x.error});
}

template <class F> auto inspect(F& f, watch_credit& x) {
  return fields(f, x, "watch_credit", field{"id", x.id}, field{"seen", x.seen},
                field{"up_to", x.up_to});
}

template <class F> auto inspect(F& f, rewatch& x) {
  return fields(f, x, "rewatch", field{"id", x.id}, field{"from_seq", x.from_seq});
}

template <class F> auto inspect(F& f, unwatch& x) {
  return fields(f, x, "unwatch", field{"id", x.id});
}

} // namespace trunnion
