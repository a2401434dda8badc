// A running site answers on `<site>._ctl`, and this is both ends of it.
//
// The site's end is a responder in front of the runner: what a request may do is decided here, the
// rest is the runner's. Looking is always allowed; `restart` and `stop` only if the site file says
// `control: true`, else they are `permission_denied`. The other end is one call for a plain thread.
//
// Several processes that run one site share its requests, as all responders do: each answers for
// what it runs itself.
//
// Threads: `ask_site` from any thread that is no actor's; the rest are ordinary actors.

#pragma once

#include "trunnion/actors/client.hpp"
#include "trunnion/runner/control_protocol.hpp"
#include "trunnion/runner/site_runner.hpp"

namespace trunnion {

/// Requests that a site has in hand at once; it answers quickly, so few suffice.
inline constexpr std::size_t control_limit = 16;

/// Serves the requests of a site until its runner ends. `invalid_subject` if `site` is no entity.
outcome<responder_actor> serve_control(caf::actor_system& sys, const runtime& rt,
                                       const backend_actor& backend, const std::string& site,
                                       bool may_change, const site_runner_actor& runner);

/// Asks the site. `unregistered_responder` if it does not run; what the site refuses is an error
/// as it told it.
outcome<control_answer> ask_site(const blocking_client& root, std::string_view site,
                                 const control_request& request,
                                 nanoseconds timeout = default_request_timeout);

} // namespace trunnion
