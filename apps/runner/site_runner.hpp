// Runs a site: starts its services, starts again what failed, and ends all of it in order.
//
// All instances start at once; each waits for its entity's lease, then for the services that it
// depends on. What fails is started again under the site's restart policy and its group's strategy
// (`supervision.hpp`), and then waits for its lease like a standby, which may have taken over
// meanwhile. What stays down is told as an event of the service. The end takes standbys first, so
// that none takes over, then the others, each after all that depend on it.
//
// A running site answers on `<site>._ctl` (`site_control.hpp`).
//
// End: by `site_stop` or an exit message, within the site's stop timeout plus a second: what is
// left then is killed, and its leases release themselves. A site whose services have all ended for
// good ends by itself. Threads: an ordinary actor that never blocks. Local: its messages carry
// handles.

#pragma once

#include "trunnion/kinds/kind.hpp"
#include "trunnion/messages/interfaces.hpp"
#include "trunnion/runner/control_protocol.hpp"

#include <string>
#include <vector>

namespace trunnion {

/// How a site ended.
struct site_end {
  std::uint64_t restarts = 0;
  std::vector<std::string> down;   ///< Instances that stayed down, and their groups' others.
  std::vector<std::string> killed; ///< Instances that did not end in time.
};

/// Ends the site in order; is answered when all is over.
struct site_stop {};

/// Is answered when the site is over.
struct site_wait_ended {};

/// A drill: kills the running instance of a service, as a crash would.
struct site_kill {
  std::string service;
};
struct site_killed {};

/// Is answered with how the instances stand.
struct site_inspect {};
struct site_status {
  std::vector<instance_state> instances; ///< In order of start.
};

/// Ends all instances of a service in order, and starts them again. Is answered when that has
/// begun; `key_not_found` for no service that runs here, `cancelled` if it is under way already.
struct site_restart {
  std::string service;
};

/// Likewise; the service stays down until it is restarted.
struct site_stop_service {
  std::string service;
};
struct site_done {};

/// Is answered with the events that are still kept, after one of them.
struct site_read_events {
  std::uint64_t after = 0;
  std::uint32_t at_most = most_control_events;
};
struct site_events {
  control_events events;
};

using site_runner_actor
  = caf::typed_actor<answers<site_stop, site_end>, answers<site_wait_ended, site_end>,
                     answers<site_kill, site_killed>, answers<await_service, running_service>,
                     answers<site_inspect, site_status>, answers<site_restart, site_done>,
                     answers<site_stop_service, site_done>, answers<site_read_events, site_events>>;

struct site_run_options {
  site_model site;
  std::vector<std::string> only; ///< Names of services; empty for all.
  std::string owner;             ///< For people, in the leases' records: `host/pid`.
  group_sink watcher;            ///< Told of losses and ends of the services' groups.
  service_sink listener;         ///< Told of the services' phases.
};

/// Starts the services of a site. Fails with `invalid_argument` if `only` names no service, or
/// leaves out one that another depends on; `unsupported` if a kind that is to run is not built.
/// `kinds` and `devices` must outlive the actor.
outcome<site_runner_actor> run_site(caf::actor_system& sys, const runtime& rt,
                                    const backend_actor& backend, const kind_registry& kinds,
                                    device_directory& devices, const site_run_options& options);

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_end)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_stop)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_wait_ended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_kill)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_killed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_inspect)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_status)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_restart)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_stop_service)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_read_events)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::site_events)
