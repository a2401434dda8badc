// One command of the tool: what it takes, how it is explained, what it does.
//
// A group of verbs is one file in `commands/`, which adds its commands to the table. A command is
// described by data and two functions: one names its options (`option_binder.hpp`), one runs it.
//
//     struct greet_options { std::string name; };
//     table.add(make_command<greet_options>(
//       {.verb = "greet", .synopsis = "NAME", .summary = "Says hello."},
//       [](option_binder& b, greet_options& o) { b.argument("NAME", o.name, "Whom."); },
//       [](const global_options& g, const greet_options& o) { g.io->out << o.name; return 0; }));
//
// Threads: the main thread.

#pragma once

#include "trunnion/tool/errors.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

struct global_options;
class option_binder;

struct command_example {
  std::string line; ///< Without `trunnion`.
  std::string says;
};

/// One use of a command: its options, and what to do with them.
struct prepared_command {
  std::shared_ptr<void> options;
  std::function<void(option_binder&)> bind;
  std::function<int(const global_options&)> run;
};

struct command {
  std::string group; ///< Such as `service`; empty for a command of one word.
  std::string verb;
  std::string synopsis; ///< What follows the verb.
  std::string summary;  ///< One sentence.
  std::vector<command_example> examples;
  std::vector<exit_code> exits = {exit_code::done, exit_code::usage};
  std::function<prepared_command()> prepare; ///< Empty: not built in this version.

  [[nodiscard]] bool is_built() const { return prepare != nullptr; }
  [[nodiscard]] std::string name() const { return group.empty() ? verb : group + " " + verb; }
};

template <class Options, class Bind, class Run>
command make_command(command description, Bind bind, Run run) {
  description.prepare = [bind, run] {
    auto options = std::make_shared<Options>();
    return prepared_command{
      options, [bind, options](option_binder& binder) { bind(binder, *options); },
      [run, options](const global_options& globals) { return run(globals, *options); }};
  };
  return description;
}

class command_table {
public:
  void add(command x) { commands_.push_back(std::move(x)); }

  /// Adds verbs that are known, and said to be not built. Without verbs, a command of one word.
  void add_planned(const std::string& group, const std::vector<std::string>& verbs = {});

  [[nodiscard]] const command* find(std::string_view group, std::string_view verb) const;

  /// Whether it is the first of two words.
  [[nodiscard]] bool is_group(std::string_view word) const;

  /// Groups and commands of one word; the verbs of a group. Each once, in order of adding.
  [[nodiscard]] std::vector<std::string> first_words() const;
  [[nodiscard]] std::vector<std::string> verbs(std::string_view group) const;

  [[nodiscard]] const std::vector<command>& all() const { return commands_; }

private:
  std::vector<command> commands_;
};

/// All commands of the tool.
[[nodiscard]] const command_table& all_commands();

} // namespace trunnion
