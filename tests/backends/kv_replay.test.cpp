// The peer's recorded key-value scenarios, on the memory backend.
//
// Every step is compared with what the peer's NATS backend gave. Where we mean to differ, the step
// stands in the table below with the reason and with what must come instead, so that nothing is
// left out unseen: a difference that is not in the table fails, and so does a row that is none.

#include "trunnion/tests/conformance/kv_replay.hpp"

#include "trunnion/tests/backends/memory_target.hpp"

using namespace trunnion::test;

namespace {

constexpr auto no_tombstone = "deleting a missing key leaves no tombstone on an engine of ours";
constexpr auto stale = "a revision that is not current is a mismatch, for deletions, too";
constexpr auto zero = "zero means that there must be no live entry, whatever was deleted before";
constexpr auto dead_revision = "a tombstone's revision is not that of a live key";
constexpr auto live_only = "snapshots hold live entries only";
constexpr auto expiry = "an expiry leaves a tombstone here, and watches are told at once";
constexpr auto own_ttl = "a TTL belongs to the write that carries it, also without a revision";
constexpr auto resolution = "TTLs are kept to the millisecond here";
constexpr auto rounding = "a TTL is rounded up, never half to even";
constexpr auto positive = "a TTL that is not positive is refused";
constexpr auto empty = "an empty value is an empty payload, not nothing";
constexpr auto size = "a payload over 1 MiB less 4 KiB is refused, and nothing breaks by it";
constexpr auto address = "what is no address of a key is refused where it is made";

const std::vector<meant_difference> meant{
  {"missing", 2, "KeyNotFound", no_tombstone},
  {"missing", 3, "RevisionError", stale},
  {"missing", 4, "RevisionError", stale},
  {"delete_revisions", 1, "RevisionError", stale},
  {"delete_revisions", 6, "RevisionError", stale},
  {"delete_revisions", 7, "RevisionError", stale},
  {"delete_revisions", 10, "RevisionError", stale},
  {"delete_revisions", 11, "dev.z@3=v", stale},
  {"delete_revisions", 13, "RevisionError", stale},
  {"delete_revisions", 14, "dev.n@4=v", stale},
  {"update_deleted", 4, "dev.k@3=zero", zero},
  {"update_deleted", 5, "dev.k@3=zero", zero},
  {"update_deleted", 10, "", live_only},
  {"update_deleted", 12, "RevisionError", dead_revision},
  {"update_deleted", 13, "RevisionError", dead_revision},
  {"update_deleted", 14, "KeyNotFound deleted", dead_revision},
  {"delete_then_watch", 3, "", live_only},
  {"monitor_all_shallow", 5, "[dev.a@2=1]", live_only},
  {"get_all", 11, "[dev.b@2=2]", live_only},
  {"get_all", 13, "", live_only},
  {"ttl_expiry", 4, "KeyNotFound deleted", expiry},
  {"ttl_expiry", 5, "[dev.k deleted][dev.k@1=v1]", expiry},
  {"ttl_expiry", 9, "[dev.k@3=v2]", expiry},
  {"ttl_expiry_update_after", 3, "KeyNotFound deleted", expiry},
  {"ttl_extended", 6, "KeyNotFound deleted", expiry},
  {"ttl_added", 3, "KeyNotFound deleted", expiry},
  {"ttl_without_revision", 1, "dev.k@2=v2", own_ttl},
  {"ttl_without_revision", 2, "dev.k@2=v2", own_ttl},
  {"ttl_without_revision", 4, "KeyNotFound deleted", own_ttl},
  {"ttl_shorter", 3, "KeyNotFound deleted", expiry},
  {"ttl_fraction", 2, "KeyNotFound deleted", resolution},
  {"ttl_fraction", 4, "KeyNotFound deleted", expiry},
  {"ttl_round_half_even", 4, "dev.k@1=v1", rounding},
  {"ttl_round_half_even", 6, "KeyNotFound deleted", expiry},
  {"ttl_zero_negative", 0, "invalid_argument", positive},
  {"ttl_zero_negative", 2, "invalid_argument", positive},
  {"ttl_zero_negative", 3, "KeyNotFound", positive},
  {"ttl_zero_negative", 4, "invalid_argument", positive},
  {"ttl_delete_monitor", 4, "[dev.k deleted][dev.k@1=v1][dev.keep@2=x]", expiry},
  {"values", 1, "dev.e@1=", empty},
  {"big_value:1048000", 0, "payload_too_large", size},
  {"big_value:1048000", 1, "KeyNotFound", size},
  {"big_value:1048576", 0, "payload_too_large", size},
  {"big_value:1048576", 1, "KeyNotFound", size},
  {"big_value:1048576", 2, "dev.b@1=after", size},
  {"big_put:1048576", 0, "payload_too_large", size},
  {"big_put:1048576", 1, "KeyNotFound", size},
  {"odd_keys", 0, "invalid_subject", address},
  {"odd_keys", 1, "invalid_subject", address},
  {"odd_keys", 2, "KeyNotFound", address},
  {"odd_keys", 3, "", address},
  {"odd_keys", 14, "invalid_subject", address},
  {"odd_keys", 15, "invalid_subject", address},
  {"odd_keys", 16, "invalid_subject", address},
  {"odd_keys", 22, "invalid_subject", address},
  {"special_properties", 0, "invalid_subject", address},
  {"special_properties", 1, "invalid_subject", address},
  {"special_properties", 2, "invalid_subject", address},
  {"special_properties", 3, "", address},
  {"special_properties", 4, "invalid_subject", address},
  {"special_properties", 5, "invalid_subject", address},
  {"special_properties", 6, "", address},
  {"special_properties", 12, "", address},
};

const std::map<std::string, std::size_t> expected_counts{
  {no_tombstone, 1}, {stale, 9},   {zero, 2},       {dead_revision, 3}, {live_only, 5},
  {expiry, 10},      {own_ttl, 3}, {resolution, 1}, {rounding, 1},      {positive, 4},
  {empty, 1},        {size, 7},    {address, 16},
};

const std::vector<std::string> played_by_leases{
  "lease_basic",           "lease_deleted_by_other", "lease_stolen",
  "lease_unrefreshed",     "lease_refreshed_slowly", "lease_split_brain",
  "group_external_delete", "group_explicit_expire",  "group_stolen",
  "group_short_ttl"};

} // namespace

BOOST_AUTO_TEST_CASE(the_peers_scenarios_end_as_recorded_but_for_what_we_mean_to_do_otherwise) {
  const auto report = replay_kv_scenarios(memory_target());
  BOOST_TEST(report.scenarios == 39U);
  BOOST_TEST(report.steps == 313U);
  BOOST_TEST(report.shifted == 12U); // Writes behind a deletion of nothing, or a refused write.
  BOOST_TEST(report.left_out == played_by_leases, boost::test_tools::per_element());
  BOOST_TEST((count_differences(report, meant) == expected_counts));
}
