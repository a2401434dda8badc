// At most so many in a second, and what went beyond counted and told once per episode.
//
// A token bucket that holds a second's worth, at least one. An episode begins with what is refused,
// and is over when nothing has been refused for a second: so a flood costs one line in a log.
//
// Clock: none inside; every call takes `now`. Threads: one user at a time.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <algorithm>
#include <optional>

namespace trunnion {

class rate_cap {
public:
  explicit rate_cap(double per_s) : per_s_(per_s), tokens_(most()) {}

  [[nodiscard]] bool admit(instant now) {
    if (seen_)
      tokens_ = std::min(most(), tokens_ + per_s_ * seconds(now - *seen_));
    seen_ = now;
    if (tokens_ < 1)
      return false;
    tokens_ -= 1;
    return true;
  }

private:
  static double seconds(nanoseconds x) { return std::chrono::duration<double>{x}.count(); }
  [[nodiscard]] double most() const { return std::max(1.0, per_s_); }

  double per_s_;
  double tokens_;
  std::optional<instant> seen_;
};

class episode {
public:
  /// It happened again; whether that begins an episode.
  bool note(instant now, std::uint64_t times = 1) {
    total_ += times;
    const bool begins = !last_ || now - *last_ >= std::chrono::seconds{1};
    last_ = now;
    return begins;
  }

  [[nodiscard]] std::uint64_t total() const { return total_; }

private:
  std::optional<instant> last_;
  std::uint64_t total_ = 0;
};

} // namespace trunnion
