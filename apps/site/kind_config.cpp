#include "trunnion/site/kind_config.hpp"

#include "trunnion/messages/ensure.hpp"
#include "trunnion/site/duration_text.hpp"
#include "trunnion/site/yaml_tree.hpp"

#include <algorithm>
#include <cmath>

namespace trunnion {

namespace {

std::chrono::nanoseconds bounded_seconds(double seconds) {
  const auto longest = std::chrono::duration<double>{max_duration}.count();
  return std::chrono::round<std::chrono::nanoseconds>(
    std::chrono::duration<double>{std::clamp(seconds, 0.0, longest)});
}

std::int64_t bounded_integer(double x) {
  constexpr double largest = 9'007'199'254'740'992; // Beyond it a double skips whole numbers.
  return static_cast<std::int64_t>(std::clamp(x, -largest, largest));
}

config_value fallback_of(const option_schema& option) {
  auto tree = read_yaml(option.fallback);
  ensure(tree.problems.empty(), "the default of an option is valid YAML");
  return std::move(tree.root);
}

} // namespace

kind_config kind_config::read(value_checker& check, const config_value& map,
                              const std::vector<option_schema>& options, const std::string& what,
                              std::vector<condition_use>& conditions) {
  kind_config result;
  const config_value empty{.where = map.where, .kind = value_kind::map};
  map_reader reader{check, map.kind == value_kind::null && !map.flawed ? empty : map, "config",
                    what};
  for (const auto& option : options) {
    const auto* given = option.is_required ? reader.require(option.name) : reader.find(option.name);
    if (given != nullptr) {
      result.read_option(check, *given, option, what, conditions);
    } else if (option.type == option_type::section) {
      result.read_option(check, empty, option, what, conditions);
    } else if (!option.fallback.empty()) {
      site_problems problems;
      value_checker strict{problems};
      result.read_option(strict, fallback_of(option), option, what, conditions);
      ensure(problems.empty(), "the default of an option is within its own rules");
    }
  }
  reader.finish();
  return result;
}

void kind_config::read_option(value_checker& check, const config_value& given,
                              const option_schema& option, const std::string& what,
                              std::vector<condition_use>& conditions) {
  const auto keep = [&](auto optional_value) {
    if (optional_value)
      values_.insert_or_assign(option.name, *std::move(optional_value));
  };
  const auto& label = option.name;
  switch (option.type) {
  case option_type::duration:
    keep(
      check.duration(given, label, {bounded_seconds(option.least), bounded_seconds(option.most)}));
    break;
  case option_type::number: keep(check.number(given, label, {option.least, option.most})); break;
  case option_type::integer:
    keep(
      check.integer(given, label, {bounded_integer(option.least), bounded_integer(option.most)}));
    break;
  case option_type::boolean: keep(check.boolean(given, label)); break;
  case option_type::text:
    if (option.choices.empty())
      keep(check.text(given, label));
    else if (const auto index = check.choice(given, label, option.choices))
      values_.insert_or_assign(option.name, option.choices[*index]);
    break;
  case option_type::text_list: {
    std::vector<std::string> words;
    for (const auto& item : check.texts(given, label, option.may_repeat)) {
      words.push_back(item.name);
      if (!option.choices.empty())
        check.choice({.where = item.where, .kind = value_kind::quoted, .text = item.name}, label,
                     option.choices);
    }
    if (option.is_required && given.kind == value_kind::list && given.items.empty())
      check.problem(given.where,
                    "the list is empty; it needs at least one text (" + option.name + ")");
    values_.insert_or_assign(option.name, std::move(words));
    break;
  }
  case option_type::section:
    values_.insert_or_assign(option.name, std::make_shared<const kind_config>(read(
                                            check, given, option.members,
                                            in_quotes(option.name) + " of " + what, conditions)));
    break;
  case option_type::expression:
    if (auto condition = check.condition(given, label)) {
      conditions.push_back({option.name, given.where, condition->names()});
      values_.insert_or_assign(option.name, *std::move(condition));
    }
    break;
  }
}

bool kind_config::has(std::string_view name) const { return values_.contains(name); }

template <class T> const T& kind_config::get(std::string_view name) const {
  const auto at = values_.find(name);
  ensure(at != values_.end(), "an option is in its kind's schema, and given or with a default");
  const auto* result = std::get_if<T>(&at->second);
  ensure(result != nullptr, "an option is asked for by its own type");
  return *result;
}

std::chrono::nanoseconds kind_config::duration(std::string_view name) const {
  return get<std::chrono::nanoseconds>(name);
}

double kind_config::number(std::string_view name) const { return get<double>(name); }

std::int64_t kind_config::integer(std::string_view name) const { return get<std::int64_t>(name); }

bool kind_config::boolean(std::string_view name) const { return get<bool>(name); }

const std::string& kind_config::text(std::string_view name) const {
  const auto at = values_.find(name);
  const auto* condition = at == values_.end() ? nullptr : std::get_if<expression>(&at->second);
  return condition != nullptr ? condition->text() : get<std::string>(name);
}

const expression& kind_config::condition(std::string_view name) const {
  return get<expression>(name);
}

const std::vector<std::string>& kind_config::texts(std::string_view name) const {
  return get<std::vector<std::string>>(name);
}

const kind_config& kind_config::section(std::string_view name) const {
  return *get<std::shared_ptr<const kind_config>>(name);
}

} // namespace trunnion
