// Published messages in memory, for a while.
//
// One log holds the messages of all streams in the order of their sequences. The oldest go when
// there are too many, when they are too old, or when their payloads are too large together; the
// oldest of a subject when that subject has too many. The newest always stays until it is old.
//
// What goes from the middle leaves a hole, which costs a slot until a quarter of all slots are
// holes; then they close ranks. A place is found by arithmetic where no ranks were closed behind
// the oldest message, else by a binary search. The messages of a subject form a chain, so that a
// consumer of one subject reads past the others without looking at them.
//
// Clock: none inside; every call takes `now`. Threads: one user at a time.

#pragma once

#include "trunnion/backends/common/stream_place.hpp"
#include "trunnion/backends/memory/stream_index.hpp"

#include <deque>
#include <functional>

namespace trunnion {

/// Limits are at least one.
struct retention {
  std::uint64_t max_bytes = 64U << 20U; ///< Of payloads and subjects.
  std::size_t max_messages = 100'000;
  nanoseconds max_age = std::chrono::hours{1};
  std::optional<std::size_t> max_messages_per_subject = std::nullopt;
};

class message_log {
public:
  /// Told of each message that retention removes. Must not call the log.
  using listener = std::function<void(const removed_message&)>;

  explicit message_log(const retention& limits) : limits_(limits) {}

  void on_removed(listener x) { on_removed_ = std::move(x); }

  /// Appends, and removes what is too much then.
  const stream_message& append(subject to, payload value, wall_time wall, instant now);

  /// Where a consumer begins that is opened now; nothing if its start is not known.
  [[nodiscard]] std::optional<stream_place> place_of(const consume& x) const;

  /// What `pattern` covers from `from` on: one part's worth, found in at most `steps` steps.
  [[nodiscard]] message_batch read(const subject& pattern, stream_place from,
                                   std::size_t steps) const;

  /// The subjects that have messages; as in `stream_index`.
  [[nodiscard]] stream_subjects list(const list_streams& x) const { return streams_.list(x); }

  /// Removes what is too old, at most `steps` messages.
  void run_timers(instant now, std::size_t steps);

  /// When `run_timers` has something to do.
  [[nodiscard]] std::optional<instant> next_due() const;

  /// The message appended last, just now.
  [[nodiscard]] const stream_message& latest() const { return slots_.back().message; }

  [[nodiscard]] sequence newest() const { return newest_; }

  /// The oldest that is kept, else the one that comes next.
  [[nodiscard]] sequence oldest() const {
    return slots_.empty() ? sequence{newest_.value + 1} : slots_.front().message.sequence;
  }

  [[nodiscard]] std::size_t size() const { return slots_.size() - holes_; }
  [[nodiscard]] std::size_t holes() const { return holes_; }
  [[nodiscard]] std::size_t subjects() const { return streams_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
  /// A message, or of a hole its sequence and time.
  struct slot {
    stream_message message;
    instant published;
    kept_stream* stream = nullptr; // Null: a hole.
    sequence successor = {};       // The next message of its subject.
    bool goes_back = false;        // Its time is before that of an earlier one.
  };

  static std::uint64_t bytes_of(const stream_message& x) {
    return x.payload.size() + x.subject.text().size();
  }

  std::size_t find(sequence x) const;
  sequence first_since(wall_time x) const;
  void remove(std::size_t place);
  void tidy();

  retention limits_;
  listener on_removed_;
  std::deque<slot> slots_; // By sequence; neither the first nor the last is a hole.
  stream_index streams_;
  std::size_t holes_ = 0;
  std::size_t going_back_ = 0; // Slots whose time does.
  std::uint64_t bytes_ = 0;
  sequence newest_;
  wall_time latest_time_ = wall_time::min(); // Of all messages so far.
};

} // namespace trunnion
