// Many deadlines behind one timer message.
//
// CAF 0.17 cannot cancel a delayed message, and each one under way costs memory and keeps its actor
// alive. So an actor keeps its deadlines in this heap, and has few wake-ups under way: `arm` says
// when to send one, if an earlier one is not coming anyway.
//
// Cancelling is the user's: a due item that is no longer meant is ignored when it comes up.
// Clock: none inside; every call takes `now`. Threads: one user at a time.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace trunnion {

/// A wake-up to be sent: after this long, with this generation.
struct wake_up {
  nanoseconds after{};
  trunnion::generation generation;
};

/// Decides when an actor must wake itself. One that is under way is not sent again, also when an
/// earlier one goes before it: a far deadline costs one message, however many near ones there are.
class alarm {
public:
  /// What to send so that the actor wakes by `due`; nothing if it will anyway.
  [[nodiscard]] std::optional<wake_up> arm(instant now, std::optional<instant> due) {
    if (!due || (!under_way_.empty() && under_way_.back().due <= *due))
      return std::nullopt;
    under_way_.push_back({*due, {++generation_.value}});
    return wake_up{*due > now ? *due - now : nanoseconds{}, generation_};
  }

  /// What was sent may come late, for the clock has jumped: the next `arm` sends anew.
  void distrust() { under_way_.clear(); }

  /// Whether a wake-up that came is one that counts, and not one that was distrusted or came
  /// before. There need not be anything due.
  [[nodiscard]] bool heed(generation g) {
    return std::erase_if(under_way_, [g](const sent& x) { return x.generation == g; }) > 0;
  }

private:
  struct sent {
    instant due;
    trunnion::generation generation;
  };

  std::vector<sent> under_way_; // The earliest last.
  trunnion::generation generation_;
};

/// A heap of items by due time; equal times come up in the order in which they were added.
template <class Item> class timer_queue {
public:
  void add(instant due, Item item) { heap_.push({due, ++count_, std::move(item)}); }

  [[nodiscard]] std::optional<instant> next_due() const {
    return heap_.empty() ? std::nullopt : std::optional{heap_.top().due};
  }

  /// Takes the earliest item that is due at `now`, if any.
  [[nodiscard]] std::optional<Item> pop_due(instant now) {
    if (heap_.empty() || heap_.top().due > now)
      return std::nullopt;
    auto item = std::move(const_cast<timed&>(heap_.top()).item); // The order does not depend on it.
    heap_.pop();
    return item;
  }

  [[nodiscard]] std::size_t size() const { return heap_.size(); }

private:
  struct timed {
    instant due;
    std::uint64_t count = 0;
    Item item;
    bool operator>(const timed& other) const {
      return due != other.due ? due > other.due : count > other.count;
    }
  };

  std::priority_queue<timed, std::vector<timed>, std::greater<>> heap_;
  std::uint64_t count_ = 0;
};

} // namespace trunnion
