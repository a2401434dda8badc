#include "trunnion/tool/commands/service.hpp"

#include "trunnion/kinds/kind.hpp"
#include "trunnion/runner/selection.hpp"
#include "trunnion/runtime/escape.hpp"
#include "trunnion/site/did_you_mean.hpp"
#include "trunnion/site/duration_text.hpp"
#include "trunnion/site/yaml_tree.hpp"
#include "trunnion/tool/command.hpp"
#include "trunnion/tool/commands/service_control.hpp"
#include "trunnion/tool/commands/service_kinds.hpp"
#include "trunnion/tool/commands/service_schema.hpp"
#include "trunnion/tool/files.hpp"
#include "trunnion/tool/option_binder.hpp"
#include "trunnion/tool/output.hpp"

#include <filesystem>
#include <ostream>

namespace trunnion {

namespace {

constexpr const char* set_help = "Changes the site file: services.host.every=2s. Again for more.";

void bind_check(option_binder& binder, service_run_options& options) {
  binder.argument("SITE.yaml", options.file, "The site file.");
  binder.texts("--set", "PATH=VALUE", options.settings, set_help);
}

/// Reads `camera@8s`.
text_outcome<service_drill> parse_drill(const std::string& text) {
  const auto at = text.rfind('@');
  if (at == std::string::npos || at == 0)
    return tl::unexpected{in_quotes(text).append(" is not NAME@DUR, as in camera@8s")};
  return parse_duration(std::string_view{text}.substr(at + 1)).map([&](nanoseconds after) {
    return service_drill{text.substr(0, at), after};
  });
}

void bind_run(option_binder& binder, service_run_options& options) {
  binder.argument("SITE.yaml", options.file, "The site file.");
  binder.texts("--only", "NAME", options.only, "Runs this service only. Again for more.");
  binder.texts("--set", "PATH=VALUE", options.settings, set_help);
  binder.duration("--for", "DUR", options.lasting, "Ends by itself after this time.");
  binder.each(
    "--drill", "NAME@DUR",
    [&options](const std::string& text) -> text_outcome<void> {
      return parse_drill(text).map(
        [&](service_drill x) { options.drills.push_back(std::move(x)); });
    },
    "Kills a service so long after the start, as a crash would. Again for more.");
  binder.flag("--check", options.check, "Only checks the site file.");
}

std::string count_of(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string problems_text(const site_report& report) {
  auto text = count_of(report.problems.size() + report.further, "problem") + " in " + report.file;
  if (report.further > 0)
    text += ", of which these are the first " + std::to_string(report.problems.size());
  return text;
}

void print_json(std::ostream& out, const site_report& report) {
  json_writer json;
  json.begin_object().key("ok").boolean(true);
  json.key("file").text(report.file);
  json.key("site").text(report.site->name);
  json.key("services").begin_array();
  for (const auto& service : report.site->services)
    json.text(service.name);
  json.end_array().key("not_built");
  write_problems(json, report.not_built, report.file);
  out << json.end_object().str() << '\n';
}

} // namespace

void add_service_commands(command_table& commands) {
  commands.add(make_command<service_run_options>(
    {.group = "service",
     .verb = "run",
     .synopsis = "SITE.yaml [--only NAME]... [--set PATH=VALUE]... [--for DUR] "
                 "[--drill NAME@DUR]... [--check]",
     .summary = "Runs the services of a site until SIGINT or SIGTERM.",
     .examples = {{"service run ridge.yaml", "all services of the site"},
                  {"service run ridge.yaml --only mount --only camera", "two of them"},
                  {"service run ridge.yaml --set services.host.every=5s --for 1m",
                   "one value changed, for a minute"}},
     .exits = {exit_code::done, exit_code::failed, exit_code::usage, exit_code::unreachable}},
    bind_run, [](const global_options& globals, const service_run_options& options) {
      return options.check ? check_service(globals, options) : run_service(globals, options);
    }));
  commands.add(make_command<service_run_options>(
    {.group = "service",
     .verb = "check",
     .synopsis = "SITE.yaml [--set PATH=VALUE]...",
     .summary = "Checks a site file and tells everything that is wrong with it.",
     .examples = {{"service check ridge.yaml", "each problem with its line and column"},
                  {"service check ridge.yaml --json", "the same for programs"}}},
    bind_check, check_service));
  add_service_schema_command(commands);
  add_service_kinds_command(commands);
  add_service_control_commands(commands);
}

tl::expected<site_report, tool_error> load_site(const std::string& file,
                                                const std::vector<std::string>& settings) {
  const auto text = read_text_file(file, max_yaml_size);
  if (!text)
    return tl::unexpected{tool_error{.code = "bad_site_file", .message = text.error()}};
  auto report = read_site(*text, file, builtin_kinds().catalogue(), settings);
  if (!report.site)
    return tl::unexpected{tool_error{.code = "bad_site_file",
                                     .message = problems_text(report),
                                     .file = file,
                                     .problems = std::move(report.problems)}};
  report.site->folder = std::filesystem::path{file}.parent_path().string();
  return report;
}

tl::expected<void, tool_error> check_names(const service_run_options& options,
                                           const site_model& site) {
  if (const auto selected = check_selection(site, options.only); !selected)
    return tl::unexpected{to_tool_error(selected.error())};
  std::vector<std::string> names;
  for (const auto& spec : site.services)
    names.push_back(spec.name);
  for (const auto& drill : options.drills) {
    if (site.find(drill.service) == nullptr)
      return tl::unexpected{usage_error("no service " + in_quotes(drill.service) + " in "
                                        + options.file + " (--drill)"
                                        + did_you_mean(drill.service, names))};
    if (!is_selected(options.only, drill.service))
      return tl::unexpected{usage_error("service " + in_quotes(drill.service)
                                        + " does not run, since --only leaves it out (--drill)")};
  }
  return {};
}

int check_service(const global_options& globals, const service_run_options& options) {
  const auto loaded = load_site(options.file, options.settings);
  if (!loaded)
    return report(globals, loaded.error());
  if (const auto named = check_names(options, *loaded->site); !named)
    return report(globals, named.error());
  auto& out = globals.io->out;
  if (globals.json.value) {
    print_json(out, *loaded);
  } else {
    out << escape_text(loaded->file) << ": ok, "
        << count_of(loaded->site->services.size(), "service") << '\n';
    for (const auto& line : loaded->not_built_lines())
      out << escape_text(line) << '\n';
  }
  return static_cast<int>(exit_code::done);
}

} // namespace trunnion
