// A backend that lies about one small thing, to see whether the conformance suite notices.
//
// The memory backend answers, and a way in of each client's own passes everything on, except that
// it twists what the lie says. Nothing else is wrong: each lie could be a slip of an engine.
//
// Threads: the one of the virtual world.

#pragma once

#include "trunnion/tests/conformance/conformance.hpp"

namespace trunnion::test {

enum class lie : std::uint8_t {
  none,
  create_ignores_a_live_key,
  update_ignores_a_stale_revision,
  delete_ignores_a_stale_revision,
  the_epoch_of_a_write_is_ignored,
  reads_are_of_another_epoch,
  a_revision_does_not_grow,
  a_large_value_is_cut,
  a_value_is_taken_for_a_tombstone,
  a_ttl_ends_early,
  a_ttl_is_rounded_down,
  an_endless_ttl_is_cut,
  an_update_keeps_the_old_ttl,
  an_expiry_leaves_no_tombstone,
  a_listing_shows_a_tombstone,
  a_snapshot_misses_a_key,
  a_watch_skips_a_deletion,
  a_watch_repeats_a_change,
  a_shallow_watch_tells_of_grandchildren,
  a_change_comes_before_the_end_of_the_snapshot,
  a_coalesced_deletion_is_not_marked,
  credit_is_ignored,
  unseen_parts_are_never_sent_again,
  a_rewatch_is_ignored,
  an_unwatch_is_ignored,
  an_interrupted_watch_goes_quiet,
  an_interrupted_consumer_goes_quiet,
  a_published_message_is_dropped,
  a_consumer_is_out_of_order,
  a_start_at_a_sequence_is_one_off,
  a_start_at_a_time_is_all,
  latest_tells_one_twice,
  a_gap_is_not_announced,
  what_follows_is_not_counted,
  a_durable_forgets_its_acknowledgement,
  a_consumer_repeats_after_acknowledgement,
  a_takeover_is_not_told,
  a_stranger_may_acknowledge,
  a_dropped_durable_stays,
  a_shallow_stream_list_is_deep,
  a_request_goes_to_two_listeners,
  a_replaced_listener_still_gets_requests,
  unlisten_does_not,
  purging_does_not,
  a_listener_gets_more_than_it_takes,
  a_timeout_is_told_as_unregistered,
  the_end_of_a_listener_is_told_as_a_timeout,
  a_stranger_may_reply,
  a_refusal_is_reworded,
  a_withdrawal_is_not_told,
  a_dead_session_stays,
  an_unregistered_service_stays,
  admission_has_no_bound,
  refusals_are_not_counted,
  closing_is_not_told,
  closing_does_nothing,
  last_ = closing_does_nothing,
};

/// The memory backend that tells this lie; with `lie::none` the same way in, but honest.
conformance_target lying_target(lie what, std::uint64_t seed = 1);

} // namespace trunnion::test
