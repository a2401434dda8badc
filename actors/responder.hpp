// Serves the requests of one subject with a handler: a function, or an actor.
//
// The backend hands requests over; a responder keeps them in order, lets up to `limit` be worked on
// at once and up to `queue` wait for it, and refuses the rest as `overloaded`. A handler that is an
// actor is asked for several requests at a time; a function runs in the responder itself, one at a
// time, and must not block. Requests begin in the order in which they came. One whose time has
// passed, or whose caller is known to be gone, is dropped before it begins; once it has begun, its
// answer goes nowhere.
//
// What fails in a handler reaches the caller as an encoded error (`remote_error.hpp`): an exception
// as `Type: text`, a `failure` as `code: text`, a `remote_failure` as it is. So does a reply that
// begins with the mark of an error by itself. When the handler's actor ends, the requests that it
// worked on get such an error, those that waited are refused as `shutting_down`, and the responder
// ends with `remote_request`: without a handler it is of no use, and its supervisor decides. A
// handler keeps a request's place until it is done, also when nobody waits any more; one that has
// let all its places run out for longer than `grace` is taken for lost at the next request.
//
// It listens again, with the back-off of a monitor, when the backend went down or did not answer
// its check, which comes every `health_check_every`; a backend that refuses the subject for good
// ends it with that error.
//
// End: `responder_stop`, an exit message, or its owner's end. It listens no more, refuses what
// waits as `shutting_down`, and lets running requests finish for `grace`; what then still runs is
// answered `shutting_down`, outcome unknown. As a member of a group it works on after a
// `member_lost`, until it is told to exit, but takes no more grace than the group has left. Killed,
// it leaves its callers to the backend, which tells them at once.
// It lives until then, whether or not anybody holds its handle.
// Clock: the runtime's. Threads: an ordinary actor that never blocks.

#pragma once

#include "trunnion/messages/interfaces.hpp"

#include <functional>
#include <variant>

namespace trunnion {

inline constexpr std::size_t default_request_limit = 64;    ///< Worked on at once.
inline constexpr std::size_t default_request_queue = 1'024; ///< Waiting.
inline constexpr nanoseconds unlisten_timeout = std::chrono::seconds{1};

/// Called in the responder: must not block. May throw.
using request_function = std::function<outcome<payload>(const handle_request&)>;

/// An actor is kept alive by its responder.
using any_request_handler = std::variant<request_function, request_handler>;

struct responder_options {
  trunnion::subject subject; ///< A name.
  any_request_handler handler;
  std::size_t limit = default_request_limit; ///< From 1 on; with `queue` `most_requests_in_hand`.
  std::size_t queue = default_request_queue;
  nanoseconds grace = std::chrono::seconds{2}; ///< For running requests, at the end.
  caf::strong_actor_ptr owner = {};            ///< The responder ends with it; may be null.
};

/// Starts a responder. `invalid_subject` for what is no name, `invalid_argument` for a null handler
/// or bounds that make no sense.
outcome<responder_actor> serve(caf::actor_system& sys, const runtime& rt,
                               const backend_actor& backend, responder_options options);

} // namespace trunnion
