// The commands that ask a running site: `service ls|show|restart|stop|events`.

#pragma once

#include "trunnion/runner/control_protocol.hpp"
#include "trunnion/tool/backend_session.hpp"

#include <string>

namespace trunnion {

class command_table;

struct service_control_options {
  std::string target; ///< A site, or `SITE.SERVICE`.
};

void add_service_control_commands(command_table& commands);

// What they do once a backend is open. Answers go to standard output: columns aligned on a
// terminal, else separated by tabs; JSON with `--json`.

/// The instances of a site's services; without a target the services that have left a
/// `ServiceRecord`, our own and the peer's.
command_result list_services(const global_options& globals, const service_control_options& options,
                             const blocking_client& root);

command_result show_service(const global_options& globals, const service_control_options& options,
                            const blocking_client& root);

/// `restart` or `stop`. A site that does not take commands answers `permission_denied`.
command_result command_service(const global_options& globals,
                               const service_control_options& options, control_op op,
                               const blocking_client& root);

/// What has happened in a site, as far as it is kept there.
command_result tell_events(const global_options& globals, const service_control_options& options,
                           const blocking_client& root);

} // namespace trunnion
