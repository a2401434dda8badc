// An actor whose mailbox no client can fill.
//
// CAF's mailbox has no bound, and what is refused in the actor's own turn has already been in it: a
// thread that sends without looking at its answers is faster than any refusal. So as long as the
// mailbox is long, the messages of each sender are counted before they go in, and what is too much
// is refused on the sender's own thread. What must not be refused, such as credit, always passes.
//
// The count begins anew when the actor says that its mailbox is short again. While it is short, a
// message costs one atomic addition.
//
// Threads: `enqueue` and `refused` from any, everything else from the actor itself.

#pragma once

#include "trunnion/messages/errors.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/mailbox_element.hpp>

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace trunnion {

template <class Base> class guarded_mailbox : public Base {
public:
  using Base::Base;

  struct bounds {
    std::size_t long_mailbox; ///< From here on messages are counted.
    std::size_t per_sender;   ///< Counted messages of one sender; one more is refused.
    bool (*must_pass)(const caf::type_erased_tuple&); ///< What is never refused.
  };

  /// Before the first message is handled; until then all pass.
  void guard(const bounds& x) {
    bounds_ = x;
    is_guarded_.store(true, std::memory_order_release);
  }

  using Base::enqueue;
  void enqueue(caf::mailbox_element_ptr x, caf::execution_unit* unit) override {
    if (is_guarded_.load(std::memory_order_acquire) && is_too_much(*x))
      return refuse(*x, unit);
    Base::enqueue(std::move(x), unit);
  }

  /// A message is being handled, and so many wait.
  void on_handled(std::size_t waiting) {
    since_handled_.store(0, std::memory_order_relaxed);
    if (waiting > bounds_.long_mailbox) {
      is_long_.store(true, std::memory_order_relaxed);
    } else if (waiting * 2 <= bounds_.long_mailbox) {
      is_long_.store(false, std::memory_order_relaxed);
      if (!is_counting_.load(std::memory_order_relaxed))
        return;
      const std::lock_guard lock{mutex_};
      counts_.clear();
      is_counting_.store(false, std::memory_order_relaxed);
    }
  }

  /// Messages that were refused here.
  [[nodiscard]] std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

private:
  bool is_too_much(caf::mailbox_element& x) {
    const auto waiting = since_handled_.fetch_add(1, std::memory_order_relaxed);
    if (waiting < bounds_.long_mailbox && !is_long_.load(std::memory_order_relaxed))
      return false;
    if (!x.sender || x.sender.get() == this->ctrl())
      return false;
    const std::lock_guard lock{mutex_};
    is_counting_.store(true, std::memory_order_relaxed);
    auto& count = counts_[x.sender.get()];
    if (count < bounds_.per_sender) {
      ++count;
      return false;
    }
    return !bounds_.must_pass(x.content());
  }

  void refuse(caf::mailbox_element& x, caf::execution_unit* unit) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    auto why = to_error(error_code::overloaded, "this client has too many operations in flight");
    x.sender->enqueue(this->ctrl(), x.mid.response_id(), caf::make_message(std::move(why)), unit);
  }

  bounds bounds_{};
  std::atomic<bool> is_guarded_{false};
  std::atomic<bool> is_long_{false};
  std::atomic<bool> is_counting_{false}; // `counts_` is not empty.
  std::atomic<std::size_t> since_handled_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::mutex mutex_;
  std::unordered_map<const void*, std::size_t> counts_; // By sender, while the mailbox is long.
};

} // namespace trunnion
