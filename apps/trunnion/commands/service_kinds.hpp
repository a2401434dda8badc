// The command `service kinds`.

#pragma once

#include <string>
#include <vector>

namespace trunnion {

class command_table;
struct global_options;

struct service_kinds_options {
  std::vector<std::string> names; ///< None for all kinds, else one.
};

void add_service_kinds_command(command_table& commands);

/// Prints which kinds of service there are, or the options of one. Exit status 3 for an unknown
/// one.
int print_kinds(const global_options& globals, const service_kinds_options& options);

} // namespace trunnion
