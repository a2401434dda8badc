// Makes the parts of the services of our kinds from their checked configuration.

#include "trunnion/kinds/controller.hpp"
#include "trunnion/kinds/exec_sensor.hpp"
#include "trunnion/kinds/host_telemetry.hpp"
#include "trunnion/kinds/kind.hpp"
#include "trunnion/kinds/sim_camera.hpp"
#include "trunnion/kinds/sim_dome.hpp"
#include "trunnion/kinds/sim_mount.hpp"
#include "trunnion/kinds/sim_weather.hpp"
#include "trunnion/site/standard_kinds.hpp"

#include <filesystem>
#include <set>

namespace trunnion {
namespace {

/// From sample to sample; of a kind without a period, what its readers may expect at the least.
nanoseconds period_of(const service_spec& spec) {
  return spec.every.value_or(std::chrono::seconds{10});
}

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

/// The subject of a service's stream, if its site file names one.
outcome<std::optional<subject>> stream_of(const entity& owner, const service_spec& spec) {
  if (!spec.publish)
    return std::nullopt;
  auto prop = property::named(spec.publish->stream);
  if (!prop)
    return tl::unexpected{prop.error()};
  auto made = subject::make(owner, *prop);
  if (!made)
    return tl::unexpected{made.error()};
  return *made;
}

outcome<entity> entity_in(const kind_context& context, const std::string& service) {
  return entity::parse(context.site.name + "." + service);
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
  auto frames = stream_of(context.entity, context.spec);
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
  auto stream = stream_of(context.entity, context.spec);
  if (!stream)
    return tl::unexpected{stream.error()};
  const telemetry_settings settings{
    .every = period_of(context.spec),
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

outcome<service_parts> make_weather(const kind_context& context) {
  const auto& config = context.spec.config;
  const auto& wind = config.section("wind_mps");
  const auto& front = config.section("front");
  auto stream = stream_of(context.entity, context.spec);
  if (!stream)
    return tl::unexpected{stream.error()};
  const weather_settings settings{
    .seed = static_cast<std::uint64_t>(config.integer("seed")),
    .every = period_of(context.spec),
    .wind_mean_mps = wind.number("mean"),
    .wind_gust_mps = wind.number("gust"),
    .front = {.after = front.has("after") ? std::optional{front.duration("after")} : std::nullopt,
              .pause = front.duration("pause"),
              .lasts = front.duration("lasts"),
              .rise = front.duration("rise")}};
  if (settings.wind_mean_mps >= settings.wind_gust_mps)
    return fail(error_code::invalid_argument, "the mean wind must be below its gusts",
                context.entity.text());
  const auto start
    = [settings, stream = *stream, &devices = context.devices](const member_context& member) {
        return spawn_sim_weather(member, settings.every, stream,
                                 devices.hardware_of<weather_machine>(member.entity, settings));
      };
  return service_parts{
    {{.name = context.spec.name, .start = start, .grace = context.spec.stop_grace}}, {}};
}

outcome<service_parts> make_dome(const kind_context& context) {
  const auto& config = context.spec.config;
  const dome_settings settings{.open_time = config.duration("open_time"),
                               .turn_deg_per_s = config.number("turn_deg_per_s"),
                               .close_after = config.duration("close_after"),
                               .has_power = config.boolean("powered")};
  if (settings.open_time >= context.spec.stop_grace)
    return fail(error_code::invalid_argument,
                "stop_grace must be longer than open_time, so that it can close at its end",
                context.entity.text());
  std::optional<entity> mount;
  if (config.has("slave_to")) {
    const auto* spec = context.site.find(config.text("slave_to"));
    if (!spec || spec->kind != "sim.mount")
      return fail(error_code::invalid_argument, "slave_to must name a sim.mount of this site",
                  context.entity.text());
    auto owner = entity_in(context, spec->name);
    if (!owner)
      return tl::unexpected{owner.error()};
    mount = *owner;
  }
  const auto spawn = [settings, mount, &devices = context.devices](
                       const member_context& member, const std::shared_ptr<fence>& guard) {
    const subject own{member.entity, *property::named(entity_lease_property)};
    return spawn_sim_dome(member,
                          {.hardware = devices.hardware_of<dome_machine>(member.entity, settings),
                           .guard = guard,
                           .right = member.lease(own).view,
                           .devices = &devices,
                           .mount = mount});
  };
  return service_parts{{instrument(context, spawn)}, {}};
}

outcome<service_parts> make_exec(const kind_context& context) {
  const auto refuse = [&](const char* why) {
    return fail(error_code::invalid_argument, why, context.entity.text());
  };
  const auto& config = context.spec.config;
  auto words = config.texts("command");
  if (words.empty() || words.front().empty())
    return refuse("command needs a program");
  for (const auto& x : words)
    if (x.find('\0') != std::string::npos)
      return refuse("command must not have zero bytes");
  if (words.front().find('/') != std::string::npos) // Else it is looked for in PATH.
    words.front() = (std::filesystem::path{context.site.folder} / words.front()).string();
  auto stream = stream_of(context.entity, context.spec);
  if (!stream)
    return tl::unexpected{stream.error()};
  if (!*stream)
    return refuse("exec.sensor needs a stream to publish to, as in publish: {stream: samples}");
  const exec_settings settings{.command = words,
                               .lines_per_s = config.number("rate"),
                               .grace = context.spec.stop_grace * 3 / 4, // The rest is to reap it.
                               .stream = **stream,
                               .every = context.spec.every};
  const auto start = [settings](const member_context& member) {
    return caf::actor_cast<caf::actor>(spawn_exec_sensor(member, settings));
  };
  return service_parts{
    {{.name = context.spec.name, .start = start, .grace = context.spec.stop_grace}}, {}};
}

/// The lease whose holder commands a service of this site.
outcome<subject> control_lease_of(const kind_context& context, const std::string& service) {
  const auto owner = entity_in(context, service);
  if (!owner)
    return tl::unexpected{owner.error()};
  return subject::make(*owner, *property::named(control_lease_property));
}

/// When the observatory must be closed, and where that can be read.
outcome<condition_settings> condition_of(const kind_context& context) {
  const auto& config = context.spec.config;
  condition_settings result{.reopen_after = config.duration("reopen_after")};
  if (!config.has("close_when"))
    return result;
  const auto refuse = [&](const std::string& why) {
    return fail(error_code::invalid_argument, "close_when: " + why, context.entity.text());
  };
  const auto& condition = config.condition("close_when");
  std::set<std::string> services;
  for (const auto& name : condition.names())
    services.insert(name.substr(0, name.find('.')));
  for (const auto& service : services) {
    const auto* spec = context.site.find(service);
    if (!spec || !spec->publish)
      return refuse("no service '" + service + "' of this site publishes a stream");
    auto owner = entity_in(context, service);
    if (!owner)
      return tl::unexpected{owner.error()};
    auto where = stream_of(*owner, *spec);
    if (!where)
      return tl::unexpected{where.error()};
    result.streams.push_back({service, **where, period_of(*spec)});
  }
  result.close_when = condition;
  return result;
}

outcome<service_parts> make_controller(const kind_context& context) {
  auto condition = condition_of(context);
  if (!condition)
    return tl::unexpected{condition.error()};
  std::vector<subject> controls;
  std::optional<subject> mount, camera, dome;
  for (const auto& member : context.spec.lease.group) {
    auto control = control_lease_of(context, member);
    if (!control)
      return tl::unexpected{control.error()};
    const auto* spec = context.site.find(member);
    if (spec && spec->kind == "sim.mount")
      mount = *control;
    if (spec && spec->kind == "sim.camera")
      camera = *control;
    if (spec && spec->kind == "sim.dome")
      dome = *control;
    controls.push_back(std::move(*control));
  }
  const auto start = [mount, camera, dome, condition = *condition,
                      exposure = context.spec.config.duration("exposure"),
                      &devices = context.devices](const member_context& member) {
    const auto control_of = [&](const std::optional<subject>& lease) {
      return lease ? std::optional{controlled{lease->owner(), member.lease(*lease).view}}
                   : std::nullopt;
    };
    const controller_settings settings{.exposure = exposure,
                                       .mount = control_of(mount),
                                       .camera = control_of(camera),
                                       .dome = control_of(dome),
                                       .condition = condition};
    return spawn_controller(member, devices, settings);
  };
  return service_parts{
    {{.name = context.spec.name, .start = start, .grace = context.spec.stop_grace}},
    std::move(controls)};
}

} // namespace

const kind_registry& builtin_kinds() {
  static const kind_registry all = [] {
    kind_registry kinds;
    const std::map<std::string, kind_maker> makers{{"host.telemetry", make_telemetry},
                                                   {"sim.mount", make_mount},
                                                   {"sim.camera", make_camera},
                                                   {"sim.dome", make_dome},
                                                   {"sim.weather", make_weather},
                                                   {"exec.sensor", make_exec},
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
