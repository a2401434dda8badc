// A promise that cannot be forgotten.
//
// In CAF 0.17 a caller hangs until its timeout if the promise is dropped, or if the actor that
// holds it is killed. A guard answers in its destructor what was not answered before. An actor that
// keeps its guards in its state thus answers every caller, however it ends: CAF destroys the state.
//
// Threads: used by the actor that made the promise, and kept in its state. A promise refers to its
// actor, so a guard kept elsewhere would keep the actor's memory.

#pragma once

#include <caf/error.hpp>
#include <caf/typed_response_promise.hpp>

#include <utility>

namespace trunnion {

/// Answers the promise of a `T` exactly once.
template <class T> class promise_guard {
public:
  /// The caller gets `if_dropped` if nothing else is delivered in the guard's life.
  promise_guard(caf::typed_response_promise<T> promise, caf::error if_dropped)
    : promise_(std::move(promise)), if_dropped_(std::move(if_dropped)) {}

  /// Leaves `other` without a pending promise.
  promise_guard(promise_guard&& other) = default;

  promise_guard& operator=(promise_guard&& other) noexcept {
    if (this != &other) {
      answer_if_pending();
      promise_ = std::move(other.promise_);
      if_dropped_ = std::move(other.if_dropped_);
    }
    return *this;
  }

  ~promise_guard() { answer_if_pending(); }

  /// Answers the caller; a second answer goes nowhere.
  void deliver(T answer) { promise_.deliver(std::move(answer)); }
  void fail(caf::error error) { promise_.deliver(std::move(error)); }

private:
  void answer_if_pending() {
    if (promise_.pending())
      promise_.deliver(std::move(if_dropped_));
  }

  caf::typed_response_promise<T> promise_;
  caf::error if_dropped_;
};

} // namespace trunnion
