// What a look at a lease's key has shown: nothing, our own entry, or somebody else's.
//
// Reads and watches tell of entries; what an entry means for one lease depends on whose it is. This
// is where records are decoded, so that the lease's rules speak of holders, not of bytes.
//
// Threads: plain values and pure functions.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <string>
#include <string_view>

namespace trunnion {

enum class standing : std::uint8_t {
  absent,  ///< No live entry; `cause` says why, if known.
  own,     ///< Ours, written with `renewal`.
  foreign, ///< Another holder's, or no lease record at all.
  broken,  ///< A marker that an administrator put there.
};

struct sighting {
  standing who = standing::absent;
  trunnion::epoch epoch;                ///< Zero: not told.
  trunnion::revision revision;          ///< Of the entry or tombstone; zero: not told.
  std::uint64_t renewal = 0;            ///< If `own`.
  std::optional<tombstone_cause> cause; ///< If `absent` by a tombstone.
  bool unmarked = false;                ///< The tombstone has no revision of its own.
  std::string owner;                    ///< Whose entry, for people.
  std::string record;                   ///< The holder's record in it.
  std::optional<nanoseconds> time_left; ///< Until the store expires it.
};

/// What `x` means for the incarnation `holder`.
[[nodiscard]] sighting look_at(const entry& x, epoch at, std::string_view holder);

} // namespace trunnion
