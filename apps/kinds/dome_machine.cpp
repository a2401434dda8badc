#include "trunnion/kinds/dome_machine.hpp"

#include "trunnion/kinds/mount_machine.hpp"

#include <algorithm>
#include <cmath>

namespace trunnion {
namespace {

double per_second(nanoseconds whole) { return 1 / std::chrono::duration<double>{whole}.count(); }

} // namespace

dome_machine::dome_machine(const dome_settings& settings)
  : settings_(settings),
    shutter_{.per_s = per_second(settings.open_time)},
    azimuth_{.per_s = settings.turn_deg_per_s},
    has_power_(settings.has_power) {}

double dome_machine::ramp::at(instant now) const {
  const auto way = std::max(0.0, std::chrono::duration<double>{now - began}.count() * per_s);
  if (way >= std::abs(to - from))
    return to;
  return to > from ? from + way : from - way;
}

void dome_machine::ramp::go(instant now, double target) {
  from = at(now);
  to = target;
  began = now;
}

outcome<void> dome_machine::open(instant now) {
  if (auto moved = move_shutter(now, 1); !moved)
    return moved;
  commanded_ = now;
  return {};
}

outcome<void> dome_machine::close(instant now) { return move_shutter(now, 0); }

outcome<void> dome_machine::move_shutter(instant now, double target) {
  if (!has_power_)
    return fail(error_code::unsupported, "the dome does not move with its power off");
  if (shutter_.to != target) {
    begin_again(now);
    shutter_.go(now, target);
  }
  return {};
}

outcome<void> dome_machine::set_power(instant now, bool on) {
  if (!on && shutter(now) != shutter_phase::closed)
    return fail(error_code::permission_denied, "the dome must be closed before its power goes");
  if (!on)
    azimuth_.go(runs_until(now), azimuth_.at(runs_until(now)));
  has_power_ = on;
  return {};
}

void dome_machine::turn_to(instant now, double az_deg) {
  if (!has_power_ || !std::isfinite(az_deg))
    return;
  begin_again(now);
  const auto at = azimuth_.at(now);
  azimuth_.go(now, at + azimuth_way(at, az_deg));
}

void dome_machine::permit(instant now, instant until) {
  begin_again(now);
  permitted_ = std::max(now, until);
}

/// What was not permitted has not moved: the rest of each way begins now.
void dome_machine::begin_again(instant now) {
  if (now <= permitted_)
    return;
  for (auto* x : {&shutter_, &azimuth_}) {
    x->from = x->at(permitted_);
    x->began = now;
  }
  permitted_ = now;
}

shutter_phase dome_machine::shutter(instant now) const {
  const auto ratio = open_ratio(now);
  if (ratio == shutter_.to)
    return ratio == 0 ? shutter_phase::closed : shutter_phase::open;
  if (now >= permitted_)
    return shutter_phase::halted;
  return shutter_.to == 0 ? shutter_phase::closing : shutter_phase::opening;
}

double dome_machine::az_deg(instant now) const {
  return std::fmod(std::fmod(azimuth_.at(runs_until(now)), 360.0) + 360.0, 360.0);
}

bool dome_machine::is_forsaken(instant now) const {
  return shutter_.to != 0 && now - commanded_ >= settings_.close_after;
}

} // namespace trunnion
