#include "trunnion/messages/monitor.hpp"
#include "trunnion/messages/service.hpp"
#include "trunnion/tests/messages/wire.hpp"

namespace trunnion::test {
namespace {

const fencing_token token{{1}, {2}};
const wall_time written{1'700'000'000'123'456'789ns};

std::vector<lost_lease> losses() {
  return {{"a.Lease", loss_reason::broken, "admin"}, {"worker", loss_reason::holder_died, ""}};
}

std::vector<entry> entries() {
  return {{at("a.b"), payload{"v"}, {3}, written, 4s, {}, true, false},
          {at("a.c"), {}, {5}, written, {}, tombstone_cause::purged, false, true}};
}

entity owner() { return at("ridge.mount.x").owner(); }

} // namespace

wire_samples group_samples() {
  return {
    sample(member_lost{"worker", loss_reason::no_progress, "itself", 3s, "night"}),
    sample(group_report{losses(), {"slow"}, {"a.Lease"}}),
    sample(group_report{}),
    sample(group_status{group_phase::closing, {{at("a.Lease"), token, 3s, 4s}}, {"m", "n"}, 5, 6}),
    sample(group_subscribe{}),
    sample(group_stop{}),
    sample(group_wait_ended{}),
    sample(group_inspect{}),
    sample(record_wanted{at("a.Lease")}),
    sample(record_text{"{}"}),
    sample(monitor_subscribe{1}),
    sample(monitor_credit{1}),
    sample(monitor_unsubscribe{}),
    sample(monitor_part{1, part_kind::change, {2}, entries(), {3}}),
    sample(monitor_health{true, "well"}),
    sample(monitor_get_all{}),
    sample(monitor_entries{{1}, {2}, entries(), 3s}),
    sample(monitor_inspect{}),
    sample(monitor_status{at("a.>"), true, 1s, {2}, 3, 4, 5, 6, 7, 8, 9}),
    sample(service_event{owner(), 1, service_phase::failed, token, "lost", losses()}),
    sample(service_subscribe{}),
    sample(service_stop{}),
    sample(service_inspect{}),
    sample(service_status{
      {"mount", "1.2"}, owner(), 1, service_phase::running, token, {"m", "n"}, "up"}),
  };
}

} // namespace trunnion::test
