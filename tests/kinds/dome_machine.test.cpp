#include "trunnion/kinds/dome_machine.hpp"

#include <boost/test/unit_test.hpp>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1h};
constexpr instant forever{1'000h};

/// A dome whose motor may run; it takes 4 s to open.
dome_machine dome(bool has_power = true) {
  dome_machine result{
    {.open_time = 4s, .turn_deg_per_s = 10, .close_after = 30s, .has_power = has_power}};
  result.permit(start, forever);
  return result;
}

const auto close_to = boost::test_tools::tolerance(1e-9);

} // namespace

BOOST_AUTO_TEST_SUITE(dome_machine_test)

BOOST_AUTO_TEST_CASE(it_is_closed_at_the_start_and_takes_its_time_to_open_and_close) {
  auto x = dome();
  BOOST_TEST((x.shutter(start) == shutter_phase::closed));
  BOOST_TEST(x.open(start).has_value());
  BOOST_TEST((x.shutter(start + 3'999ms) == shutter_phase::opening));
  BOOST_TEST(x.open_ratio(start + 1s) == 0.25, close_to);
  BOOST_TEST((x.shutter(start + 4s) == shutter_phase::open));
  BOOST_TEST(x.close(start + 10s).has_value());
  BOOST_TEST((x.shutter(start + 13'999ms) == shutter_phase::closing));
  BOOST_TEST((x.shutter(start + 14s) == shutter_phase::closed));
}

BOOST_AUTO_TEST_CASE(a_turn_on_the_way_begins_where_it_is) {
  auto x = dome();
  (void)x.open(start);
  (void)x.close(start + 1s); // A quarter open.
  BOOST_TEST(x.open_ratio(start + 1'500ms) == 0.125, close_to);
  BOOST_TEST((x.shutter(start + 2s) == shutter_phase::closed));
}

BOOST_AUTO_TEST_CASE(to_say_it_again_changes_nothing_on_the_way) {
  auto x = dome();
  (void)x.open(start);
  (void)x.open(start + 2s);
  BOOST_TEST((x.shutter(start + 4s) == shutter_phase::open));
}

BOOST_AUTO_TEST_CASE(without_power_nothing_moves) {
  auto x = dome(false);
  BOOST_TEST((x.open(start).error().code == error_code::unsupported));
  BOOST_TEST((x.close(start).error().code == error_code::unsupported));
  x.turn_to(start, 90);
  BOOST_TEST((x.shutter(start + 1min) == shutter_phase::closed));
  BOOST_TEST(x.az_deg(start + 1min) == 0);
  BOOST_TEST(x.set_power(start, true).has_value());
  BOOST_TEST(x.open(start).has_value());
}

BOOST_AUTO_TEST_CASE(power_does_not_go_until_it_is_closed) {
  auto x = dome();
  (void)x.open(start);
  for (const auto at : {start + 1s, start + 1min})
    BOOST_TEST((x.set_power(at, false).error().code == error_code::permission_denied));
  (void)x.close(start + 1min);
  BOOST_TEST(!x.set_power(start + 1min + 3s, false).has_value());
  BOOST_TEST(x.set_power(start + 1min + 4s, false).has_value());
}

BOOST_AUTO_TEST_CASE(power_that_goes_stops_the_slit_where_it_is) {
  auto x = dome();
  x.turn_to(start, 90);
  BOOST_TEST(x.set_power(start + 2s, false).has_value());
  BOOST_TEST(x.az_deg(start + 1min) == 20, close_to);
}

BOOST_AUTO_TEST_CASE(the_motor_stops_when_its_permission_ends_and_goes_on_with_a_new_one) {
  auto x = dome();
  x.permit(start, start + 1s);
  (void)x.open(start);
  BOOST_TEST((x.shutter(start + 999ms) == shutter_phase::opening));
  BOOST_TEST((x.shutter(start + 1s) == shutter_phase::halted));
  BOOST_TEST(x.open_ratio(start + 1h) == 0.25, close_to);
  x.permit(start + 1h, start + 2h);
  BOOST_TEST(x.open_ratio(start + 1h + 1s) == 0.5, close_to);
  BOOST_TEST((x.shutter(start + 1h + 3s) == shutter_phase::open));
}

BOOST_AUTO_TEST_CASE(a_permission_that_is_taken_back_stops_it_at_once) {
  auto x = dome();
  (void)x.open(start);
  x.permit(start + 2s, start + 2s);
  BOOST_TEST((x.shutter(start + 2s) == shutter_phase::halted));
  BOOST_TEST(x.open_ratio(start + 1h) == 0.5, close_to);
}

BOOST_AUTO_TEST_CASE(a_permission_that_is_extended_in_time_is_not_noticed) {
  auto x = dome();
  (void)x.open(start);
  for (auto at = start; at < start + 4s; at += 100ms)
    x.permit(at, at + 150ms);
  BOOST_TEST((x.shutter(start + 4s) == shutter_phase::open));
}

BOOST_AUTO_TEST_CASE(what_was_commanded_without_permission_begins_with_it) {
  auto x = dome();
  x.permit(start, start);
  (void)x.open(start + 10s);
  BOOST_TEST((x.shutter(start + 20s) == shutter_phase::halted));
  x.permit(start + 20s, forever);
  BOOST_TEST(x.open_ratio(start + 21s) == 0.25, close_to);
}

BOOST_AUTO_TEST_CASE(an_open_dome_that_nobody_commands_is_forsaken_and_a_closed_one_is_not) {
  auto x = dome();
  BOOST_TEST(!x.is_forsaken(start + 1h));
  (void)x.open(start);
  BOOST_TEST(!x.is_forsaken(start + 30s - 1ns));
  BOOST_TEST(x.is_forsaken(start + 30s));
  (void)x.open(start + 30s);
  BOOST_TEST(!x.is_forsaken(start + 59s));
  (void)x.close(start + 60s);
  BOOST_TEST(!x.is_forsaken(start + 60s));
}

BOOST_AUTO_TEST_CASE(the_slit_turns_the_shorter_way_at_its_rate) {
  auto x = dome();
  x.turn_to(start, 350);
  BOOST_TEST(x.az_deg(start + 500ms) == 355, close_to);
  BOOST_TEST(x.az_deg(start + 1s) == 350, close_to);
  x.turn_to(start + 1s, 20);
  BOOST_TEST(x.az_deg(start + 3s) == 10, close_to);
  BOOST_TEST(x.az_deg(start + 1h) == 20, close_to);
  x.turn_to(start + 1h, std::numeric_limits<double>::quiet_NaN());
  BOOST_TEST(x.az_deg(start + 2h) == 20, close_to);
}

BOOST_AUTO_TEST_SUITE_END()
