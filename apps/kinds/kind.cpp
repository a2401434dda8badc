#include "trunnion/kinds/kind.hpp"

#include "trunnion/kinds/controller.hpp"
#include "trunnion/kinds/host_telemetry.hpp"
#include "trunnion/kinds/sim_camera.hpp"
#include "trunnion/kinds/sim_mount.hpp"
#include "trunnion/site/standard_kinds.hpp"

namespace trunnion {
namespace {

/// A member that stands for the whole instrument, and is found in the directory.
template <class Spawn> service_member instrument(const kind_context& context, Spawn spawn) {
  return {.name = context.spec.name,
          .start =
            [&devices = context.devices, spawn](const member_context& member) {
              const auto device
                = caf::actor_cast<caf::actor>(spawn(member, devices.fence_of(member.entity)));
              devices.put(member.entity, device);
              return device;
            },
          .grace = context.spec.stop_grace};
}

/// The subject of the service's stream, if its site file names one.
outcome<std::optional<subject>> stream_of(const kind_context& context) {
  if (!context.spec.publish)
    return std::nullopt;
  auto prop = property::named(context.spec.publish->stream);
  if (!prop)
    return tl::unexpected{prop.error()};
  auto made = subject::make(context.entity, *prop);
  if (!made)
    return tl::unexpected{made.error()};
  return *made;
}

outcome<service_parts> make_mount(const kind_context& context) {
  const auto& config = context.spec.config;
  const auto& limits = config.section("limits");
  const mount_settings settings{.slew_deg_per_s = config.number("slew_deg_per_s"),
                                .settle = config.duration("settle"),
                                .alt_min_deg = limits.number("alt_min_deg"),
                                .alt_max_deg = limits.number("alt_max_deg")};
  if (settings.alt_min_deg >= settings.alt_max_deg)
    return fail(error_code::invalid_argument, "alt_min_deg must be below alt_max_deg",
                context.entity.text());
  return service_parts{{instrument(context,
                                   [settings](const member_context& member, const auto& guard) {
                                     return spawn_sim_mount(member, settings, guard);
                                   })},
                       {}};
}

outcome<service_parts> make_camera(const kind_context& context) {
  const auto& config = context.spec.config;
  auto frames = stream_of(context);
  if (!frames)
    return tl::unexpected{frames.error()};
  const camera_settings settings{.width = static_cast<std::uint32_t>(config.integer("width")),
                                 .height = static_cast<std::uint32_t>(config.integer("height")),
                                 .readout = config.duration("readout"),
                                 .frames = *frames};
  return service_parts{{instrument(context,
                                   [settings](const member_context& member, const auto& guard) {
                                     return spawn_sim_camera(member, settings, guard);
                                   })},
                       {}};
}

outcome<service_parts> make_telemetry(const kind_context& context) {
  const auto& config = context.spec.config;
  auto stream = stream_of(context);
  if (!stream)
    return tl::unexpected{stream.error()};
  const telemetry_settings settings{
    .every = context.spec.every.value_or(std::chrono::seconds{1}),
    .stream = *stream,
    .sources = config.texts("read"),
    .mounts = config.texts("mounts"),
    .proc_root = config.text("proc_root"),
    .sys_root = config.text("sys_root"),
  };
  return service_parts{
    {{.name = context.spec.name,
      .start
      = [settings](const member_context& member) { return spawn_host_telemetry(member, settings); },
      .grace = context.spec.stop_grace}},
    {}};
}

/// The lease whose holder commands a service of this site.
outcome<subject> control_lease_of(const kind_context& context, const std::string& service) {
  const auto owner = entity::parse(context.site.name + "." + service);
  if (!owner)
    return tl::unexpected{owner.error()};
  return subject::make(*owner, *property::named(control_lease_property));
}

outcome<service_parts> make_controller(const kind_context& context) {
  std::vector<subject> controls;
  std::optional<subject> mount, camera;
  for (const auto& member : context.spec.lease.group) {
    auto control = control_lease_of(context, member);
    if (!control)
      return tl::unexpected{control.error()};
    const auto* spec = context.site.find(member);
    if (spec && spec->kind == "sim.mount")
      mount = *control;
    if (spec && spec->kind == "sim.camera")
      camera = *control;
    controls.push_back(std::move(*control));
  }
  const auto start = [mount, camera, exposure = context.spec.config.duration("exposure"),
                      &devices = context.devices](const member_context& member) {
    controller_settings settings{.exposure = exposure};
    if (mount)
      settings.mount = controlled{mount->owner(), member.lease(*mount).view};
    if (camera)
      settings.camera = controlled{camera->owner(), member.lease(*camera).view};
    return spawn_controller(member, devices, settings);
  };
  return service_parts{
    {{.name = context.spec.name, .start = start, .grace = context.spec.stop_grace}},
    std::move(controls)};
}

} // namespace

void kind_registry::add(kind_schema schema, kind_maker make) {
  schema.built = true;
  makers_[schema.name] = std::move(make);
  catalogue_.add(std::move(schema));
}

void kind_registry::add_planned(kind_schema schema) {
  schema.built = false;
  makers_.erase(schema.name);
  catalogue_.add(std::move(schema));
}

outcome<service_parts> kind_registry::make(const kind_context& context) const {
  const auto found = makers_.find(context.spec.kind);
  if (found == makers_.end())
    return fail(error_code::unsupported,
                "the kind '" + context.spec.kind + "' is not built in this version",
                context.entity.text());
  return found->second(context);
}

const kind_registry& builtin_kinds() {
  static const kind_registry all = [] {
    kind_registry kinds;
    const std::map<std::string, kind_maker> makers{{"host.telemetry", make_telemetry},
                                                   {"sim.mount", make_mount},
                                                   {"sim.camera", make_camera},
                                                   {"observatory.controller", make_controller}};
    for (const auto& name : standard_kinds().names()) {
      const auto& schema = *standard_kinds().find(name);
      if (const auto found = makers.find(name); found != makers.end())
        kinds.add(schema, found->second);
      else
        kinds.add_planned(schema);
    }
    return kinds;
  }();
  return all;
}

} // namespace trunnion
