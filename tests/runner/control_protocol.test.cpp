#include "trunnion/runner/control_protocol.hpp"

#include "trunnion/runner/event_ring.hpp"

#include <boost/test/unit_test.hpp>

namespace trunnion::test {
namespace {

control_event event(const std::string& what) {
  return {0, wall_time{std::chrono::seconds{1'700'000'000}}, "ridge.camera", what, "why"};
}

error_code refused(std::string_view json) {
  const auto result = read_request(json);
  BOOST_REQUIRE_MESSAGE(!result, "read: " << json);
  return result.error().code;
}

} // namespace

BOOST_AUTO_TEST_SUITE(control_protocol_test)

BOOST_AUTO_TEST_CASE(requests_survive_the_way) {
  for (const auto& x : {control_request{control_op::ls},
                        {control_op::show, "camera"},
                        {control_op::restart, "camera"},
                        {control_op::stop, "a\"b"},
                        {control_op::events, "", 7, 12}})
    BOOST_TEST((read_request(write_request(x)) == x), write_request(x));
}

BOOST_AUTO_TEST_CASE(answers_survive_the_way) {
  const control_answer services{"ridge", control_services{{{"camera", "sim.camera", 1, "running",
                                                            "3:4", 5, "runs \xe2\x80\x94 well"}}}};
  auto told = event("lost");
  told.number = 9;
  const control_answer events{"ridge", control_events{{told}, 9, 2}};
  const control_answer done{"ridge", control_done{control_op::restart}};
  for (const auto& x : {services, events, done})
    BOOST_TEST((read_answer(write_answer(x)) == x), write_answer(x));
}

BOOST_AUTO_TEST_CASE(a_refusal_comes_back_as_the_failure_that_it_was) {
  const auto read = read_answer(write_refusal(
    {error_code::permission_denied, certainty::not_applied, "camera", "not allowed here", {}}));
  BOOST_REQUIRE(!read);
  BOOST_TEST((read.error().code == error_code::permission_denied));
  BOOST_TEST(read.error().text == "not allowed here");
  BOOST_TEST(read.error().subject == "camera");
}

BOOST_AUTO_TEST_CASE(what_is_no_request_is_refused_and_what_is_new_is_ignored) {
  BOOST_TEST((refused("") == error_code::invalid_argument));
  BOOST_TEST((refused("[]") == error_code::invalid_argument));
  BOOST_TEST((refused(R"({"op":"ls"})") == error_code::version_mismatch));
  BOOST_TEST((refused(R"({"v":2,"op":"ls"})") == error_code::version_mismatch));
  BOOST_TEST((refused(R"({"v":1,"op":"explode"})") == error_code::invalid_argument));
  BOOST_TEST((refused(R"({"v":1,"op":"show"})") == error_code::invalid_argument));
  BOOST_TEST((refused(R"({"v":1,"v":1,"op":"ls"})") == error_code::invalid_argument));
  BOOST_TEST((read_request(R"({"v":1,"op":"ls","later":[1]})") == control_request{control_op::ls}));
}

BOOST_AUTO_TEST_CASE(what_is_no_answer_is_told_as_such) {
  for (const std::string_view text : {"", "{}", "[1]", R"({"v":1,"site":"ridge"})"})
    BOOST_TEST(!read_answer(text), text);
}

BOOST_AUTO_TEST_CASE(a_ring_goes_on_where_a_reader_stopped) {
  event_ring ring;
  for (const auto* what : {"waiting", "starting", "running"})
    ring.add(event(what));
  auto read = ring.read(0, 2);
  BOOST_TEST(read.events.size() == 2U);
  BOOST_TEST(read.next == 2U);
  read = ring.read(read.next, 10);
  BOOST_REQUIRE(read.events.size() == 1U);
  BOOST_TEST(read.events[0].what == "running");
  BOOST_TEST(read.events[0].number == 3U);
  read = ring.read(read.next, 10);
  BOOST_TEST(read.events.empty());
  BOOST_TEST(read.next == 3U);
}

BOOST_AUTO_TEST_CASE(a_ring_tells_what_it_has_forgotten) {
  event_ring ring;
  for (std::uint32_t i = 0; i < most_control_events + 5; ++i)
    ring.add(event("tick"));
  const auto read = ring.read(2, most_control_events);
  BOOST_TEST(read.forgotten == 3U);
  BOOST_TEST(read.events.size() == most_control_events);
  BOOST_TEST(read.events.front().number == 6U);
}

BOOST_AUTO_TEST_CASE(a_number_of_an_earlier_life_starts_over) {
  event_ring ring;
  ring.add(event("running"));
  BOOST_TEST(ring.read(1'000, 10).events.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace trunnion::test
