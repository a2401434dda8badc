#include "trunnion/tool/command_line.hpp"

#include "trunnion/site/did_you_mean.hpp"
#include "trunnion/tool/commands/general.hpp"
#include "trunnion/tool/help.hpp"
#include "trunnion/tool/option_binder.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <deque>
#include <exception>
#include <ostream>
#include <poll.h>
#include <unistd.h>

namespace trunnion {

namespace {

/// Declares options to the library, which is used for one flat command at a time: its own
/// sub-commands would take a word that is an argument for a command of its parent.
class cli_binder final : public option_binder {
public:
  explicit cli_binder(CLI::App& app) : app_(app) {}

  void argument(const char* name, std::string& into, const char* help) override {
    app_.add_option(name, into, help)->required();
  }

  void arguments(const char* name, std::vector<std::string>& into, const char* help) override {
    app_.add_option(name, into, help);
  }

  void flag(const char* names, bool& into, const char* help) override {
    app_.add_flag(names, into, help);
    remember(names);
  }

  void text(const char* names, const char*, std::optional<std::string>& into,
            const char* help) override {
    app_.add_option_function<std::string>(
      names, [&into](const std::string& value) { into = value; }, help);
    remember(names);
  }

  void texts(const char* names, const char*, std::vector<std::string>& into,
             const char* help) override {
    app_.add_option(names, into, help)->allow_extra_args(false);
    remember(names);
  }

  void each(const char* names, const char* value,
            std::function<text_outcome<void>(const std::string&)> take, const char* help) override {
    auto& later = unread_.emplace_back();
    later.label = names;
    later.take = std::move(take);
    texts(names, value, later.given, help);
  }

  void duration(const char* names, const char*, std::optional<std::chrono::nanoseconds>& into,
                const char* help) override {
    auto& later = unread_.emplace_back();
    later.label = names;
    later.take = [&into](const std::string& text) -> text_outcome<void> {
      return parse_duration(text).map([&](std::chrono::nanoseconds span) { into = span; });
    };
    auto& given = later.given;
    app_.add_option_function<std::string>(
      names, [&given](const std::string& text) { given = {text}; }, help);
    remember(names);
  }

  /// Reads what the library has only found.
  std::optional<tool_error> convert() {
    for (const auto& option : unread_)
      for (const auto& text : option.given)
        if (auto read = option.take(text); !read)
          return usage_error(read.error().append(" (").append(option.label).append(")"));
    return std::nullopt;
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

private:
  struct unread_option {
    std::string label;
    std::function<text_outcome<void>(const std::string&)> take;
    std::vector<std::string> given;
  };

  void remember(std::string_view names) {
    while (!names.empty()) {
      const auto comma = names.find(',');
      names_.emplace_back(names.substr(0, comma));
      names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
    }
  }

  CLI::App& app_;
  std::vector<std::string> names_{"-h", "--help", "-V", "--version"};
  std::deque<unread_option> unread_; // Their addresses are kept.
};

/// What can be told before the library looks: which words are the command, and who asks for help.
struct first_look {
  std::vector<std::string> command; ///< One or two words.
  std::vector<std::string> rest;    ///< All others.
  bool help = false, version = false, json = false;
};

bool takes_value(std::string_view word) {
  constexpr std::string_view options[]
    = {"-b", "--backend", "--color", "--timeout", "--time", "--ca", "--cert", "--key"};
  return std::find(std::begin(options), std::end(options), word) != std::end(options);
}

first_look look(const std::vector<std::string>& words, const command_table& commands) {
  first_look result;
  const auto wants_more = [&] {
    return result.command.empty()
           || (result.command.size() == 1 && commands.is_group(result.command[0]));
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "--") {
      result.rest.insert(result.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                         words.end());
      break;
    }
    if (word == "-h" || word == "--help") {
      result.help = true;
    } else if (word == "-V" || word == "--version") {
      result.version = true;
    } else if (word.size() > 1 && word.front() == '-') {
      result.json = result.json || word == "--json";
      result.rest.push_back(word);
      if (takes_value(word) && i + 1 < words.size())
        result.rest.push_back(words[++i]);
    } else if (wants_more()) {
      result.command.push_back(word);
    } else {
      result.rest.push_back(word);
    }
  }
  return result;
}

/// An option like `--for=`, whose value the library would take from the next word.
std::optional<std::string> without_value(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (word == "--")
      break;
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      return word.substr(0, word.size() - 1);
  }
  return std::nullopt;
}

/// The command that the words name, or why there is none.
tl::expected<const command*, tool_error> choose(const std::vector<std::string>& words,
                                                const command_table& commands) {
  if (words.empty())
    return tl::unexpected{usage_error("a command is missing", "try 'trunnion help'")};
  const auto is_group = commands.is_group(words[0]);
  const auto group = is_group ? words[0] : std::string{};
  const auto verb = !is_group ? words[0] : words.size() > 1 ? words[1] : std::string{};
  const auto* found = commands.find(group, verb);
  if (found != nullptr && found->is_built())
    return found;
  if (found != nullptr)
    return tl::unexpected{not_built(found->name())};
  const auto verbs = commands.verbs(group);
  const auto any_built = std::any_of(verbs.begin(), verbs.end(), [&](const std::string& x) {
    return commands.find(group, x)->is_built();
  });
  if (is_group && !any_built)
    return tl::unexpected{not_built(group)};
  if (is_group && verb.empty())
    return tl::unexpected{usage_error(in_quotes(group).append(" needs a second word"),
                                      "try 'trunnion help " + group + "'")};
  return tl::unexpected{unknown_command(group, verb, commands)};
}

tool_error unexpected_word(const std::string& word, const cli_binder& binder,
                           const std::string& name) {
  const auto hint = std::string{"try 'trunnion help "}.append(name).append("'");
  if (word.size() > 1 && word.front() == '-') {
    const auto option = word.substr(0, word.find('='));
    return usage_error(
      std::string{"unknown option "}
        .append(in_quotes(option))
        .append(" of ")
        .append(in_quotes(name))
        .append(option.starts_with("--") ? did_you_mean(option, binder.names()) : std::string{}),
      hint);
  }
  return usage_error(
    in_quotes(word).append(" is more than ").append(in_quotes(name)).append(" takes"), hint);
}

/// Lets the library read the words into what the binder knows.
std::optional<tool_error> read_words(CLI::App& app, cli_binder& binder,
                                     std::vector<std::string> words, const std::string& name) {
  std::reverse(words.begin(), words.end()); // As the library wants it.
  const auto hint = std::string{"try 'trunnion help "}.append(name).append("'");
  try {
    app.parse(std::move(words));
  } catch (const CLI::ExtrasError&) {
    const auto extra = app.remaining(true);
    return extra.empty() ? usage_error("too many words", hint)
                         : unexpected_word(extra.front(), binder, name);
  } catch (const CLI::RequiredError& e) {
    return usage_error(std::string{e.what()}.append(" by ").append(in_quotes(name)), hint);
  } catch (const CLI::ArgumentMismatch& e) {
    // "--for: 1 required TEXT missing", or "--for: At Most 1 required but received 2".
    const std::string_view what{e.what()};
    std::string text{what.substr(0, what.find(':'))};
    text.append(what.ends_with("missing") ? " needs a value" : " is given more than once");
    return usage_error(std::move(text), hint);
  } catch (const CLI::ParseError& e) {
    return usage_error(e.what(), hint);
  }
  return binder.convert();
}

/// Turns the line into another command's, such as help.
template <class Options>
void run_instead(command_line& line, Options options,
                 int (*run)(const global_options&, const Options&)) {
  line.options = std::make_shared<Options>(options);
  line.run = [options, run](const global_options& globals) { return run(globals, options); };
}

} // namespace

command_line parse_command_line(const std::vector<std::string>& words, const environment& env,
                                const command_table& commands) {
  command_line line;
  auto first = look(words, commands);
  // Until all is read, only as much as an error report needs.
  const auto json_variable = env.find("TRUNNION_JSON");
  line.globals.no_color = env.contains("NO_COLOR");
  if (first.json
      || (json_variable != env.end()
          && (json_variable->second == "true" || json_variable->second == "1")))
    line.globals.json = {true, option_source::flag};

  if (first.help) {
    line.command = "help";
    run_instead<help_options>(line, {first.command}, print_help);
    return line;
  }
  if (first.version) {
    line.command = "version";
    run_instead<version_options>(line, {}, print_version);
    return line;
  }
  const auto chosen = choose(first.command, commands);
  if (!chosen) {
    line.error = chosen.error();
    return line;
  }
  line.command = (*chosen)->name();
  if (const auto option = without_value(first.rest)) {
    line.error
      = usage_error(*option + " needs a value", "try 'trunnion help " + line.command + "'");
    return line;
  }
  auto prepared = (*chosen)->prepare();
  CLI::App app;
  app.set_help_flag();
  cli_binder binder{app};
  global_flags flags;
  bind_globals(binder, flags);
  prepared.bind(binder);
  line.error = read_words(app, binder, std::move(first.rest), line.command);
  if (line.error)
    return line;
  if (auto globals = resolve_globals(flags, env))
    line.globals = *std::move(globals);
  else
    line.error = std::move(globals.error());
  line.options = std::move(prepared.options);
  line.run = std::move(prepared.run);
  return line;
}

namespace {

/// Whether the reader of a pipe or socket has gone.
bool is_broken_pipe(int fd) {
  pollfd state{fd, POLLOUT, 0};
  return ::poll(&state, 1, 0) == 1 && (state.revents & POLLERR) != 0;
}

} // namespace

int tool_main(int argc, const char* const* argv) {
  std::signal(SIGPIPE, SIG_IGN); // A reader that has gone is no reason to drop leases.
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  auto line = parse_command_line(words, process_environment());
  if (line.error)
    return report(line.globals, *line.error);
  for (const auto& text : explain_globals(line.globals))
    say_more(line.globals, text);
  int status = static_cast<int>(exit_code::failed);
  try {
    status = line.run(line.globals);
  } catch (const std::exception& e) {
    return report(line.globals,
                  {.code = "internal", .message = e.what(), .exit = exit_code::failed});
  }
  if (!line.globals.io->out.flush() && !is_broken_pipe(STDOUT_FILENO)) // Which is silent.
    return report(line.globals, {.code = "output",
                                 .message = "standard output cannot be written",
                                 .exit = exit_code::failed});
  return status;
}

} // namespace trunnion
