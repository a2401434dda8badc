// All typed handles, in one place to read: who understands what.
//
// Each public handle is the smallest protocol; private ticks extend it inside its actor's file and
// are not seen here. No message that crosses actor systems carries a handle: the sink of a watch or
// a subscription is its sender.
//
// Every request ends by an answer or an error, also when the actor that was asked is killed; give
// each a finite timeout all the same, since a lost connection swallows requests.

#pragma once

#include "trunnion/messages/backend_status.hpp"
#include "trunnion/messages/capabilities.hpp"
#include "trunnion/messages/elector.hpp"
#include "trunnion/messages/group.hpp"
#include "trunnion/messages/kv.hpp"
#include "trunnion/messages/lease.hpp"
#include "trunnion/messages/lease_view.hpp"
#include "trunnion/messages/monitor.hpp"
#include "trunnion/messages/responder.hpp"
#include "trunnion/messages/runtime/caf_shim.hpp"
#include "trunnion/messages/service.hpp"
#include "trunnion/messages/service_registration.hpp"
#include "trunnion/messages/stream.hpp"
#include "trunnion/messages/stream_reader.hpp"
#include "trunnion/messages/watch.hpp"

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::lease_get_view)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::lease_view)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::monitor_wait_for)

namespace trunnion {

/// A store and a bus; `docs/architecture.md` lists the engines.
using backend_actor = caf::typed_actor<
  answers<kv_get, kv_entry>, answers<kv_create, kv_written>, answers<kv_update, kv_written>,
  answers<kv_delete, kv_deleted>, answers<kv_list, watch_opened>, answers<watch, watch_opened>,
  takes<watch_credit>, takes<rewatch>, takes<unwatch>, answers<publish, published>,
  answers<consume, consuming>, takes<stream_credit>, takes<unconsume>,
  answers<stream_ack, stream_acked>, answers<drop_durable, durable_dropped>,
  answers<list_streams, stream_subjects>, answers<invoke, invoked>, answers<listen, listening>,
  answers<unlisten, unlistened>, answers<purge_listeners, listeners_purged>, takes<request_reply>,
  answers<register_service, service_registered>, answers<unregister_service, service_unregistered>,
  answers<get_capabilities, capabilities>, answers<get_backend_status, backend_status>,
  answers<close_backend, backend_closed>>;

/// What the one who watches or lists understands.
using watch_sink = caf::typed_actor<takes<watch_part>, takes<watch_lost>>;

/// What the one who consumes understands.
using stream_sink = caf::typed_actor<takes<stream_part>, takes<stream_lost>>;

/// What the one who listens understands.
using request_listener = caf::typed_actor<takes<incoming_request>, takes<request_withdrawn>>;

using lease_actor
  = caf::typed_actor<answers<lease_await, lease_grant>, answers<lease_refresh, lease_refreshed>,
                     answers<lease_release, lease_released>, answers<lease_subscribe, lease_status>,
                     answers<lease_wait_ended, lease_ended>, answers<lease_inspect, lease_status>,
                     answers<lease_get_view, lease_view>, takes<clock_jumped>>;

/// What a subscriber of a lease understands.
using lease_sink = caf::typed_actor<takes<lease_jeopardy>, takes<lease_recovered>,
                                    takes<lease_renewed>, takes<lease_ended>>;

/// Tells its subscribers when the clock has jumped. One for each actor system, found in CAF's
/// registry under `clock_watch_name`.
using clock_watch_actor
  = caf::typed_actor<takes<watch_clock>, takes<unwatch_clock>, takes<clock_jumped>>;
inline constexpr auto clock_watch_name = caf::atom("clockwatch");

/// Supplies the record of a lease's next refresh; asked with a deadline of a tenth of the TTL.
using record_source = caf::typed_actor<answers<record_wanted, record_text>>;

/// What a subscriber of a group understands; every member gets `member_lost`, too.
using group_sink = caf::typed_actor<takes<member_lost>, takes<group_report>>;

/// What a subscriber of a monitor understands.
using monitor_sink = caf::typed_actor<takes<monitor_part>, takes<monitor_health>>;

using kv_monitor_actor
  = caf::typed_actor<answers<monitor_subscribe, monitor_status>, takes<monitor_credit>,
                     takes<monitor_unsubscribe>, answers<monitor_get_all, monitor_entries>,
                     answers<monitor_wait_for, monitor_entries>,
                     answers<monitor_inspect, monitor_status>>;

/// Serves the requests of one subject.
using responder_actor = caf::typed_actor<answers<responder_stop, responder_stopped>,
                                         answers<responder_inspect, responder_status>>;

/// What a responder hands requests to, if its handler is an actor.
using request_handler = caf::typed_actor<answers<handle_request, handled>>;

using stream_reader_actor
  = caf::typed_actor<answers<reader_stop, reader_stopped>, answers<reader_inspect, reader_status>>;

/// What a stream reader hands messages to.
using read_sink = caf::typed_actor<answers<read_batch, batch_read>>;

using elector_actor = caf::typed_actor<
  answers<elector_campaign, elector_elected>, answers<elector_resign, elector_resigned>,
  answers<elector_observe, elector_status>, answers<elector_inspect, elector_status>>;

/// What an observer of an election understands.
using elector_sink = caf::typed_actor<takes<elector_status>>;

/// What a subscriber of a service understands.
using service_sink = caf::typed_actor<takes<service_event>>;

using service_actor
  = caf::typed_actor<answers<service_subscribe, service_status>,
                     answers<service_stop, group_report>, answers<service_inspect, service_status>>;

} // namespace trunnion
