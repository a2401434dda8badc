#include "trunnion/tool/commands/service_control.hpp"

#include "trunnion/messages/json.hpp"
#include "trunnion/messages/service_record.hpp"
#include "trunnion/runner/site_control.hpp"
#include "trunnion/tool/command.hpp"
#include "trunnion/tool/option_binder.hpp"
#include "trunnion/tool/table.hpp"

#include <ostream>
#include <set>

namespace trunnion {
namespace {

constexpr std::string_view lease_property = "EntityLease";

// -- who is asked ---------------------------------------------------------------

struct target {
  std::string site;
  std::string service;
};

/// Reads `ridge.camera`: what stands before the last dot is the site.
tl::expected<target, tool_error> service_in(const std::string& text) {
  const auto dot = text.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == text.size())
    return tl::unexpected{usage_error("'" + text + "' is not SITE.SERVICE, as in ridge.camera")};
  return target{text.substr(0, dot), text.substr(dot + 1)};
}

/// What the site answers; a site that does not run is told in words of the tool.
template <class What>
tl::expected<What, tool_error> ask(const global_options& globals, const blocking_client& root,
                                   const std::string& site, const control_request& request) {
  auto answer = ask_site(root, site, request, globals.timeout.value);
  if (!answer) {
    auto error = to_tool_error(answer.error());
    if (answer.error().code == error_code::unregistered_responder) {
      error.message = "no site '" + site + "' runs on this backend";
      error.hint = "memory: is of one process only; choose the backend of the site with -b";
    }
    return tl::unexpected{std::move(error)};
  }
  if (auto* what = std::get_if<What>(&answer->what))
    return std::move(*what);
  return tl::unexpected{to_tool_error(
    {error_code::backend_protocol, certainty::unknown, site, "answered something else", {}})};
}

// -- what is shown --------------------------------------------------------------

void print_instances(const global_options& globals, const std::string& site,
                     const std::vector<instance_state>& instances) {
  auto& io = *globals.io;
  if (globals.json.value) {
    json_writer json;
    json.begin_array();
    for (const auto& i : instances) {
      json.begin_object().key("site").text(site).key("service").text(i.service);
      json.key("kind").text(i.kind).key("instance").unsigned_number(i.instance);
      json.key("phase").text(i.phase);
      json.key("token");
      i.token.empty() ? json.null() : json.text(i.token);
      json.key("restarts").unsigned_number(i.restarts).key("text").text(i.text).end_object();
    }
    io.out << json.end_array().str() << '\n';
    return;
  }
  text_table table{{"SERVICE", "INSTANCE", "KIND", "PHASE", "TOKEN", "RESTARTS", "LATEST"}, {}};
  for (const auto& i : instances)
    table.rows.push_back({i.service, std::to_string(i.instance), i.kind, i.phase, i.token,
                          std::to_string(i.restarts), i.text});
  print(io.out, table, io.out_is_terminal);
}

struct recorded_service {
  std::string entity;
  service_record record;
  bool is_held = false;
};

/// The services that left a record in the store. One that cannot be read is skipped, and said.
std::vector<recorded_service> recorded_in(const global_options& globals, const listing& x) {
  std::set<std::string> held;
  for (const auto& entry : x.entries)
    if (entry.subject.prop().text() == lease_property)
      held.insert(entry.subject.owner().text());
  std::vector<recorded_service> result;
  for (const auto& entry : x.entries) {
    if (entry.subject.prop().text() != service_record_property)
      continue;
    const auto owner = entry.subject.owner().text();
    if (auto record = decode_service_record(entry.payload.bytes()))
      result.push_back({owner, *std::move(record), held.contains(owner)});
    else
      say(globals, entry.subject.text() + " is skipped: " + record.error().text);
  }
  return result;
}

void print_recorded(const global_options& globals, const std::vector<recorded_service>& services) {
  auto& io = *globals.io;
  if (globals.json.value) {
    json_writer json;
    json.begin_array();
    for (const auto& x : services) {
      json.begin_object().key("entity").text(x.entity).key("name").text(x.record.info.name);
      json.key("version").text(x.record.info.version).key("holds_lease").boolean(x.is_held);
      json.key("last_registered").text(time_text(x.record.last_registered.at)).end_object();
    }
    io.out << json.end_array().str() << '\n';
    return;
  }
  text_table table{{"ENTITY", "NAME", "VERSION", "LEASE", "REGISTERED"}, {}};
  for (const auto& x : services)
    table.rows.push_back({x.entity, x.record.info.name, x.record.info.version,
                          x.is_held ? "held" : "free", time_text(x.record.last_registered.at)});
  print(io.out, table, io.out_is_terminal);
}

void bind_site(option_binder& binder, service_control_options& options) {
  binder.argument("SITE", options.target, "The name of a running site.");
}

void bind_service(option_binder& binder, service_control_options& options) {
  binder.argument("SITE.SERVICE", options.target, "A service of a running site.");
}

/// At most one site.
struct list_options {
  std::vector<std::string> sites;
};

const std::vector<exit_code> control_exits
  = {exit_code::done,      exit_code::failed,      exit_code::usage, exit_code::not_found,
     exit_code::timed_out, exit_code::unreachable, exit_code::denied};

command change_command(control_op op, std::string summary) {
  const auto verb = to_string(op);
  return make_command<service_control_options>(
    {.group = "service",
     .verb = verb,
     .synopsis = "SITE.SERVICE",
     .summary = std::move(summary),
     .examples = {{"service " + verb + " ridge.camera", "needs `control: true` in the site file"}},
     .exits = control_exits},
    bind_service, [op](const global_options& globals, const service_control_options& options) {
      return with_backend(globals, [&](const blocking_client& root) {
        return command_service(globals, options, op, root);
      });
    });
}

} // namespace

void add_service_control_commands(command_table& commands) {
  commands.add(make_command<list_options>(
    {.group = "service",
     .verb = "ls",
     .synopsis = "[SITE]",
     .summary = "Lists the services of a running site, or all that are recorded in a store.",
     .examples = {{"service ls ridge", "the instances, as the site sees them"},
                  {"service ls", "who has left a ServiceRecord, and whether its lease is held"}},
     .exits = control_exits},
    [](option_binder& binder, list_options& options) {
      binder.arguments("SITE", options.sites, "The name of a running site.");
    },
    [](const global_options& globals, const list_options& options) {
      if (options.sites.size() > 1)
        return report(globals, usage_error("'service ls' takes one site at most"));
      return with_backend(globals, [&](const blocking_client& root) {
        return list_services(globals, {options.sites.empty() ? "" : options.sites[0]}, root);
      });
    }));
  commands.add(make_command<service_control_options>(
    {.group = "service",
     .verb = "show",
     .synopsis = "SITE.SERVICE",
     .summary = "Shows the instances of one service of a running site.",
     .examples = {{"service show ridge.observer", "the one that runs, and its standby"}},
     .exits = control_exits},
    bind_service, [](const global_options& globals, const service_control_options& options) {
      return with_backend(
        globals, [&](const blocking_client& root) { return show_service(globals, options, root); });
    }));
  commands.add(change_command(control_op::restart,
                              "Ends a service of a running site in order, and starts it again."));
  commands.add(
    change_command(control_op::stop, "Ends a service of a running site; it stays down."));
  commands.add(make_command<service_control_options>(
    {.group = "service",
     .verb = "events",
     .synopsis = "SITE",
     .summary = "Tells what has happened in a running site.",
     .examples = {{"service events ridge", "the latest thousand, the oldest first"}},
     .exits = control_exits},
    bind_site, [](const global_options& globals, const service_control_options& options) {
      return with_backend(
        globals, [&](const blocking_client& root) { return tell_events(globals, options, root); });
    }));
}

command_result list_services(const global_options& globals, const service_control_options& options,
                             const blocking_client& root) {
  if (options.target.empty()) {
    const auto all = root.list(property::all_descendants().text());
    if (!all)
      return tl::unexpected{to_tool_error(all.error())};
    print_recorded(globals, recorded_in(globals, *all));
    return {};
  }
  const auto answer = ask<control_services>(globals, root, options.target, {control_op::ls});
  if (!answer)
    return tl::unexpected{answer.error()};
  print_instances(globals, options.target, answer->instances);
  return {};
}

command_result show_service(const global_options& globals, const service_control_options& options,
                            const blocking_client& root) {
  const auto which = service_in(options.target);
  if (!which)
    return tl::unexpected{which.error()};
  const auto answer
    = ask<control_services>(globals, root, which->site, {control_op::show, which->service});
  if (!answer)
    return tl::unexpected{answer.error()};
  print_instances(globals, which->site, answer->instances);
  return {};
}

command_result command_service(const global_options& globals,
                               const service_control_options& options, control_op op,
                               const blocking_client& root) {
  const auto which = service_in(options.target);
  if (!which)
    return tl::unexpected{which.error()};
  const auto answer = ask<control_done>(globals, root, which->site, {op, which->service});
  if (!answer)
    return tl::unexpected{answer.error()};
  if (globals.json.value) {
    json_writer json;
    json.begin_object().key("site").text(which->site).key("service").text(which->service);
    globals.io->out << json.key("done").text(to_string(op)).end_object().str() << '\n';
  } else {
    say(globals, options.target + ": " + to_string(op) + " is under way");
  }
  return {};
}

command_result tell_events(const global_options& globals, const service_control_options& options,
                           const blocking_client& root) {
  const auto answer = ask<control_events>(globals, root, options.target, {control_op::events});
  if (!answer)
    return tl::unexpected{answer.error()};
  auto& io = *globals.io;
  text_table table{{"TIME", "WHO", "EVENT", "WHY"}, {}};
  for (const auto& x : answer->events) {
    const auto time = time_text(x.time).substr(0, 23) + "Z";
    if (!globals.json.value) {
      table.rows.push_back({time, x.who, x.what, x.text});
      continue;
    }
    json_writer json;
    json.begin_object().key("number").unsigned_number(x.number).key("time").text(time);
    json.key("who").text(x.who).key("event").text(x.what).key("text").text(x.text);
    io.out << json.end_object().str() << '\n';
  }
  if (!globals.json.value)
    print(io.out, table, io.out_is_terminal);
  return {};
}

} // namespace trunnion
