// What one consumer of streams tells its sink, and when.
//
// The log is the queue: a consumer is a place in it. One that keeps up is told each message as it
// is published; one without credit remembers where it stopped, and reads on from there when it may.
// What retention removes before it was read is counted, and told with the next part.
//
// `Packet` and `Out` are as in `fan_out.hpp`, for `stream_part`.
// Clock: none inside; every call takes `now`. Threads: one user at a time.

#pragma once

#include "trunnion/backends/common/part_room.hpp"
#include "trunnion/backends/common/part_window.hpp"
#include "trunnion/messages/stream.hpp"

namespace trunnion {

/// Messages that a consumer's pattern covers, from a place in the log on.
struct message_batch {
  std::vector<stream_message> messages;
  sequence next;        ///< Where to read on.
  bool at_tail = false; ///< Nothing is kept from there on.
};

template <class Packet> class stream_fan_out {
public:
  /// Begins with the message `from`; `at_tail` if there is none yet.
  stream_fan_out(watch_id id, std::uint64_t credit, std::uint64_t most, sequence from, bool at_tail)
    : id_(id), window_(credit, most), next_(from), at_tail_(at_tail) {}

  [[nodiscard]] std::size_t unseen() const { return window_.unseen(); }

  /// When `resend_due` has something to do.
  [[nodiscard]] std::optional<instant> next_resend() const { return window_.next_resend(); }

  /// Whether the engine must `add_batch` what follows `position()`.
  [[nodiscard]] bool wants_batch() const { return !at_tail_ && window_.is_open(); }

  [[nodiscard]] sequence position() const { return next_; }

  void add_batch(message_batch batch, instant now, auto& out) {
    ensure(wants_batch(), "batches are added when they are wanted");
    next_ = batch.next;
    at_tail_ = batch.at_tail;
    if (!batch.messages.empty() || (at_tail_ && skipped_ > 0))
      send(std::move(batch.messages), now, out);
  }

  /// A message that the pattern covers was published.
  void offer(const stream_message& x, instant now, auto& out) {
    if (!at_tail_)
      return; // It will be read.
    if (window_.is_open())
      return send({x}, now, out);
    next_ = x.sequence;
    at_tail_ = false;
  }

  /// Retention removed a message that the pattern covers.
  void on_removed(sequence x) {
    if (!at_tail_ && x >= next_)
      ++skipped_;
  }

  void on_credit(std::uint64_t seen, std::uint64_t up_to) { window_.on_credit(seen, up_to); }

  /// Sends again from `from`; what was never sent cannot be.
  rewatched on_rewatch(std::uint64_t from, revision, instant now, auto& out) {
    const auto resent = window_.resend_from(from, now, [&](const auto& x) { out.send(x); });
    return {resent.value_or(0), resent.has_value()};
  }

  /// Drops all that is kept, at the end.
  void forget() { window_.restart(1); }

  std::size_t resend_due(instant now, auto& out) {
    return window_.resend_due(now, [&](const auto& x) { out.send(x); });
  }

private:
  void send(std::vector<stream_message> messages, instant now, auto& out) {
    auto packet = out.pack(
      stream_part{id_, window_.next(), {}, std::move(messages), std::exchange(skipped_, 0)});
    out.send(packet);
    window_.on_sent(std::move(packet), now);
  }

  watch_id id_;
  part_window<Packet> window_;
  sequence next_;             // Unless at the tail: the next message to look at.
  bool at_tail_;              // All that is kept was looked at.
  std::uint64_t skipped_ = 0; // Removed before it was read, and not told yet.
};

} // namespace trunnion
