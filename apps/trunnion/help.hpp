// Help texts, made from the table of commands.
//
// A page begins with the synopsis and examples, since that is what one looks for; then come the
// options and the exit statuses.
//
// Threads: plain functions.

#pragma once

#include "trunnion/tool/command.hpp"
#include "trunnion/tool/errors.hpp"

#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace trunnion {

/// The page of a topic: no words for the overview, a group, or a command.
[[nodiscard]] tl::expected<std::string, tool_error>
help_page(const std::vector<std::string>& topic, const command_table& commands = all_commands());

/// Why there is no such command, with the word that was probably meant.
[[nodiscard]] tool_error unknown_command(const std::string& group, const std::string& word,
                                         const command_table& commands);

[[nodiscard]] tool_error not_built(const std::string& command);

} // namespace trunnion
