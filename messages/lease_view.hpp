// Whether a lease is still held, for the code that is about to touch the hardware.
//
// A message may be late; a look at the clock is not. A view is a small copyable object that any
// thread may ask, right before each command, without waiting for an actor: `held` compares an
// atomic deadline with the runtime's clock. Give the token along with the command, so that a fence
// at the device can refuse it if the look was too early after all.
//
// Local: it shares memory with the lease's actor, and never crosses actor systems.
// Threads: any, without locks; `lease_cell` is written by the lease's actor alone.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <atomic>
#include <memory>

namespace trunnion {

/// What a lease's actor and its views share.
class lease_cell {
public:
  explicit lease_cell(const clock& time) : time_(&time) {}

  /// The lease is granted under `token`, for its whole life.
  void grant(fencing_token token, instant deadline) {
    token_ = token;
    granted_.store(true, std::memory_order_release);
    move_deadline(deadline);
  }

  /// Held until before `deadline`, if it has been granted and not ended.
  void move_deadline(instant deadline) {
    deadline_.store(deadline.time_since_epoch().count(), std::memory_order_release);
  }

  /// Not held any more, for good.
  void end() { deadline_.store(ended, std::memory_order_release); }

  [[nodiscard]] bool held() const {
    const auto deadline = deadline_.load(std::memory_order_acquire);
    return deadline != ended && time_->now().time_since_epoch().count() < deadline;
  }

  [[nodiscard]] nanoseconds time_left() const {
    const auto deadline = deadline_.load(std::memory_order_acquire);
    const auto now = time_->now().time_since_epoch().count();
    return nanoseconds{deadline == ended || deadline <= now ? 0 : deadline - now};
  }

  /// Zero before the grant.
  [[nodiscard]] fencing_token token() const {
    return granted_.load(std::memory_order_acquire) ? token_ : fencing_token{};
  }

private:
  static constexpr std::int64_t ended = INT64_MIN;

  const clock* time_;
  std::atomic<std::int64_t> deadline_{ended}; // Nanoseconds on the runtime's clock.
  std::atomic<bool> granted_{false};          // Whether the token may be read.
  fencing_token token_;                       // Written once, before that.
};

/// Copies share one lease. A default one is never held.
class lease_view {
public:
  lease_view() = default;
  explicit lease_view(std::shared_ptr<const lease_cell> cell) : cell_(std::move(cell)) {}

  /// Whether the right to act still stands, at this moment.
  [[nodiscard]] bool held() const { return cell_ && cell_->held(); }

  /// Until the deadline; zero if not held.
  [[nodiscard]] nanoseconds time_left() const { return cell_ ? cell_->time_left() : nanoseconds{}; }

  /// Of this acquisition; zero before it is granted.
  [[nodiscard]] fencing_token token() const { return cell_ ? cell_->token() : fencing_token{}; }

private:
  std::shared_ptr<const lease_cell> cell_;
};

} // namespace trunnion
