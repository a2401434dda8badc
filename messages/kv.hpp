// The key-value operations of a backend, and their answers.
//
// A TTL belongs to the write that carries it: a later write without one makes the key permanent. It
// is rounded up to the engine's resolution before use, and the answer carries the TTL in force.
// Zero, negative or over 365 days is `invalid_argument`. A key never expires early.
//
// Every operation takes one exact subject (`is_name`); a pattern, `none` or `events` is refused as
// `invalid_subject`.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <optional>

namespace trunnion {

inline constexpr nanoseconds longest_ttl = std::chrono::hours{24 * 365};

/// Answered with the live entry, or `key_not_found`.
struct kv_get {
  trunnion::subject subject;
  bool from_leader = false; ///< Where engines read from replicas: ask the one that orders writes.
  bool operator==(const kv_get&) const = default;
};

struct kv_entry {
  trunnion::epoch epoch;
  trunnion::entry entry;
  bool operator==(const kv_entry&) const = default;
};

/// Writes only if there is no live entry, a tombstone or not; else `revision_mismatch`.
struct kv_create {
  trunnion::subject subject;
  trunnion::payload payload;
  std::optional<nanoseconds> ttl;
  bool operator==(const kv_create&) const = default;
};

/// Writes if the live entry has `expected`, where zero means that there must be none; without
/// `expected`, writes whatever stands there. Else `revision_mismatch`, also if `in_epoch` names
/// another life of the store: revisions compare within one.
struct kv_update {
  trunnion::subject subject;
  trunnion::payload payload;
  std::optional<revision> expected;
  std::optional<nanoseconds> ttl;
  std::optional<epoch> in_epoch;
  bool operator==(const kv_update&) const = default;
};

struct kv_written {
  trunnion::epoch epoch;
  trunnion::revision revision;
  std::optional<nanoseconds> ttl; ///< In force, counted from no later than the write.
  bool operator==(const kv_written&) const = default;
};

/// Writes a tombstone. Without `expected`, deleting a missing key is no error; with one that is not
/// the live entry's revision it is `revision_mismatch`, as with another life of the store than
/// `in_epoch`.
struct kv_delete {
  trunnion::subject subject;
  std::optional<revision> expected;
  std::optional<epoch> in_epoch;
  bool operator==(const kv_delete&) const = default;
};

struct kv_deleted {
  trunnion::epoch epoch;
  std::optional<revision> tombstone; ///< The tombstone's revision, if something was deleted.
  bool operator==(const kv_deleted&) const = default;
};

template <class F> auto inspect(F& f, kv_get& x) {
  return fields(f, x, "kv_get", field{"subject", x.subject}, field{"from_leader", x.from_leader});
}

template <class F> auto inspect(F& f, kv_entry& x) {
  return fields(f, x, "kv_entry", field{"epoch", x.epoch}, field{"entry", x.entry});
}

template <class F> auto inspect(F& f, kv_create& x) {
  return fields(f, x, "kv_create", field{"subject", x.subject}, field{"payload", x.payload},
                field{"ttl", x.ttl});
}

template <class F> auto inspect(F& f, kv_update& x) {
  return fields(f, x, "kv_update", field{"subject", x.subject}, field{"payload", x.payload},
                field{"expected", x.expected}, field{"ttl", x.ttl}, field{"in_epoch", x.in_epoch});
}

template <class F> auto inspect(F& f, kv_written& x) {
  return fields(f, x, "kv_written", field{"epoch", x.epoch}, field{"revision", x.revision},
                field{"ttl", x.ttl});
}

template <class F> auto inspect(F& f, kv_delete& x) {
  return fields(f, x, "kv_delete", field{"subject", x.subject}, field{"expected", x.expected},
                field{"in_epoch", x.in_epoch});
}

template <class F> auto inspect(F& f, kv_deleted& x) {
  return fields(f, x, "kv_deleted", field{"epoch", x.epoch}, field{"tombstone", x.tombstone});
}

} // namespace trunnion
