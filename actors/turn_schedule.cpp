#include "trunnion/actors/turn_schedule.hpp"

#include <algorithm>
#include <array>

namespace trunnion {
namespace {

constexpr std::array<milliseconds, 5> after_due{
  milliseconds{10}, milliseconds{100}, milliseconds{200}, milliseconds{300}, milliseconds{350}};
constexpr nanoseconds slow_pace = std::chrono::seconds{1};

} // namespace

void turn_schedule::on_held(instant now, std::optional<nanoseconds> time_left) {
  next_.reset();
  due_.reset();
  step_ = 0;
  if (!time_left)
    return;
  due_ = now + *time_left;
  next_ = *due_ + after_due[0];
}

void turn_schedule::on_missed(instant now) {
  if (due_ && now < *due_) { // Its time has not come: the try was made for want of news.
    if (!next_ || *next_ <= now)
      next_ = std::min(now + slow_pace, *due_ + after_due[0]);
    return;
  }
  for (++step_; due_ && step_ < after_due.size(); ++step_)
    if (const auto at = *due_ + after_due[step_]; at > now) {
      next_ = at;
      return;
    }
  next_ = now + slow_pace;
}

void turn_schedule::on_trouble(instant now) {
  if (!next_ || *next_ <= now || *next_ > now + slow_pace)
    next_ = now + slow_pace;
}

void turn_schedule::plan(instant at) {
  next_ = at;
  due_.reset();
  step_ = 0;
}

} // namespace trunnion
