// When the first waiter for a key may try to take it.
//
// At once if nobody is known to hold it. After a release, and after an expiry that the store marks,
// once a moment of chance has passed. For an expiry that nobody marks: 10, 100, 200, 300 and 350 ms
// after the store's TTL ends, then once a second. Never faster than that; a refresh by the holder
// starts the count anew.
//
// Clock: none inside. Threads: none; one user at a time.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <cstddef>
#include <optional>

namespace trunnion {

inline constexpr nanoseconds longest_jitter = milliseconds{20};

class turn_schedule {
public:
  /// Nothing is known of the key yet.
  explicit turn_schedule(instant now) : next_(now) {}

  /// The key is held, and the store expires it after `time_left`, if ever.
  void on_held(instant now, std::optional<nanoseconds> time_left);

  /// The key was released, or its expiry was marked.
  void on_free(instant now, nanoseconds jitter) { plan(now + jitter); }

  /// A try has been made, and the key was not had.
  void on_missed(instant now);

  /// The key cannot be watched any more, or the store did not answer.
  void on_trouble(instant now);

  /// When the next try may be; nothing: only when something is heard of the key.
  [[nodiscard]] std::optional<instant> next() const { return next_; }

private:
  void plan(instant at);

  std::optional<instant> next_;
  std::optional<instant> due_; // When the store's TTL ends.
  std::size_t step_ = 0;       // Of the tries after `due_`.
};

} // namespace trunnion
