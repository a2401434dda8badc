#include "trunnion/site/did_you_mean.hpp"
#include "trunnion/site/duration_text.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

std::string why_not(std::string_view text) {
  const auto span = parse_duration(text);
  return span ? "fine" : span.error();
}

} // namespace

BOOST_AUTO_TEST_SUITE(duration_text_test)

BOOST_AUTO_TEST_CASE(durations_are_read_exactly) {
  BOOST_TEST((parse_duration("500ms") == 500ms));
  BOOST_TEST((parse_duration("1.5s") == 1500ms));
  BOOST_TEST((parse_duration("2m") == 2min));
  BOOST_TEST((parse_duration("1h") == 1h));
  BOOST_TEST((parse_duration("1d") == 24h));
  BOOST_TEST((parse_duration("0s") == 0s));
  BOOST_TEST((parse_duration("250us") == 250us));
  BOOST_TEST((parse_duration("1ns") == 1ns));
  BOOST_TEST((parse_duration("0.000000001s") == 1ns));
  BOOST_TEST((parse_duration("0.1d") == 8640s));
  BOOST_TEST((parse_duration("365d") == max_duration));
}

BOOST_AUTO_TEST_CASE(a_duration_without_a_unit_is_refused_with_examples) {
  BOOST_TEST(why_not("5") == "'5' needs a unit, as in 5s or 500ms");
  BOOST_TEST(why_not("1.5") == "'1.5' needs a unit, as in 5s or 500ms");
}

BOOST_AUTO_TEST_CASE(what_is_no_duration_is_refused_by_its_reason) {
  BOOST_TEST(why_not("") == "'' is not a duration, as in 5s or 500ms");
  BOOST_TEST(why_not("fast") == "'fast' is not a duration, as in 5s or 500ms");
  BOOST_TEST(why_not("5 s") == "'5 s' is not a duration, as in 5s or 500ms");
  BOOST_TEST(why_not(".5s") == "'.5s' is not a duration, as in 5s or 500ms");
  BOOST_TEST(why_not("5.s") == "'5.s' is not a duration, as in 5s or 500ms");
  BOOST_TEST(why_not("1e3s") == "'1e3s' is not a duration, as in 5s or 500ms");
  BOOST_TEST(why_not("nan") == "'nan' is not a duration, as in 5s or 500ms");
  BOOST_TEST(why_not("-5s") == "'-5s' is negative");
  BOOST_TEST(why_not("05s") == "'05s' has a leading zero");
  BOOST_TEST(why_not("5sec") == "'5sec' has an unknown unit; use ms, s, m, h or d");
  BOOST_TEST(why_not("5S") == "'5S' has an unknown unit; use ms, s, m, h or d");
  BOOST_TEST(why_not("0.5ns") == "'0.5ns' is finer than a nanosecond");
  BOOST_TEST(why_not("366d") == "'366d' is longer than 365d");
  BOOST_TEST(why_not("99999999999999999999999999999999999999999s")
             == "'99999999999999999999999999999999999999999s' is longer than 365d");
}

BOOST_AUTO_TEST_CASE(durations_are_printed_so_that_they_read_back) {
  for (const std::chrono::nanoseconds span :
       {std::chrono::nanoseconds{0ns}, std::chrono::nanoseconds{1ns},
        std::chrono::nanoseconds{1500ms}, std::chrono::nanoseconds{90s},
        std::chrono::nanoseconds{48h}, std::chrono::nanoseconds{1234567ns}})
    BOOST_TEST((parse_duration(print_duration(span)) == span));
  BOOST_TEST(print_duration(1500ms) == "1500ms");
  BOOST_TEST(print_duration(60s) == "1m");
  BOOST_TEST(print_duration(-5s) == "-5s");
}

BOOST_AUTO_TEST_CASE(sizes_need_a_unit_too) {
  BOOST_TEST((parse_size("10MiB") == 10'485'760u));
  BOOST_TEST((parse_size("1.5KiB") == 1'536u));
  BOOST_TEST((parse_size("2kB") == 2'000u));
  BOOST_TEST(parse_size("10").error() == "'10' needs a unit, as in 10MiB or 512KiB");
  BOOST_TEST(parse_size("10M").error() == "'10M' has an unknown unit; use B, KiB, MiB or GiB");
  BOOST_TEST(parse_size("0.3B").error() == "'0.3B' is not a whole number of bytes");
  BOOST_TEST(parse_size("2000TiB").error() == "'2000TiB' is larger than 1024TiB");
}

BOOST_AUTO_TEST_CASE(long_text_is_cut_between_characters_for_messages) {
  BOOST_TEST(in_quotes(std::string(60, 'a')) == "'" + std::string(60, 'a') + "'");
  BOOST_TEST(in_quotes(std::string(59, 'a') + "\xC3\xA9" + "b")
             == "'" + std::string(59, 'a') + "...'");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(did_you_mean_test)

BOOST_AUTO_TEST_CASE(steps_are_counted_and_swapped_neighbours_are_one) {
  BOOST_TEST(edit_distance("", "abc") == 3u);
  BOOST_TEST(edit_distance("abc", "abc") == 0u);
  BOOST_TEST(edit_distance("jsno", "json") == 1u);
  BOOST_TEST(edit_distance("kitten", "sitting") == 3u);
}

BOOST_AUTO_TEST_CASE(the_nearest_word_is_found_if_it_is_near) {
  const std::vector<std::string> words{"get", "put", "depends_on", "stop_grace", "name"};
  BOOST_TEST((closest("gett", words) == "get"));
  BOOST_TEST((closest("depend_on", words) == "depends_on"));
  BOOST_TEST((closest("Name", words) == "name"));
  BOOST_TEST((closest("stopgrase", words) == "stop_grace"));
  BOOST_TEST(!closest("colour", words).has_value());
  BOOST_TEST(!closest("g", words).has_value());
  BOOST_TEST(!closest(std::string(1'000'000, 'x'), words).has_value());
  BOOST_TEST(did_you_mean("gte", words) == "; did you mean 'get'?");
  BOOST_TEST(did_you_mean("colour", words) == "");
}

BOOST_AUTO_TEST_SUITE_END()
