#include "trunnion/tool/commands/general.hpp"

#include "trunnion/messages/json.hpp"
#include "trunnion/tool/command.hpp"
#include "trunnion/tool/help.hpp"
#include "trunnion/tool/option_binder.hpp"
#include "trunnion/tool/options.hpp"
#include "trunnion/tool/output.hpp"

#include <ostream>

namespace trunnion {

void add_general_commands(command_table& commands) {
  commands.add(make_command<help_options>(
    {.verb = "help",
     .synopsis = "[TOPIC]",
     .summary = "Explains a command.",
     .examples = {{"help", "all commands"}, {"help service run", "one of them"}}},
    [](option_binder& binder, help_options& options) {
      binder.arguments("TOPIC", options.topic, "A command, or the first word of some.");
    },
    print_help));
  commands.add(make_command<version_options>(
    {.verb = "version",
     .summary = "Prints the version.",
     .examples = {{"version --json", "for programs"}}},
    [](option_binder&, version_options&) {}, print_version));
}

int print_help(const global_options& globals, const help_options& options) {
  const auto page = help_page(options.topic);
  if (!page)
    return report(globals, page.error());
  globals.io->out << *page;
  return static_cast<int>(exit_code::done);
}

int print_version(const global_options& globals, const version_options&) {
  if (globals.json.value) {
    json_writer json;
    json.begin_object().key("name").text("trunnion");
    json.key("version").text(tool_version).end_object();
    globals.io->out << json.str() << '\n';
  } else {
    globals.io->out << "trunnion " << tool_version << '\n';
  }
  return static_cast<int>(exit_code::done);
}

} // namespace trunnion
