// Reading and writing single keys.

#pragma once

#include "trunnion/tests/conformance/conformance.hpp"

namespace trunnion::test::kv_checks {

inline revision current_of(const failure& x) {
  const auto* detail = std::get_if<current_revision>(&x.detail);
  REQUIRE_FOR("no current revision with the mismatch", detail != nullptr);
  return {detail->revision};
}

inline bool deleted(const failure& x) {
  const auto* detail = std::get_if<missing_key>(&x.detail);
  REQUIRE_FOR("not said whether it was deleted", detail != nullptr);
  return detail->deleted;
}

CONFORMANCE(kv, a_created_key_is_read_as_it_was_written) {
  const auto written = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, {}});
  EXPECT(!written.ttl);
  const auto read = b.a.get(kv_get{b.a.at("a.k")});
  EXPECT(read.epoch == written.epoch);
  EXPECT(read.entry.subject.text() == "a.k");
  EXPECT(read.entry.payload.bytes() == "v");
  EXPECT(read.entry.revision == written.revision);
  EXPECT(!read.entry.time_left);
  EXPECT(read.entry.is_live());
  EXPECT(read.entry.written <= b.where->wall());
}

CONFORMANCE(kv, a_key_that_never_was_is_not_found_and_not_deleted) {
  const auto error = b.a.missing("a.k");
  EXPECT(error.code == error_code::key_not_found);
  EXPECT(error.certainty == certainty::not_applied);
  EXPECT(error.subject == "a.k");
  EXPECT(!deleted(error));
}

CONFORMANCE(kv, a_deleted_key_is_not_found_and_said_to_be_deleted) {
  b.a.create("a.k", "v");
  b.a.remove("a.k");
  EXPECT(b.a.missing("a.k").code == error_code::key_not_found);
  EXPECT(deleted(b.a.missing("a.k")));
}

CONFORMANCE(kv, creating_a_live_key_is_a_mismatch_that_names_its_revision) {
  const auto first = b.a.create("a.k", "v");
  const auto error = b.a.refused(kv_create{b.a.at("a.k"), payload{"w"}, {}});
  EXPECT(error.code == error_code::revision_mismatch);
  EXPECT(error.certainty == certainty::not_applied);
  EXPECT(current_of(error) == first);
  EXPECT(b.a.read("a.k").payload.bytes() == "v");
}

CONFORMANCE(kv, a_deleted_key_can_be_created_again_with_a_greater_revision) {
  const auto first = b.a.create("a.k", "v");
  b.a.remove("a.k");
  const auto second = b.a.create("a.k", "w");
  EXPECT(second.value >= first.value + 2); // The deletion counts.
  EXPECT(b.a.read("a.k").payload.bytes() == "w");
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
    EXPECT((answer || answer.error().code == error_code::revision_mismatch));
  }
  EXPECT(winners == 1);
}

CONFORMANCE(kv, revisions_grow_over_all_keys_of_the_store) {
  const auto one = b.a.create("a.k", "v"), two = b.a.create("b.k", "v"),
             three = b.a.put("a.k", "w");
  EXPECT(one < two);
  EXPECT(two < three);
}

CONFORMANCE(kv, an_update_with_the_current_revision_succeeds) {
  const auto first = b.a.create("a.k", "v");
  const auto second = b.a.get(kv_update{b.a.at("a.k"), payload{"w"}, first, {}}).revision;
  EXPECT(second > first);
  EXPECT(b.a.read("a.k").payload.bytes() == "w");
}

CONFORMANCE(kv, an_update_with_a_stale_revision_changes_nothing) {
  const auto first = b.a.create("a.k", "v");
  const auto second = b.a.put("a.k", "w");
  const auto error = b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, first, {}});
  EXPECT(error.code == error_code::revision_mismatch);
  EXPECT(current_of(error) == second);
  EXPECT(b.a.read("a.k").payload.bytes() == "w");
  EXPECT(b.a.read("a.k").revision == second);
}

CONFORMANCE(kv, an_update_with_a_future_revision_is_a_mismatch) {
  const auto first = b.a.create("a.k", "v");
  const auto error
    = b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, revision{first.value + 1}, {}});
  EXPECT(error.code == error_code::revision_mismatch);
}

CONFORMANCE(kv, an_update_of_a_missing_key_with_a_revision_is_a_mismatch) {
  const auto error = b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, revision{1}, {}});
  EXPECT(error.code == error_code::revision_mismatch);
  EXPECT(current_of(error) == revision{});
}

CONFORMANCE(kv, an_update_that_expects_zero_means_that_the_key_must_not_exist) {
  EXPECT(b.a.ask(kv_update{b.a.at("a.k"), payload{"v"}, revision{0}, {}}).has_value());
  const auto error = b.a.refused(kv_update{b.a.at("a.k"), payload{"w"}, revision{0}, {}});
  EXPECT(error.code == error_code::revision_mismatch);
  b.a.remove("a.k");
  EXPECT(b.a.ask(kv_update{b.a.at("a.k"), payload{"w"}, revision{0}, {}}).has_value());
}

CONFORMANCE(kv, an_update_without_a_revision_writes_whatever_stands_there) {
  b.a.put("a.k", "v");
  b.a.put("a.k", "w");
  EXPECT(b.a.read("a.k").payload.bytes() == "w");
  b.a.remove("a.k");
  b.a.put("a.k", "x");
  EXPECT(b.a.read("a.k").payload.bytes() == "x");
}

CONFORMANCE(kv, a_revision_from_before_a_deletion_is_stale) {
  const auto first = b.a.create("a.k", "v");
  b.a.remove("a.k");
  EXPECT(b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, first, {}}).code
         == error_code::revision_mismatch);
  b.a.create("a.k", "w");
  EXPECT(b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, first, {}}).code
         == error_code::revision_mismatch);
}

CONFORMANCE(kv, a_tombstones_revision_is_not_that_of_a_live_key) {
  b.a.create("a.k", "v");
  const auto tombstone = b.a.get(kv_delete{b.a.at("a.k"), {}}).tombstone;
  REQUIRE(tombstone.has_value());
  EXPECT(b.a.refused(kv_update{b.a.at("a.k"), payload{"x"}, *tombstone, {}}).code
         == error_code::revision_mismatch);
  EXPECT((b.a.refused(kv_delete{b.a.at("a.k"), *tombstone}).code == error_code::revision_mismatch));
}

CONFORMANCE(kv, a_deletion_with_the_current_revision_succeeds_and_has_a_greater_one) {
  const auto first = b.a.create("a.k", "v");
  const auto deleted = b.a.get(kv_delete{b.a.at("a.k"), first});
  REQUIRE(deleted.tombstone.has_value());
  EXPECT(*deleted.tombstone > first);
}

CONFORMANCE(kv, a_deletion_with_a_stale_revision_deletes_nothing) {
  const auto first = b.a.create("a.k", "v");
  const auto second = b.a.put("a.k", "w");
  const auto error = b.a.refused(kv_delete{b.a.at("a.k"), first});
  EXPECT(error.code == error_code::revision_mismatch);
  EXPECT(current_of(error) == second);
  EXPECT(b.a.read("a.k").payload.bytes() == "w");
}

CONFORMANCE(kv, deleting_a_missing_key_without_a_revision_is_no_error) {
  b.a.get(kv_delete{b.a.at("a.k"), {}});
  EXPECT(b.a.missing("a.k").code == error_code::key_not_found);
}

CONFORMANCE(kv, deleting_a_missing_key_with_a_revision_is_a_mismatch) {
  EXPECT(
    (b.a.refused(kv_delete{b.a.at("a.k"), revision{1}}).code == error_code::revision_mismatch));
}

CONFORMANCE(kv, a_revision_of_another_life_of_the_store_is_a_mismatch) {
  const auto first = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, {}});
  const epoch other{first.epoch.value + 1};
  const auto code = [&](auto x) { return b.a.refused(std::move(x)).code; };
  const kv_update with{b.a.at("a.k"), payload{"w"}, first.revision, {}, other};
  const kv_update without{b.a.at("a.k"), payload{"w"}, {}, {}, other};
  EXPECT(code(with) == error_code::revision_mismatch);
  EXPECT(code(without) == error_code::revision_mismatch);
  EXPECT(code(kv_delete{b.a.at("a.k"), first.revision, other}) == error_code::revision_mismatch);
  EXPECT(code(kv_delete{b.a.at("a.k"), {}, other}) == error_code::revision_mismatch);
  EXPECT(code(kv_update{b.a.at("a.new"), payload{"w"}, {}, {}, other})
         == error_code::revision_mismatch);
  EXPECT(b.a.read("a.k").payload.bytes() == "v");
}

CONFORMANCE(kv, a_write_that_names_this_life_of_the_store_succeeds) {
  const auto first = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, {}});
  const auto second
    = b.a.get(kv_update{b.a.at("a.k"), payload{"w"}, first.revision, {}, first.epoch});
  EXPECT(second.epoch == first.epoch);
  EXPECT(b.a.get(kv_delete{b.a.at("a.k"), {}, first.epoch}).tombstone.has_value());
}

CONFORMANCE(kv, an_answer_carries_the_revision_that_a_reader_sees) {
  const auto created = b.a.create("a.k", "1");
  EXPECT(b.a.read("a.k").revision == created);
  const auto put = b.a.put("a.k", "2");
  EXPECT(b.a.read("a.k").revision == put);
  const auto updated = b.a.get(kv_update{b.a.at("a.k"), payload{"3"}, put, {}});
  EXPECT(b.a.read("a.k").revision == updated.revision);
  EXPECT(b.status().revision == updated.revision);
}

CONFORMANCE(kv, of_many_who_update_one_revision_exactly_one_wins) {
  const auto first = b.a.create("a.k", "v");
  std::vector<client> clients;
  std::vector<client::pending<kv_written>> answers;
  for (int i = 0; i < 20; ++i)
    clients.push_back(b.more());
  for (auto& x : clients)
    answers.push_back(x.ask_later(kv_update{x.at("a.k"), payload{"w"}, first, {}}));
  b.a.wait_for(answers);
  const auto winners
    = std::ranges::count_if(answers, [](const auto& x) { return x.get().has_value(); });
  EXPECT(winners == 1);
}

CONFORMANCE(kv, what_is_written_is_read_by_everybody_at_once) {
  auto other = b.more();
  for (int i = 0; i < 10; ++i) {
    b.a.put("a.k", std::to_string(i));
    EXPECT(other.read("a.k").payload.bytes() == std::to_string(i));
  }
  b.a.remove("a.k");
  EXPECT(other.missing("a.k").code == error_code::key_not_found);
}

CONFORMANCE(kv, an_empty_value_is_a_value) {
  b.a.create("a.k", "");
  const auto read = b.a.read("a.k");
  EXPECT(read.payload.size() == 0U);
  EXPECT(read.is_live());
}

CONFORMANCE(kv, a_value_is_any_bytes_and_never_a_tombstone) {
  const std::string bytes{"\0\xff DELETED \r\n", 13};
  b.a.create("a.k", bytes);
  EXPECT(b.a.read("a.k").payload.bytes() == bytes);
  b.a.create("a.d", "DELETED");
  EXPECT(b.a.read("a.d").is_live());
}

CONFORMANCE(kv, the_largest_payload_fits_and_one_byte_more_is_refused) {
  b.a.create("a.k", std::string(b.can.max_payload, 'x'));
  EXPECT(b.a.read("a.k").payload.size() == b.can.max_payload);
  const payload over{std::string(b.can.max_payload + 1, 'x')};
  const auto created = b.a.refused(kv_create{b.a.at("a.l"), over, {}});
  EXPECT(created.code == error_code::payload_too_large);
  EXPECT(created.certainty == certainty::not_applied);
  EXPECT(
    (b.a.refused(kv_update{b.a.at("a.k"), over, {}, {}}).code == error_code::payload_too_large));
  EXPECT(b.a.missing("a.l").code == error_code::key_not_found);
}

CONFORMANCE(kv, what_is_no_name_can_be_neither_read_nor_written) {
  const auto dev = *entity::parse("a");
  for (const auto& prop : {property::none(), property::events(), property::all_properties(),
                           property::all_descendants()}) {
    const subject x{dev, prop};
    const auto about = to_string(prop.kind());
    EXPECT_FOR(about, b.a.refused(kv_get{x}).code == error_code::invalid_subject);
    EXPECT_FOR(about,
               b.a.refused(kv_create{x, payload{"v"}, {}}).code == error_code::invalid_subject);
    EXPECT_FOR(about,
               b.a.refused(kv_update{x, payload{"v"}, {}, {}}).code == error_code::invalid_subject);
    EXPECT_FOR(about, b.a.refused(kv_delete{x, {}}).code == error_code::invalid_subject);
  }
}

CONFORMANCE(kv, keys_at_the_root_are_keys) {
  b.a.create("k", "v");
  EXPECT(b.a.read("k").payload.bytes() == "v");
}

CONFORMANCE(kv, all_answers_are_of_one_epoch) {
  const auto one = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, {}}).epoch;
  EXPECT(b.a.get(kv_delete{b.a.at("a.k"), {}}).epoch == one);
  EXPECT(b.a.get(watch{b.a.at("a.k"), 1, 4}).epoch == one);
  EXPECT(b.status().epoch == one);
}

CONFORMANCE(kv, the_status_counts_what_is_there) {
  b.a.create("a.k", "v");
  b.a.create("a.l", "v");
  b.a.put("a.k", "w");
  b.a.remove("a.l");
  const auto status = b.status();
  EXPECT(status.keys == 1U);
  EXPECT(status.tombstones >= 1U);
  EXPECT(status.operations >= 4U);
  EXPECT(status.revision.value >= 4U);
  EXPECT(status.queued == 0U);
  EXPECT(status.refused == 0U);
}

CONFORMANCE(kv, the_backend_says_what_it_can_do) { EXPECT(b.a.get(get_capabilities{}) == b.can); }

} // namespace trunnion::test::kv_checks
