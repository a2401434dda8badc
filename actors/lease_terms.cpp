#include "trunnion/actors/lease_terms.hpp"

#include <algorithm>

namespace trunnion {

using std::chrono::seconds;

nanoseconds lease_terms::guard_for(nanoseconds ttl_in_force) const {
  return guard ? *guard : std::max<nanoseconds>(milliseconds{20}, ttl_in_force / 50);
}

nanoseconds lease_terms::attempt_timeout() const {
  return std::clamp<nanoseconds>(ttl / 10, milliseconds{50}, seconds{2});
}

nanoseconds lease_terms::first_pause() const {
  return std::min<nanoseconds>(milliseconds{50}, ttl / 20);
}

nanoseconds lease_terms::longest_pause() const { return ttl / 20; }

nanoseconds lease_terms::patience() const {
  return std::clamp<nanoseconds>(ttl / 2, seconds{1}, seconds{10});
}

} // namespace trunnion
