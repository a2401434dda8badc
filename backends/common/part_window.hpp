// The numbered parts that are under way to one sink.
//
// A sink grants credit for parts by their numbers, and says which it has seen. What it has not seen
// is kept, so that it can be sent again: after a second, or when the sink asks. At most as many
// parts are kept as credit may be given, so a sink that says nothing costs a bounded amount.
//
// `Packet` is what is kept of a part: the part itself, or a message that shares it with the sink.
// Clock: none inside; every call takes `now`. Threads: one user at a time.

#pragma once

#include "trunnion/messages/ensure.hpp"
#include "trunnion/messages/watch.hpp"

#include <algorithm>
#include <vector>

namespace trunnion {

/// What came of a `rewatch`.
struct rewatched {
  std::size_t resent = 0; ///< Parts.
  bool kept = true;       ///< False: the sink must be told that it is lost.
};

template <class Packet> class part_window {
public:
  /// Credit beyond `most` unseen parts is cut to it.
  part_window(std::uint64_t up_to, std::uint64_t most) : granted_(up_to), most_(most) {}

  /// Whether one more part may be sent.
  [[nodiscard]] bool is_open() const { return next_ <= std::min(granted_, seen_ + most_); }

  /// The number of the next part.
  [[nodiscard]] std::uint64_t next() const { return next_; }

  [[nodiscard]] std::size_t unseen() const { return parts_.size() - head_; }

  /// The part `next()` was sent at `now`.
  void on_sent(Packet packet, instant now) {
    ensure(is_open(), "no part is sent without credit");
    parts_.push_back({now, std::move(packet)});
    ++next_;
  }

  /// Credit is absolute, and may come in any order: what was once granted or seen stays so.
  void on_credit(std::uint64_t seen, std::uint64_t up_to) {
    granted_ = std::max(granted_, up_to);
    seen = std::min(seen, next_ - 1);
    if (seen > seen_)
      forget(seen);
  }

  /// Sends again, by `send(Packet)`, what is unseen for longer than `part_resend_after`; returns
  /// how many.
  template <class Send> std::size_t resend_due(instant now, Send send) {
    std::size_t count = 0;
    for (auto i = head_; i < parts_.size(); ++i)
      if (parts_[i].sent + part_resend_after <= now) {
        parts_[i].sent = now;
        send(parts_[i].packet);
        ++count;
      }
    return count;
  }

  /// When the next part must be sent again, if any is unseen.
  [[nodiscard]] std::optional<instant> next_resend() const {
    std::optional<instant> result;
    for (auto i = head_; i < parts_.size(); ++i)
      if (!result || parts_[i].sent + part_resend_after < *result)
        result = parts_[i].sent + part_resend_after;
    return result;
  }

  /// Sends again all parts from `from` on, which counts as having seen those before. Returns how
  /// many: none if the sink has said meanwhile to have seen `from`. Nothing if that was never sent;
  /// then `restart` from there.
  template <class Send>
  std::optional<std::size_t> resend_from(std::uint64_t from, instant now, Send send) {
    if (from > next_)
      return std::nullopt;
    if (from <= seen_) // Overtaken by that credit: numbers that the sink has must not come again.
      return 0;
    forget(from - 1);
    resend_unseen(now, send);
    return unseen();
  }

  /// Sends again all that is unseen.
  template <class Send> void resend_unseen(instant now, Send send) {
    for (auto i = head_; i < parts_.size(); ++i) {
      parts_[i].sent = now;
      send(parts_[i].packet);
    }
  }

  /// Forgets all parts; the next one has the number `from`, which is at least 1.
  void restart(std::uint64_t from) {
    parts_.clear();
    head_ = 0;
    next_ = std::max<std::uint64_t>(from, 1);
    seen_ = next_ - 1;
  }

private:
  struct part {
    instant sent;
    Packet packet;
  };

  void forget(std::uint64_t seen) {
    for (; seen_ < seen; ++seen_)
      parts_[head_++].packet = Packet{};
    if (head_ == parts_.size()) {
      if (parts_.capacity() > kept_room)
        parts_ = {};
      parts_.clear();
      head_ = 0;
    } else if (head_ * 2 > parts_.size()) { // So that a long window costs no square.
      parts_.erase(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }

  static constexpr std::size_t kept_room = 8; // Of an idle sink.

  std::uint64_t next_ = 1;
  std::uint64_t seen_ = 0;
  std::uint64_t granted_;
  std::uint64_t most_;
  std::vector<part> parts_; // From `head_` on: numbers `seen_ + 1` to `next_ - 1`.
  std::size_t head_ = 0;
};

} // namespace trunnion
