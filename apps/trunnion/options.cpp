#include "trunnion/tool/options.hpp"

#include "trunnion/backends/open_backend.hpp"
#include "trunnion/site/value_checker.hpp"
#include "trunnion/site/yaml_tree.hpp"
#include "trunnion/tool/files.hpp"
#include "trunnion/tool/option_binder.hpp"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace trunnion {

namespace {

using std::chrono::nanoseconds;

const std::vector<std::string>& colour_words() {
  static const std::vector<std::string> words{"auto", "always", "never"};
  return words;
}

const std::vector<std::string>& time_words() {
  static const std::vector<std::string> words{"utc", "local", "relative"};
  return words;
}

template <class Enum>
text_outcome<Enum> one_of(const std::string& text, const std::vector<std::string>& words) {
  std::string known;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text)
      return static_cast<Enum>(i);
    known.append(i == 0 ? "" : ", ").append(words[i]);
  }
  return tl::unexpected{in_quotes(text).append(" is not one of ").append(known)};
}

text_outcome<colour_choice> parse_colour(const std::string& text) {
  return one_of<colour_choice>(text, colour_words());
}

text_outcome<time_style> parse_time(const std::string& text) {
  return one_of<time_style>(text, time_words());
}

text_outcome<nanoseconds> parse_timeout(const std::string& text) {
  auto result = parse_duration(text);
  if (result && result->count() == 0)
    return tl::unexpected{in_quotes(text).append(" is no time to wait")};
  return result;
}

text_outcome<bool> parse_truth(const std::string& text) {
  if (text == "true" || text == "1")
    return true;
  if (text == "false" || text == "0")
    return false;
  return tl::unexpected{in_quotes(text).append(" is not true or false")};
}

text_outcome<std::string> parse_text(const std::string& text) {
  if (text.empty())
    return tl::unexpected{std::string{"a value is missing"}};
  return text;
}

std::string variable_of(std::string_view option) {
  std::string name{"TRUNNION_"};
  for (const char c : option)
    name += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

std::string variable(const environment& env, std::string_view name) {
  const auto at = env.find(name);
  return at == env.end() ? std::string{} : at->second;
}

/// A relative path would depend on where the tool is called.
std::string configuration_path(const environment& env) {
  auto folder = variable(env, "XDG_CONFIG_HOME");
  if (!folder.starts_with('/')) {
    const auto home = variable(env, "HOME");
    if (!home.starts_with('/'))
      return {};
    folder = home + "/.config";
  }
  return folder + "/trunnion/config.yaml";
}

/// A value of the configuration file, with its place for a later complaint.
struct configured {
  std::string text;
  place where;
};

class resolver {
public:
  resolver(const global_flags& flags, const environment& env) : flags_(flags), env_(env) {}

  tl::expected<global_options, tool_error> resolve() {
    if (auto read = read_configuration(); !read)
      return tl::unexpected{std::move(read.error())};
    global_options result;
    result.no_color = !variable(env_, "NO_COLOR").empty();
    const auto as_flag
      = [](bool given) { return given ? std::optional<std::string>{"true"} : std::nullopt; };
    take("backend", flags_.backend, result.backend, parse_text);
    take("json", as_flag(flags_.json), result.json, parse_truth);
    take("quiet", as_flag(flags_.quiet), result.quiet, parse_truth);
    take("verbose", as_flag(flags_.verbose), result.verbose, parse_truth);
    take("color", flags_.colour, result.colour, parse_colour);
    take("timeout", flags_.timeout, result.timeout, parse_timeout);
    take("time", flags_.time, result.time, parse_time);
    take("ca", flags_.ca, result.ca, parse_text);
    take("cert", flags_.cert, result.cert, parse_text);
    take("key", flags_.key, result.key, parse_text);
    if (flags_.quiet && flags_.verbose)
      complain(usage_error("-q and -v exclude each other"));
    else if (result.quiet.value && result.verbose.value) // The stronger source is meant.
      (result.quiet.source < result.verbose.source ? result.quiet : result.verbose).value = false;
    std::sort(problems_.begin(), problems_.end());
    if (!problems_.empty())
      return tl::unexpected{configuration_error()};
    if (error_)
      return tl::unexpected{*error_};
    return result;
  }

private:
  tl::expected<void, tool_error> read_configuration() {
    file_ = configuration_path(env_);
    std::error_code ignored;
    if (file_.empty() || !std::filesystem::exists(file_, ignored))
      return {};
    const auto text = read_text_file(file_, max_yaml_size);
    if (!text)
      return tl::unexpected{tool_error{.code = "bad_configuration_file", .message = text.error()}};
    auto tree = read_yaml(*text);
    problems_ = std::move(tree.problems);
    value_checker check{problems_};
    if (tree.complete && tree.root.kind != value_kind::null)
      read_keys(check, tree.root);
    return {};
  }

  void read_keys(value_checker& check, const config_value& root) {
    map_reader keys{check, root, "", "the configuration file"};
    for (const char* key : {"backend", "color", "timeout", "time", "ca", "cert", "key"})
      if (const auto* value = keys.find(key))
        if (auto text = check.text(*value, key)) {
          if (std::string_view{key} == "backend" && redacted(*text) != *text)
            check.problem(value->where, "secrets are not kept in configuration files; give the "
                                        "user and password in TRUNNION_BACKEND (backend)");
          else
            configured_[key] = {*std::move(text), value->where};
        }
    for (const char* key : {"json", "quiet", "verbose"})
      if (const auto* value = keys.find(key))
        if (const auto truth = check.boolean(*value, key))
          configured_[key] = {*truth ? "true" : "false", value->where};
    keys.finish();
  }

  /// Lets the first source that says something decide.
  template <class T, class Parse>
  void take(const char* name, const std::optional<std::string>& flag, sourced<T>& into,
            Parse parse) {
    const auto use = [&](const std::string& text, option_source source, auto refuse) {
      if (auto value = parse(text))
        into = {*std::move(value), source};
      else
        refuse(value.error());
    };
    const auto named = [&](const std::string& label) {
      return [this, label](std::string why) {
        complain(usage_error(why.append(" (").append(label).append(")")));
      };
    };
    if (flag)
      return use(*flag, option_source::flag, named(std::string{"--"}.append(name)));
    const auto variable_name = variable_of(name);
    if (const auto text = variable(env_, variable_name); !text.empty())
      return use(text, option_source::environment, named(variable_name));
    if (const auto at = configured_.find(name); at != configured_.end())
      use(at->second.text, option_source::configuration_file, [&](std::string why) {
        problems_.push_back({at->second.where, why.append(" (").append(name).append(")")});
      });
  }

  void complain(tool_error error) {
    if (!error_)
      error_ = std::move(error);
  }

  [[nodiscard]] tool_error configuration_error() const {
    return {.code = "bad_configuration_file",
            .message = "the configuration file is not valid",
            .file = file_,
            .problems = problems_};
  }

  const global_flags& flags_;
  const environment& env_;
  std::string file_;
  std::map<std::string, configured, std::less<>> configured_;
  site_problems problems_;
  std::optional<tool_error> error_;
};

std::string_view name_of(option_source source) {
  switch (source) {
  case option_source::fallback: return "default";
  case option_source::configuration_file: return "configuration file";
  case option_source::site_file: return "site file";
  case option_source::environment: return "environment";
  case option_source::flag: return "flag";
  }
  return "";
}

} // namespace

environment process_environment() {
  environment result;
  for (char** at = ::environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view line{*at};
    const auto equals = line.find('=');
    if (equals != std::string_view::npos)
      result.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return result;
}

bool global_options::colours(bool is_terminal) const {
  switch (colour.value) {
  case colour_choice::always: return true;
  case colour_choice::never: return false;
  case colour_choice::automatic: return is_terminal && !no_color;
  }
  return false;
}

void bind_globals(option_binder& binder, global_flags& flags) {
  binder.text("-b,--backend", "URL", flags.backend, "Where keys and streams are kept.");
  binder.flag("--json", flags.json, "Answers and errors as JSON.");
  binder.flag("-q,--quiet", flags.quiet, "No notes on standard error.");
  binder.flag("-v,--verbose", flags.verbose, "More notes; which source an option came from.");
  binder.text("--color", "WHEN", flags.colour, "auto, always or never.");
  binder.text("--timeout", "DUR", flags.timeout, "How long to wait for an answer; 5s.");
  binder.text("--time", "STYLE", flags.time, "utc, local or relative.");
  binder.text("--ca", "FILE", flags.ca, "Certificate of the authority to trust.");
  binder.text("--cert", "FILE", flags.cert, "Own certificate.");
  binder.text("--key", "FILE", flags.key, "Own private key.");
}

tl::expected<global_options, tool_error> resolve_globals(const global_flags& flags,
                                                         const environment& env) {
  return resolver{flags, env}.resolve();
}

sourced<std::string> choose_backend(const global_options& globals,
                                    const std::optional<std::string>& of_site) {
  if (of_site && globals.backend.source < option_source::site_file)
    return {*of_site, option_source::site_file};
  return globals.backend;
}

std::string explain(std::string_view option, std::string_view value, option_source source) {
  std::string result{option};
  result.append(" ").append(option == "backend" ? redacted(value) : std::string{value});
  result.append(" (").append(name_of(source));
  if (source == option_source::environment)
    result.append(", ").append(variable_of(option));
  return result.append(")");
}

std::vector<std::string> explain_globals(const global_options& globals) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view option, std::string_view value, option_source source) {
    if (!value.empty())
      lines.push_back(explain(option, value, source));
  };
  add("backend", globals.backend.value, globals.backend.source);
  add("color", colour_words()[static_cast<std::size_t>(globals.colour.value)],
      globals.colour.source);
  add("timeout", print_duration(globals.timeout.value), globals.timeout.source);
  add("time", time_words()[static_cast<std::size_t>(globals.time.value)], globals.time.source);
  add("ca", globals.ca.value, globals.ca.source);
  add("cert", globals.cert.value, globals.cert.source);
  add("key", globals.key.value, globals.key.source);
  return lines;
}

std::string redacted(std::string_view url) {
  // Not a URL, but perhaps meant as one: `user:password@host`.
  if (const auto at = url.rfind('@'); at != std::string_view::npos
                                      && url.find("://") == std::string_view::npos
                                      && !url.starts_with("sqlite:"))
    return "***" + std::string{url.substr(at)};
  return redact_url(url);
}

} // namespace trunnion
