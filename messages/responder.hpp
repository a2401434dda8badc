// How one speaks with a responder, which serves one request subject, and with its handler.

#pragma once

#include "trunnion/messages/request.hpp"

namespace trunnion {

/// To a handler that is an actor: one request. Answered with the response's bytes, or with an error
/// that the caller gets as `remote_request`.
struct handle_request {
  trunnion::subject subject;
  trunnion::payload payload;
  nanoseconds time_left{}; ///< After which nobody waits for the answer.
  bool operator==(const handle_request&) const = default;
};

struct handled {
  trunnion::payload payload;
  bool operator==(const handled&) const = default;
};

/// Takes no further request; is answered when those in hand have ended, or the grace is over.
struct responder_stop {
  bool operator==(const responder_stop&) const = default;
};

struct responder_stopped {
  std::uint64_t cut_off = 0; ///< Requests that still ran at the end of the grace.
  bool operator==(const responder_stopped&) const = default;
};

struct responder_inspect {
  bool operator==(const responder_inspect&) const = default;
};

enum class responder_phase : std::uint8_t {
  starting, ///< Not yet listening, or cut off from its backend.
  serving,
  stopping, ///< Requests in hand are finished.
};

struct responder_status {
  trunnion::subject subject;
  responder_phase phase{};
  std::uint64_t running = 0;   ///< Requests that a handler works on.
  std::uint64_t queued = 0;    ///< Waiting for a handler.
  std::uint64_t served = 0;    ///< Answered by the handler.
  std::uint64_t failed = 0;    ///< The handler answered with an error, threw or died.
  std::uint64_t refused = 0;   ///< The queue was full, or the responder was stopping.
  std::uint64_t withdrawn = 0; ///< Their callers gave up before a handler began.
  bool operator==(const responder_status&) const = default;
};

[[nodiscard]] std::string to_string(responder_phase x);

template <class F> auto inspect(F& f, handle_request& x) {
  return fields(f, x, "handle_request", field{"subject", x.subject}, field{"payload", x.payload},
                field{"time_left", x.time_left});
}

template <class F> auto inspect(F& f, handled& x) {
  return fields(f, x, "handled", field{"payload", x.payload});
}

template <class F> auto inspect(F& f, responder_stop& x) { return fields(f, x, "responder_stop"); }

template <class F> auto inspect(F& f, responder_stopped& x) {
  return fields(f, x, "responder_stopped", field{"cut_off", x.cut_off});
}

template <class F> auto inspect(F& f, responder_inspect& x) {
  return fields(f, x, "responder_inspect");
}

template <class F> auto inspect(F& f, responder_status& x) {
  return fields(f, x, "responder_status", field{"subject", x.subject}, field{"phase", x.phase},
                field{"running", x.running}, field{"queued", x.queued}, field{"served", x.served},
                field{"failed", x.failed}, field{"refused", x.refused},
                field{"withdrawn", x.withdrawn});
}

} // namespace trunnion
