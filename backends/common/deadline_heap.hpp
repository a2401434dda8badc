// Deadlines that can be taken back, of items that are small numbers.
//
// `timer_queue` keeps what was cancelled until its time comes, which is right where few are. Of
// requests almost all are answered long before their deadline, so here each item knows its place in
// the heap and leaves it at once. Equal deadlines come up in the order in which they were added.
//
// Clock: none. Threads: one user at a time.

#pragma once

#include "trunnion/messages/ensure.hpp"
#include "trunnion/messages/runtime/runtime.hpp"

#include <optional>
#include <vector>

namespace trunnion {

class deadline_heap {
public:
  using item = std::uint32_t;

  /// `x` must not be in the heap.
  void add(item x, instant due) {
    if (x >= places_.size())
      places_.resize(std::size_t{x} + 1, nowhere);
    ensure(places_[x] == nowhere, "an item has one deadline");
    heap_.emplace_back();
    sift_up(heap_.size() - 1, {due, ++count_, x});
  }

  /// `x` must be in the heap.
  void remove(item x) {
    const auto place = places_[x];
    ensure(place != nowhere, "what is removed is there");
    places_[x] = nowhere;
    const auto last = heap_.back();
    heap_.pop_back();
    if (place == heap_.size())
      return;
    if (place > 0 && last < heap_[(place - 1) / 2])
      sift_up(place, last);
    else
      sift_down(place, last);
  }

  [[nodiscard]] std::optional<instant> next_due() const {
    return heap_.empty() ? std::nullopt : std::optional{heap_.front().due};
  }

  /// The item whose deadline is next; there must be one.
  [[nodiscard]] item next() const { return heap_.front().what; }

  [[nodiscard]] std::size_t size() const { return heap_.size(); }

private:
  static constexpr std::size_t nowhere = ~std::size_t{};

  struct timed {
    instant due;
    std::uint64_t count = 0;
    item what = 0;
    bool operator<(const timed& other) const {
      return due != other.due ? due < other.due : count < other.count;
    }
  };

  void sift_up(std::size_t place, const timed& x) {
    for (; place > 0 && x < heap_[(place - 1) / 2]; place = (place - 1) / 2)
      put(place, heap_[(place - 1) / 2]);
    put(place, x);
  }

  void sift_down(std::size_t place, const timed& x) {
    for (;;) {
      auto child = place * 2 + 1;
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child])
        ++child;
      if (child >= heap_.size() || !(heap_[child] < x))
        break;
      put(place, heap_[child]);
      place = child;
    }
    put(place, x);
  }

  void put(std::size_t place, const timed& x) {
    heap_[place] = x;
    places_[x.what] = place;
  }

  std::vector<timed> heap_;
  std::vector<std::size_t> places_; // Of each item.
  std::uint64_t count_ = 0;
};

} // namespace trunnion
