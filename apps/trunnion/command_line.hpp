// A command line, read into plain structs.
//
// Global options stand before or after the command. A mistyped word is answered with the one that
// was probably meant; a command that is not built in this version is said to be so. Nothing is run
// here, and nothing but the configuration file is read.
//
// Threads: the main thread.

#pragma once

#include "trunnion/tool/command.hpp"
#include "trunnion/tool/options.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trunnion {

struct command_line {
  global_options globals;          ///< With an error, what could be made out.
  std::string command;             ///< Such as `service run`.
  std::shared_ptr<void> options;   ///< Of the command's own type.
  std::optional<tool_error> error; ///< Why there is nothing to run.
  std::function<int(const global_options&)> run;

  /// The command's options, which are of this type.
  template <class Options> [[nodiscard]] const Options& get() const {
    return *static_cast<const Options*>(options.get());
  }
};

/// `words` are the arguments without the program's name.
[[nodiscard]] command_line parse_command_line(const std::vector<std::string>& words,
                                              const environment& env,
                                              const command_table& commands = all_commands());

/// Reads and runs the process's command line; the exit status.
[[nodiscard]] int tool_main(int argc, const char* const* argv);

} // namespace trunnion
