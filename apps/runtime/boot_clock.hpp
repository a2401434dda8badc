// The time of this computer.
//
// A lease that a suspended computer holds runs out all the same, so the clock that decides must
// count the time asleep. CLOCK_MONOTONIC does not; CLOCK_BOOTTIME does, and is never stepped.
//
// Cost: `now` and `wall` are one vDSO call each, no system call. Threads: any.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

namespace trunnion {

class boot_clock final : public clock {
public:
  /// Time since the computer started, with the time that it was suspended.
  [[nodiscard]] instant now() const override;

  [[nodiscard]] wall_time wall() const override;
};

/// Time since the computer started, without the time that it was suspended.
[[nodiscard]] nanoseconds awake_time();

} // namespace trunnion
