#include "trunnion/runner/service_launch.hpp"

#include "trunnion/runner/alarm_watch.hpp"

namespace trunnion {
namespace {

/// A member of the service, whose name no kind can take.
outcome<service_member> alarms_of(const entity& owner, const service_spec& spec) {
  const auto stream = spec.publish ? property::named(spec.publish->stream)
                                   : outcome<property>{fail(error_code::invalid_argument,
                                                            "alarms need a stream", owner.text())};
  if (!stream)
    return tl::unexpected{stream.error()};
  auto samples = subject::make(owner, *stream);
  if (!samples)
    return tl::unexpected{samples.error()};
  const alarm_watch_settings settings{*samples, spec.every.value_or(std::chrono::seconds{1}),
                                      spec.alarms};
  return service_member{
    .name = "_alarms",
    .start = [settings](const member_context& x) { return spawn_alarm_watch(x, settings); },
    .grace = spec.stop_grace};
}

} // namespace

outcome<service_actor> launch_service(const service_surroundings& around, const service_spec& spec,
                                      std::uint32_t instance) {
  const auto owner = entity::parse(around.site.entity_of(spec));
  if (!owner)
    return tl::unexpected{owner.error()};
  auto parts = around.kinds.make({around.site, spec, *owner, around.devices});
  if (!parts)
    return tl::unexpected{parts.error()};
  if (!spec.alarms.empty()) {
    auto alarms = alarms_of(*owner, spec);
    if (!alarms)
      return tl::unexpected{alarms.error()};
    parts->members.push_back(*std::move(alarms));
  }
  return start_service(
    around.system, around.rt, around.backend,
    {.info = {spec.name, "1"},
     .entity = *owner,
     .instance = instance,
     .waits_for_lease = true,
     .ttl = spec.lease.is_ttl_given ? std::optional{spec.lease.ttl} : std::nullopt,
     .grace = spec.lease.grace,
     .owner = around.owner,
     .further_leases = std::move(parts->further_leases),
     .depends_on = spec.depends_on,
     .services = around.services,
     .members = std::move(parts->members),
     .stop_timeout = around.site.defaults.stop_timeout,
     .parent = around.parent,
     .watcher = around.watcher});
}

} // namespace trunnion
