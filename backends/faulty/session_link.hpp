// The two ways of one session over a faulty link: when its messages arrive, and whether.
//
// A message is anything that can be called when it arrives. Messages that travel in order never
// overtake one another, nor anything that set out before; others arrive when their delay is over.
// While the link is stalled nothing arrives, and then all that is due, in the order of its time.
//
// Pure: no clock inside, every call takes `now`; chance is the plan's. Threads: one user at a time.

#pragma once

#include "trunnion/backends/faulty/plan.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

#include <algorithm>
#include <functional>

namespace trunnion {

class session_link {
public:
  using arrival = std::function<void()>;
  enum class way : std::uint8_t { to_backend, to_client };

  /// Sessions count from 1. Each fault that strikes is told to `count`.
  session_link(const fault_dice& dice, std::uint64_t session, instant stalled_until,
               std::function<void(fault_kind)> count);

  /// The place of the next message that sets out.
  [[nodiscard]] message_place next(way x) { return {link_of(x), ++at(x).passed}; }

  /// Whether the message is struck; if so, it is counted.
  [[nodiscard]] bool strikes(fault_kind kind, message_place at);

  /// Sends a message on its way: it arrives within the call, or in a later `run`.
  void travel(way to, message_place at, bool in_order, instant now, arrival arrive);

  /// Sends what must not be disturbed: in order, and only held up by a stall.
  void pass(way to, instant now, arrival arrive) {
    hold(std::max(now, at(to).newest), now, std::move(arrive));
  }

  /// Sends a second copy of the latest message, which arrives after it, at a time of its own.
  void copy(way to, message_place of, instant now, arrival arrive);

  void stall(instant until) { stalled_until_ = std::max(stalled_until_, until); }

  /// Lets arrive what is due.
  void run(instant now);

  /// Lets everything arrive at once.
  void release();

  [[nodiscard]] std::optional<instant> next_due() const;

  /// Messages that are on their way.
  [[nodiscard]] std::size_t size() const { return under_way_.size(); }

private:
  struct direction {
    std::uint64_t passed = 0;
    instant newest{}; // When the last message arrives.
  };

  direction& at(way x) { return x == way::to_backend ? to_backend_ : to_client_; }
  std::uint64_t link_of(way x) const { return 3 * session_ + (x == way::to_client ? 1 : 0); }
  nanoseconds delay_of(message_place x);
  void hold(instant due, instant now, arrival arrive);

  fault_dice dice_;
  std::uint64_t session_;
  instant stalled_until_;
  std::function<void(fault_kind)> count_;
  direction to_backend_;
  direction to_client_;
  timer_queue<arrival> under_way_;
};

} // namespace trunnion
