// What a key-value store holds, and how its history is counted.
//
// A revision grows with every write within one epoch of a store; an epoch is one life of a store's
// revision sequence. A fencing token is both, taken when a lease was acquired, so that it grows
// with every acquisition, the same owner's too. Tokens of different stores do not compare.
//
// Threads: plain values.

#pragma once

#include "trunnion/messages/address.hpp"
#include "trunnion/messages/payload.hpp"
#include "trunnion/messages/runtime/runtime.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trunnion {

/// A number of one kind, which does not mix with numbers of another.
template <class Tag> struct strong_number {
  std::uint64_t value = 0;
  auto operator<=>(const strong_number&) const = default;
};

using revision = strong_number<struct revision_tag>;     ///< Zero: no write.
using epoch = strong_number<struct epoch_tag>;           ///< Nanoseconds since 1970.
using sequence = strong_number<struct sequence_tag>;     ///< Of a stream's messages; from 1.
using generation = strong_number<struct generation_tag>; ///< Of a timer, or of a life.

template <class Tag> std::string to_string(strong_number<Tag> x) { return std::to_string(x.value); }

template <class F, class Tag> typename F::result_type inspect(F& f, strong_number<Tag>& x) {
  return f(x.value);
}

/// Grows with every acquisition of a lease within one store.
struct fencing_token {
  trunnion::epoch epoch;
  trunnion::revision revision; ///< At acquisition.
  auto operator<=>(const fencing_token&) const = default;
};

/// For people, within one epoch: `42`.
[[nodiscard]] inline std::string to_string(const fencing_token& x) { return to_string(x.revision); }

/// On the wire, in JSON and in environment variables: `E:R`.
[[nodiscard]] std::string wire_text(const fencing_token& x);
[[nodiscard]] std::optional<fencing_token> parse_fencing_token(std::string_view text);

/// Why there is no value any more.
enum class tombstone_cause : std::uint8_t { deleted = 1, purged, expired };
[[nodiscard]] std::string to_string(tombstone_cause x);

/// A key's state: a value, or a tombstone.
struct entry {
  trunnion::subject subject;
  trunnion::payload payload;                ///< Empty for a tombstone.
  trunnion::revision revision;              ///< Of the write, or of the tombstone.
  wall_time written;                        ///< By the store's clock.
  std::optional<nanoseconds> time_left;     ///< If it has a TTL; at the moment of answering.
  std::optional<tombstone_cause> tombstone; ///< Set for a tombstone.
  bool skipped_delete = false; ///< In a watch: a deletion lay between this and what was told last.
  bool unmarked = false;       ///< An expiry without a revision of its own; `revision` is the last.

  [[nodiscard]] bool is_live() const { return !tombstone; }
  bool operator==(const entry&) const = default;
};

[[nodiscard]] std::string to_string(const entry& x);

template <class F> auto inspect(F& f, fencing_token& x) {
  return fields(f, x, "fencing_token", field{"epoch", x.epoch}, field{"revision", x.revision});
}

template <class F> auto inspect(F& f, entry& x) {
  return fields(f, x, "entry", field{"subject", x.subject}, field{"payload", x.payload},
                field{"revision", x.revision}, field{"written", x.written},
                field{"time_left", x.time_left}, field{"tombstone", x.tombstone},
                field{"skipped_delete", x.skipped_delete}, field{"unmarked", x.unmarked});
}

} // namespace trunnion
