#include "trunnion/runner/alarm_machine.hpp"

#include <boost/test/unit_test.hpp>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1h};

/// What is told of answers that come a second apart: `+` raised, `-` over, `.` nothing.
std::string story(nanoseconds lasting, std::string_view answers) {
  alarm_machine machine{lasting};
  std::string told;
  auto now = start;
  for (const char c : answers) {
    const auto change = machine.on_answer(now, c == 'y'   ? truth::yes
                                               : c == 'n' ? truth::no
                                                          : truth::unknown);
    told += change == alarm_change::raised ? '+' : change == alarm_change::over ? '-' : '.';
    now += 1s;
  }
  return told;
}

} // namespace

BOOST_AUTO_TEST_SUITE(alarm_machine_test)

BOOST_AUTO_TEST_CASE(an_alarm_is_raised_once_when_its_condition_has_held_long_enough) {
  BOOST_TEST(story(3s, "nyyyyyy") == "....+..");
  BOOST_TEST(story(0s, "nyyn") == ".+.-");
  BOOST_TEST(story(3s, "yyynyyy") == ".......");
}

BOOST_AUTO_TEST_CASE(it_is_over_once_and_can_be_raised_again) {
  BOOST_TEST(story(1s, "yynnyyn") == ".+-..+-");
}

BOOST_AUTO_TEST_CASE(the_unknown_neither_raises_nor_ends_and_what_was_not_raised_begins_anew) {
  BOOST_TEST(story(1s, "yy??n") == ".+..-");
  BOOST_TEST(story(1s, "yy?yn") == ".+..-");
  BOOST_TEST(story(2s, "yy?yyy") == ".....+");
  BOOST_TEST(story(0s, "???") == "...");
}

BOOST_AUTO_TEST_CASE(it_says_when_to_ask_again_and_how_long_it_held) {
  alarm_machine machine{3s};
  BOOST_TEST(!machine.next_due());
  (void)machine.on_answer(start, truth::yes);
  BOOST_TEST((machine.next_due() == start + 3s));
  (void)machine.on_answer(start + 1s, truth::yes);
  BOOST_TEST((machine.next_due() == start + 3s));
  (void)machine.on_answer(start + 3s, truth::yes);
  BOOST_TEST(machine.is_raised());
  BOOST_TEST((machine.held() == 3s));
  BOOST_TEST(!machine.next_due());
  (void)machine.on_answer(start + 10s, truth::no);
  BOOST_TEST(!machine.is_raised());
  BOOST_TEST((machine.held() == 10s));
}

BOOST_AUTO_TEST_SUITE_END()
