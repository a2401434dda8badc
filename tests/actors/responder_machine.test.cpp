#include "trunnion/actors/responder_machine.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <set>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{std::chrono::hours{1}};

incoming_request request(std::uint64_t number, nanoseconds time_left = 1min) {
  return {.number = number, .payload = payload{std::to_string(number)}, .time_left = time_left};
}

std::string bytes(const begun_request& x) { return std::string{x.payload.bytes()}; }

} // namespace

BOOST_AUTO_TEST_SUITE(responder_machine_test)

BOOST_AUTO_TEST_CASE(requests_begin_in_the_order_in_which_they_came_up_to_the_limit) {
  responder_machine machine{2, 10};
  for (std::uint64_t i = 1; i <= 4; ++i)
    BOOST_TEST((machine.on_request(request(i), start) == admission_verdict::taken));
  const auto first = machine.next(start), second = machine.next(start);
  BOOST_REQUIRE((first && second));
  BOOST_TEST(bytes(*first) == "1");
  BOOST_TEST(bytes(*second) == "2");
  BOOST_TEST(!machine.next(start).has_value());
  BOOST_TEST(machine.on_done(second->ticket, start, false).value() == 2U);
  BOOST_TEST(bytes(*machine.next(start)) == "3");
}

BOOST_AUTO_TEST_CASE(what_finds_neither_a_place_nor_room_in_the_queue_is_refused) {
  responder_machine machine{1, 2};
  BOOST_TEST((machine.on_request(request(1), start) == admission_verdict::taken));
  BOOST_TEST(machine.next(start).has_value());
  BOOST_TEST((machine.on_request(request(2), start) == admission_verdict::taken));
  BOOST_TEST((machine.on_request(request(3), start) == admission_verdict::taken));
  BOOST_TEST((machine.on_request(request(4), start) == admission_verdict::full));
  BOOST_TEST(machine.refused() == 1U);
}

BOOST_AUTO_TEST_CASE(a_queue_full_of_requests_that_nobody_waits_for_is_not_full) {
  responder_machine machine{1, 2};
  BOOST_TEST((machine.on_request(request(1), start) == admission_verdict::taken));
  BOOST_TEST(machine.next(start).has_value());
  for (const std::uint64_t i : {2, 3})
    BOOST_TEST((machine.on_request(request(i, 1s), start) == admission_verdict::taken));
  BOOST_TEST((machine.on_request(request(4), start + 999ms) == admission_verdict::full));
  BOOST_TEST((machine.on_request(request(4), start + 1s) == admission_verdict::taken));
  BOOST_TEST(machine.withdrawn() == 2U);
  BOOST_TEST(machine.waiting(start + 1s) == 1U);
}

BOOST_AUTO_TEST_CASE(a_request_whose_time_has_passed_never_begins) {
  responder_machine machine{1, 2};
  BOOST_TEST((machine.on_request(request(1, 1s), start) == admission_verdict::taken));
  BOOST_TEST(!machine.next(start + 1s).has_value());
  BOOST_TEST((machine.on_request(request(2, 0s), start) == admission_verdict::late));
  BOOST_TEST(machine.withdrawn() == 2U);
}

BOOST_AUTO_TEST_CASE(the_time_left_is_counted_from_the_arrival) {
  responder_machine machine{1, 2};
  BOOST_TEST((machine.on_request(request(1, 3s), start) == admission_verdict::taken));
  BOOST_TEST((machine.next(start + 1s)->time_left == 2s));
}

BOOST_AUTO_TEST_CASE(a_withdrawn_request_leaves_the_line) {
  responder_machine machine{1, 2};
  for (const std::uint64_t i : {1, 2})
    BOOST_TEST((machine.on_request(request(i), start) == admission_verdict::taken));
  machine.withdraw(1);
  machine.withdraw(1);
  machine.withdraw(99);
  BOOST_TEST(bytes(*machine.next(start)) == "2");
  BOOST_TEST(machine.withdrawn() == 1U);
}

BOOST_AUTO_TEST_CASE(one_withdrawn_while_it_runs_keeps_its_place_and_gets_no_answer) {
  responder_machine machine{1, 2};
  for (const std::uint64_t i : {1, 2})
    BOOST_TEST((machine.on_request(request(i), start) == admission_verdict::taken));
  const auto begun = machine.next(start);
  machine.withdraw(1);
  BOOST_TEST(!machine.next(start).has_value());
  BOOST_TEST(!machine.on_done(begun->ticket, start, false).has_value());
  BOOST_TEST(machine.next(start).has_value());
}

BOOST_AUTO_TEST_CASE(an_answer_after_the_deadline_goes_nowhere) {
  responder_machine machine{1, 2};
  BOOST_TEST((machine.on_request(request(1, 1s), start) == admission_verdict::taken));
  const auto begun = machine.next(start);
  BOOST_TEST(!machine.on_done(begun->ticket, start + 1s, false).has_value());
  BOOST_TEST(machine.running() == 0U);
}

BOOST_AUTO_TEST_CASE(a_request_that_is_sent_twice_is_handled_once) {
  responder_machine machine{1, 2};
  BOOST_TEST((machine.on_request(request(1), start) == admission_verdict::taken));
  BOOST_TEST((machine.on_request(request(1), start) == admission_verdict::known));
  BOOST_TEST(machine.next(start).has_value());
  BOOST_TEST((machine.on_request(request(1), start) == admission_verdict::known));
  BOOST_TEST(machine.waiting(start) == 0U);
}

BOOST_AUTO_TEST_CASE(stopping_refuses_what_waits_and_cuts_off_what_runs_when_told) {
  responder_machine machine{2, 2};
  for (const std::uint64_t i : {1, 2, 3, 4})
    BOOST_TEST((machine.on_request(request(i), start) == admission_verdict::taken));
  const auto first = machine.next(start);
  BOOST_TEST(machine.next(start).has_value());
  BOOST_TEST(machine.stop() == (std::vector<std::uint64_t>{3, 4}),
             boost::test_tools::per_element());
  BOOST_TEST((machine.on_request(request(5), start) == admission_verdict::stopping));
  BOOST_TEST(machine.on_done(first->ticket, start, false).value() == 1U);
  BOOST_TEST(machine.cut_off(start) == (std::vector<std::uint64_t>{2}),
             boost::test_tools::per_element());
  BOOST_TEST(machine.running() == 0U);
  BOOST_TEST(machine.refused() == 3U);
}

BOOST_AUTO_TEST_CASE(whatever_happens_each_request_ends_once_and_in_its_turn) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random{seed};
    responder_machine machine{3, 4};
    std::map<std::uint64_t, int> ends;              // Of each number.
    std::map<std::uint64_t, std::uint64_t> running; // Number by ticket.
    std::uint64_t numbers = 0, last_begun = 0;
    auto now = start;
    for (int step = 0; step < 300; ++step) {
      now += milliseconds{random() % 40};
      switch (random() % 6) {
      case 0:
      case 1:
      case 2: {
        const auto verdict
          = machine.on_request(request(++numbers, milliseconds{random() % 200}), now);
        ends[numbers] = verdict == admission_verdict::taken ? 0 : 1;
        break;
      }
      case 3:
        if (const auto begun = machine.next(now)) {
          const auto number = std::stoull(bytes(*begun));
          BOOST_REQUIRE(number > last_begun);
          BOOST_REQUIRE((begun->time_left > nanoseconds{}));
          last_begun = number;
          running[begun->ticket] = number;
        }
        break;
      case 4:
        if (!running.empty()) {
          const auto chosen
            = std::next(running.begin(), static_cast<std::ptrdiff_t>(random() % running.size()));
          const auto answered = machine.on_done(chosen->first, now, random() % 2 == 0);
          if (answered)
            BOOST_REQUIRE(*answered == chosen->second);
          ++ends[chosen->second];
          running.erase(chosen);
        }
        break;
      default:
        if (numbers > 0)
          machine.withdraw(random() % numbers + 1);
      }
      BOOST_REQUIRE(machine.running() == running.size());
      BOOST_REQUIRE(machine.running() <= 3U);
      BOOST_REQUIRE(machine.waiting(now) <= 7U);
    }
    for (const auto& [number, count] : ends)
      BOOST_REQUIRE(count <= 1);
    // What is not accounted for in these was told apart above.
    BOOST_REQUIRE_EQUAL(machine.served() + machine.failed() + machine.refused()
                          + machine.withdrawn() + machine.running() + machine.waiting(now),
                        numbers);
  }
}

BOOST_AUTO_TEST_SUITE_END()
