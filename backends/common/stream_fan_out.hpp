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
#include "trunnion/backends/common/stream_place.hpp"

#include <memory>

namespace trunnion {

template <class Packet> class stream_fan_out {
public:
  /// Begins as `x` says; credit beyond `most` unseen parts is cut to it.
  stream_fan_out(watch_id id, std::uint64_t credit, std::uint64_t most, const stream_opening& x)
    : id_(id), window_(credit, most), place_(x.place), at_tail_(x.at_tail), skipped_(x.skipped) {}

  [[nodiscard]] std::size_t unseen() const { return window_.unseen(); }

  /// When `resend_due` has something to do.
  [[nodiscard]] std::optional<instant> next_resend() const { return window_.next_resend(); }

  /// Whether the engine must `add_batch` what follows `place()`.
  [[nodiscard]] bool wants_batch() const { return !at_tail_ && window_.is_open(); }

  [[nodiscard]] const stream_place& place() const { return place_; }

  void add_batch(message_batch batch, instant now, auto& out) {
    ensure(wants_batch(), "batches are added when they are wanted");
    place_.from = batch.next;
    at_tail_ = batch.at_tail;
    if (!batch.messages.empty() || (at_tail_ && skipped_ > 0))
      send(std::move(batch.messages), batch.pending, now, out);
  }

  /// A message that the pattern covers was published. With `more_to_come` it is told in one part
  /// with what follows, at the next `flush` at the latest.
  void offer(const stream_message& x, bool more_to_come, instant now, auto& out) {
    if (!at_tail_ || !place_.takes(x.sequence, {}))
      return; // It will be read, or lies before a start that is yet to come.
    if (batch_ && !batch_->room.take(x.payload.size()))
      send_batch(1, now, out);
    place_.from = x.sequence;
    if (!window_.is_open()) {
      at_tail_ = false;
      return;
    }
    ++place_.from.value;
    if (!batch_ && !more_to_come)
      return send({x}, 0, now, out);
    if (!batch_)
      batch_ = std::make_unique<batch>(x.payload.size());
    batch_->messages.push_back(x);
    if (!more_to_come)
      send_batch(0, now, out);
  }

  /// Sends what was held back for one part.
  void flush(instant now, auto& out) { send_batch(0, now, out); }

  /// Retention removed a message that the pattern covers.
  void on_removed(const removed_message& x) {
    if (place_.takes(x.message.sequence, x.successor))
      ++skipped_;
  }

  void on_credit(std::uint64_t seen, std::uint64_t up_to) { window_.on_credit(seen, up_to); }

  /// Sends again from `from`; what was never sent cannot be.
  rewatched on_rewatch(std::uint64_t from, revision, instant now, auto& out) {
    send_batch(0, now, out);
    const auto resent = window_.resend_from(from, now, [&](const auto& x) { out.send(x); });
    return {resent.value_or(0), resent.has_value()};
  }

  /// After an interruption: sends again what its sink has not seen, and goes on behind it.
  void resume(revision, instant now, auto& out) {
    send_batch(0, now, out);
    window_.resend_unseen(now, [&](const auto& x) { out.send(x); });
  }

  /// Drops all that is kept, at the end.
  void forget() {
    window_.restart(1);
    batch_.reset();
  }

  std::size_t resend_due(instant now, auto& out) {
    return window_.resend_due(now, [&](const auto& x) { out.send(x); });
  }

private:
  /// Messages that are told in one part.
  struct batch {
    explicit batch(std::size_t first) { std::ignore = room.take(first); }
    std::vector<stream_message> messages;
    part_room room;
  };

  /// Sends what was held back; nothing else was sent since, so the credit is still there.
  void send_batch(std::uint64_t pending, instant now, auto& out) {
    if (batch_)
      send(std::move(std::exchange(batch_, nullptr)->messages), pending, now, out);
  }

  void send(std::vector<stream_message> messages, std::uint64_t pending, instant now, auto& out) {
    auto packet = out.pack(stream_part{
      id_, window_.next(), {}, std::move(messages), std::exchange(skipped_, 0), pending});
    out.send(packet);
    window_.on_sent(std::move(packet), now);
  }

  watch_id id_;
  part_window<Packet> window_;
  stream_place place_;           // What it has not looked at.
  bool at_tail_;                 // All that is kept was looked at.
  std::uint64_t skipped_ = 0;    // Removed before it was read, and not told yet.
  std::unique_ptr<batch> batch_; // At the tail, with credit for one part.
};

} // namespace trunnion
