#include "trunnion/site/expression.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <map>

using namespace trunnion;

namespace {

const std::map<std::string, expression_value, std::less<>> known{
  {"weather.rain", false},
  {"weather.wind_mps", 12.5},
  {"weather.sky", std::string{"clear"}},
  {"dome.is_open", true},
  {"disks.0.free_ratio", 0.4},
  {"north-mast.wind", 3.0},
  {"filesystems./.available_ratio", 0.5},
};

std::optional<expression_value> look_up(std::string_view name) {
  const auto found = known.find(name);
  return found == known.end() ? std::nullopt : std::optional{found->second};
}

std::string answer(std::string_view text) {
  const auto parsed = expression::parse(text);
  return parsed ? to_string(parsed->evaluate(look_up))
                : std::to_string(parsed.error().column) + ": " + parsed.error().text;
}

std::string repeated(std::string_view what, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i)
    result += what;
  return result;
}

/// A name for each answer.
std::string_view word_of(truth x) {
  return x == truth::yes ? "true" : x == truth::no ? "false" : "nobody.knows";
}

} // namespace

BOOST_AUTO_TEST_SUITE(expression_test)

BOOST_AUTO_TEST_CASE(conditions_on_known_readings_are_answered) {
  BOOST_TEST(answer("weather.rain") == "no");
  BOOST_TEST(answer("weather.rain or weather.wind_mps > 12") == "yes");
  BOOST_TEST(answer("weather.wind_mps > 12.5") == "no");
  BOOST_TEST(answer("weather.wind_mps >= 12.5") == "yes");
  BOOST_TEST(answer("weather.wind_mps<=1.25e1") == "yes");
  BOOST_TEST(answer("weather.wind_mps < -3") == "no");
  BOOST_TEST(answer("weather.sky == 'clear'") == "yes");
  BOOST_TEST(answer("weather.sky != \"clear\"") == "no");
  BOOST_TEST(answer("'cloud' > weather.sky") == "yes"); // By their bytes.
  BOOST_TEST(answer("disks.0.free_ratio < 0.5 and north-mast.wind == 3") == "yes");
  BOOST_TEST(answer("filesystems./.available_ratio < 0.6") == "yes");
  BOOST_TEST(answer("not dome.is_open") == "no");
  BOOST_TEST(answer("dome.is_open == true") == "yes");
  BOOST_TEST(answer("(weather.wind_mps > 10) != weather.rain") == "yes");
  BOOST_TEST(answer("weather.rain\n  or dome.is_open") == "yes");
}

BOOST_AUTO_TEST_CASE(comparison_binds_tighter_than_not_and_that_than_and_and_that_than_or) {
  BOOST_TEST(answer("true or false and false") == "yes");
  BOOST_TEST(answer("(true or false) and false") == "no");
  BOOST_TEST(answer("not false and false") == "no");
  BOOST_TEST(answer("not (false and false)") == "yes");
  BOOST_TEST(answer("not weather.wind_mps < 12") == "yes");
  BOOST_TEST(answer("not not true") == "yes");
}

BOOST_AUTO_TEST_CASE(missing_readings_and_different_types_are_unknown) {
  BOOST_TEST(answer("weather.hail") == "unknown");
  BOOST_TEST(answer("weather.hail > 3") == "unknown");
  BOOST_TEST(answer("weather.hail == weather.hail") == "unknown");
  BOOST_TEST(answer("weather.sky > 3") == "unknown");
  BOOST_TEST(answer("weather.sky != 3") == "unknown");
  BOOST_TEST(answer("weather.rain == 0") == "unknown");
  BOOST_TEST(answer("dome.is_open > weather.rain") == "unknown"); // Truth values have no order.
  BOOST_TEST(answer("weather.wind_mps") == "unknown");            // A number is no truth value.
  BOOST_TEST(answer("not weather.sky") == "unknown");
  BOOST_TEST(answer("(weather.hail > 3) == true") == "unknown");
}

BOOST_AUTO_TEST_CASE(and_or_and_not_follow_kleene) {
  constexpr std::array all{truth::no, truth::unknown, truth::yes};
  for (const auto a : all) {
    const auto mirrored = static_cast<truth>(2 - static_cast<int>(a));
    BOOST_TEST(answer("not " + std::string{word_of(a)}) == to_string(mirrored));
    for (const auto b : all) {
      const auto pair = [&](std::string_view op) {
        return answer(std::string{word_of(a)}.append(op).append(word_of(b)));
      };
      BOOST_TEST(pair(" and ") == to_string(std::min(a, b)));
      BOOST_TEST(pair(" or ") == to_string(std::max(a, b)));
    }
  }
}

BOOST_AUTO_TEST_CASE(names_are_listed_once_in_order) {
  const auto parsed = expression::parse("b.x > 1 or not a.y and b.x < 'c.z' or true");
  BOOST_REQUIRE(parsed.has_value());
  BOOST_TEST((parsed->names() == std::vector<std::string>{"b.x", "a.y"}));
  BOOST_TEST(parsed->text() == "b.x > 1 or not a.y and b.x < 'c.z' or true");
}

BOOST_AUTO_TEST_CASE(mistakes_are_told_with_their_column_and_what_would_be_right) {
  BOOST_TEST(answer("") == "1: expected a name, a number or a text, but here is the end");
  BOOST_TEST(answer("a >") == "4: expected a name, a number or a text, but here is the end");
  BOOST_TEST(answer("a or or b") == "6: expected a name, a number or a text, but here is 'or'");
  BOOST_TEST(answer("a b") == "3: expected an operator, but here is 'b'");
  BOOST_TEST(answer("a AND b") == "3: expected an operator, but here is 'AND'; write 'and'");
  BOOST_TEST(answer("a && b") == "3: '&&' is not known here; write 'and'");
  BOOST_TEST(answer("a = 5") == "3: '=' is not known here; write '=='");
  BOOST_TEST(answer("a <> 5") == "3: '<>' is not known here; write '!='");
  BOOST_TEST(answer("!a") == "1: '!' is not known here; write 'not'");
  BOOST_TEST(answer("a + 5 > 2")
             == "3: '+' is not known here; there are names, numbers, texts in quotes, comparisons, "
                "and, or, not, and parentheses");
  BOOST_TEST(answer("a > 5 µ").starts_with("7: 'µ' is not known here"));
  BOOST_TEST(answer("a -5") == "3: expected an operator, but here is '-5'");
  BOOST_TEST(answer("a > 12mps")
             == "5: '12mps' is not a number, as in 12 or 0.05; units belong into the name");
  BOOST_TEST(answer("a > .5")
             == "5: '.5' is not a number, as in 12 or 0.05; units belong into the name");
  BOOST_TEST(answer("a > 007") == "5: '007' has a leading zero");
  BOOST_TEST(answer("a > 1e999") == "5: '1e999' is too large or too small a number");
  BOOST_TEST(answer("a. > 5") == "1: 'a.' is not a name: each dot stands between two words");
  BOOST_TEST(answer("a == 'x") == "6: this text has no closing quote");
  BOOST_TEST(answer("(a or b") == "8: expected ')' for the '(' at column 1, but here is the end");
  BOOST_TEST(answer("a) or b") == "2: this ')' closes nothing");
  BOOST_TEST(answer("1 < a < 5") == "7: comparisons do not chain; write 'a < b and b < c'");
}

BOOST_AUTO_TEST_CASE(what_can_never_be_known_is_a_mistake) {
  BOOST_TEST(answer("5")
             == "1: a number is not a condition, which an expression needs; compare it, as in "
                "'name > 5'");
  BOOST_TEST(answer("a or 'x'")
             == "6: a text is not a condition, which 'or' needs; compare it, as in 'name > 5'");
  BOOST_TEST(answer("not (3)")
             == "5: a number is not a condition, which 'not' needs; compare it, as in 'name > 5'");
  BOOST_TEST(answer("5 == 'x'") == "6: values of different types cannot be compared");
  BOOST_TEST(answer("(a > 1) == 1") == "12: values of different types cannot be compared");
  BOOST_TEST(answer("a < true")
             == "5: a truth value is neither less nor greater than another; use 'and', 'or', 'not' "
                "or '=='");
}

BOOST_AUTO_TEST_CASE(length_and_depth_are_bounded) {
  BOOST_TEST(answer(repeated("(", 32) + "true" + repeated(")", 32)) == "yes");
  BOOST_TEST(answer(repeated("(", 33) + "true" + repeated(")", 33))
             == "33: nested more than 32 levels deep");
  BOOST_TEST(answer(repeated("not ", 33) + "true") == "129: nested more than 32 levels deep");
  BOOST_TEST(answer("true" + std::string(1'020, ' ')) == "yes");
  BOOST_TEST(answer("true" + std::string(1'021, ' '))
             == "1025: an expression has at most 1024 bytes");
  BOOST_TEST(answer("true" + repeated(" or true", 127)) == "yes");
}

BOOST_AUTO_TEST_CASE(no_text_breaks_the_parser) {
  constexpr std::array words{"a", "b.c", "5",  "'t'",  "and", "or", "not", "(",
                             ")", "<",   "==", "true", "-",   ".",  "\"",  "\xFF"};
  std::uint64_t seed = 7;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (int n = 0; n < 8; ++n) {
      seed = seed * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      text.append(words[(seed >> 33U) % words.size()]).append((seed >> 60U) % 2 == 0 ? " " : "");
    }
    if (const auto parsed = expression::parse(text))
      (void)parsed->evaluate(look_up);
    else
      BOOST_REQUIRE(parsed.error().column <= text.size() + 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()
