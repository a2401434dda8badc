// A value from a configuration file with the place where it stands.
//
// The file's own tree, before anything knows what it should mean: text is not yet a number, and
// remembers whether it was quoted. Each part knows its line and column, so that whoever finds it
// wrong, however late, can say where.
//
// Threads: plain values.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

/// Where something stands. Lines and columns count from one; zero is nowhere.
struct place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string setting; ///< Not empty: it came from `--set PATH=VALUE` with this path.
  auto operator<=>(const place&) const = default;
};

enum class value_kind : std::uint8_t {
  null,   ///< Nothing, `~` or `null`.
  plain,  ///< Text without quotes, which may be a number or a truth value.
  quoted, ///< Text in quotes or a block: nothing but text.
  list,
  map,
};

struct config_member;

struct config_value {
  place where;
  value_kind kind = value_kind::null;
  bool flawed = false; ///< A problem with it has been reported; it is not to be looked at further.
  std::string text;
  std::vector<config_value> items;
  std::vector<config_member> members; ///< In the file's order; no two of one key.

  [[nodiscard]] bool is_text() const {
    return kind == value_kind::plain || kind == value_kind::quoted;
  }

  /// The value of a key, or nothing.
  [[nodiscard]] const config_value* find(std::string_view key) const;
  [[nodiscard]] config_value* find(std::string_view key);
};

struct config_member {
  std::string key;
  place where;
  config_value value;
};

inline const config_value* config_value::find(std::string_view key) const {
  for (const auto& member : members)
    if (member.key == key)
      return &member.value;
  return nullptr;
}

inline config_value* config_value::find(std::string_view key) {
  for (auto& member : members)
    if (member.key == key)
      return &member.value;
  return nullptr;
}

/// One thing that is to be told about a file: what, and where.
struct site_problem {
  place where;
  std::string text;
  auto operator<=>(const site_problem&) const = default;
};

using site_problems = std::vector<site_problem>;

/// `ridge.yaml:46:5: text`, or `--set path: text`.
[[nodiscard]] std::string to_string(const site_problem& problem, std::string_view file);

} // namespace trunnion
