// The command `service schema`.

#pragma once

namespace trunnion {

class command_table;
struct global_options;

struct service_schema_options {};

void add_service_schema_command(command_table& commands);

/// Prints the JSON Schema of site files, with or without `--json`.
int print_site_schema(const global_options& globals, const service_schema_options& options);

} // namespace trunnion
