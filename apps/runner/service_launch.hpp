// From a service of a site file to an actor: its kind's parts, and its alarms, under its leases.
//
// Threads: a plain function.

#pragma once

#include "trunnion/kinds/kind.hpp"

#include <string>

namespace trunnion {

/// What all services of a running site share.
struct service_surroundings {
  caf::actor_system& system;
  const runtime& rt;
  const backend_actor& backend;
  const kind_registry& kinds;
  device_directory& devices;
  const site_model& site;
  std::string owner; ///< For people, in the leases' records.
  group_sink watcher;
  service_source services;
  caf::strong_actor_ptr parent; ///< The service ends in order when it ends.
};

/// Starts an instance; 0 is the first, others are standbys.
outcome<service_actor> launch_service(const service_surroundings& around, const service_spec& spec,
                                      std::uint32_t instance);

} // namespace trunnion
