// What a holder asks for when it acquires a lease, and what of it makes sense.
//
// A lease may be relied on only until its deadline, which is `guard` before the store can let the
// key go. The guard covers clocks that run within one percent of each other, so one of less than a
// hundredth of the TTL is refused, and so is one that leaves too little of it. `grace` is how long
// the work on top needs to stop: jeopardy is told at least that long before the deadline.
//
// Threads: plain values.

#pragma once

#include "trunnion/messages/address.hpp"
#include "trunnion/messages/runtime/runtime.hpp"

#include <optional>
#include <string>

namespace trunnion {

inline constexpr nanoseconds shortest_lease = milliseconds{200};

struct lease_options {
  trunnion::subject subject;   ///< A name.
  nanoseconds ttl{};           ///< At least `shortest_lease`; the backend may round it up.
  std::string record = "null"; ///< JSON, kept byte for byte.
  std::string owner;           ///< For people, `host/pid`.
  nanoseconds wait{};          ///< How long to wait while another holds it; zero: not at all.
  bool wait_forever = false;   ///< Instead of `wait`.
  std::optional<nanoseconds>
    guard;                 ///< If not given: 20 ms, or a fiftieth of the TTL if that is more.
  nanoseconds grace{};     ///< At most a third of the TTL.
  bool no_enforce = false; ///< Takes the key from whoever has it, and watches nothing: for benches.
};

/// Why a holder's record cannot be one: `invalid_argument` if it is no JSON, `payload_too_large`.
[[nodiscard]] outcome<void> check_record(const std::string& json);

/// Whether `x` makes sense; else `invalid_argument`, `invalid_subject` or `payload_too_large`.
[[nodiscard]] outcome<void> check(const lease_options& x);

} // namespace trunnion
