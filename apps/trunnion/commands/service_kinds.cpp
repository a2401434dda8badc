#include "trunnion/tool/commands/service_kinds.hpp"

#include "trunnion/kinds/kind.hpp"
#include "trunnion/site/did_you_mean.hpp"
#include "trunnion/site/duration_text.hpp"
#include "trunnion/tool/command.hpp"
#include "trunnion/tool/option_binder.hpp"
#include "trunnion/tool/options.hpp"
#include "trunnion/tool/output.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>

namespace trunnion {

namespace {

constexpr double unbounded = std::numeric_limits<double>::max();

std::string type_word(option_type x) {
  switch (x) {
  case option_type::duration: return "duration";
  case option_type::number: return "number";
  case option_type::integer: return "integer";
  case option_type::boolean: return "truth value";
  case option_type::text: return "text";
  case option_type::text_list: return "list of texts";
  case option_type::section: return "map";
  case option_type::expression: return "expression";
  }
  return "?";
}

/// A bound of an option, as one would write it.
std::string bound_text(const option_schema& option, double bound) {
  if (option.type == option_type::duration)
    return print_duration(
      std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>{bound}));
  std::array<char, 32> text{};
  const auto whole = bound == std::trunc(bound) && std::abs(bound) < 9e15;
  const auto end = whole ? std::to_chars(text.data(), text.data() + text.size(),
                                         static_cast<std::int64_t>(bound))
                             .ptr
                         : std::to_chars(text.data(), text.data() + text.size(), bound).ptr;
  return {text.data(), end};
}

/// Which values it takes; empty for any of its type.
std::string range_text(const option_schema& x) {
  if (!x.choices.empty()) {
    std::string result;
    for (const auto& choice : x.choices)
      result.append(result.empty() ? "" : ", ").append(choice);
    return result;
  }
  const bool has_least = x.least > -unbounded, has_most = x.most < unbounded;
  if (has_least && has_most)
    return bound_text(x, x.least) + " to " + bound_text(x, x.most);
  return has_least  ? "from " + bound_text(x, x.least)
         : has_most ? "to " + bound_text(x, x.most)
                    : std::string{};
}

// -- text -------------------------------------------------------------------------

using row = std::vector<std::string>;

/// Aligned on a terminal, else separated by tabs and uncut.
void print_rows(const tool_io& io, const std::vector<row>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& x : rows)
    for (std::size_t i = 0; i < x.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], x[i].size());
    }
  for (const auto& x : rows) {
    std::string line;
    for (std::size_t i = 0; i < x.size(); ++i) {
      line += x[i];
      if (i + 1 < x.size())
        line += io.out_is_terminal ? std::string(widths[i] - x[i].size() + 2, ' ') : "\t";
    }
    io.out << line << '\n';
  }
}

void add_rows(std::vector<row>& rows, const std::string& before,
              const std::vector<option_schema>& options) {
  for (const auto& x : options) {
    if (x.type == option_type::section) {
      add_rows(rows, before + x.name + ".", x.members);
      continue;
    }
    const auto fallback = x.is_required ? "required" : x.fallback.empty() ? "-" : x.fallback;
    const auto range = range_text(x);
    rows.push_back(
      {before + x.name, type_word(x.type), fallback, range.empty() ? "-" : range, x.help});
  }
}

void print_one(const tool_io& io, const kind_schema& kind) {
  std::vector<row> rows{{"OPTION", "TYPE", "DEFAULT", "RANGE", "MEANING"}};
  add_rows(rows, "", kind.options);
  print_rows(io, rows);
}

void print_all(const tool_io& io, const kind_catalogue& kinds) {
  std::vector<row> rows{{"KIND", "EVERY", "MEANING"}};
  for (const auto& name : kinds.names()) {
    const auto& kind = *kinds.find(name);
    rows.push_back({name, kind.every ? print_duration(*kind.every) : "-",
                    kind.help + (kind.built ? "" : " Not built in this version.")});
  }
  print_rows(io, rows);
}

// -- JSON -------------------------------------------------------------------------

void write_bound(json_writer& json, std::string_view key, const option_schema& x, double bound) {
  if (std::abs(bound) >= unbounded)
    return;
  json.key(key);
  if (x.type == option_type::number)
    json.real(bound);
  else
    json.text(bound_text(x, bound));
}

void write_options(json_writer& json, const std::vector<option_schema>& options) {
  json.key("options").begin_array();
  for (const auto& x : options) {
    json.begin_object().key("name").text(x.name).key("type").text(type_word(x.type));
    json.key("required").boolean(x.is_required);
    if (!x.fallback.empty())
      json.key("default").text(x.fallback);
    write_bound(json, "least", x, x.least);
    write_bound(json, "most", x, x.most);
    if (!x.choices.empty()) {
      json.key("choices").begin_array();
      for (const auto& choice : x.choices)
        json.text(choice);
      json.end_array();
    }
    json.key("help").text(x.help);
    if (x.type == option_type::section)
      write_options(json, x.members);
    json.end_object();
  }
  json.end_array();
}

void write_kind(json_writer& json, const kind_schema& kind) {
  json.begin_object().key("name").text(kind.name).key("help").text(kind.help);
  json.key("built").boolean(kind.built).key("every_ms");
  if (kind.every)
    json.number(std::chrono::duration_cast<milliseconds>(*kind.every).count());
  else
    json.null();
  write_options(json, kind.options);
  json.end_object();
}

} // namespace

void add_service_kinds_command(command_table& commands) {
  commands.add(make_command<service_kinds_options>(
    {.group = "service",
     .verb = "kinds",
     .synopsis = "[NAME]",
     .summary = "Lists the kinds of service, or the options of one.",
     .examples
     = {{"service kinds", "all kinds"}, {"service kinds sim.mount", "what its config may say"}},
     .exits = {exit_code::done, exit_code::usage, exit_code::not_found}},
    [](option_binder& binder, service_kinds_options& options) {
      binder.arguments("NAME", options.names, "A kind.");
    },
    print_kinds));
}

int print_kinds(const global_options& globals, const service_kinds_options& options) {
  const auto& kinds = builtin_kinds().catalogue();
  if (options.names.size() > 1)
    return report(globals,
                  usage_error(in_quotes(options.names[1]) + " is more than 'service kinds' takes",
                              "try 'trunnion help service kinds'"));
  const auto* one = options.names.empty() ? nullptr : kinds.find(options.names[0]);
  if (!options.names.empty() && one == nullptr)
    return report(globals, {.code = "unknown_kind",
                            .message = "unknown kind " + in_quotes(options.names[0])
                                       + did_you_mean(options.names[0], kinds.names()),
                            .exit = exit_code::not_found,
                            .hint = "'trunnion service kinds' lists them"});
  if (globals.json.value) {
    json_writer json;
    if (one != nullptr) {
      write_kind(json, *one);
    } else {
      json.begin_array();
      for (const auto& name : kinds.names())
        write_kind(json, *kinds.find(name));
      json.end_array();
    }
    globals.io->out << json.str() << '\n';
  } else if (one != nullptr) {
    print_one(*globals.io, *one);
  } else {
    print_all(*globals.io, kinds);
  }
  return static_cast<int>(exit_code::done);
}

} // namespace trunnion
