// The suite is judged, too: a backend that lies about one small thing must fail it, every time.
//
// Each lie has the checks that are about it. One of them must notice, whatever the order in which
// the actors run; the same backend without a lie passes everything.

#include "trunnion/tests/backends/lying_backend.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct caught_lie {
  lie what;
  const char* name;
  const char* by; ///< The check that is about it.
};

#define LIE(x) lie::x, #x // With its name.

const std::vector<caught_lie> lies{
  {LIE(create_ignores_a_live_key), "creating_a_live_key_is_a_mismatch_that_names_its_revision"},
  {LIE(update_ignores_a_stale_revision), "an_update_with_a_stale_revision_changes_nothing"},
  {LIE(delete_ignores_a_stale_revision), "a_deletion_with_a_stale_revision_deletes_nothing"},
  {LIE(the_epoch_of_a_write_is_ignored), "a_revision_of_another_life_of_the_store_is_a_mismatch"},
  {LIE(reads_are_of_another_epoch), "a_created_key_is_read_as_it_was_written"},
  {LIE(a_revision_does_not_grow), "an_update_with_the_current_revision_succeeds"},
  {LIE(a_large_value_is_cut), "the_largest_payload_fits_and_one_byte_more_is_refused"},
  {LIE(a_value_is_taken_for_a_tombstone), "a_value_is_any_bytes_and_never_a_tombstone"},
  {LIE(a_ttl_ends_early), "a_key_is_there_until_its_ttl_has_passed_and_not_after"},
  {LIE(a_ttl_is_rounded_down), "a_ttl_is_rounded_up_to_the_resolution_and_never_down"},
  {LIE(an_endless_ttl_is_cut), "zero_negative_and_endless_ttls_are_refused"},
  {LIE(an_update_keeps_the_old_ttl), "the_ttl_of_an_update_without_a_revision_counts_too"},
  {LIE(an_expiry_leaves_no_tombstone), "a_watch_is_told_of_an_expiry_in_time"},
  {LIE(a_listing_shows_a_tombstone), "a_listing_has_the_live_entries_and_ends"},
  {LIE(a_snapshot_misses_a_key), "a_large_snapshot_comes_in_parts_of_bounded_size"},
  {LIE(a_watch_skips_a_deletion), "a_deletion_is_told_with_its_own_revision"},
  {LIE(a_watch_repeats_a_change), "each_change_of_a_key_is_newer_than_what_was_told_before"},
  {LIE(a_shallow_watch_tells_of_grandchildren),
   "a_shallow_watch_gets_own_properties_and_never_grandchildren"},
  {LIE(a_change_comes_before_the_end_of_the_snapshot),
   "no_change_comes_before_the_end_of_the_snapshot"},
  {LIE(a_coalesced_deletion_is_not_marked), "a_deletion_that_was_coalesced_away_is_marked"},
  {LIE(credit_is_ignored), "no_more_parts_are_sent_than_were_granted"},
  {LIE(unseen_parts_are_never_sent_again), "a_part_that_was_not_seen_is_sent_again_after_a_second"},
  {LIE(a_rewatch_is_ignored), "a_rewatch_sends_again_from_the_number_asked_for"},
  {LIE(an_unwatch_is_ignored), "nothing_comes_after_unwatch"},
  {LIE(an_interrupted_watch_goes_quiet), "an_interrupted_watch_goes_on_and_never_goes_quiet"},
  {LIE(an_interrupted_consumer_goes_quiet),
   "an_interrupted_consumer_misses_nothing_and_repeats_nothing_seen"},
  {LIE(a_published_message_is_dropped), "every_acknowledged_message_is_there"},
  {LIE(a_consumer_is_out_of_order),
   "history_comes_in_the_order_of_sequences_whatever_the_subjects"},
  {LIE(a_start_at_a_sequence_is_one_off), "a_start_at_a_sequence_includes_that_message"},
  {LIE(a_start_at_a_time_is_all), "a_start_at_a_time_begins_with_the_first_message_not_before_it"},
  {LIE(latest_tells_one_twice), "latest_goes_on_with_what_follows_and_tells_none_twice"},
  {LIE(a_gap_is_not_announced), "what_was_removed_before_it_was_read_is_announced"},
  {LIE(what_follows_is_not_counted), "parts_name_the_epoch_and_say_how_many_may_follow"},
  {LIE(a_durable_forgets_its_acknowledgement), "it_resumes_after_what_was_acknowledged"},
  {LIE(a_consumer_repeats_after_acknowledgement), "what_was_acknowledged_never_comes_again"},
  {LIE(a_takeover_is_not_told), "a_second_session_takes_over_and_the_first_is_told"},
  {LIE(a_stranger_may_acknowledge), "only_the_live_consumer_may_acknowledge"},
  {LIE(a_dropped_durable_stays), "dropping_it_forgets_its_place_and_tells_its_consumer"},
  {LIE(a_shallow_stream_list_is_deep), "a_shallow_listing_has_no_grandchildren_and_a_deep_one_has"},
  {LIE(a_request_goes_to_two_listeners), "of_several_sessions_exactly_one_handles_a_request"},
  {LIE(a_replaced_listener_still_gets_requests),
   "listening_again_replaces_the_earlier_listener_of_the_session"},
  {LIE(unlisten_does_not), "after_unlisten_callers_are_told_that_nobody_listens"},
  {LIE(purging_does_not), "purging_ends_all_listeners_of_the_session_and_no_others"},
  {LIE(a_listener_gets_more_than_it_takes), "a_listener_is_handed_no_more_than_it_takes"},
  {LIE(a_timeout_is_told_as_unregistered),
   "no_answer_in_time_is_a_timeout_whose_outcome_is_unknown"},
  {LIE(the_end_of_a_listener_is_told_as_a_timeout),
   "the_callers_of_a_listener_that_ends_are_told_at_once"},
  {LIE(a_stranger_may_reply), "a_reply_of_one_who_was_not_handed_the_request_is_ignored"},
  {LIE(a_refusal_is_reworded), "what_a_listener_refuses_reaches_the_caller_as_it_is"},
  {LIE(a_withdrawal_is_not_told), "a_listener_is_told_that_a_caller_is_gone"},
  {LIE(a_dead_session_stays), "all_that_a_dead_session_held_ends_with_it"},
  {LIE(an_unregistered_service_stays), "a_registered_service_is_counted_until_it_is_unregistered"},
  {LIE(admission_has_no_bound), "a_client_with_too_much_in_flight_is_refused_and_the_rest_is_done"},
  {LIE(refusals_are_not_counted), "too_many_watches_of_one_session_are_refused"},
  {LIE(closing_is_not_told), "closing_tells_every_sink"},
  {LIE(closing_does_nothing), "a_closed_backend_says_so_and_does_nothing_more"},
};

/// What the check of this name says against a target.
std::vector<finding> found_by(const std::string& check, const conformance_target& target) {
  std::vector<finding> result;
  bool exists = false;
  for (const auto& x : conformance_checks())
    if (x.name == check) {
      exists = true;
      for (auto& y : run_check(target, x).findings)
        result.push_back(std::move(y));
    }
  BOOST_REQUIRE_MESSAGE(exists, "no such check: " << check);
  return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(liars)

BOOST_AUTO_TEST_CASE(the_suite_has_at_least_150_checks_whose_names_are_different_sentences) {
  std::set<std::string> names;
  for (const auto& x : conformance_checks()) {
    BOOST_TEST(names.insert(x.name).second, "twice: " << x.name);
    BOOST_TEST(std::ranges::count(x.name, '_') >= 3, "no sentence: " << x.name);
  }
  BOOST_TEST(names.size() >= 150U);
}

BOOST_AUTO_TEST_CASE(who_does_not_lie_passes_every_check) {
  const auto target = lying_target(lie::none);
  std::set<std::string> skipped;
  for (const auto& x : conformance_checks()) {
    const auto result = run_check(target, x);
    for (const auto& y : result.findings)
      BOOST_ERROR(x.name << ": " << y.file << "(" << y.line << "): " << y.text);
    if (result.skipped)
      skipped.insert(x.name);
  }
  BOOST_TEST(skipped == target.skipped, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_lie_is_caught_by_the_check_that_is_about_it_every_time) {
  for (const auto& x : lies)
    for (const std::uint64_t seed : {1, 2}) {
      const auto found = found_by(x.by, lying_target(x.what, seed));
      BOOST_TEST(!found.empty(), x.name << " is not caught by " << x.by << ", seed " << seed);
      for (const auto& y : found)
        BOOST_TEST_MESSAGE(x.name << ": " << y.text);
    }
}

BOOST_AUTO_TEST_CASE(those_checks_have_nothing_against_an_honest_backend) {
  for (const auto& x : lies)
    for (const std::uint64_t seed : {2})
      for (const auto& y : found_by(x.by, lying_target(lie::none, seed)))
        BOOST_ERROR(x.by << ", seed " << seed << ": " << y.text);
}

BOOST_AUTO_TEST_CASE(every_lie_is_told) {
  std::set<lie> told;
  for (const auto& x : lies)
    told.insert(x.what);
  BOOST_TEST(told.size() == static_cast<std::size_t>(lie::last_));
  BOOST_TEST(lies.size() == told.size());
}

BOOST_AUTO_TEST_SUITE_END()
