// In which order instances of services are asked to end.
//
// First those that only wait for a lease, so that none takes over what is about to be released;
// then the last of the others, and the one before it when that has ended, so that each is there as
// long as those that need it. What does not end in time is to be killed.
//
// Pure. Threads: one user at a time.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace trunnion {

class orderly_stop {
public:
  /// What is left at `kill_at` is to be killed.
  explicit orderly_stop(instant kill_at) : kill_at_(kill_at) {}

  /// One that must end; the highest `order` goes first.
  void add(std::size_t instance, std::size_t order) { left_[instance].order = order; }

  /// It has ended; whether it was one of these.
  bool on_ended(std::size_t instance) { return left_.erase(instance) > 0; }

  /// Those that are to be asked now; each is named once.
  [[nodiscard]] std::vector<std::size_t> next(const std::function<bool(std::size_t)>& only_waits);

  /// Those to be killed, once.
  [[nodiscard]] std::vector<std::size_t> overdue(instant now);

  [[nodiscard]] std::optional<instant> next_due() const {
    return left_.empty() || was_killed_ ? std::nullopt : std::optional{kill_at_};
  }

  [[nodiscard]] bool is_done() const { return left_.empty(); }

  /// When its killing was due, if it came to that.
  [[nodiscard]] std::optional<instant> killed_at() const {
    return was_killed_ ? std::optional{kill_at_} : std::nullopt;
  }

private:
  struct leaver {
    std::size_t order = 0;
    bool is_asked = false;
    bool goes_first = false; // It only waited when it was asked.
  };

  instant kill_at_;
  std::map<std::size_t, leaver> left_;
  bool was_killed_ = false;
};

} // namespace trunnion
