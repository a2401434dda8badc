// The latest events of a site, numbered, so that whoever asks can go on where it stopped.
//
// Bounded: the oldest go first, and who comes too late is told how many it has missed.
//
// Clock: none inside. Threads: one user at a time.

#pragma once

#include "trunnion/runner/control_protocol.hpp"

#include <deque>

namespace trunnion {

class event_ring {
public:
  /// Keeps an event under the next number; its own number does not matter.
  void add(control_event x) {
    x.number = ++newest_;
    kept_.push_back(std::move(x));
    if (kept_.size() > most_control_events)
      kept_.pop_front();
  }

  /// Events after number `after`, the oldest first, at most `at_most`. A number that lies ahead is
  /// of an earlier life of the site: all that is kept is told.
  [[nodiscard]] control_events read(std::uint64_t after, std::uint32_t at_most) const {
    if (after > newest_)
      after = 0;
    const auto oldest = newest_ - kept_.size() + 1;
    control_events result{{}, after, after + 1 < oldest ? oldest - after - 1 : 0};
    for (auto i = std::max(after + 1, oldest); i <= newest_ && result.events.size() < at_most; ++i)
      result.events.push_back(kept_[i - oldest]);
    if (!result.events.empty())
      result.next = result.events.back().number;
    return result;
  }

private:
  std::deque<control_event> kept_;
  std::uint64_t newest_ = 0;
};

} // namespace trunnion
