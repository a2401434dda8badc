// Reading and writing single keys.

#pragma once

#include "trunnion/tests/conformance/conformance.hpp"

namespace trunnion::test::kv_checks {

inline revision current_of(const failure& x) {
  const auto* detail = std::get_if<current_revision>(&x.detail);
  BOOST_REQUIRE_MESSAGE(detail, "no current revision with the mismatch");
  return {detail->revision};
}

inline bool deleted(const failure& x) {
  const auto* detail = std::get_if<missing_key>(&x.detail);
  BOOST_REQUIRE_MESSAGE(detail, "not said whether it was deleted");
  return detail->deleted;
}

CONFORMANCE(kv, a_created_key_is_read_as_it_was_written) {
  const auto written = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, {}});
  BOOST_TEST(!written.ttl);
  const auto read = b.a.get(kv_get{b.a.at("a.k")});
  BOOST_TEST((read.epoch == written.epoch));
  BOOST_TEST(read.entry.subject.text() == "a.k");
  BOOST_TEST(read.entry.payload.bytes() == "v");
  BOOST_TEST((read.entry.revision == written.revision));
  BOOST_TEST(!read.entry.time_left);
  BOOST_TEST(read.entry.is_live());
  BOOST_TEST((read.entry.written <= b.where->wall()));
}

CONFORMANCE(kv, a_key_that_never_was_is_not_found_and_not_deleted) {
  const auto error = b.a.missing("a.k");
  BOOST_TEST((error.code == error_code::key_not_found));
  BOOST_TEST((error.certainty == certainty::not_applied));
  BOOST_TEST(error.subject == "a.k");
  BOOST_TEST(!deleted(error));
}

CONFORMANCE(kv, a_deleted_key_is_not_found_and_said_to_be_deleted) {
  b.a.create("a.k", "v");
  b.a.remove("a.k");
  BOOST_TEST((b.a.missing("a.k").code == error_code::key_not_found));
  BOOST_TEST(deleted(b.a.missing("a.k")));
}

CONFORMANCE(kv, creating_a_live_key_is_a_mismatch_that_names_its_revision) {
  const auto first = b.a.create("a.k", "v");
  const auto error = b.a.refused(kv_create{b.a.at("a.k"), payload{"w"}, {}});
  BOOST_TEST((error.code == error_code::revision_mismatch));
  BOOST_TEST((error.certainty == certainty::not_applied));
  BOOST_TEST((current_of(error) == first));
  BOOST_TEST(b.a.read("a.k").payload.bytes() == "v");
}

CONFORMANCE(kv, a_deleted_key_can_be_created_again_with_a_greater_revision) {
  const auto first = b.a.create("a.k", "v");
  b.a.remove("a.k");
  const auto second = b.a.create("a.k", "w");
  BOOST_TEST((second.value >= first.value + 2)); // The deletion counts.
  BOOST_TEST(b.a.read("a.k").payload.bytes() == "w");
}

CONFORMANCE(kv, of_many_who_create_one_key_exactly_one_wins) {
  std::vector<client> clients;
  for (int i = 0; i < 20; ++i)
    clients.push_back(b.more());
  std::vector<client::pending<kv_written>> answers;
  for (auto& x : clients)
    answers.push_back(x.ask_later(kv_create{x.at("a.k"), payload{"v"}, {}}));
  b.a.wait_for(answers);
  int winners = 0;
  for (const auto& x : answers) {
    const auto answer = x.get();
    winners += answer ? 1 : 0;
    BOOST_TEST((answer || answer.error().code == error_code::revision_mismatch));
  }
  BOOST_TEST(winners == 1);
}

CONFORMANCE(kv, revisions_grow_over_all_keys_of_the_store) {
  const auto one = b.a.create("a.k", "v"), two = b.a.create("b.k", "v"),
             three = b.a.put("a.k", "w");
  BOOST_TEST((one < two));
  BOOST_TEST((two < three));
}

CONFORMANCE(kv, an_update_with_the_current_revision_succeeds) {
  const auto first = b.a.create("a.k", "v");
  const auto second = b.a.get(kv_update{b.a.at("a.k"), payload{"w"}, first, {}}).revision;
  BOOST_TEST((second > first));
  BOOST_TEST(b.a.read("a.k").payload.bytes() == "w");
}

CONFORMANCE(kv, an_update_with_a_stale_revision_changes_nothing) {
  const auto first = b.a.create("a.k", "v");
  const auto second = b.a.put("a.k", "w");
  const auto error = b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, first, {}});
  BOOST_TEST((error.code == error_code::revision_mismatch));
  BOOST_TEST((current_of(error) == second));
  BOOST_TEST(b.a.read("a.k").payload.bytes() == "w");
  BOOST_TEST((b.a.read("a.k").revision == second));
}

CONFORMANCE(kv, an_update_with_a_future_revision_is_a_mismatch) {
  const auto first = b.a.create("a.k", "v");
  const auto error
    = b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, revision{first.value + 1}, {}});
  BOOST_TEST((error.code == error_code::revision_mismatch));
}

CONFORMANCE(kv, an_update_of_a_missing_key_with_a_revision_is_a_mismatch) {
  const auto error = b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, revision{1}, {}});
  BOOST_TEST((error.code == error_code::revision_mismatch));
  BOOST_TEST((current_of(error) == revision{}));
}

CONFORMANCE(kv, an_update_that_expects_zero_means_that_the_key_must_not_exist) {
  BOOST_TEST(b.a.ask(kv_update{b.a.at("a.k"), payload{"v"}, revision{0}, {}}).has_value());
  const auto error = b.a.refused(kv_update{b.a.at("a.k"), payload{"w"}, revision{0}, {}});
  BOOST_TEST((error.code == error_code::revision_mismatch));
  b.a.remove("a.k");
  BOOST_TEST(b.a.ask(kv_update{b.a.at("a.k"), payload{"w"}, revision{0}, {}}).has_value());
}

CONFORMANCE(kv, an_update_without_a_revision_writes_whatever_stands_there) {
  b.a.put("a.k", "v");
  b.a.put("a.k", "w");
  BOOST_TEST(b.a.read("a.k").payload.bytes() == "w");
  b.a.remove("a.k");
  b.a.put("a.k", "x");
  BOOST_TEST(b.a.read("a.k").payload.bytes() == "x");
}

CONFORMANCE(kv, a_revision_from_before_a_deletion_is_stale) {
  const auto first = b.a.create("a.k", "v");
  b.a.remove("a.k");
  BOOST_TEST((b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, first, {}}).code
              == error_code::revision_mismatch));
  b.a.create("a.k", "w");
  BOOST_TEST((b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, first, {}}).code
              == error_code::revision_mismatch));
}

CONFORMANCE(kv, a_tombstones_revision_is_not_that_of_a_live_key) {
  b.a.create("a.k", "v");
  const auto tombstone = b.a.get(kv_delete{b.a.at("a.k"), {}}).tombstone;
  BOOST_REQUIRE(tombstone.has_value());
  BOOST_TEST((b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, *tombstone, {}}).code
              == error_code::revision_mismatch));
  BOOST_TEST(
    (b.a.refused(kv_delete{b.a.at("a.k"), *tombstone}).code == error_code::revision_mismatch));
}

CONFORMANCE(kv, a_deletion_with_the_current_revision_succeeds_and_has_a_greater_one) {
  const auto first = b.a.create("a.k", "v");
  const auto deleted = b.a.get(kv_delete{b.a.at("a.k"), first});
  BOOST_REQUIRE(deleted.tombstone.has_value());
  BOOST_TEST((*deleted.tombstone > first));
}

CONFORMANCE(kv, a_deletion_with_a_stale_revision_deletes_nothing) {
  const auto first = b.a.create("a.k", "v");
  const auto second = b.a.put("a.k", "w");
  const auto error = b.a.refused(kv_delete{b.a.at("a.k"), first});
  BOOST_TEST((error.code == error_code::revision_mismatch));
  BOOST_TEST((current_of(error) == second));
  BOOST_TEST(b.a.read("a.k").payload.bytes() == "w");
}

CONFORMANCE(kv, deleting_a_missing_key_without_a_revision_is_no_error) {
  b.a.get(kv_delete{b.a.at("a.k"), {}});
  BOOST_TEST((b.a.missing("a.k").code == error_code::key_not_found));
}

CONFORMANCE(kv, deleting_a_missing_key_with_a_revision_is_a_mismatch) {
  BOOST_TEST(
    (b.a.refused(kv_delete{b.a.at("a.k"), revision{1}}).code == error_code::revision_mismatch));
}

CONFORMANCE(kv, an_empty_value_is_a_value) {
  b.a.create("a.k", "");
  const auto read = b.a.read("a.k");
  BOOST_TEST(read.payload.size() == 0U);
  BOOST_TEST(read.is_live());
}

CONFORMANCE(kv, a_value_is_any_bytes_and_never_a_tombstone) {
  const std::string bytes{"\0\xff DELETED \r\n", 13};
  b.a.create("a.k", bytes);
  BOOST_TEST((b.a.read("a.k").payload.bytes() == bytes));
  b.a.create("a.d", "DELETED");
  BOOST_TEST(b.a.read("a.d").is_live());
}

CONFORMANCE(kv, the_largest_payload_fits_and_one_byte_more_is_refused) {
  b.a.create("a.k", std::string(b.can.max_payload, 'x'));
  BOOST_TEST(b.a.read("a.k").payload.size() == b.can.max_payload);
  const payload over{std::string(b.can.max_payload + 1, 'x')};
  const auto created = b.a.refused(kv_create{b.a.at("a.l"), over, {}});
  BOOST_TEST((created.code == error_code::payload_too_large));
  BOOST_TEST((created.certainty == certainty::not_applied));
  BOOST_TEST(
    (b.a.refused(kv_update{b.a.at("a.k"), over, {}, {}}).code == error_code::payload_too_large));
  BOOST_TEST((b.a.missing("a.l").code == error_code::key_not_found));
}

CONFORMANCE(kv, what_is_no_name_can_be_neither_read_nor_written) {
  const auto dev = *entity::parse("a");
  for (const auto& prop : {property::none(), property::events(), property::all_properties(),
                           property::all_descendants()}) {
    const subject x{dev, prop};
    BOOST_TEST_CONTEXT(to_string(prop.kind())) {
      BOOST_TEST((b.a.refused(kv_get{x}).code == error_code::invalid_subject));
      BOOST_TEST((b.a.refused(kv_create{x, payload{"v"}, {}}).code == error_code::invalid_subject));
      BOOST_TEST(
        (b.a.refused(kv_update{x, payload{"v"}, {}, {}}).code == error_code::invalid_subject));
      BOOST_TEST((b.a.refused(kv_delete{x, {}}).code == error_code::invalid_subject));
    }
  }
}

CONFORMANCE(kv, keys_at_the_root_are_keys) {
  b.a.create("k", "v");
  BOOST_TEST(b.a.read("k").payload.bytes() == "v");
}

CONFORMANCE(kv, all_answers_are_of_one_epoch) {
  const auto one = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, {}}).epoch;
  BOOST_TEST((b.a.get(kv_delete{b.a.at("a.k"), {}}).epoch == one));
  BOOST_TEST((b.a.get(watch{b.a.at("a.k"), 1, 4}).epoch == one));
  BOOST_TEST((b.status().epoch == one));
}

CONFORMANCE(kv, the_status_counts_what_is_there) {
  b.a.create("a.k", "v");
  b.a.create("a.l", "v");
  b.a.put("a.k", "w");
  b.a.remove("a.l");
  const auto status = b.status();
  BOOST_TEST(status.keys == 1U);
  BOOST_TEST(status.tombstones >= 1U);
  BOOST_TEST(status.operations >= 4U);
  BOOST_TEST(status.revision.value >= 4U);
  BOOST_TEST(status.queued == 0U);
  BOOST_TEST(status.refused == 0U);
}

CONFORMANCE(kv, the_backend_says_what_it_can_do) {
  BOOST_TEST((b.a.get(get_capabilities{}) == b.can));
}

} // namespace trunnion::test::kv_checks
