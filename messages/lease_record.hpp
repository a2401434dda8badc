// The record of a lease as it stands in the store: who holds the key, and since when.
//
// A JSON object. `acquired_at`, `refreshed_at` and `record` are SensorKit's; `holder`, `renewal`,
// `token`, `ttl_ms`, `owner` and `v` are ours. Readers ignore members that they do not know, and do
// without ours; times may have a zone or none (then it is the writer's local time), a fraction or
// none. We write UTC with `Z` and six digits. A *broken* marker is a record without `holder`, with
// `broken: {by, reason, at}`.
//
// JSON from outside is validated whole: no duplicate members, depth at most 64. `record` may be any
// JSON value that `check_json` accepts, and is kept byte for byte; the object around it does not
// count for its depth.
//
// Threads: plain values and pure functions.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trunnion {

inline constexpr std::uint32_t lease_record_version = 1;

/// A moment as somebody wrote it down.
struct record_time {
  wall_time at;         ///< As if it were UTC, where there is no zone.
  bool has_zone = true; ///< False: the writer's local time, whatever that was.
  bool operator==(const record_time&) const = default;
};

/// In a record that an administrator put in place of a holder's.
struct broken_marker {
  std::string by;
  std::string reason;
  record_time at;
  bool operator==(const broken_marker&) const = default;
};

struct lease_record {
  record_time acquired_at;
  record_time refreshed_at;
  std::string record = "null";        ///< JSON text, byte for byte as the holder gave it.
  std::optional<std::string> holder;  ///< A UUID, one for each incarnation of a holder.
  std::uint64_t renewal = 0;          ///< Counts the refreshes of this incarnation.
  std::optional<fencing_token> token; ///< From the first refresh on.
  std::optional<milliseconds> ttl;    ///< `ttl_ms`: what was in force at this write.
  std::string owner;                  ///< For people, `host/pid`.
  std::uint32_t version = 0;          ///< `v`; zero: a peer's record without one.
  std::optional<broken_marker> broken;
  bool operator==(const lease_record&) const = default;
};

/// Writes a record as JSON, without white space of its own. A record without `holder` is written
/// with those members of ours that it has. `record` must have passed `check_json`.
[[nodiscard]] std::string encode(const lease_record& x);

/// Reads what we or the peer wrote. Fails with `storage_damaged` and the place.
[[nodiscard]] outcome<lease_record> decode_lease_record(std::string_view json);

/// `2026-01-02T03:04:05.123456Z`: UTC with six digits.
[[nodiscard]] std::string time_text(wall_time at);

/// Reads ISO 8601 with or without fraction (any number of digits), `T` or a space, `Z`, an offset
/// `+01:00`, `+0100`, `+01`, or no zone. Times that do not fit, before 1677 or after 2262, become
/// the first or the last that does.
[[nodiscard]] std::optional<record_time> parse_time(std::string_view text);

} // namespace trunnion
