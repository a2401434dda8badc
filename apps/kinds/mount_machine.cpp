#include "trunnion/kinds/mount_machine.hpp"

#include <algorithm>
#include <cmath>

namespace trunnion {

double azimuth_way(double from_deg, double to_deg) {
  return std::remainder(to_deg - from_deg, 360.0);
}

outcome<instant> mount_machine::slew(instant now, const sky_position& target) {
  if (!std::isfinite(target.alt_deg) || !std::isfinite(target.az_deg))
    return fail(error_code::invalid_argument, "a target needs finite angles");
  if (target.alt_deg < settings_.alt_min_deg || target.alt_deg > settings_.alt_max_deg)
    return fail(error_code::invalid_argument,
                "the target's altitude is beyond the limits of the mount");
  from_ = position(now);
  to_ = {target.alt_deg, std::fmod(std::fmod(target.az_deg, 360.0) + 360.0, 360.0)};
  const auto way = std::max(std::abs(to_.alt_deg - from_.alt_deg),
                            std::abs(azimuth_way(from_.az_deg, to_.az_deg)));
  const auto seconds = std::chrono::duration<double>{way / settings_.slew_deg_per_s};
  began_ = now;
  arrives_ = now + std::chrono::duration_cast<nanoseconds>(seconds);
  still_at_ = arrives_ + settings_.settle;
  return still_at_;
}

sky_position mount_machine::position(instant now) const {
  if (now >= arrives_)
    return to_;
  const auto share = std::chrono::duration<double>{now - began_} / (arrives_ - began_);
  const auto az = from_.az_deg + share * azimuth_way(from_.az_deg, to_.az_deg);
  return {from_.alt_deg + share * (to_.alt_deg - from_.alt_deg), std::fmod(az + 360.0, 360.0)};
}

} // namespace trunnion
