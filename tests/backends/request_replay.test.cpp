// The peer's recorded request scenarios, on the memory backend: as `kv_replay.test.cpp` does it.

#include "trunnion/tests/conformance/request_replay.hpp"

#include "trunnion/tests/backends/memory_target.hpp"

using namespace trunnion::test;

namespace {

constexpr auto replaced = "registering again replaces the earlier handler, fully";
constexpr auto patience = "the timeout is the caller's, 5 s by default";
constexpr auto size = "a payload over 1 MiB less 4 KiB is refused";
constexpr auto told = "a reply over the limit is told apart from silence";
constexpr auto address = "what is no address of a request is refused where it is made";
constexpr auto unbroken = "what is refused here breaks no connection";

const std::vector<meant_difference> meant{
  {"basic", 5, "reply two", replaced},
  {"basic", 7, "[y]", replaced},
  {"basic", 9, "unregistered_responder", replaced},
  {"basic", 11, "", replaced},
  {"slow", 3, "reply ok", patience},
  {"slow", 5, "reply ok", patience},
  {"big_request:1048576", 1, "payload_too_large", size},
  {"big_reply:1048576", 1, "payload_too_large", size},
  {"big_reply:1048577", 1, "payload_too_large", told},
  {"names", 0, "invalid_subject", address},
  {"names", 1, "invalid_subject", address},
  {"names", 2, "unregistered_responder", address},
  {"names", 3, "invalid_subject", address},
  {"names", 4, "unregistered_responder", address},
  {"odd_name:sp ace", 0, "invalid_subject", address},
  {"odd_name:sp ace", 1, "invalid_subject", address},
  {"odd_name:sp ace", 2, "done", unbroken},
  {"odd_name:sp ace", 3, "reply g", unbroken},
  {"odd_name:", 0, "invalid_subject", address},
  {"odd_name:", 1, "invalid_subject", address},
  {"odd_name:", 2, "done", unbroken},
  {"odd_name:", 3, "reply g", unbroken},
  {"odd_name:žluť", 0, "invalid_subject", address},
  {"odd_name:žluť", 1, "invalid_subject", address},
  {"odd_name:*", 0, "invalid_subject", address},
  {"odd_name:*", 1, "invalid_subject", address},
  {"odd_name:>", 0, "invalid_subject", address},
  {"odd_name:>", 1, "invalid_subject", address},
  {"odd_name:>", 3, "reply g", address},
  {"odd_name:a..b", 0, "invalid_subject", address},
  {"odd_name:a..b", 1, "invalid_subject", address},
  {"odd_name:a..b", 2, "done", unbroken},
  {"odd_name:a..b", 3, "reply g", unbroken},
  {"odd_name:<EVENTS>", 0, "invalid_subject", address},
  {"odd_name:<EVENTS>", 1, "invalid_subject", address},
  {"odd_name:<NONE>", 0, "invalid_subject", address},
  {"odd_name:<NONE>", 1, "invalid_subject", address},
};

const std::map<std::string, std::size_t> expected_counts{
  {replaced, 4}, {patience, 2}, {size, 2}, {told, 1}, {address, 22}, {unbroken, 6},
};

} // namespace

BOOST_AUTO_TEST_CASE(the_peers_request_scenarios_end_as_recorded_but_for_what_we_mean_otherwise) {
  const auto report = replay_request_scenarios(memory_target());
  BOOST_TEST(report.scenarios == 18U);
  BOOST_TEST(report.steps == 81U);
  BOOST_TEST((count_differences(report, meant) == expected_counts));
}
