#include "trunnion/tool/command.hpp"

#include "trunnion/tool/commands/general.hpp"
#include "trunnion/tool/commands/planned.hpp"
#include "trunnion/tool/commands/service.hpp"

#include <algorithm>

namespace trunnion {

namespace {

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end())
    words.push_back(word);
}

} // namespace

void command_table::add_planned(const std::string& group, const std::vector<std::string>& verbs) {
  if (verbs.empty())
    add({.verb = group});
  for (const auto& verb : verbs)
    add({.group = group, .verb = verb});
}

const command* command_table::find(std::string_view group, std::string_view verb) const {
  const auto at = std::find_if(commands_.begin(), commands_.end(), [&](const command& x) {
    return x.group == group && x.verb == verb;
  });
  return at == commands_.end() ? nullptr : &*at;
}

bool command_table::is_group(std::string_view word) const {
  return !word.empty() && std::any_of(commands_.begin(), commands_.end(), [&](const command& x) {
    return x.group == word;
  });
}

std::vector<std::string> command_table::first_words() const {
  std::vector<std::string> words;
  for (const auto& x : commands_)
    add_once(words, x.group.empty() ? x.verb : x.group);
  return words;
}

std::vector<std::string> command_table::verbs(std::string_view group) const {
  std::vector<std::string> words;
  for (const auto& x : commands_)
    if (x.group == group && !group.empty())
      add_once(words, x.verb);
  return words;
}

const command_table& all_commands() {
  static const command_table table = [] {
    command_table commands;
    add_service_commands(commands);
    add_general_commands(commands);
    add_planned_commands(commands);
    return commands;
  }();
  return table;
}

} // namespace trunnion
