#include "trunnion/tool/commands/service_schema.hpp"

#include "trunnion/kinds/kind.hpp"
#include "trunnion/site/site_schema.hpp"
#include "trunnion/tool/command.hpp"
#include "trunnion/tool/option_binder.hpp"
#include "trunnion/tool/options.hpp"
#include "trunnion/tool/output.hpp"

#include <ostream>

namespace trunnion {

void add_service_schema_command(command_table& commands) {
  commands.add(make_command<service_schema_options>(
    {.group = "service",
     .verb = "schema",
     .summary = "Prints the JSON Schema of site files, for editors.",
     .examples = {{"service schema > site.schema.json", "into a file"}}},
    [](option_binder&, service_schema_options&) {}, print_site_schema));
}

int print_site_schema(const global_options& globals, const service_schema_options&) {
  globals.io->out << site_json_schema(builtin_kinds().catalogue()) << '\n';
  return static_cast<int>(exit_code::done);
}

} // namespace trunnion
