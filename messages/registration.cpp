#include "trunnion/messages/registration.hpp"

#include "trunnion/messages/interfaces.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/type_id.hpp>

#include <algorithm>

CAF_BEGIN_TYPE_ID_BLOCK(trunnion, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(trunnion, (trunnion::failure))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::kv_get))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::kv_entry))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::kv_create))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::kv_update))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::kv_written))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::kv_delete))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::kv_deleted))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::kv_list))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::watch))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::watch_opened))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::watch_part))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::watch_lost))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::watch_credit))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::rewatch))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::unwatch))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::publish))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::published))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::consume))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::consuming))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::stream_part))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::stream_lost))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::stream_credit))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::unconsume))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::get_capabilities))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::capabilities))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::get_backend_status))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::backend_status))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_await))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_grant))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_refresh))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_refreshed))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_release))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_released))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_subscribe))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_wait_ended))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_inspect))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_jeopardy))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_recovered))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_renewed))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_ended))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::lease_status))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::clock_jumped))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::watch_clock))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::unwatch_clock))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::member_lost))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::group_report))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::group_status))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::group_subscribe))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::group_stop))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::group_wait_ended))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::group_inspect))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::record_wanted))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::record_text))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::monitor_subscribe))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::monitor_credit))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::monitor_unsubscribe))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::monitor_part))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::monitor_health))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::monitor_get_all))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::monitor_entries))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::monitor_inspect))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::monitor_status))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::service_event))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::service_subscribe))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::service_stop))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::service_inspect))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::service_status))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::stream_ack))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::stream_acked))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::drop_durable))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::durable_dropped))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::list_streams))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::stream_subjects))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::invoke))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::invoked))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::listen))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::listening))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::unlisten))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::unlistened))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::purge_listeners))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::listeners_purged))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::incoming_request))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::request_reply))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::request_withdrawn))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::register_service))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::service_registered))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::unregister_service))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::service_unregistered))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::close_backend))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::backend_closed))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::responder_stop))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::responder_stopped))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::responder_inspect))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::responder_status))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::handle_request))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::handled))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::read_batch))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::batch_read))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::reader_stop))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::reader_stopped))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::reader_inspect))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::reader_status))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::elector_campaign))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::elector_elected))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::elector_resign))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::elector_resigned))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::elector_observe))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::elector_inspect))
  CAF_ADD_TYPE_ID(trunnion, (trunnion::elector_status))
CAF_END_TYPE_ID_BLOCK(trunnion)

namespace trunnion {

void register_messages(caf::actor_system_config& cfg) {
  register_block<caf::id_block::trunnion>(cfg);
  cfg.add_error_category(caf::atom("trunnion"),
                         [](std::uint8_t code, caf::atom_value, const caf::message& context) {
                           if (context.match_elements<failure>())
                             return to_string(context.get_as<failure>(0));
                           return to_string(static_cast<error_code>(code));
                         });
}

void configure(caf::actor_system_config& cfg, unsigned workers) {
  register_messages(cfg);
  cfg.set("scheduler.policy", caf::atom("sharing"));
  cfg.set("scheduler.max-threads", std::size_t{std::clamp(workers, 2U, 4U)});
  cfg.set("middleman.workers", std::size_t{0});
  cfg.set("middleman.app-identifiers", std::vector<std::string>{"trunnion"});
}

} // namespace trunnion
