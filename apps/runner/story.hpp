// What happens in a site, told line by line.
//
// The story is told from what the store and the bus say, not from what services say of themselves:
// keys that come and go, samples, frames and events. Beside that stand the services' phases and the
// ends of their groups. So a story in which one key is taken twice without going in between, or in
// which an instrument obeys an older token after a newer one, shows a defect.
//
// Clock: lines bear the runtime's wall time. Threads: an ordinary actor; the sink is called by it.

#pragma once

#include "trunnion/messages/interfaces.hpp"

#include <functional>
#include <string>

namespace trunnion {

/// One thing that happened.
struct story_line {
  wall_time at;
  std::string who;  ///< An entity, or a key.
  std::string what; ///< One word: `taken`, `gone`, `slew`, `lost`, ...
  std::string text; ///< For people.
  std::string data; ///< JSON of what was published, if something was.
};

using story_sink = std::function<void(const story_line&)>;

/// Is answered when all that was published so far has been told.
struct story_flush {};
struct story_flushed {};

using story_actor
  = group_sink::extend_with<service_sink>::extend<answers<story_flush, story_flushed>>;

/// Tells the story of everything below `site`, and of what its runner forwards.
story_actor spawn_story(caf::actor_system& sys, const runtime& rt, const backend_actor& backend,
                        const entity& site, story_sink sink);

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::story_flush)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::story_flushed)
