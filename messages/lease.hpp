// How one speaks with a lease: its requests, what it tells its subscribers, how it stands.
//
// Durations only, never instants: a reader may live on a computer with another clock. Who
// subscribes is known by being the sender.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <optional>
#include <string>
#include <variant>

namespace trunnion {

/// `held` is left for good, by `releasing` or `lost`.
enum class lease_phase : std::uint8_t {
  acquiring,
  held,
  releasing,
  released,
  lost,
  unavailable, ///< Another holds it, and the wait is over.
  failed,      ///< It could not be acquired for another reason.
};

/// Is answered once the lease is held, or with the error that kept it from being so.
struct lease_await {
  bool operator==(const lease_await&) const = default;
};

struct lease_grant {
  trunnion::subject subject;
  fencing_token token;
  nanoseconds ttl{};       ///< In force, after the backend's rounding.
  nanoseconds time_left{}; ///< To the holder's deadline, which is before the store's.
  bool operator==(const lease_grant&) const = default;
};

/// What a refresh does with the holder's record.
struct keep_record {
  bool operator==(const keep_record&) const = default;
};
using record_change
  = std::variant<keep_record, std::string>; ///< A string is JSON; `null` clears it.

struct lease_refresh {
  record_change record;
  bool operator==(const lease_refresh&) const = default;
};

struct lease_refreshed {
  trunnion::revision revision;
  nanoseconds time_left{};
  bool operator==(const lease_refreshed&) const = default;
};

/// Ends the lease; succeeds on one that has ended, and says how.
struct lease_release {
  bool operator==(const lease_release&) const = default;
};

struct lease_released {
  std::optional<loss_reason> lost; ///< It had been lost before.
  bool key_deleted = false;        ///< Whether the store confirmed that our entry is gone.
  bool operator==(const lease_released&) const = default;
};

/// Makes the sender, a `lease_sink`, a subscriber; again changes nothing but `renewals`.
struct lease_subscribe {
  bool renewals = false; ///< Whether `lease_renewed` is wanted, too.
  bool operator==(const lease_subscribe&) const = default;
};

/// Is answered when the lease is over; at once if it is.
struct lease_wait_ended {
  bool operator==(const lease_wait_ended&) const = default;
};

struct lease_inspect {
  bool operator==(const lease_inspect&) const = default;
};

/// Local: asks for the `lease_view`, which is never held before the grant.
struct lease_get_view {};

/// To subscribers, once per episode: no refresh has succeeded for long, and the deadline nears.
/// Time to bring the hardware to a safe state.
struct lease_jeopardy {
  trunnion::subject subject;
  nanoseconds time_left{};
  bool operator==(const lease_jeopardy&) const = default;
};

/// To subscribers, after each `lease_jeopardy` that a refresh ended in time.
struct lease_recovered {
  trunnion::subject subject;
  nanoseconds time_left{};
  bool operator==(const lease_recovered&) const = default;
};

/// To subscribers that asked for `renewals`: what to delete if the lease's actor dies.
struct lease_renewed {
  trunnion::subject subject;
  trunnion::revision revision;
  fencing_token token;
  nanoseconds time_left{};
  bool operator==(const lease_renewed&) const = default;
};

/// To subscribers, exactly once, before any later message of that lease.
struct lease_ended {
  trunnion::subject subject;
  fencing_token token;
  std::optional<loss_reason> lost; ///< Nothing: released by its holder.
  std::string culprit;             ///< Who caused the loss, for people; may be empty.
  bool operator==(const lease_ended&) const = default;
};

struct lease_status {
  trunnion::subject subject;
  lease_phase phase{};
  std::optional<loss_reason> lost;
  fencing_token token;
  trunnion::revision revision; ///< The last known of our entry.
  nanoseconds ttl{};           ///< In force.
  nanoseconds time_left{};     ///< To the deadline; zero unless held.
  bool in_jeopardy = false;
  std::string record = "null"; ///< JSON.
  std::string owner;
  std::string holder;          ///< The UUID of this incarnation, as in its record.
  std::uint64_t refreshes = 0; ///< Confirmed.
  std::uint64_t attempts = 0;  ///< Sent: creates, refreshes and their retries.
  std::uint64_t unknown = 0;   ///< Attempts whose outcome had to be settled by a read.
  std::uint64_t jeopardies = 0;
  std::optional<nanoseconds> smallest_margin; ///< Left to the deadline when a refresh completed.
  bool operator==(const lease_status&) const = default;
};

/// From the runtime's watchdog: the computer was suspended, or the clocks have drifted apart.
struct clock_jumped {
  nanoseconds by{};
  bool operator==(const clock_jumped&) const = default;
};

/// To the clock watch: tell the sender of every `clock_jumped`, until `unwatch_clock`.
struct watch_clock {
  bool operator==(const watch_clock&) const = default;
};
struct unwatch_clock {
  bool operator==(const unwatch_clock&) const = default;
};

[[nodiscard]] std::string to_string(lease_phase x);

template <class F> auto inspect(F& f, lease_await& x) { return fields(f, x, "lease_await"); }
template <class F> auto inspect(F& f, keep_record& x) { return fields(f, x, "keep_record"); }
template <class F> auto inspect(F& f, lease_release& x) { return fields(f, x, "lease_release"); }
template <class F> auto inspect(F& f, lease_wait_ended& x) {
  return fields(f, x, "lease_wait_ended");
}
template <class F> auto inspect(F& f, lease_inspect& x) { return fields(f, x, "lease_inspect"); }
template <class F> auto inspect(F& f, watch_clock& x) { return fields(f, x, "watch_clock"); }
template <class F> auto inspect(F& f, unwatch_clock& x) { return fields(f, x, "unwatch_clock"); }

template <class F> auto inspect(F& f, lease_grant& x) {
  return fields(f, x, "lease_grant", field{"subject", x.subject}, field{"token", x.token},
                field{"ttl", x.ttl}, field{"time_left", x.time_left});
}

template <class F> auto inspect(F& f, lease_refresh& x) {
  return fields(f, x, "lease_refresh", field{"record", x.record});
}

template <class F> auto inspect(F& f, lease_refreshed& x) {
  return fields(f, x, "lease_refreshed", field{"revision", x.revision},
                field{"time_left", x.time_left});
}

template <class F> auto inspect(F& f, lease_released& x) {
  return fields(f, x, "lease_released", field{"lost", x.lost}, field{"key_deleted", x.key_deleted});
}

template <class F> auto inspect(F& f, lease_subscribe& x) {
  return fields(f, x, "lease_subscribe", field{"renewals", x.renewals});
}

template <class F> auto inspect(F& f, lease_jeopardy& x) {
  return fields(f, x, "lease_jeopardy", field{"subject", x.subject},
                field{"time_left", x.time_left});
}

template <class F> auto inspect(F& f, lease_recovered& x) {
  return fields(f, x, "lease_recovered", field{"subject", x.subject},
                field{"time_left", x.time_left});
}

template <class F> auto inspect(F& f, lease_renewed& x) {
  return fields(f, x, "lease_renewed", field{"subject", x.subject}, field{"revision", x.revision},
                field{"token", x.token}, field{"time_left", x.time_left});
}

template <class F> auto inspect(F& f, lease_ended& x) {
  return fields(f, x, "lease_ended", field{"subject", x.subject}, field{"token", x.token},
                field{"lost", x.lost}, field{"culprit", x.culprit});
}

template <class F> auto inspect(F& f, lease_status& x) {
  return fields(f, x, "lease_status", field{"subject", x.subject}, field{"phase", x.phase},
                field{"lost", x.lost}, field{"token", x.token}, field{"revision", x.revision},
                field{"ttl", x.ttl}, field{"time_left", x.time_left},
                field{"in_jeopardy", x.in_jeopardy}, field{"record", x.record},
                field{"owner", x.owner}, field{"holder", x.holder}, field{"refreshes", x.refreshes},
                field{"attempts", x.attempts}, field{"unknown", x.unknown},
                field{"jeopardies", x.jeopardies}, field{"smallest_margin", x.smallest_margin});
}

template <class F> auto inspect(F& f, clock_jumped& x) {
  return fields(f, x, "clock_jumped", field{"by", x.by});
}

} // namespace trunnion
