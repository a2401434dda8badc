// Published messages in memory, for a while.
//
// One log holds the messages of all streams in the order of their sequences, which have no gaps, so
// that a place in it is found by arithmetic. The oldest go when there are too many, when they are
// too old, or when their payloads are too large together; the newest always stays until it is old.
//
// Clock: none inside; every call takes `now`. Threads: one user at a time.

#pragma once

#include "trunnion/backends/common/stream_fan_out.hpp"

#include <deque>
#include <functional>

namespace trunnion {

struct retention {
  std::uint64_t max_bytes = 64U << 20U; ///< Of payloads and subjects.
  std::size_t max_messages = 100'000;
  nanoseconds max_age = std::chrono::hours{1};
};

class message_log {
public:
  /// Told of each message that retention removes. Must not call the log.
  using listener = std::function<void(const stream_message&)>;

  explicit message_log(const retention& limits) : limits_(limits) {}

  void on_removed(listener x) { on_removed_ = std::move(x); }

  /// Appends, and removes what is too much then.
  const stream_message& append(subject to, payload value, wall_time wall, instant now);

  /// What `pattern` covers from `from` on: one part's worth, found in at most `steps` steps.
  [[nodiscard]] message_batch read(const subject& pattern, sequence from, std::size_t steps) const;

  /// Removes what is too old, at most `steps` messages.
  void run_timers(instant now, std::size_t steps);

  /// When `run_timers` has something to do.
  [[nodiscard]] std::optional<instant> next_due() const;

  /// The message appended last, just now.
  [[nodiscard]] const stream_message& latest() const { return kept_.back().message; }

  [[nodiscard]] sequence newest() const { return newest_; }
  [[nodiscard]] sequence oldest() const { return {newest_.value - kept_.size() + 1}; }
  [[nodiscard]] std::size_t size() const { return kept_.size(); }

private:
  struct kept {
    stream_message message;
    instant published;
  };

  static std::uint64_t bytes_of(const stream_message& x) {
    return x.payload.size() + x.subject.text().size();
  }
  void remove_oldest();

  retention limits_;
  listener on_removed_;
  std::deque<kept> kept_;
  std::uint64_t bytes_ = 0;
  sequence newest_;
};

} // namespace trunnion
