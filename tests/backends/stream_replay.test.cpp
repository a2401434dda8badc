// The peer's recorded stream scenarios, on the memory backend: as `kv_replay.test.cpp` does it.

#include "trunnion/tests/conformance/stream_replay.hpp"

#include "trunnion/tests/backends/memory_target.hpp"

using namespace trunnion::test;

namespace {

constexpr auto zone = "a time is a moment, which the peer's own server refuses to guess, too";
constexpr auto address = "what is no address of a stream is refused where it is made";
constexpr auto takeover = "a second consumer takes over";
constexpr auto filter = "another filter under a known name is a mistake";
constexpr auto name = "a durable name has letters, digits, - and _ on every engine";
constexpr auto unbroken = "what is refused here breaks no connection";
constexpr auto nothing = "where nothing matches, a listing is empty";
constexpr auto typed = "a listing has typed subjects";
constexpr auto size = "a payload over 1 MiB less 4 KiB is refused";

const std::vector<meant_difference> meant{
  {"time", 20, "cannot be asked", zone},
  {"events", 4, "invalid_subject", address},
  {"events", 5, "[dev._EVENTS@1=one]", address},
  {"durable_two_at_once", 1, "done", takeover},
  {"durable_two_at_once", 5, "", takeover},
  {"durable_two_at_once", 6, "[dev.k@1=1][dev.k@2=2][dev.k@3=3]", takeover},
  {"durable_other_filter", 5, "invalid_argument", filter},
  {"durable_other_filter", 6, "not open", filter},
  {"durable_name:has space", 1, "invalid_argument", name},
  {"durable_name:has space", 3, "done", unbroken},
  {"durable_name:dot.ted", 1, "invalid_argument", name},
  {"durable_name:*", 1, "invalid_argument", name},
  {"durable_name:>", 1, "invalid_argument", name},
  {"durable_name:žluť", 1, "invalid_argument", name},
  {"durable_name:žluť", 2, "not open", name},
  {"durable_name:a/b", 1, "invalid_argument", name},
  {"list_keys", 0, "", nothing},
  {"list_keys", 6, "[dev._EVENTS][dev.a][dev.b]", typed},
  {"list_keys", 7, "", nothing},
  {"list_keys", 8, "[dev.kid.x]", typed},
  {"list_keys", 10, "[dev._EVENTS][dev.a][dev.b]", typed},
  {"payloads", 4, "payload_too_large", size},
  {"payloads", 5, std::string{"[dev.k@1=][dev.k@2=\0\xff\xfe]", 23}, size},
  {"odd_key:a.b", 2, "invalid_subject", address},
  {"odd_key:a.b", 4, "[dev.good@1=2]", address},
  {"odd_key:", 2, "invalid_subject", address},
  {"odd_key:sp ace", 2, "invalid_subject", address},
  {"odd_key:sp ace", 3, "done", unbroken},
  {"odd_key:sp ace", 4, "[dev.good@1=2]", unbroken},
  {"odd_key:*", 2, "invalid_subject", address},
  {"odd_key:*", 4, "[dev.good@1=2]", address},
  {"odd_key:>", 2, "invalid_subject", address},
  {"odd_key:>", 4, "[dev.good@1=2]", address},
  {"odd_key:žluť", 2, "invalid_subject", address},
  {"odd_key:žluť", 4, "[dev.good@1=2]", address},
  {"odd_key:a..b", 2, "invalid_subject", address},
  {"odd_key:.a", 2, "invalid_subject", address},
  {"odd_key:a.", 2, "invalid_subject", address},
  {"odd_key:<NONE>", 2, "invalid_subject", address},
  {"odd_key:<NONE>", 4, "[dev.good@1=2]", address},
  {"odd_key:<ALL_PROPERTIES>", 2, "invalid_subject", address},
  {"odd_key:<ALL_PROPERTIES>", 4, "[dev.good@1=2]", address},
  {"odd_key:<ALL_DESCENDANTS>", 2, "invalid_subject", address},
  {"odd_key:<ALL_DESCENDANTS>", 4, "[dev.good@1=2]", address},
  {"odd_key:$x", 2, "invalid_subject", address},
  {"odd_key:$x", 4, "[dev.good@1=2]", address},
  {"odd_key:tab\tx", 2, "invalid_subject", address},
  {"odd_key:tab\tx", 3, "done", unbroken},
  {"odd_key:tab\tx", 4, "[dev.good@1=2]", unbroken},
};

const std::map<std::string, std::size_t> expected_counts{
  {zone, 1},     {address, 24}, {takeover, 3}, {filter, 2}, {name, 7},
  {unbroken, 5}, {nothing, 2},  {typed, 3},    {size, 2},
};

} // namespace

BOOST_AUTO_TEST_CASE(the_peers_stream_scenarios_end_as_recorded_but_for_what_we_mean_otherwise) {
  const auto report = replay_stream_scenarios(memory_target());
  BOOST_TEST(report.scenarios == 49U);
  BOOST_TEST(report.steps == 342U);
  BOOST_TEST((count_differences(report, meant) == expected_counts));
}
