// When an alarm is raised, and when it is over.
//
// A condition that is true for a moment is noise. So an alarm is raised once its condition has been
// true, without a break, for as long as it says; it is over once the condition is false. An unknown
// condition neither raises nor ends: what was raised stays so, and what was not yet raised begins
// anew, since nobody saw the condition hold meanwhile.
//
// Clock: none inside; `now` never goes back. Threads: one user at a time.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"
#include "trunnion/site/expression.hpp"

#include <optional>

namespace trunnion {

enum class alarm_change : std::uint8_t { none, raised, over };

class alarm_machine {
public:
  /// `lasting` is how long the condition must hold; zero raises at once.
  explicit alarm_machine(nanoseconds lasting) : lasting_(lasting) {}

  /// What the condition says now. It is taken to say so until it is asked again.
  [[nodiscard]] alarm_change on_answer(instant now, truth answer);

  /// When to ask the condition again at the latest, unless data comes before.
  [[nodiscard]] std::optional<instant> next_due() const;

  [[nodiscard]] bool is_raised() const { return is_raised_; }

  /// For how long the condition has been true; of an alarm that is over, how long it was.
  [[nodiscard]] nanoseconds held() const { return held_; }

private:
  nanoseconds lasting_;
  std::optional<instant> since_; // The condition is true, or the alarm is raised.
  nanoseconds held_{};
  bool is_raised_ = false;
};

} // namespace trunnion
