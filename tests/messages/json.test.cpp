#include "trunnion/messages/json.hpp"

#include <boost/test/unit_test.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <simdjson.h>

using namespace trunnion;

namespace {

std::string nested(std::size_t depth, std::string_view inner = "") {
  return std::string(depth, '[').append(inner).append(std::string(depth, ']'));
}

/// Whether `text` is refused, with `part` in what is said.
bool refused(std::string_view text, std::string_view part = "") {
  const auto checked = check_json(text);
  if (checked)
    return false;
  BOOST_TEST(checked.error().text.find(part) != std::string::npos, checked.error().text);
  return checked.error().code == error_code::invalid_argument;
}

/// What a reader gets of what was written as one text.
std::string read_text(std::string_view json) {
  simdjson::dom::parser parser;
  return std::string{parser.parse(json.data(), json.size()).get_string().value()};
}

std::string random_bytes(std::mt19937_64& random) {
  // Mostly what escaping and UTF-8 are about.
  static constexpr std::string_view liked{"\0\x1f\"\\/\n\x7f\x80\xbf\xc2\xe0\xed\xa0\xf0\xf4\xff",
                                          16};
  std::string result(random() % 24, ' ');
  for (auto& c : result)
    c = random() % 2 == 0 ? liked[random() % liked.size()] : static_cast<char>(random() % 256);
  return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(json_test)

// -- check --------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(every_kind_of_value_is_accepted) {
  for (const auto* text : {"null", "true", "false", "0", "-0.5e-7", "18446744073709551615",
                           "-9223372036854775808", R"("x")", R"("\ud83d\udd2d\u0000")", "[]", "{}",
                           " \t\r\n[1 , {\"a\" : [ ] , \"b\":null}] \n", R"({"":1})"})
    BOOST_TEST(check_json(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(what_is_not_one_json_value_is_refused) {
  using namespace std::string_view_literals;
  for (const auto text :
       {""sv,           " "sv,     "nul"sv, "tru"sv,     "[1,]"sv,   "[1"sv,       "{\"a\"}"sv,
        "{\"a\":1,}"sv, "{a:1}"sv, "'a'"sv, "\"a"sv,     "\"\n\""sv, "\"\\x\""sv,  "\"\\u12\""sv,
        "01"sv,         "1."sv,    ".5"sv,  "+1"sv,      "NaN"sv,    "Infinity"sv, "1 2"sv,
        "{} {}"sv,      "[] x"sv,  "1\0"sv, "// x\n1"sv, "]"sv,      "}"sv})
    BOOST_TEST(refused(text, "invalid JSON: "), text);
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_is_refused_with_the_byte) {
  BOOST_TEST(refused("\"ab\xff\"", "byte 4"));
  BOOST_TEST(refused("\"\xc3\xa9\xe2\x82\"", "byte 4"));
  BOOST_TEST(refused("\"\xed\xa0\x80\"", "byte 2"));
  BOOST_TEST(refused("\"\xf4\x90\x80\x80\"", "byte 2"));
  BOOST_TEST(refused("\xef\xbb\xbf{}", "byte 1"));
}

BOOST_AUTO_TEST_CASE(numbers_beyond_64_bits_or_a_double_are_refused) {
  BOOST_TEST(refused("18446744073709551616", "number"));
  BOOST_TEST(refused("[-9223372036854775809]", "number"));
  BOOST_TEST(refused("1e400", "number"));
}

BOOST_AUTO_TEST_CASE(nesting_is_limited_to_64) {
  BOOST_TEST(check_json(nested(64)).has_value());
  BOOST_TEST(check_json(nested(64, "1")).has_value());
  BOOST_TEST(refused(nested(65), "nested too deeply"));
  BOOST_TEST(refused(nested(100'000), "nested too deeply"));
  BOOST_TEST(check_json(nested(63, R"({"a":1})")).has_value());
  BOOST_TEST(refused(nested(64, R"({"a":1})"), "/0/0 is nested too deeply"));
  BOOST_TEST(refused(std::string{R"({"a/b":[0,)"}.append(nested(63)).append("]}"), "/a~1b/1/0"));
  BOOST_TEST(check_json(nested(65), 65).has_value());
  BOOST_TEST(!check_json(nested(66), 65).has_value());
}

BOOST_AUTO_TEST_CASE(members_of_one_name_are_refused_with_their_place) {
  BOOST_TEST(refused(R"({"a":1,"a":1})", "/a occurs twice"));
  BOOST_TEST(refused(R"({"a":1,"b":2,"c":3,"a":1})", "/a occurs twice"));
  BOOST_TEST(refused(R"([{"x":{"b":1,"a":2,"b":3}}])", "/0/x/b occurs twice"));
  BOOST_TEST(refused(R"({"":1,"":2})", "occurs twice"));
  BOOST_TEST(refused(R"({"a":1,"\u0061":2})", "/a occurs twice"));
  BOOST_TEST(refused(R"({"a\u0000x":1,"a\u0000x":2})", "occurs twice"));
  BOOST_TEST(check_json(R"({"a":{"a":{"a":1}},"A":[{"a":1},{"a":1}]})").has_value());
  BOOST_TEST(check_json(R"({"a\u0000x":1,"a\u0000y":2})").has_value());
}

BOOST_AUTO_TEST_CASE(a_duplicate_is_found_among_very_many_members) {
  std::string json = "{";
  for (int i = 0; i < 50'000; ++i)
    json.append("\"m").append(std::to_string(i)).append("\":0,");
  BOOST_TEST(check_json(json + "\"x\":0}").has_value());
  BOOST_TEST(refused(json + "\"m17\":0}", "/m17 occurs twice"));
}

// -- writer -------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(objects_and_arrays_are_written_compact_with_commas_between) {
  json_writer json;
  json.begin_object();
  json.key("a").number(-1).key("b").begin_array().end_array();
  json.key("c").begin_array().null().boolean(true).boolean(false).begin_object().end_object();
  json.begin_array().text("x").end_array().raw("{\"y\": 1}").end_array();
  json.key("d").begin_object().key("e").text("f").end_object().key("g").unsigned_number(7);
  json.end_object();
  BOOST_TEST(json.str()
             == R"({"a":-1,"b":[],"c":[null,true,false,{},["x"],{"y": 1}],"d":{"e":"f"},"g":7})");
  BOOST_TEST(check_json(json.str()).has_value());
}

BOOST_AUTO_TEST_CASE(quotes_backslashes_and_control_characters_are_escaped) {
  using namespace std::string_view_literals;
  json_writer json;
  json.text("q\" b\\ s/ \b\f\n\r\t \0 \x1f \x7f \xc3\xa9"sv);
  BOOST_TEST(json.str() == "\"q\\\" b\\\\ s/ \\b\\f\\n\\r\\t \\u0000 \\u001f \x7f \xc3\xa9\"");
  for (int byte = 0; byte < 0x80; ++byte) {
    json_writer one;
    const std::string text(1, static_cast<char>(byte));
    BOOST_TEST(read_text(one.text(text).str()) == text, "byte " << byte);
  }
}

BOOST_AUTO_TEST_CASE(names_are_escaped_and_mended_like_texts) {
  json_writer json;
  json.begin_object().key("a\"\n\xff").null().end_object();
  BOOST_TEST(json.str() == "{\"a\\\"\\n\xef\xbf\xbd\":null}");
}

BOOST_AUTO_TEST_CASE(numbers_keep_their_value) {
  json_writer json;
  json.begin_array();
  json.number(std::numeric_limits<std::int64_t>::min()).number(0);
  json.unsigned_number(std::numeric_limits<std::uint64_t>::max());
  json.real(0.1).real(-2.5).real(3.0).real(123456789012345680000.0).real(1e22).real(5e-324);
  json.real(std::numeric_limits<double>::quiet_NaN());
  json.real(-std::numeric_limits<double>::infinity());
  json.end_array();
  BOOST_TEST(json.str()
             == "[-9223372036854775808,0,18446744073709551615,"
                "0.1,-2.5,3.0,123456789012345683968.0,1e+22,5e-324,null,null]");
  BOOST_TEST(check_json(json.str()).has_value());
}

BOOST_AUTO_TEST_CASE(any_bytes_written_as_text_are_valid_and_read_back_mended) {
  std::mt19937_64 random{1};
  std::size_t mended = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto bytes = random_bytes(random);
    json_writer json;
    json.text(bytes);
    BOOST_REQUIRE(check_json(json.str()).has_value());
    BOOST_REQUIRE(read_text(json.str()) == mend_utf8(bytes));
    mended += mend_utf8(bytes) != bytes ? 1U : 0U;
  }
  BOOST_TEST(mended > 1'000u);
  BOOST_TEST(mended < 19'999u);
}

BOOST_AUTO_TEST_CASE(any_doubles_are_read_back_exactly) {
  std::mt19937_64 random{2};
  simdjson::dom::parser parser;
  for (int round = 0; round < 20'000; ++round) {
    const auto value = std::bit_cast<double>(random());
    json_writer json;
    json.begin_array().real(value).end_array();
    if (std::isfinite(value))
      BOOST_REQUIRE(parser.parse(json.str()).at(0).get_double().value() == value);
    else
      BOOST_REQUIRE(json.str() == "[null]");
  }
}

// -- UTF-8 --------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(well_formed_text_is_left_as_it_is) {
  const std::string text = "a\x7f \xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xef\xbf"
                           "\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf";
  BOOST_TEST(mend_utf8(text) == text);
  BOOST_TEST(mend_utf8("") == "");
}

BOOST_AUTO_TEST_CASE(each_maximal_ill_formed_part_becomes_one_replacement_character) {
  const auto mended = [](std::string_view text) {
    const auto whole = mend_utf8(text);
    std::string result;
    for (std::string_view rest = whole; !rest.empty();) {
      const bool replaced = rest.starts_with("\xef\xbf\xbd");
      result += replaced ? '?' : rest.front();
      rest.remove_prefix(replaced ? 3 : 1);
    }
    return result;
  };
  // Unicode 15, section 3.9, tables 3-8 to 3-11.
  BOOST_TEST(mended("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41") == "????????A");
  BOOST_TEST(mended("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41") == "????????A");
  BOOST_TEST(mended("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42") == "?????A??B");
  BOOST_TEST(mended("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41") == "????A");
  BOOST_TEST(mended("\xf0\x9f\x94") == "?");
  BOOST_TEST(mended("x\xc3") == "x?");
}

BOOST_AUTO_TEST_SUITE_END()
