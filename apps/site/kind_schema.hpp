// What the configuration of a kind of service may say.
//
// A kind of service states its options once, as data: name, type, default, range, help. From that
// the strict reader checks a site file, fills in defaults and knows which word was probably meant,
// and help pages can be printed.
//
//     kind_schema{"sim.mount", "A mount that slews at a stated rate.",
//                 {option::number("slew_deg_per_s", "Rate.").range(0.01, 90).or_else("3.0"),
//                  option::duration("settle", "Rest after a slew.").or_else("800ms")}}
//
// Threads: plain values.

#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

enum class option_type : std::uint8_t {
  duration,
  number,
  integer,
  boolean,
  text,
  text_list,
  section,    ///< A map with options of its own.
  expression, ///< A condition on readings (`expression.hpp`).
};

struct option_schema {
  std::string name;
  option_type type{};
  std::string help;
  bool is_required = false; ///< A list then has at least one item.
  bool may_repeat = false;  ///< A list may name one text several times.
  std::string fallback;     ///< As it would be written in a file; empty for none.
  double least = -std::numeric_limits<double>::max(); ///< Numbers; of durations the seconds.
  double most = std::numeric_limits<double>::max();
  std::vector<std::string> choices;   ///< Of a text, or of a list's items; empty for any.
  std::vector<option_schema> members; ///< Of a section.

  // For writing schemas: each returns the changed option.
  option_schema required() &&;
  option_schema repeating() &&;
  option_schema or_else(std::string written) &&;
  option_schema range(double from, double to) &&;
  option_schema range(std::chrono::nanoseconds from, std::chrono::nanoseconds to) &&;
  option_schema one_of(std::vector<std::string> words) &&;
};

namespace option {

option_schema duration(std::string name, std::string help);
option_schema number(std::string name, std::string help);
option_schema integer(std::string name, std::string help);
option_schema boolean(std::string name, std::string help);
option_schema text(std::string name, std::string help);
option_schema text_list(std::string name, std::string help);
option_schema section(std::string name, std::string help, std::vector<option_schema> members);
option_schema expression(std::string name, std::string help);

} // namespace option

struct kind_schema {
  std::string name; ///< Such as `sim.mount`.
  std::string help;
  std::vector<option_schema> options;
  bool built = true; ///< If not, it is known and reported as not built; its config is not checked.
  /// How often its samples come unless the site file says another; nothing: it has no period.
  std::optional<std::chrono::nanoseconds> every = std::nullopt;
};

/// The kinds that a reader knows, in the order of their names.
class kind_catalogue {
public:
  /// Adds a kind; one of the same name is replaced.
  void add(kind_schema schema);
  [[nodiscard]] const kind_schema* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;

private:
  std::map<std::string, kind_schema, std::less<>> kinds_;
};

} // namespace trunnion
