#include "trunnion/kinds/fair_weather.hpp"
#include "trunnion/kinds/line_splitter.hpp"
#include "trunnion/kinds/rate_cap.hpp"

#include <boost/test/unit_test.hpp>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1h};

using texts = std::vector<std::string>;

/// What comes out of a splitter for lines of 4 bytes that is fed `parts`.
texts split(const texts& parts, std::uint64_t overlong = 0) {
  line_splitter x{4};
  texts result;
  for (const auto& part : parts)
    x.feed(part, result);
  BOOST_TEST(x.overlong() == overlong);
  return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(line_splitter_test)

BOOST_AUTO_TEST_CASE(lines_come_whole_however_they_were_cut) {
  BOOST_TEST((split({"ab\ncd\n"}) == texts{"ab", "cd"}));
  BOOST_TEST((split({"a", "b", "\n", "c", "d\n"}) == texts{"ab", "cd"}));
  BOOST_TEST((split({}) == texts{}));
}

BOOST_AUTO_TEST_CASE(empty_lines_and_what_has_no_end_are_no_lines) {
  BOOST_TEST((split({"\n\nab\n\n", "cd"}) == texts{"ab"}));
}

BOOST_AUTO_TEST_CASE(a_line_of_the_bound_passes_and_a_longer_one_does_not) {
  BOOST_TEST((split({"abcd\n"}) == texts{"abcd"}));
  BOOST_TEST((split({"abcde\nfg\n"}, 1) == texts{"fg"}));
  BOOST_TEST((split({"abcd", "e\nfg\n"}, 1) == texts{"fg"}));
  BOOST_TEST((split({"abcd", "e", "f", "abcdefgh\nij\n"}, 1) == texts{"ij"}));
  BOOST_TEST((split({"abcde\n", "abcde\n", "abcde"}, 3) == texts{})); // Counted when it is seen.
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rate_cap_test)

BOOST_AUTO_TEST_CASE(a_seconds_worth_passes_at_once_and_then_the_rate) {
  rate_cap x{10};
  int passed = 0;
  for (int i = 0; i < 100; ++i)
    passed += x.admit(start) ? 1 : 0;
  BOOST_TEST(passed == 10);
  BOOST_TEST(!x.admit(start + 99ms));
  BOOST_TEST(x.admit(start + 100ms));
  BOOST_TEST(!x.admit(start + 100ms));
  for (passed = 0; x.admit(start + 1h);)
    ++passed;
  BOOST_TEST(passed == 10); // No more than that is saved up.
}

BOOST_AUTO_TEST_CASE(a_rate_below_one_lets_one_pass_now_and_then) {
  rate_cap x{0.1};
  BOOST_TEST(x.admit(start));
  BOOST_TEST(!x.admit(start + 9s));
  BOOST_TEST(x.admit(start + 11s));
}

BOOST_AUTO_TEST_CASE(an_episode_is_told_when_it_begins) {
  episode x;
  BOOST_TEST(x.note(start));
  BOOST_TEST(!x.note(start + 500ms, 7));
  BOOST_TEST(!x.note(start + 1'400ms)); // Less than a second after the last.
  BOOST_TEST(x.note(start + 2'400ms));
  BOOST_TEST(x.total() == 10u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(fair_weather_test)

BOOST_AUTO_TEST_CASE(it_opens_when_the_condition_has_been_false_for_long_enough) {
  fair_weather x{30s};
  BOOST_TEST(!x.look(start, false));
  BOOST_TEST(!x.look(start + 29s, false));
  BOOST_TEST(x.look(start + 30s, false));
}

BOOST_AUTO_TEST_CASE(true_and_unknown_close_at_once_and_the_wait_begins_anew) {
  for (const auto bad : {std::optional<bool>{true}, std::optional<bool>{}}) {
    fair_weather x{30s};
    (void)x.look(start, false);
    BOOST_TEST(x.look(start + 40s, false));
    BOOST_TEST(!x.look(start + 41s, bad));
    BOOST_TEST(!x.look(start + 42s, false));
    BOOST_TEST(!x.look(start + 71s, false));
    BOOST_TEST(x.look(start + 72s, false));
  }
}

BOOST_AUTO_TEST_CASE(without_patience_false_is_enough) {
  fair_weather x{0s};
  BOOST_TEST(!x.look(start, std::nullopt));
  BOOST_TEST(x.look(start, false));
}

BOOST_AUTO_TEST_SUITE_END()
