#include "trunnion/tool/help.hpp"

#include "trunnion/site/did_you_mean.hpp"
#include "trunnion/site/duration_text.hpp"
#include "trunnion/tool/option_binder.hpp"
#include "trunnion/tool/options.hpp"

#include <algorithm>

namespace trunnion {

namespace {

/// Two columns, the left one as wide as its longest text.
class two_columns {
public:
  void add(std::string_view left, std::string_view right) {
    width_ = std::max(width_, left.size());
    rows_.emplace_back(left, right);
  }

  [[nodiscard]] std::string text() const {
    std::string result;
    for (const auto& [left, right] : rows_) {
      result.append("  ").append(left);
      if (!right.empty())
        result.append(width_ - left.size() + 2, ' ').append(right);
      result += '\n';
    }
    return result;
  }

  [[nodiscard]] bool is_empty() const { return rows_.empty(); }

private:
  std::size_t width_ = 0;
  std::vector<std::pair<std::string, std::string>> rows_;
};

/// Lists options instead of reading them.
class help_binder final : public option_binder {
public:
  void argument(const char* name, std::string&, const char* help) override {
    rows_.add(name, help);
  }
  void arguments(const char* name, std::vector<std::string>&, const char* help) override {
    rows_.add(std::string{name}.append("..."), help);
  }
  void flag(const char* names, bool&, const char* help) override { add(names, "", help); }
  void text(const char* names, const char* value, std::optional<std::string>&,
            const char* help) override {
    add(names, value, help);
  }
  void texts(const char* names, const char* value, std::vector<std::string>&,
             const char* help) override {
    add(names, value, help);
  }
  void each(const char* names, const char* value,
            std::function<text_outcome<void>(const std::string&)>, const char* help) override {
    add(names, value, help);
  }
  void duration(const char* names, const char* value, std::optional<std::chrono::nanoseconds>&,
                const char* help) override {
    add(names, value, help);
  }

  [[nodiscard]] const two_columns& rows() const { return rows_; }

private:
  void add(std::string_view names, std::string_view value, const char* help) {
    std::string left{names.starts_with("--") ? "    " : ""};
    for (const char c : names)
      left.append(c == ',' ? ", " : std::string(1, c));
    if (!value.empty())
      left.append(" ").append(value);
    rows_.add(left, help);
  }

  two_columns rows_;
};

std::string global_options_text() {
  help_binder binder;
  global_flags flags;
  bind_globals(binder, flags);
  bool ignored = false;
  binder.flag("-h,--help", ignored, "Explains the command.");
  binder.flag("-V,--version", ignored, "Prints the version.");
  return binder.rows().text();
}

std::string command_page(const command& x) {
  std::string page{"trunnion "};
  page.append(x.name());
  if (!x.synopsis.empty())
    page.append(" ").append(x.synopsis);
  page.append("\n\n").append(x.summary).append("\n\nExamples:\n");
  two_columns examples;
  for (const auto& [line, says] : x.examples)
    examples.add(std::string{"trunnion "}.append(line), says);
  page.append(examples.text());
  help_binder own;
  x.prepare().bind(own);
  if (!own.rows().is_empty())
    page.append("\nOptions:\n").append(own.rows().text());
  page.append("\nOptions of all commands:\n").append(global_options_text());
  page.append("\nExit status:\n");
  two_columns exits;
  for (const auto exit : x.exits)
    exits.add(std::to_string(static_cast<int>(exit)), meaning(exit));
  return page.append(exits.text());
}

/// Commands with their summaries; of one group, or all.
std::string list_commands(const command_table& commands, std::string_view group) {
  two_columns rows;
  for (const auto& x : commands.all())
    if (x.is_built() && (group.empty() || x.group == group))
      rows.add(x.name(), x.summary);
  return rows.text();
}

std::string overview(const command_table& commands) {
  std::string page{"trunnion COMMAND [OPTIONS]\n\n"
                   "Carries sensor services, and never lets two owners drive one instrument.\n\n"
                   "Examples:\n"};
  two_columns examples;
  for (const auto& x : commands.all())
    if (!x.examples.empty() && !x.group.empty())
      examples.add(std::string{"trunnion "}.append(x.examples[0].line), x.examples[0].says);
  examples.add("trunnion help service run", "one command explained");
  page.append(examples.text()).append("\nCommands:\n").append(list_commands(commands, {}));
  page.append("\nOptions:\n").append(global_options_text());
  page.append("\nAn option may also be a variable, such as TRUNNION_BACKEND, or a key of\n"
              "$XDG_CONFIG_HOME/trunnion/config.yaml; a flag wins over both.\n"
              "\nExit status:\n");
  two_columns exits;
  for (int i = 0; i <= static_cast<int>(exit_code::invalid_data); ++i)
    exits.add(std::to_string(i), std::string{meaning(static_cast<exit_code>(i))});
  return page.append(exits.text());
}

std::string group_page(const std::string& group, const command_table& commands) {
  std::string page{"trunnion "};
  page.append(group).append(" COMMAND [OPTIONS]\n\nExamples:\n");
  two_columns examples;
  for (const auto& x : commands.all())
    if (x.group == group && !x.examples.empty())
      examples.add(std::string{"trunnion "}.append(x.examples[0].line), x.examples[0].says);
  page.append(examples.text()).append("\nCommands:\n").append(list_commands(commands, group));
  return page.append("\n'trunnion help ").append(group).append(" COMMAND' explains one.\n");
}

bool has_built(const std::string& group, const command_table& commands) {
  return std::any_of(commands.all().begin(), commands.all().end(),
                     [&](const command& x) { return x.group == group && x.is_built(); });
}

} // namespace

tl::expected<std::string, tool_error> help_page(const std::vector<std::string>& topic,
                                                const command_table& commands) {
  if (topic.empty())
    return overview(commands);
  const auto is_group = commands.is_group(topic[0]);
  if (is_group && topic.size() == 1 && has_built(topic[0], commands))
    return group_page(topic[0], commands);
  if (is_group && !has_built(topic[0], commands))
    return tl::unexpected{not_built(topic[0])};
  const auto group = is_group ? topic[0] : std::string{};
  const auto& verb = is_group ? topic[1] : topic[0];
  const auto* found = commands.find(group, verb);
  if (found == nullptr)
    return tl::unexpected{unknown_command(group, verb, commands)};
  if (!found->is_built())
    return tl::unexpected{not_built(found->name())};
  return command_page(*found);
}

tool_error unknown_command(const std::string& group, const std::string& word,
                           const command_table& commands) {
  const auto candidates = group.empty() ? commands.first_words() : commands.verbs(group);
  auto name = group.empty() ? word : std::string{group}.append(" ").append(word);
  auto message = std::string{"unknown command "}.append(in_quotes(name));
  if (const auto meant = closest(word, candidates))
    message.append("; did you mean ")
      .append(in_quotes(group.empty() ? *meant : std::string{group}.append(" ").append(*meant)))
      .append("?");
  return usage_error(std::move(message),
                     group.empty() ? "try 'trunnion help'" : "try 'trunnion help " + group + "'");
}

tool_error not_built(const std::string& command) {
  return {.code = "not_built",
          .message = in_quotes(command).append(" is not built in this version")};
}

} // namespace trunnion
