#include "trunnion/runtime/escape.hpp"

#include <boost/test/unit_test.hpp>

using trunnion::escape_text;

BOOST_AUTO_TEST_SUITE(escape_test)

BOOST_AUTO_TEST_CASE(plain_text_of_any_language_stays_as_it_is) {
  BOOST_TEST(escape_text("") == "");
  BOOST_TEST(escape_text("ridge/412 \\n (\"42\")") == "ridge/412 \\n (\"42\")");
  const std::string text = "caf\u00e9 \u5c71 \U0001F52D \uFFFD";
  BOOST_TEST(escape_text(text) == text);
}

BOOST_AUTO_TEST_CASE(control_characters_cannot_reach_a_terminal) {
  BOOST_TEST(escape_text("a\nb\rc\td") == "a\\nb\\rc\\td");
  BOOST_TEST(escape_text("\x1b[31mred") == "\\x1b[31mred");
  BOOST_TEST(escape_text(std::string_view{"a\0b\x7f", 4}) == "a\\x00b\\x7f");
  BOOST_TEST(escape_text("\u009b31m \u0085") == "\\x9b31m \\x85"); // C1: CSI and next line.
}

BOOST_AUTO_TEST_CASE(text_cannot_turn_its_reading_direction_or_break_a_line) {
  BOOST_TEST(escape_text("\u202e\u2066\u2069\u200f\u061c")
             == "\\u{202e}\\u{2066}\\u{2069}\\u{200f}\\u{061c}");
  BOOST_TEST(escape_text("a\u2028b\u2029c") == "a\\u{2028}b\\u{2029}c");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_valid_utf_8_are_shown_one_by_one) {
  BOOST_TEST(escape_text("\xff.\x80") == "\\xff.\\x80");
  BOOST_TEST(escape_text("\xc0\xaf") == "\\xc0\\xaf");          // Longer than need be,
  BOOST_TEST(escape_text("\xe0\x80\xaf") == "\\xe0\\x80\\xaf"); // so no valid form.
  BOOST_TEST(escape_text("\xc0\x9b") == "\\xc0\\x9b");          // A hidden escape character.
  BOOST_TEST(escape_text("\xed\xa0\x80") == "\\xed\\xa0\\x80"); // A surrogate.
  BOOST_TEST(escape_text("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80"); // Beyond Unicode.
  BOOST_TEST(escape_text("ok \xe2\x80") == "ok \\xe2\\x80");             // Cut short.
  BOOST_TEST(escape_text("\xe2\x80\x41")
             == "\\xe2\\x80"
                "A");
}

BOOST_AUTO_TEST_SUITE_END()
