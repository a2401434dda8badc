// Conditions of a site file: `weather.rain or weather.wind_mps > 12`.
//
// Whoever closes a dome on readings must know what happens when there are none. So a condition has
// three answers: yes, no, and unknown, by Kleene's rules (`no and unknown` is no, `yes or unknown`
// is yes). Unknown is what a missing reading says, what a comparison of different types says, and a
// number or a text that stands where a truth value belongs. Nothing is ever guessed, and no answer
// is an error.
//
//     condition:  names with dots, numbers, 'texts', true, false, < <= > >= == !=,
//                 and, or, not, parentheses; from loose to tight: or, and, not, comparison
//
// What can be seen to be wrong without any reading is an error of `parse`, which says where and
// what would be right.
//
// Clock: none; how old a reading may be is known to whoever answers the look-ups (`readings.hpp`).
// Threads: plain values, immutable once parsed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

namespace trunnion {

inline constexpr std::size_t max_expression_size = 1'024; ///< Bytes.
inline constexpr std::size_t max_expression_depth = 32;   ///< Parentheses and `not` inside others.

enum class truth : std::uint8_t { no, unknown, yes };

/// What a name can stand for.
using expression_value = std::variant<bool, double, std::string>;

/// The value of a name now; nothing if there is none.
using name_lookup = std::function<std::optional<expression_value>(std::string_view name)>;

struct expression_error {
  std::size_t column = 1; ///< In bytes, from one.
  std::string text;       ///< What is wrong, and what would be right.
  bool operator==(const expression_error&) const = default;
};

class expression {
public:
  [[nodiscard]] static tl::expected<expression, expression_error> parse(std::string_view text);

  [[nodiscard]] truth evaluate(const name_lookup& look_up) const;

  /// The names that it uses, each once, in order.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// As it was written.
  [[nodiscard]] const std::string& text() const { return text_; }

private:
  friend class expression_parser;

  enum class step_kind : std::uint8_t {
    value,
    name,
    negate,
    conjoin,
    disjoin,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
  };

  /// Operands come before their operator.
  struct step {
    step_kind kind;
    expression_value value = false; ///< Of a value; the text of a name.
  };

  expression() = default;
  [[nodiscard]] static std::optional<expression_value>
  combine(step_kind kind, const std::optional<expression_value>& a,
          const std::optional<expression_value>& b);

  std::string text_;
  std::vector<std::string> names_;
  std::vector<step> steps_;
};

[[nodiscard]] std::string to_string(truth x);

} // namespace trunnion
