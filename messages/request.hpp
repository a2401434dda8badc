// Requests: one caller, one of those who listen, one answer.
//
// `invoke` names a subject; the backend hands the request to one listener of it, as
// `incoming_request`, and answers the caller with the bytes of that listener's `request_reply`.
// Nobody listening is `unregistered_responder` at once; no answer in time is `timeout`, and whether
// the request was handled is then unknown. The time left travels along, so that a listener drops
// what nobody waits for any more. Requests have no order among each other.
//
// A listener is the sender of `listen`. A reply is a message of its own rather than a CAF response,
// so that a listener that dies with requests in hand leaves nothing behind at the backend: callers
// of a listener that ended are told at once (`remote_request`, outcome unknown).
//
// A handler's failure travels as payload (`remote_error.hpp`); `error` is for what the listener
// refuses before it handles anything.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <optional>

namespace trunnion {

inline constexpr nanoseconds default_request_timeout = std::chrono::seconds{5};
inline constexpr nanoseconds longest_request_timeout = std::chrono::hours{24};

/// Requests that a listener may have in hand unless it says otherwise; more than the most is cut.
inline constexpr std::uint32_t default_requests_in_hand = 1'024;
inline constexpr std::uint32_t most_requests_in_hand = 10'000;

/// Asks whoever listens on `subject`, which is a name. A timeout that is not positive or over
/// `longest_request_timeout` is `invalid_argument`.
struct invoke {
  trunnion::subject subject;
  trunnion::payload payload;
  nanoseconds timeout = default_request_timeout;
  bool operator==(const invoke&) const = default;
};

/// The response's bytes, an encoded error as well.
struct invoked {
  trunnion::payload payload;
  bool operator==(const invoked&) const = default;
};

/// Makes the sender a listener on `subject`, in place of an earlier one of the same session.
/// Several sessions share the load: each request goes to one of them.
struct listen {
  trunnion::subject subject;
  std::uint32_t at_most = default_requests_in_hand; ///< Requests in hand; the rest is `overloaded`.
  bool operator==(const listen&) const = default;
};

struct listening {
  bool replaced = false; ///< This session had listened on the subject before.
  bool operator==(const listening&) const = default;
};

/// Once answered, no further request is handed over; those in hand are still answered.
struct unlisten {
  trunnion::subject subject;
  bool operator==(const unlisten&) const = default;
};

struct unlistened {
  bool listened = false; ///< Whether there was something to end.
  bool operator==(const unlistened&) const = default;
};

/// `unlisten` for all subjects of this session.
struct purge_listeners {
  bool operator==(const purge_listeners&) const = default;
};

struct listeners_purged {
  std::uint64_t subjects = 0;
  bool operator==(const listeners_purged&) const = default;
};

/// To the listener. `number` names it among all requests of this backend.
struct incoming_request {
  std::uint64_t number = 0;
  trunnion::subject subject;
  trunnion::payload payload;
  nanoseconds time_left{}; ///< After which nobody waits for the answer.
  bool operator==(const incoming_request&) const = default;
};

/// From the listener; only the first reply of the one who was handed the request counts.
struct request_reply {
  std::uint64_t number = 0;
  trunnion::payload payload;
  std::optional<failure> error; ///< It was refused and not handled, such as `overloaded`.
  bool operator==(const request_reply&) const = default;
};

/// To the listener: the caller is gone. Sent as soon as it is known, which not every engine can.
struct request_withdrawn {
  std::uint64_t number = 0;
  bool operator==(const request_withdrawn&) const = default;
};

template <class F> auto inspect(F& f, invoke& x) {
  return fields(f, x, "invoke", field{"subject", x.subject}, field{"payload", x.payload},
                field{"timeout", x.timeout});
}

template <class F> auto inspect(F& f, invoked& x) {
  return fields(f, x, "invoked", field{"payload", x.payload});
}

template <class F> auto inspect(F& f, listen& x) {
  return fields(f, x, "listen", field{"subject", x.subject}, field{"at_most", x.at_most});
}

template <class F> auto inspect(F& f, listening& x) {
  return fields(f, x, "listening", field{"replaced", x.replaced});
}

template <class F> auto inspect(F& f, unlisten& x) {
  return fields(f, x, "unlisten", field{"subject", x.subject});
}

template <class F> auto inspect(F& f, unlistened& x) {
  return fields(f, x, "unlistened", field{"listened", x.listened});
}

template <class F> auto inspect(F& f, purge_listeners& x) {
  return fields(f, x, "purge_listeners");
}

template <class F> auto inspect(F& f, listeners_purged& x) {
  return fields(f, x, "listeners_purged", field{"subjects", x.subjects});
}

template <class F> auto inspect(F& f, incoming_request& x) {
  return fields(f, x, "incoming_request", field{"number", x.number}, field{"subject", x.subject},
                field{"payload", x.payload}, field{"time_left", x.time_left});
}

template <class F> auto inspect(F& f, request_reply& x) {
  return fields(f, x, "request_reply", field{"number", x.number}, field{"payload", x.payload},
                field{"error", x.error});
}

template <class F> auto inspect(F& f, request_withdrawn& x) {
  return fields(f, x, "request_withdrawn", field{"number", x.number});
}

} // namespace trunnion
