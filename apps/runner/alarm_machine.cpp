#include "trunnion/runner/alarm_machine.hpp"

namespace trunnion {

alarm_change alarm_machine::on_answer(instant now, truth answer) {
  if (answer == truth::yes && !since_)
    since_ = now;
  held_ = since_ ? now - *since_ : nanoseconds{};
  if (is_raised_) {
    if (answer != truth::no)
      return alarm_change::none;
    is_raised_ = false;
    since_.reset();
    return alarm_change::over;
  }
  if (answer != truth::yes) {
    since_.reset();
    return alarm_change::none;
  }
  if (held_ < lasting_)
    return alarm_change::none;
  is_raised_ = true;
  return alarm_change::raised;
}

std::optional<instant> alarm_machine::next_due() const {
  return since_ && !is_raised_ ? std::optional{*since_ + lasting_} : std::nullopt;
}

} // namespace trunnion
