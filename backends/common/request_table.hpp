// Requests between actors: hands them over, and sees to it that every caller gets an answer.
//
// This is the part that knows actors; who gets what is decided by `request_book.hpp`. A request
// ends by the first reply of the one who was handed it, by its deadline, with the listener (its
// caller gets `remote_request`, outcome unknown), with the caller (the listener is told
// `request_withdrawn`), or with the table (`shutting_down`, outcome unknown). A reply of anybody
// else, and a second one, is ignored.
//
// There is no timer for each request: the engine asks `next_due`, and calls `run_timers`.
//
// Clock: none inside; calls take `now`, which never goes back. Threads: used by one actor, its
// owner, in whose state it lives: promises refer to the actor that made them.

#pragma once

#include "trunnion/backends/common/request_book.hpp"
#include "trunnion/messages/payload.hpp"
#include "trunnion/messages/request.hpp"

#include <caf/typed_response_promise.hpp>

namespace trunnion {

/// A caller's promise. If it is dropped, the caller gets `shutting_down`: nothing was handed over.
class invoke_promise {
public:
  invoke_promise() = default;
  explicit invoke_promise(caf::typed_response_promise<invoked> x) : promise_(std::move(x)) {}
  invoke_promise(invoke_promise&& other) = default;
  invoke_promise& operator=(invoke_promise&& other) noexcept;
  ~invoke_promise();

  void deliver(invoked x) { promise_.deliver(std::move(x)); }
  void fail(failure x) { promise_.deliver(to_error(std::move(x))); }

  /// The caller is gone.
  void abandon() { promise_ = {}; }

private:
  caf::typed_response_promise<invoked> promise_;
};

/// What is to be handed over, and until when its caller waits.
struct invocation {
  invoke request;
  instant deadline;
  invoke_promise promise;
};

/// What an `invoke` must be, on every engine: a name (`invalid_subject`), a payload that is not too
/// large, a timeout in range.
[[nodiscard]] outcome<void> check_invoke(const invoke& x);

class request_table {
public:
  request_table(caf::scheduled_actor* self, session_table& sessions, const limits& bounds);
  request_table(const request_table&) = delete;
  request_table& operator=(const request_table&) = delete;

  /// Whoever still waits gets `shutting_down`, outcome unknown.
  ~request_table();

  // -- listening: `session` is the sender of the request ----------------------

  outcome<listening> listen(const caf::strong_actor_ptr& session, const trunnion::listen& x);
  outcome<unlistened> unlisten(const caf::strong_actor_ptr& session, const trunnion::unlisten& x);
  listeners_purged purge(const caf::strong_actor_ptr& session);

  // -- requests ---------------------------------------------------------------

  /// Hands a request over that has passed `check_invoke`, or answers why not. One whose deadline
  /// has passed by now is `timeout`, and was certainly not handled.
  void invoke(const caf::strong_actor_ptr& caller, invocation x, instant now);

  void on_reply(const caf::strong_actor_ptr& from, request_reply& x);

  /// The actor has ended.
  void end_session(session_id session);

  /// Ends all requests, and all listening.
  void end_all(const failure& why);

  // -- time -------------------------------------------------------------------

  /// Ends at most `steps` requests that nobody answered in time.
  void run_timers(instant now, std::size_t steps);
  [[nodiscard]] std::optional<instant> next_due() const { return book_.next_due(); }

  // -- figures ----------------------------------------------------------------

  /// Requests of this caller that are in a listener's hand.
  [[nodiscard]] std::size_t in_flight(const caf::actor_addr& caller) const;
  [[nodiscard]] std::size_t requests() const { return book_.open(); }
  [[nodiscard]] std::size_t listeners() const { return book_.listeners(); }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

private:
  std::size_t stop_listening(session_id session);
  invoke_promise close(std::uint64_t number);
  void fail(std::uint64_t number, error_code code, std::string text, failure_detail detail = {});
  void tell(session_id to, auto message) const;

  caf::scheduled_actor* self_;
  session_table& sessions_; // Holds both sides of each request, and who listens on each subject.
  request_book book_;
  std::vector<invoke_promise> promises_; // By place in the book.
  std::uint64_t refused_ = 0;
};

} // namespace trunnion
