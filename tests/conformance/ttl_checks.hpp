// Keys that go by themselves: never early, and never seen late.

#pragma once

#include "trunnion/tests/conformance/conformance.hpp"

namespace trunnion::test::ttl_checks {

inline void passes(bench& b, nanoseconds after) { b.pass(after + b.reading()); }

/// Just before `deadline` the key is there; the deadline is no later than the true one.
inline void is_there_before(bench& b, std::string_view key, instant deadline) {
  b.pass_until(deadline - b.lead());
  const auto answer = b.a.ask(kv_get{b.a.at(key)});
  EXPECT_FOR("not early", answer.has_value() || !b.still_before(deadline));
}

/// Lets the deadline pass, so that no reader may see the key any more.
inline void is_gone_after(bench& b, std::string_view key, instant written, nanoseconds ttl) {
  b.pass_until(written + ttl + b.reading());
  EXPECT(b.a.missing(key).code == error_code::key_not_found);
}

CONFORMANCE(ttl, a_key_is_there_until_its_ttl_has_passed_and_not_after) {
  const auto before = b.now();
  const auto written = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, b.ttl()});
  const auto after = b.now();
  REQUIRE(written.ttl.has_value());
  EXPECT(*written.ttl == b.ttl());
  is_there_before(b, "a.k", before + b.ttl());
  is_gone_after(b, "a.k", after, b.ttl());
}

CONFORMANCE(ttl, an_updated_key_is_there_until_its_ttl_has_passed_and_not_after) {
  b.a.create("a.k", "v");
  const auto before = b.now();
  b.a.put("a.k", "w", b.ttl());
  const auto after = b.now();
  is_there_before(b, "a.k", before + b.ttl());
  is_gone_after(b, "a.k", after, b.ttl());
}

CONFORMANCE(ttl, an_entry_says_how_much_time_is_left) {
  b.a.create("a.k", "v", b.ttl());
  b.pass(500ms);
  const auto left = b.a.read("a.k").time_left;
  REQUIRE(left.has_value());
  EXPECT(*left <= b.ttl() - 500ms);
  EXPECT(*left > b.ttl() - 1s - b.where->slack());
}

CONFORMANCE(ttl, an_expired_key_can_be_created_at_once) {
  const auto first = b.a.create("a.k", "v", b.ttl());
  passes(b, b.ttl());
  EXPECT(b.a.create("a.k", "w") > first);
  EXPECT(b.a.read("a.k").payload.bytes() == "w");
}

CONFORMANCE(ttl, an_expired_revision_is_stale_for_updates_and_deletions) {
  const auto first = b.a.create("a.k", "v", b.ttl());
  passes(b, b.ttl());
  EXPECT(b.a.refused(kv_update{b.a.at("a.k"), payload{"w"}, first, {}}).code
         == error_code::revision_mismatch);
  EXPECT(b.a.refused(kv_delete{b.a.at("a.k"), first}).code == error_code::revision_mismatch);
  EXPECT(b.a.missing("a.k").code == error_code::key_not_found);
}

CONFORMANCE(ttl, a_write_without_a_ttl_makes_the_key_permanent) {
  const auto first = b.a.create("a.k", "v", b.ttl());
  const auto written = b.a.get(kv_update{b.a.at("a.k"), payload{"w"}, first, {}});
  EXPECT(!written.ttl);
  passes(b, b.ttl() * 3);
  EXPECT(b.a.read("a.k").payload.bytes() == "w");
  EXPECT(!b.a.read("a.k").time_left);
}

CONFORMANCE(ttl, a_write_with_a_ttl_makes_a_permanent_key_go) {
  b.a.create("a.k", "v");
  b.a.put("a.k", "w", b.ttl());
  passes(b, b.ttl());
  EXPECT(b.a.missing("a.k").code == error_code::key_not_found);
}

CONFORMANCE(ttl, a_refresh_moves_the_deadline) {
  auto current = b.a.create("a.k", "v", b.ttl());
  instant before, after;
  for (int i = 0; i < 5; ++i) {
    b.pass(b.ttl() / 2);
    before = b.now();
    current = b.a.get(kv_update{b.a.at("a.k"), payload{"v"}, current, b.ttl()}).revision;
    after = b.now();
  }
  is_there_before(b, "a.k", before + b.ttl());
  is_gone_after(b, "a.k", after, b.ttl());
}

CONFORMANCE(ttl, a_shorter_ttl_counts_from_its_own_write) {
  b.a.create("a.k", "v", b.ttl() * 100);
  b.a.put("a.k", "w", b.ttl());
  passes(b, b.ttl());
  EXPECT(b.a.missing("a.k").code == error_code::key_not_found);
}

CONFORMANCE(ttl, a_deleted_and_created_key_does_not_inherit_a_deadline) {
  b.a.create("a.k", "v", b.ttl());
  b.a.remove("a.k");
  b.a.create("a.k", "w");
  passes(b, b.ttl() * 2);
  EXPECT(b.a.read("a.k").payload.bytes() == "w");
}

CONFORMANCE(ttl, a_ttl_is_rounded_up_to_the_resolution_and_never_down) {
  const auto step = b.can.ttl_resolution;
  const auto asked = b.ttl() + step / 2 + 1ns;
  const auto before = b.now();
  const auto written = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, asked});
  REQUIRE(written.ttl.has_value());
  EXPECT(*written.ttl >= asked);
  EXPECT(*written.ttl < asked + step);
  EXPECT(*written.ttl % step == 0ns);
  is_there_before(b, "a.k", before + asked);
}

CONFORMANCE(ttl, a_ttl_below_the_least_becomes_the_least) {
  const auto written = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, 1ns});
  REQUIRE(written.ttl.has_value());
  EXPECT(*written.ttl == b.can.least_ttl);
}

CONFORMANCE(ttl, zero_negative_and_endless_ttls_are_refused) {
  for (const nanoseconds ttl :
       {0ns, -1ns, nanoseconds::min(), longest_ttl + 1ns, nanoseconds::max()}) {
    const auto about = std::to_string(ttl.count());
    EXPECT_FOR(about, b.a.refused(kv_create{b.a.at("a.k"), payload{"v"}, ttl}).code
                        == error_code::invalid_argument);
    EXPECT_FOR(about, b.a.refused(kv_update{b.a.at("a.k"), payload{"v"}, {}, ttl}).code
                        == error_code::invalid_argument);
  }
  EXPECT(b.a.missing("a.k").code == error_code::key_not_found);
}

CONFORMANCE(ttl, the_longest_ttl_is_taken) {
  b.needs(!b.can.max_ttl, "it has a shorter longest TTL");
  EXPECT(b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, longest_ttl}).ttl == longest_ttl);
}

CONFORMANCE(ttl, a_ttl_over_the_longest_is_refused_with_what_it_would_need) {
  b.needs(b.can.max_ttl.has_value(), "it has no longest TTL of its own");
  EXPECT(b.a.ask(kv_create{b.a.at("a.k"), payload{"v"}, *b.can.max_ttl}).has_value());
  const auto error = b.a.refused(kv_create{b.a.at("a.l"), payload{"v"}, *b.can.max_ttl + 1s});
  EXPECT(error.code == error_code::unsupported);
  EXPECT(!error.text.empty());
}

CONFORMANCE(ttl, the_ttl_of_an_update_without_a_revision_counts_too) {
  b.a.create("a.k", "v", b.ttl() * 100);
  const auto written = b.a.get(kv_update{b.a.at("a.k"), payload{"w"}, {}, {}});
  EXPECT(!written.ttl);
  EXPECT(!b.a.read("a.k").time_left); // It belongs to the write that carries it.
}

CONFORMANCE(ttl, a_refused_write_changes_no_deadline) {
  const auto before = b.now();
  const auto first = b.a.create("a.k", "v", b.ttl());
  const auto after = b.now();
  b.pass(b.ttl() / 2);
  b.a.refused(kv_create{b.a.at("a.k"), payload{"w"}, b.ttl() * 9});
  b.a.refused(kv_update{b.a.at("a.k"), payload{"w"}, revision{first.value + 9}, {}});
  is_there_before(b, "a.k", before + b.ttl());
  is_gone_after(b, "a.k", after, b.ttl());
}

CONFORMANCE(ttl, an_expired_key_is_in_no_listing_and_no_snapshot) {
  b.a.create("a.k", "v", b.ttl());
  b.a.create("a.l", "v");
  passes(b, b.ttl());
  b.a.open_watch("a.*", 1);
  b.a.get(kv_list{b.a.at("a.*"), 2, 16});
  REQUIRE(b.a.wait(2, [](const told& x) { return x.count(part_kind::snapshot_end) > 0; }));
  for (const watch_id id : {watch_id{1}, watch_id{2}}) {
    const auto entries = b.a.of(id).snapshot();
    EXPECT(entries.size() == 1U);
    EXPECT(std::ranges::all_of(entries, [](const auto& x) { return x.is_live(); }));
  }
}

CONFORMANCE(ttl, a_watch_is_told_of_an_expiry_in_time) {
  b.a.open_watch("a.k", 1);
  const auto before = b.now();
  const auto written = b.a.create("a.k", "v", b.ttl());
  const auto after = b.now();
  b.pass_until(before + b.ttl() - b.lead());
  EXPECT((b.a.of(1).changes().size() == 1U || !b.still_before(before + b.ttl()))); // Never early.
  b.pass_until(after + b.ttl() + b.telling());
  EXPECT(b.a.of(1).changes().size() == 2U);
  const auto changes = b.a.changes(1, 2);
  EXPECT(changes[1].tombstone == tombstone_cause::expired);
  EXPECT(changes[1].payload.size() == 0U);
  if (b.can.expiry_events == expiry_events::marked)
    EXPECT(changes[1].revision > written);
  else
    EXPECT(changes[1].unmarked);
}

CONFORMANCE(ttl, an_expiry_that_a_reader_finds_is_told_once) {
  b.a.open_watch("a.k", 1);
  b.a.create("a.k", "v", b.ttl());
  passes(b, b.ttl());
  b.a.missing("a.k");
  b.a.missing("a.k");
  b.pass(b.telling());
  EXPECT(b.a.changes(1, 2).size() == 2U);
  if (b.can.expiry_events == expiry_events::marked)
    EXPECT(b.status().expired == 1U);
}

CONFORMANCE(ttl, a_thousand_keys_that_go_at_once_are_all_gone_for_readers_and_all_told) {
  constexpr std::size_t count = 1'000;
  b.a.open_watch("m.*", 1);
  for (std::size_t i = 0; i < count; ++i)
    b.a.create("m.k" + std::to_string(i), "v", b.ttl() + 1s);
  b.a.changes(1, count);
  passes(b, b.ttl() + 1s);
  EXPECT(b.a.missing("m.k999").code == error_code::key_not_found);
  b.a.get(kv_list{b.a.at("m.*"), 2, 64});
  REQUIRE(b.a.wait(2, [](const told& x) { return x.count(part_kind::snapshot_end) > 0; }));
  EXPECT(b.a.of(2).snapshot().empty());
  b.pass(b.telling());
  std::size_t expired = 0;
  for (const auto& x : b.a.changes(1, 2 * count))
    expired += x.tombstone == tombstone_cause::expired ? 1 : 0;
  EXPECT(expired == count);
}

} // namespace trunnion::test::ttl_checks
