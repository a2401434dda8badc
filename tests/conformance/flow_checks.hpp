// Credit, sending again, coalescing: what a slow or lossy sink may rely on.

#pragma once

#include "trunnion/tests/conformance/watch_checks.hpp"

namespace trunnion::test::flow_checks {

using watch_checks::texts;

CONFORMANCE(flow, without_credit_nothing_is_sent) {
  auto slow = b.more(sink_manner::silent);
  b.a.create("a.k", "v");
  slow.get(watch{slow.at("a.k"), 1, 0});
  b.pass(5s);
  EXPECT(slow.of(1).parts.empty());
  slow.tell(watch_credit{1, 0, 2});
  EXPECT(slow.wait(1, [](const told& x) { return x.count(part_kind::snapshot_end) == 1; }));
}

CONFORMANCE(flow, no_more_parts_are_sent_than_were_granted) {
  auto slow = b.more(sink_manner::silent);
  slow.get(watch{slow.at("a.>"), 1, 3});
  for (int i = 0; i < 10; ++i)
    b.a.create("a.k" + std::to_string(i), "v");
  b.settle();
  EXPECT(slow.of(1).parts.size() == 3U); // The end of the snapshot, and two changes.
  EXPECT(b.status().unseen_parts == 3U);
  slow.tell(watch_credit{1, 3, 4});
  REQUIRE(slow.wait(1, [](const told& x) { return x.parts.size() >= 4; }));
  EXPECT(slow.of(1).changes().size() == 10U); // The rest in one part.
}

CONFORMANCE(flow, every_change_of_every_burst_is_told_to_a_sink_with_credit) {
  auto quiet = b.more(sink_manner::silent);
  quiet.get(watch{quiet.at("a.k"), 1, 1'000});
  for (std::size_t burst = 1; burst <= 3; ++burst) {
    std::vector<kv_update> all(50, kv_update{b.a.at("a.k"), payload{"v"}, {}, {}});
    all.push_back({b.a.at("b.k"), payload{"not watched"}, {}, {}});
    b.a.wait_for(b.a.ask_at_once(std::move(all)));
    EXPECT(quiet.changes(1, 50 * burst, 900ms).size() == 50U * burst); // Not by resending.
  }
}

CONFORMANCE(flow, changes_without_credit_are_coalesced_to_the_newest_of_each_key) {
  auto slow = b.more(sink_manner::silent);
  slow.get(watch{slow.at("a.>"), 1, 1});
  for (int i = 0; i < 5; ++i) {
    b.a.put("a.k", std::to_string(i));
    b.a.put("a.l", std::to_string(i));
  }
  EXPECT(b.status().pending_changes == 2U);
  slow.tell(watch_credit{1, 1, 8});
  const auto changes = slow.changes(1, 2);
  EXPECT(texts(changes) == "a.k=4 a.l=4 ");
  EXPECT(!changes[0].skipped_delete);
  EXPECT(b.status().pending_changes == 0U);
}

CONFORMANCE(flow, a_deletion_that_was_coalesced_away_is_marked) {
  auto slow = b.more(sink_manner::silent);
  b.a.create("a.k", "1");
  slow.get(watch{slow.at("a.>"), 1, 2});
  b.a.remove("a.k");
  b.a.create("a.k", "2");
  b.a.put("a.k", "3");
  b.a.create("a.l", "1");
  slow.tell(watch_credit{1, 2, 8});
  const auto changes = slow.changes(1, 2);
  EXPECT(texts(changes) == "a.k=3 a.l=1 ");
  EXPECT(changes[0].skipped_delete);
  EXPECT(!changes[1].skipped_delete);
}

CONFORMANCE(flow, what_a_sink_leaves_behind_is_forgotten_with_it) {
  auto slow = b.more(sink_manner::silent), dying = b.more(sink_manner::silent);
  for (auto* x : {&slow, &dying})
    x->get(watch{x->at("a.>"), 1, 2});
  for (int i = 0; i < 10; ++i)
    b.a.create("a.k" + std::to_string(i), "v");
  EXPECT(b.status().unseen_parts == 4U);
  EXPECT(b.status().pending_changes == 18U);
  slow.tell(unwatch{1});
  dying.die();
  EXPECT(b.status().unseen_parts == 0U);
  EXPECT(b.status().pending_changes == 0U);
}

CONFORMANCE(flow, a_part_that_was_not_seen_is_sent_again_after_a_second) {
  auto slow = b.more(sink_manner::silent);
  slow.get(watch{slow.at("a.k"), 1, 8});
  slow.tell(watch_credit{1, 1, 8});
  const auto before = b.now();
  b.a.create("a.k", "v");
  b.pass_until(before + part_resend_after - b.lead() - 90ms);
  EXPECT((slow.of(1).parts.size() == 2U || !b.still_before(before + part_resend_after)));
  b.wait_until([&] { return slow.of(1).parts.size() >= 3; }, "it is sent again");
  EXPECT(b.now() - before <= part_resend_after + 200ms + b.where->slack());
  const auto told = slow.of(1);
  EXPECT(told.parts[1] == told.parts[2]); // Known by its number, the same otherwise.
  EXPECT(b.status().resent == 1U);
  slow.tell(watch_credit{1, 2, 8});
  b.pass(5s);
  EXPECT(slow.of(1).parts.size() == 3U);
}

CONFORMANCE(flow, only_what_is_unseen_is_sent_again) {
  auto slow = b.more(sink_manner::silent);
  slow.get(watch{slow.at("a.>"), 1, 8});
  for (int i = 0; i < 4; ++i)
    b.a.create("a.k" + std::to_string(i), "v");
  b.settle();
  slow.tell(watch_credit{1, 3, 8});
  b.wait_until([&] { return slow.of(1).parts.size() >= 7; }, "they are sent again");
  const auto parts = slow.of(1).parts;
  EXPECT(parts[5].seq == 4U);
  EXPECT(parts[6].seq == 5U);
}

CONFORMANCE(flow, a_rewatch_sends_again_from_the_number_asked_for) {
  auto slow = b.more(sink_manner::silent);
  slow.get(watch{slow.at("a.>"), 1, 8});
  for (int i = 0; i < 4; ++i)
    b.a.create("a.k" + std::to_string(i), "v");
  b.settle();
  REQUIRE(slow.of(1).parts.size() == 5U);
  slow.tell(rewatch{1, 4});
  const auto parts = slow.of(1).parts;
  REQUIRE(parts.size() == 7U);
  EXPECT(parts[5] == parts[3]);
  EXPECT(parts[6] == parts[4]);
  EXPECT(b.status().unseen_parts == 2U); // It has seen those before.
}

CONFORMANCE(flow, a_rewatch_that_a_credit_has_overtaken_changes_nothing) {
  b.a.open_watch("a.>", 1);
  b.a.create("a.k", "1");
  b.a.create("a.l", "1");
  b.a.changes(1, 2);
  const auto before = b.a.of(1).parts.size();
  b.a.tell(rewatch{1, 2}); // It has said to have seen that.
  b.a.create("a.m", "1");
  EXPECT(texts({b.a.changes(1, 3).back()}) == "a.m=1 ");
  const auto parts = b.a.of(1).parts;
  REQUIRE(parts.size() == before + 1);
  EXPECT(parts.back().seq == parts[before - 1].seq + 1);
}

CONFORMANCE(flow, a_rewatch_of_what_was_never_sent_resyncs_with_a_fresh_snapshot) {
  b.a.open_watch("a.>", 1);
  b.a.create("a.k", "1");
  b.a.create("a.l", "1");
  b.a.remove("a.k");
  b.a.changes(1, 3);
  const auto before = b.a.of(1).parts.size();
  b.a.tell(rewatch{1, 9});
  REQUIRE(b.a.wait(1, [](const told& x) { return x.count(part_kind::snapshot_end) == 2; }));
  const auto parts = b.a.of(1).parts;
  REQUIRE(parts.size() == before + 3);
  EXPECT(parts[before].kind == part_kind::resync);
  EXPECT(parts[before].seq == 9U); // The number that was asked for, so there is no gap.
  EXPECT(texts(parts[before + 1].entries) == "a.l=1 ");
  b.a.create("a.m", "1");
  EXPECT(texts({b.a.changes(1, 4).back()}) == "a.m=1 ");
}

CONFORMANCE(flow, a_rewatch_of_what_is_not_open_is_told_so) {
  b.a.tell(rewatch{9, 1});
  EXPECT(b.a.wait(9, [](const told& x) { return x.lost.size() == 1; }));
}

CONFORMANCE(flow, a_lost_grant_is_made_good_by_the_next) {
  auto slow = b.more(sink_manner::silent);
  slow.get(watch{slow.at("a.>"), 1, 1});
  b.a.create("a.k", "v");
  slow.tell(watch_credit{1, 1, 9}); // The grants up to 5 were lost.
  slow.tell(watch_credit{1, 1, 5}); // And came late.
  for (int i = 0; i < 7; ++i)
    b.a.create("a.k" + std::to_string(i), "v");
  EXPECT(slow.changes(1, 8).size() == 8U);
}

CONFORMANCE(flow, credit_beyond_the_bound_is_cut_to_it, limits{.credit_per_watch = 10}) {
  auto slow = b.more(sink_manner::silent);
  slow.get(watch{slow.at("a.>"), 1, 1'000'000});
  for (int i = 0; i < 30; ++i)
    b.a.create("a.k" + std::to_string(i), "v");
  b.settle();
  EXPECT(slow.of(1).parts.size() == 10U);
  slow.tell(watch_credit{1, 10, 1'000'000});
  EXPECT(slow.changes(1, 30).size() == 30U); // The rest waited.
}

CONFORMANCE(flow, changes_while_a_snapshot_is_under_way_are_neither_lost_nor_told_twice) {
  auto slow = b.more(sink_manner::silent);
  for (int i = 100; i < 700; ++i)
    b.a.create("m.k" + std::to_string(i), "old");
  slow.get(watch{slow.at("m.*"), 1, 1}); // k100 to k355.
  b.a.put("m.k100", "new");
  b.a.put("m.k699", "new");
  b.a.remove("m.k101");
  b.a.remove("m.k698");
  b.a.create("m.k0", "new");
  b.a.create("m.k7", "new");
  slow.tell(watch_credit{1, 1, 16});
  REQUIRE(slow.wait(1, [](const told& x) { return x.count(part_kind::snapshot_end) > 0; }));
  b.settle();
  std::map<std::string, std::string> seen;
  const auto told = slow.of(1);
  for (const auto& part : told.parts)
    for (const auto& x : part.entries)
      if (x.is_live())
        seen[x.subject.text()] = x.payload.bytes();
      else
        seen.erase(x.subject.text());
  EXPECT(seen.size() == 600U);
  for (const auto* key : {"m.k100", "m.k699", "m.k0", "m.k7"})
    EXPECT_FOR(key, seen[key] == "new");
  EXPECT(!seen.contains("m.k101"));
  EXPECT(!seen.contains("m.k698"));
}

CONFORMANCE(flow, a_sink_that_is_far_behind_resyncs_in_place_of_an_endless_queue) {
  auto slow = b.more(sink_manner::silent);
  slow.get(watch{slow.at("m.*"), 1, 1});
  for (int i = 0; i < 6'000; ++i) {
    const auto key = "m.k" + std::to_string(i);
    b.a.create(key, "v");
    if (i % 10 != 0)
      b.a.remove(key);
  }
  EXPECT(b.status().pending_changes < 6'000U);
  slow.tell(watch_credit{1, 1, 100});
  REQUIRE(slow.wait(1, [](const told& x) { return x.count(part_kind::snapshot_end) == 2; }));
  const auto told = slow.of(1);
  EXPECT(told.count(part_kind::resync) == 1U);
  EXPECT(told.snapshot().size() == 600U);
}

} // namespace trunnion::test::flow_checks
