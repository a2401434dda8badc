#include "trunnion/site/settings.hpp"

#include "trunnion/site/did_you_mean.hpp"
#include "trunnion/site/duration_text.hpp"
#include "trunnion/site/yaml_tree.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace trunnion {

namespace {

constexpr int max_words = 32; ///< Of a path; as deep as a file may be.

/// The tree as read from a setting has places of its own, which mean nothing to the user.
void mark(config_value& value, const place& where) {
  value.where = where;
  for (auto& item : value.items)
    mark(item, where);
  for (auto& member : value.members) {
    member.where = where;
    mark(member.value, where);
  }
}

std::optional<config_value> read_value(std::string_view text, const place& where,
                                       site_problems& problems) {
  constexpr std::string_view yaml_begins = "[{\"'";
  config_value result{.kind = value_kind::plain, .text = std::string{text}};
  if (text.empty() || text == "~" || text == "null") {
    result = {};
  } else if (yaml_begins.find(text.front()) != std::string_view::npos) {
    auto tree = read_yaml(text);
    for (auto& problem : tree.problems)
      problems.push_back({where, std::move(problem.text)});
    if (!tree.problems.empty())
      return std::nullopt;
    result = std::move(tree.root);
  } else if (looks_octal(text)) {
    problems.push_back({where, in_quotes(text) + " looks like an octal number"});
    return std::nullopt;
  }
  mark(result, where);
  return result;
}

std::string name_of(const config_value& item) {
  const auto* name = item.find("name");
  return name != nullptr && name->is_text() ? name->text : std::string{};
}

config_value* find_item(config_value& list, std::string_view word) {
  for (auto& item : list.items)
    if (name_of(item) == word)
      return &item;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (error != std::errc{} || end != word.data() + word.size() || index >= list.items.size())
    return nullptr;
  return &list.items[index];
}

std::string no_item(const config_value& list, std::string_view word) {
  std::vector<std::string> names;
  for (const auto& item : list.items)
    names.push_back(name_of(item));
  return "there is no item " + in_quotes(word) + did_you_mean(word, names);
}

} // namespace

void apply_set(config_value& root, std::string_view setting, site_problems& problems) {
  const auto equals = setting.find('=');
  const auto path = setting.substr(0, equals);
  const auto words = 1 + std::count(path.begin(), path.end(), '.');
  if (words > max_words) { // Its places are copied, word by word.
    problems.push_back({{.setting = std::string{path.substr(0, 64)}.append("...")},
                        "a path has at most " + std::to_string(max_words) + " words"});
    return;
  }
  const place where{.setting = std::string{path.empty() ? setting : path}};
  if (equals == std::string_view::npos || path.empty() || path.front() == '.' || path.back() == '.'
      || path.find("..") != std::string_view::npos) {
    problems.push_back({where, "expected PATH=VALUE, as in services.host.every=2s"});
    return;
  }
  auto value = read_value(setting.substr(equals + 1), where, problems);
  if (!value)
    return;
  auto* at = &root;
  for (auto rest = path; !rest.empty();) {
    const auto dot = rest.find('.');
    const auto word = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
    if (at->kind == value_kind::null)
      *at = {.where = where, .kind = value_kind::map};
    if (at->kind == value_kind::list) {
      auto* item = find_item(*at, word);
      if (item == nullptr) {
        problems.push_back({where, no_item(*at, word)});
        return;
      }
      at = item;
    } else if (at->kind == value_kind::map) {
      auto* member = at->find(word);
      if (member == nullptr) {
        at->members.push_back({std::string{word}, where, {.where = where}});
        member = &at->members.back().value;
      }
      at = member;
    } else {
      problems.push_back(
        {where, "there is nothing below the text that stands before " + in_quotes(word)});
      return;
    }
  }
  *at = std::move(*value);
}

} // namespace trunnion
