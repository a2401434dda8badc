#include "trunnion/site/expression_parser.hpp"

#include "trunnion/messages/json.hpp"
#include "trunnion/site/duration_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace trunnion {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// A dash and a slash belong to words, since there is no arithmetic: file systems are named so.
bool continues_word(char c) {
  return begins_word(c) || is_digit(c) || c == '-' || c == '/' || c == '.';
}

/// Signs of other languages, and what they are here.
struct foreign_sign {
  std::string_view theirs, ours;
};
constexpr foreign_sign foreign_signs[]
  = {{"&&", "and"}, {"||", "or"}, {"<>", "!="}, {"=<", "<="}, {"=>", ">="},
     {"&", "and"},  {"|", "or"},  {"!", "not"}, {"=", "=="}};

std::string lowered(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

bool is_keyword(std::string_view word) { return word == "and" || word == "or" || word == "not"; }

} // namespace

tl::expected<expression, expression_error> expression_parser::parse() {
  try {
    if (text_.size() > max_expression_size)
      refuse(max_expression_size,
             "an expression has at most " + std::to_string(max_expression_size) + " bytes");
    if (mend_utf8(text_) != text_)
      refuse(0, "an expression is UTF-8");
    advance();
    expect_condition(read_any_of(0), "an expression");
    if (token_.kind == token_kind::end) {
      result_.text_ = text_;
      return std::move(result_);
    }
    if (token_.kind == token_kind::sign && token_.text == ")")
      refuse(token_.at, "this ')' closes nothing");
    auto why = "expected an operator, but here is " + seen();
    if (const auto word = lowered(token_.text); word != token_.text && is_keyword(word))
      why += "; write " + in_quotes(word);
    refuse(token_.at, std::move(why));
  } catch (refusal& x) {
    return tl::unexpected{std::move(x.error)};
  }
}

void expression_parser::refuse(std::size_t at, std::string why) {
  throw refusal{{at + 1, std::move(why)}};
}

// -- words and signs ------------------------------------------------------------

void expression_parser::advance() {
  while (next_ < text_.size() && (text_[next_] == ' ' || text_[next_] == '\n'))
    ++next_;
  token_ = {token_kind::end, next_, {}};
  if (next_ == text_.size())
    return;
  const char c = text_[next_];
  const char after = next_ + 1 < text_.size() ? text_[next_ + 1] : '\0';
  if (is_digit(c) || c == '.' || ((c == '-' || c == '+') && (is_digit(after) || after == '.')))
    read_number();
  else if (begins_word(c))
    read_word();
  else if (c == '\'' || c == '"')
    read_text();
  else
    read_sign();
}

void expression_parser::read_number() {
  const auto begin = next_;
  const auto digits = [this] {
    const auto from = next_;
    while (next_ < text_.size() && is_digit(text_[next_]))
      ++next_;
    return next_ - from;
  };
  const auto take = [this](std::string_view any) {
    const bool there = next_ < text_.size() && any.find(text_[next_]) != std::string_view::npos;
    next_ += there ? 1 : 0;
    return there;
  };
  take("+-");
  const auto whole = next_;
  bool sound = digits() > 0;
  const bool octal = next_ - whole > 1 && text_[whole] == '0';
  if (take("."))
    sound = digits() > 0 && sound;
  if (take("eE")) {
    take("+-");
    sound = digits() > 0 && sound;
  }
  const bool ends = next_ == text_.size() || !continues_word(text_[next_]);
  while (next_ < text_.size() && continues_word(text_[next_]))
    ++next_;
  token_ = {token_kind::number, begin, text_.substr(begin, next_ - begin)};
  if (octal)
    refuse(begin, in_quotes(token_.text) + " has a leading zero");
  if (!sound || !ends)
    refuse(begin, in_quotes(token_.text)
                    + " is not a number, as in 12 or 0.05; units belong into the name");
}

void expression_parser::read_word() {
  const auto begin = next_;
  while (next_ < text_.size() && continues_word(text_[next_]))
    ++next_;
  const auto word = text_.substr(begin, next_ - begin);
  token_ = {token_kind::word, begin, word};
  if (word.ends_with('.') || word.find("..") != std::string_view::npos)
    refuse(begin, in_quotes(word) + " is not a name: each dot stands between two words");
}

void expression_parser::read_text() {
  const auto begin = next_;
  const auto end = text_.find(text_[begin], begin + 1);
  if (end == std::string_view::npos)
    refuse(begin, "this text has no closing quote");
  token_ = {token_kind::text, begin, text_.substr(begin + 1, end - begin - 1)};
  next_ = end + 1;
}

void expression_parser::read_sign() {
  const auto rest = text_.substr(next_);
  for (const std::string_view sign : {"<=", ">=", "==", "!=", "<", ">", "(", ")"}) {
    if (!rest.starts_with(sign) || rest.starts_with("<>"))
      continue;
    token_ = {token_kind::sign, next_, rest.substr(0, sign.size())};
    next_ += sign.size();
    return;
  }
  for (const auto& [theirs, ours] : foreign_signs)
    if (rest.starts_with(theirs))
      refuse(next_, in_quotes(theirs) + " is not known here; write " + in_quotes(ours));
  auto length = std::size_t{1};
  while (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xC0U) == 0x80U)
    ++length; // The rest of one character.
  refuse(next_, in_quotes(rest.substr(0, length))
                  + " is not known here; there are names, numbers, texts in quotes, comparisons, "
                    "and, or, not, and parentheses");
}

std::string expression_parser::seen() const {
  return token_.kind == token_kind::end ? "the end" : in_quotes(token_.text);
}

// -- grammar --------------------------------------------------------------------

void expression_parser::expect_condition(const part& x, std::string_view where) {
  if (x.type != part_type::number && x.type != part_type::text)
    return;
  auto why = std::string{x.type == part_type::number ? "a number" : "a text"};
  why.append(" is not a condition, which ").append(where);
  why.append(" needs; compare it, as in 'name > 5'");
  refuse(x.at, std::move(why));
}

expression_parser::part expression_parser::read_any_of(std::size_t depth) {
  auto left = read_all_of(depth);
  while (token_.kind == token_kind::word && token_.text == "or") {
    expect_condition(left, "'or'");
    advance();
    expect_condition(read_all_of(depth), "'or'");
    result_.steps_.push_back({expression::step_kind::disjoin});
    left.type = part_type::condition;
  }
  return left;
}

expression_parser::part expression_parser::read_all_of(std::size_t depth) {
  auto left = read_negation(depth);
  while (token_.kind == token_kind::word && token_.text == "and") {
    expect_condition(left, "'and'");
    advance();
    expect_condition(read_negation(depth), "'and'");
    result_.steps_.push_back({expression::step_kind::conjoin});
    left.type = part_type::condition;
  }
  return left;
}

expression_parser::part expression_parser::read_negation(std::size_t depth) {
  if (token_.kind != token_kind::word || token_.text != "not")
    return read_comparison(depth);
  const auto at = token_.at;
  if (depth == max_expression_depth)
    refuse(at, "nested more than " + std::to_string(max_expression_depth) + " levels deep");
  advance();
  expect_condition(read_negation(depth + 1), "'not'");
  result_.steps_.push_back({expression::step_kind::negate});
  return {part_type::condition, at};
}

std::optional<expression::step_kind> expression_parser::comparison() const {
  using kind = expression::step_kind;
  if (token_.kind != token_kind::sign)
    return std::nullopt;
  constexpr std::pair<std::string_view, kind> signs[]
    = {{"<", kind::less},           {"<=", kind::less_equal}, {">", kind::greater},
       {">=", kind::greater_equal}, {"==", kind::equal},      {"!=", kind::not_equal}};
  const auto* found
    = std::ranges::find(signs, token_.text, &std::pair<std::string_view, kind>::first);
  return found == std::end(signs) ? std::nullopt : std::optional{found->second};
}

void expression_parser::expect_comparable(expression::step_kind kind, const part& a,
                                          const part& b) {
  using step_kind = expression::step_kind;
  const bool orders = kind != step_kind::equal && kind != step_kind::not_equal;
  for (const auto& x : {a, b})
    if (orders && x.type == part_type::condition)
      refuse(x.at, "a truth value is neither less nor greater than another; use 'and', 'or', 'not' "
                   "or '=='");
  if (a.type != part_type::any && b.type != part_type::any && a.type != b.type)
    refuse(b.at, "values of different types cannot be compared");
}

expression_parser::part expression_parser::read_comparison(std::size_t depth) {
  const auto left = read_operand(depth);
  const auto kind = comparison();
  if (!kind)
    return left;
  advance();
  expect_comparable(*kind, left, read_operand(depth));
  result_.steps_.push_back({*kind});
  if (comparison())
    refuse(token_.at, "comparisons do not chain; write 'a < b and b < c'");
  return {part_type::condition, left.at};
}

expression_parser::part expression_parser::read_operand(std::size_t depth) {
  const auto x = token_;
  switch (x.kind) {
  case token_kind::number: {
    const auto digits = x.text.starts_with('+') ? x.text.substr(1) : x.text;
    double number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec != std::errc{} || !std::isfinite(number))
      refuse(x.at, in_quotes(x.text) + " is too large or too small a number");
    result_.steps_.push_back({expression::step_kind::value, number});
    advance();
    return {part_type::number, x.at};
  }
  case token_kind::text:
    result_.steps_.push_back({expression::step_kind::value, std::string{x.text}});
    advance();
    return {part_type::text, x.at};
  case token_kind::word:
    if (is_keyword(x.text))
      break;
    if (x.text == "true" || x.text == "false") {
      result_.steps_.push_back({expression::step_kind::value, x.text == "true"});
      advance();
      return {part_type::condition, x.at};
    }
    add_name();
    advance();
    return {part_type::any, x.at};
  case token_kind::sign: {
    if (x.text != "(")
      break;
    if (depth == max_expression_depth)
      refuse(x.at, "nested more than " + std::to_string(max_expression_depth) + " levels deep");
    advance();
    const auto inside = read_any_of(depth + 1);
    if (token_.kind != token_kind::sign || token_.text != ")")
      refuse(token_.at, "expected ')' for the '(' at column " + std::to_string(x.at + 1)
                          + ", but here is " + seen());
    advance();
    return {inside.type, x.at};
  }
  case token_kind::end: break;
  }
  refuse(x.at, "expected a name, a number or a text, but here is " + seen());
}

void expression_parser::add_name() {
  std::string name{token_.text};
  if (std::ranges::find(result_.names_, name) == result_.names_.end())
    result_.names_.push_back(name);
  result_.steps_.push_back({expression::step_kind::name, std::move(name)});
}

} // namespace trunnion
