// The part of a service that watches its own samples, and tells people when something is wrong.
//
// It consumes what the service publishes, through the backend as anyone would, so that it works for
// every kind of service, and asks each alarm's condition at each sample (`alarm_machine.hpp`). A
// sample that does not come, or cannot be read, makes conditions unknown after three periods.
//
// Publishes `alarm` and `alarm_over` events of the service, and logs both at the alarm's level.
// Begins with no alarm raised at each start of the service.
//
// Threads: an ordinary actor that never blocks. End: an exit message.

#pragma once

#include "trunnion/actors/service.hpp"
#include "trunnion/site/site_model.hpp"

#include <vector>

namespace trunnion {

struct alarm_watch_settings {
  subject samples;
  nanoseconds period{}; ///< From sample to sample.
  std::vector<alarm_spec> alarms;
};

caf::actor spawn_alarm_watch(const member_context& context, const alarm_watch_settings& settings);

} // namespace trunnion
