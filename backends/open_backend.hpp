// From a URL to a backend.
//
// The only place that knows which engines there are. A URL names an engine by its scheme; one that
// this version does not have is refused by name, so that nobody mistakes a missing engine for a
// missing server.
//
// URLs may hold passwords: no error and no log line shows one, and `redact_url` is what to show.

#pragma once

#include "trunnion/messages/interfaces.hpp"

#include <string>
#include <string_view>

namespace trunnion {

/// Opens what `url` names (`docs/architecture.md`, `docs/faulty-backend.md`). Errors:
/// `invalid_argument` for what is not the URL of a backend, `unsupported` for an engine that is not
/// in this version.
outcome<backend_actor> open_backend(caf::actor_system& sys, const runtime& rt,
                                    std::string_view url);

/// `url` as it may be shown and handed to a child: without user names, passwords and tokens. Rather
/// too much is hidden than too little.
[[nodiscard]] std::string redact_url(std::string_view url);

} // namespace trunnion
