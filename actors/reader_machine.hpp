// The receiver's side of a consumer: turns numbered parts into batches without loss or repetition.
//
// Parts may be lost, repeated or come late; the consumer may end, and be opened again at the place
// that was reached. Parts are taken in their order only, what is missing is asked for, and what was
// received before is dropped, by its sequence. What was received and not yet handed over outlives
// the consumer that brought it.
//
// Room is counted in parts: what waits to be handed over and what may come are `window` together.
//
// Pure: no clock, no I/O; every call takes `now` and returns what to do. Threads: one user at a
// time.

#pragma once

#include "trunnion/messages/stream_reader.hpp"

#include <deque>
#include <optional>

namespace trunnion {

inline constexpr nanoseconds part_patience = std::chrono::seconds{1}; ///< With a gap.
inline constexpr nanoseconds reader_stuck_after = std::chrono::seconds{10};

struct reader_plan {
  trunnion::subject pattern;
  stream_start start{};
  trunnion::sequence from;
  wall_time since{};
  std::string durable;
  std::size_t batch = 1;    ///< Messages in one batch at most; not zero.
  std::uint64_t window = 1; ///< Not zero.
};

/// What follows from an event.
struct reader_step {
  bool credit = false;          ///< `credit()` is to be sent.
  std::optional<rewatch> ask;   ///< To send.
  std::string broken;           ///< If not empty: why the consumer must be opened anew.
  bool may_have_missed = false; ///< Retention went past the place where it was to resume.
  bool is_other_store = false;  ///< Sequences have begun anew; with `broken`.
};

class reader_machine {
public:
  explicit reader_machine(reader_plan plan) : plan_(std::move(plan)) {}

  /// Starts over with a consumer `id`, which is not zero; what to ask the backend for.
  [[nodiscard]] consume open(watch_id id, instant now);

  /// The consumer is over; what still comes of it is ignored.
  void close() { is_open_ = false; }

  /// Whether parts of this consumer are taken.
  [[nodiscard]] bool is_open(watch_id id) const { return is_open_ && id == id_; }

  [[nodiscard]] reader_step on_opened(watch_id id, const consuming& x);
  [[nodiscard]] reader_step on_part(stream_part x, instant now);
  [[nodiscard]] reader_step on_time(instant now);

  /// When `on_time` must be called at the latest, if at all.
  [[nodiscard]] std::optional<instant> next_due() const;

  /// The next batch, unless one is in hand or there is nothing. Makes room: say `credit()`.
  [[nodiscard]] std::optional<read_batch> next_batch();

  /// The batch in hand is answered for.
  void on_read();

  /// All that may be sent now; repeating it does no harm.
  [[nodiscard]] stream_credit credit() const {
    return {.id = id_, .seen = next_ - 1, .up_to = next_ - 1 + room()};
  }

  /// Asks again for what must come next. If it has not been sent yet nothing follows, unless the
  /// backend does not know the consumer any more, and says so.
  [[nodiscard]] rewatch probe() const { return {.id = id_, .from_seq = next_}; }

  /// Whether a part of the present consumer has come.
  [[nodiscard]] bool has_parts() const { return next_ > 1; }

  /// The newest message that was answered for.
  [[nodiscard]] sequence read() const { return read_; }

  /// The newest that may be acknowledged: as `read`, in the present epoch; zero for none.
  [[nodiscard]] sequence to_acknowledge() const { return acknowledgeable_; }

  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }
  [[nodiscard]] std::uint64_t buffered() const { return buffered_ + in_hand_count_; }
  [[nodiscard]] std::uint64_t lag() const { return buffered() + pending_; }
  [[nodiscard]] std::uint64_t gaps() const { return gaps_; }

private:
  /// What is left of a part.
  struct held_part {
    std::vector<stream_message> messages;
    std::size_t told = 0;      // Of them; never all.
    std::uint64_t skipped = 0; // Before the next of them.
    trunnion::epoch epoch;
    [[nodiscard]] stream_message& next() { return messages[told]; }
    [[nodiscard]] const stream_message& next() const { return messages[told]; }
  };
  struct batch_in_hand {
    trunnion::sequence last;
    trunnion::epoch epoch;
  };

  [[nodiscard]] std::uint64_t room() const {
    return plan_.window > held_.size() ? plan_.window - held_.size() : 0;
  }
  [[nodiscard]] bool is_other_store(trunnion::epoch x) const;
  void change_store(trunnion::epoch x);
  void on_gap(instant now, reader_step& step);
  void take(stream_part x);

  reader_plan plan_;
  bool is_open_ = false;
  watch_id id_ = 0;
  std::uint64_t next_ = 1;        // The number of the part that must come next.
  trunnion::sequence resumes_at_; // The present consumer was to begin there; zero: elsewhere.
  std::optional<instant> asked_;  // When that part was last asked for, since a later one came.
  instant progress_;              // When the last part was taken.

  trunnion::epoch epoch_;                // Zero: not known yet.
  bool is_placed_ = false;               // In this epoch, a consumer has begun: a next one resumes.
  trunnion::sequence place_;             // Messages up to it will not come, or have come.
  std::optional<stream_message> latest_; // The last one received, of whatever epoch.
  bool resumes_by_time_ = false;         // The epoch is another one than that of `latest_`.

  std::deque<held_part> held_;
  std::uint64_t buffered_ = 0; // Messages in `held_`.
  std::uint64_t skips_to_tell_ = 0;
  std::optional<batch_in_hand> in_hand_;
  std::uint64_t in_hand_count_ = 0;

  trunnion::sequence read_;
  trunnion::sequence acknowledgeable_;
  std::uint64_t messages_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t pending_ = 0; // As the last part said.
  std::uint64_t gaps_ = 0;
};

} // namespace trunnion
