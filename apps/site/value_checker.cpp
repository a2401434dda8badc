#include "trunnion/site/value_checker.hpp"

#include "trunnion/site/did_you_mean.hpp"
#include "trunnion/site/duration_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

namespace trunnion {

namespace {

std::string in_brackets(std::string_view label) {
  return label.empty() ? std::string{} : " (" + std::string{label} + ")";
}

std::string_view name_of(value_kind kind) {
  switch (kind) {
  case value_kind::null: return "nothing";
  case value_kind::plain: return "a word";
  case value_kind::quoted: return "quoted text";
  case value_kind::list: return "a list";
  case value_kind::map: return "a map";
  }
  return "";
}

std::string lowered(std::string_view text) {
  std::string result{text};
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return result;
}

/// Without the sign and zeros that nobody writes: `3`, `0.25`.
std::string print_number(double x) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), x).ptr;
  return {text.data(), end};
}

/// Whether it is written as a decimal number; the syntax of JSON and a sign.
bool is_decimal(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-'))
    text.remove_prefix(1);
  const auto exponent = std::min(text.find_first_of("eE"), text.size());
  auto mantissa = text.substr(0, exponent);
  const auto all_digits = [](std::string_view x) {
    return !x.empty() && x.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (exponent < text.size()) {
    auto power = text.substr(exponent + 1);
    if (power.starts_with('+') || power.starts_with('-'))
      power.remove_prefix(1);
    if (!all_digits(power))
      return false;
  }
  const auto dot = mantissa.find('.');
  if (dot == std::string_view::npos)
    return all_digits(mantissa);
  return all_digits(mantissa.substr(0, dot)) && all_digits(mantissa.substr(dot + 1));
}

std::string_view without_plus(std::string_view text) {
  return text.starts_with('+') ? text.substr(1) : text;
}

} // namespace

void value_checker::problem(const place& where, std::string text) {
  problems_.push_back({where, std::move(text)});
}

std::string value_checker::hint(std::string_view word,
                                std::span<const std::string> candidates) const {
  constexpr std::size_t many = 200;
  return problems_.size() < many ? did_you_mean(word, candidates) : std::string{};
}

void value_checker::wrong_kind(const config_value& value, std::string_view what,
                               std::string_view label) {
  if (!value.flawed)
    problem(value.where,
            "expected " + std::string{what} + ", but here is "
              + (value.is_text() ? in_quotes(value.text) : std::string{name_of(value.kind)})
              + in_brackets(label));
}

bool value_checker::expect(const config_value& value, value_kind kind, std::string_view label) {
  if (value.kind == kind && !value.flawed)
    return true;
  wrong_kind(value, name_of(kind), label);
  return false;
}

bool value_checker::expect_plain(const config_value& value, std::string_view what,
                                 std::string_view label) {
  if (value.kind == value_kind::plain && !value.flawed)
    return true;
  if (value.kind == value_kind::quoted && !value.flawed)
    problem(value.where, "expected " + std::string{what} + ", but " + in_quotes(value.text)
                           + " is in quotes" + in_brackets(label));
  else
    wrong_kind(value, what, label);
  return false;
}

std::optional<std::chrono::nanoseconds>
value_checker::duration(const config_value& value, std::string_view label,
                        range_of<std::chrono::nanoseconds> range) {
  if (!value.is_text() || value.flawed) {
    wrong_kind(value, "a duration, as in 5s or 500ms", label);
    return std::nullopt;
  }
  const auto span = parse_duration(value.text);
  if (!span) {
    problem(value.where, span.error() + in_brackets(label));
    return std::nullopt;
  }
  if (*span < range.least || *span > range.most) {
    problem(value.where, in_quotes(value.text) + " is out of range: " + print_duration(range.least)
                           + " to " + print_duration(range.most) + in_brackets(label));
    return std::nullopt;
  }
  return *span;
}

std::optional<double> value_checker::number(const config_value& value, std::string_view label,
                                            range_of<double> range) {
  if (!expect_plain(value, "a number", label))
    return std::nullopt;
  if (!is_decimal(value.text)) {
    wrong_kind(value, "a number", label);
    return std::nullopt;
  }
  const auto text = without_plus(value.text);
  double result = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), result);
  if (read.ec != std::errc{} || !std::isfinite(result)) {
    problem(value.where,
            in_quotes(value.text) + " is too large or too small a number" + in_brackets(label));
    return std::nullopt;
  }
  if (result < range.least || result > range.most) {
    problem(value.where, in_quotes(value.text) + " is out of range: " + print_number(range.least)
                           + " to " + print_number(range.most) + in_brackets(label));
    return std::nullopt;
  }
  return result;
}

std::optional<std::int64_t> value_checker::integer(const config_value& value,
                                                   std::string_view label,
                                                   range_of<std::int64_t> range) {
  if (!expect_plain(value, "a whole number", label))
    return std::nullopt;
  if (!is_decimal(value.text) || value.text.find_first_of(".eE") != std::string::npos) {
    wrong_kind(value, "a whole number", label);
    return std::nullopt;
  }
  const auto text = without_plus(value.text);
  std::int64_t result = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), result);
  if (read.ec != std::errc{} || result < range.least || result > range.most) {
    problem(value.where, in_quotes(value.text) + " is out of range: " + std::to_string(range.least)
                           + " to " + std::to_string(range.most) + in_brackets(label));
    return std::nullopt;
  }
  return result;
}

std::optional<bool> value_checker::boolean(const config_value& value, std::string_view label) {
  if (!expect_plain(value, "true or false", label))
    return std::nullopt;
  if (value.text == "true" || value.text == "false")
    return value.text == "true";
  const auto word = lowered(value.text);
  for (const std::string_view yes : {"yes", "on", "y", "true"})
    if (word == yes) {
      problem(value.where, in_quotes(value.text) + " is not a truth value here; write true"
                             + in_brackets(label));
      return std::nullopt;
    }
  for (const std::string_view no : {"no", "off", "n", "false"})
    if (word == no) {
      problem(value.where, in_quotes(value.text) + " is not a truth value here; write false"
                             + in_brackets(label));
      return std::nullopt;
    }
  wrong_kind(value, "true or false", label);
  return std::nullopt;
}

std::optional<std::string> value_checker::text(const config_value& value, std::string_view label) {
  if (value.is_text() && !value.flawed && !value.text.empty())
    return value.text;
  if (value.is_text() && !value.flawed)
    problem(value.where, "expected text, but it is empty" + in_brackets(label));
  else
    wrong_kind(value, "text", label);
  return std::nullopt;
}

std::optional<expression> value_checker::condition(const config_value& value,
                                                   std::string_view label) {
  const auto written = text(value, label);
  if (!written)
    return std::nullopt;
  auto parsed = expression::parse(*written);
  if (parsed)
    return *std::move(parsed);
  const auto where = place_inside(value, parsed.error().column);
  auto message = parsed.error().text;
  if (where == value.where && parsed.error().column > 1) // It is not written as it reads.
    message += ", at character " + std::to_string(parsed.error().column);
  problem(where, message + in_brackets(label));
  return std::nullopt;
}

/// The place of a byte of a value's text, or of the value if that is written in another way: over
/// several lines, or with escapes.
place value_checker::place_inside(const config_value& value, std::size_t column) const {
  if (!value.where.setting.empty() || value.where.line == 0)
    return value.where;
  auto rest = source_;
  for (std::uint32_t line = 1; line < value.where.line; ++line) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos)
      return value.where;
    rest.remove_prefix(end + 1);
  }
  const std::size_t quote = value.kind == value_kind::quoted ? 1 : 0;
  const auto begin = value.where.column - 1 + quote;
  const auto before = std::string_view{value.text}.substr(0, column - 1);
  if (begin > rest.size() || !rest.substr(begin).starts_with(before))
    return value.where;
  return {value.where.line, static_cast<std::uint32_t>(begin + column), {}};
}

std::optional<std::size_t> value_checker::choice(const config_value& value, std::string_view label,
                                                 std::span<const std::string> words) {
  const auto word = text(value, label);
  if (!word)
    return std::nullopt;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == *word)
      return i;
  auto message = in_quotes(*word) + " is not one of ";
  for (std::size_t i = 0; i < words.size(); ++i)
    message.append(i == 0 ? "" : ", ").append(words[i]);
  problem(value.where, message + in_brackets(label) + hint(*word, words));
  return std::nullopt;
}

std::vector<reference> value_checker::texts(const config_value& value, std::string_view label,
                                            bool may_repeat) {
  std::vector<reference> result;
  if (!expect(value, value_kind::list, label))
    return result;
  std::set<std::string> seen;
  for (const auto& item : value.items) {
    const auto word = text(item, label);
    if (!word)
      continue;
    if (seen.insert(*word).second || may_repeat)
      result.push_back({*word, item.where});
    else
      problem(item.where, in_quotes(*word) + " is named twice" + in_brackets(label));
  }
  return result;
}

map_reader::map_reader(value_checker& check, const config_value& map, std::string_view label,
                       std::string what)
  : check_(check),
    map_(map),
    what_(std::move(what)),
    usable_(check.expect(map, value_kind::map, label)) {}

const config_value* map_reader::find(std::string_view key) {
  known_.emplace_back(key);
  return usable_ ? map_.find(key) : nullptr;
}

const config_value* map_reader::require(std::string_view key) {
  const auto* value = find(key);
  if (value == nullptr && usable_)
    check_.problem(map_.where, "key " + in_quotes(key) + " is missing in " + what_);
  return value;
}

void map_reader::finish() {
  if (!usable_)
    return;
  for (const auto& [key, where, value] : map_.members) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end())
      continue;
    if (names_secret(key))
      check_.problem(where, "key " + in_quotes(key) + " in " + what_
                              + ": secrets are not kept here; use '" + key + "_file' or '" + key
                              + "_env'");
    else
      check_.problem(where,
                     "unknown key " + in_quotes(key) + " in " + what_ + check_.hint(key, known_));
  }
}

bool names_secret(std::string_view key) {
  const auto word = lowered(key);
  if (word.ends_with("_file") || word.ends_with("_env"))
    return false;
  if (word == "pass") // With another word before it, it may be that of a filter.
    return true;
  for (const std::string_view secret : {"password", "passwd", "passphrase", "token", "secret",
                                        "api_key", "apikey", "private_key", "nkey", "credentials"})
    if (word == secret
        || (word.ends_with(secret) && word.size() > secret.size()
            && (word[word.size() - secret.size() - 1] == '_'
                || word[word.size() - secret.size() - 1] == '-')))
      return true;
  return false;
}

} // namespace trunnion
