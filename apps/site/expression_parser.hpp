// Turns the text of a condition into steps for `expression`; inside of that.
//
// Threads: used by one at a time.

#pragma once

#include "trunnion/site/expression.hpp"

#include <string>
#include <string_view>

namespace trunnion {

class expression_parser {
public:
  explicit expression_parser(std::string_view text) : text_(text) {}

  [[nodiscard]] tl::expected<expression, expression_error> parse();

private:
  enum class token_kind : std::uint8_t { end, word, number, text, sign };

  struct token {
    token_kind kind = token_kind::end;
    std::size_t at = 0;    ///< Its first byte.
    std::string_view text; ///< As written; of a text without its quotes.
  };

  /// What is known of a part without any reading.
  enum class part_type : std::uint8_t { any, condition, number, text };

  struct part {
    part_type type;
    std::size_t at;
  };

  /// Thrown and caught inside of `parse` alone.
  struct refusal {
    expression_error error;
  };

  [[noreturn]] static void refuse(std::size_t at, std::string why);

  void advance();
  void read_number();
  void read_word();
  void read_text();
  void read_sign();
  [[nodiscard]] std::string seen() const;

  part read_any_of(std::size_t depth);
  part read_all_of(std::size_t depth);
  part read_negation(std::size_t depth);
  part read_comparison(std::size_t depth);
  part read_operand(std::size_t depth);
  [[nodiscard]] std::optional<expression::step_kind> comparison() const;
  void add_name();

  static void expect_condition(const part& x, std::string_view where);
  static void expect_comparable(expression::step_kind kind, const part& a, const part& b);

  std::string_view text_;
  std::size_t next_ = 0; // The first byte after the token.
  token token_;
  expression result_;
};

} // namespace trunnion
