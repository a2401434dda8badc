// Lets all who watch one pattern share one monitor, and so one watch at the backend.
//
// Ask it for a monitor by pattern, then speak with that monitor. A monitor ends when nobody has
// subscribed, waited or asked for `monitor_idle_limit`; whoever wants it again asks the hub again,
// and does not keep unused handles. One that ended by itself is started anew when it is next asked
// for.
//
// Bound: `limits::watches_per_client` monitors; one more is `overloaded`, and counted as
// `monitor_hub_refused`.
// End: by an exit message or with its owner; its monitors end with it.
// Clock: the runtime's decides. Threads: an ordinary actor that never blocks. Local: its messages
// carry handles.

#pragma once

#include "trunnion/actors/kv_monitor.hpp"

namespace trunnion {

/// Is answered with the monitor of `pattern`; `invalid_subject` if it is no name, `*` or `>`.
struct open_monitor {
  subject pattern;
};

struct monitor_handle {
  kv_monitor_actor monitor;
};

using monitor_hub_actor = caf::typed_actor<answers<open_monitor, monitor_handle>>;

/// Starts a hub without monitors. It ends with `owner`; with a null one it lives until it is told
/// to exit.
monitor_hub_actor spawn_monitor_hub(caf::actor_system& sys, const runtime& rt,
                                    const backend_actor& backend,
                                    const caf::strong_actor_ptr& owner);

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::open_monitor)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::monitor_handle)
