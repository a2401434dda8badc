// The commands `help` and `version`.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

class command_table;
struct global_options;

inline constexpr std::string_view tool_version = "0.1.0";

struct help_options {
  std::vector<std::string> topic;
};
struct version_options {};

void add_general_commands(command_table& commands);

int print_help(const global_options& globals, const help_options& options);
int print_version(const global_options& globals, const version_options& options);

} // namespace trunnion
