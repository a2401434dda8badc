// Keys that go by themselves: never early, and never seen late.

#pragma once

#include "trunnion/tests/conformance/conformance.hpp"

namespace trunnion::test::ttl_checks {

inline void passes(bench& b, nanoseconds after) { b.pass(after + b.can.expiry_slack); }

CONFORMANCE(ttl, a_key_is_there_until_its_ttl_has_passed_and_not_after) {
  const auto written = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, b.ttl()});
  BOOST_REQUIRE(written.ttl.has_value());
  BOOST_TEST((*written.ttl == b.ttl()));
  b.pass(b.ttl() - 10ms);
  BOOST_TEST(b.a.read("a.k").payload.bytes() == "v");
  passes(b, 10ms);
  BOOST_TEST((b.a.missing("a.k").code == error_code::key_not_found));
}

CONFORMANCE(ttl, an_entry_says_how_much_time_is_left) {
  b.a.create("a.k", "v", b.ttl());
  b.pass(500ms);
  const auto left = b.a.read("a.k").time_left;
  BOOST_REQUIRE(left.has_value());
  BOOST_TEST((*left <= b.ttl() - 500ms));
  BOOST_TEST((*left > b.ttl() - 1s));
}

CONFORMANCE(ttl, an_expired_key_can_be_created_at_once) {
  const auto first = b.a.create("a.k", "v", b.ttl());
  passes(b, b.ttl());
  BOOST_TEST((b.a.create("a.k", "w") > first));
  BOOST_TEST(b.a.read("a.k").payload.bytes() == "w");
}

CONFORMANCE(ttl, an_expired_revision_is_stale_for_updates_and_deletions) {
  const auto first = b.a.create("a.k", "v", b.ttl());
  passes(b, b.ttl());
  BOOST_TEST((b.a.refused(kv_update{b.a.at("a.k"), payload{"w"}, first, {}}).code
              == error_code::revision_mismatch));
  BOOST_TEST((b.a.refused(kv_delete{b.a.at("a.k"), first}).code == error_code::revision_mismatch));
  BOOST_TEST((b.a.missing("a.k").code == error_code::key_not_found));
}

CONFORMANCE(ttl, a_write_without_a_ttl_makes_the_key_permanent) {
  const auto first = b.a.create("a.k", "v", b.ttl());
  const auto written = b.a.get(kv_update{b.a.at("a.k"), payload{"w"}, first, {}});
  BOOST_TEST(!written.ttl);
  passes(b, b.ttl() * 3);
  BOOST_TEST(b.a.read("a.k").payload.bytes() == "w");
  BOOST_TEST(!b.a.read("a.k").time_left);
}

CONFORMANCE(ttl, a_write_with_a_ttl_makes_a_permanent_key_go) {
  b.a.create("a.k", "v");
  b.a.put("a.k", "w", b.ttl());
  passes(b, b.ttl());
  BOOST_TEST((b.a.missing("a.k").code == error_code::key_not_found));
}

CONFORMANCE(ttl, a_refresh_moves_the_deadline) {
  auto current = b.a.create("a.k", "v", b.ttl());
  for (int i = 0; i < 5; ++i) {
    b.pass(b.ttl() / 2);
    current = b.a.get(kv_update{b.a.at("a.k"), payload{"v"}, current, b.ttl()}).revision;
  }
  b.pass(b.ttl() - 10ms);
  BOOST_TEST((b.a.read("a.k").revision == current));
  passes(b, 10ms);
  BOOST_TEST((b.a.missing("a.k").code == error_code::key_not_found));
}

CONFORMANCE(ttl, a_shorter_ttl_counts_from_its_own_write) {
  b.a.create("a.k", "v", b.ttl() * 100);
  b.a.put("a.k", "w", b.ttl());
  passes(b, b.ttl());
  BOOST_TEST((b.a.missing("a.k").code == error_code::key_not_found));
}

CONFORMANCE(ttl, a_deleted_and_created_key_does_not_inherit_a_deadline) {
  b.a.create("a.k", "v", b.ttl());
  b.a.remove("a.k");
  b.a.create("a.k", "w");
  passes(b, b.ttl() * 2);
  BOOST_TEST(b.a.read("a.k").payload.bytes() == "w");
}

CONFORMANCE(ttl, a_ttl_is_rounded_up_to_the_resolution_and_never_down) {
  const auto step = b.can.ttl_resolution;
  const auto asked = b.ttl() + step / 2 + 1ns;
  const auto written = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, asked});
  BOOST_REQUIRE(written.ttl.has_value());
  BOOST_TEST((*written.ttl >= asked));
  BOOST_TEST((*written.ttl < asked + step));
  BOOST_TEST((*written.ttl % step == 0ns));
  b.pass(asked - 1ms);
  BOOST_TEST(b.a.read("a.k").is_live());
}

CONFORMANCE(ttl, a_ttl_below_the_least_becomes_the_least) {
  const auto written = b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, 1ns});
  BOOST_REQUIRE(written.ttl.has_value());
  BOOST_TEST((*written.ttl == b.can.least_ttl));
}

CONFORMANCE(ttl, zero_negative_and_endless_ttls_are_refused) {
  for (const nanoseconds ttl :
       {0ns, -1ns, nanoseconds::min(), longest_ttl + 1ns, nanoseconds::max()}) {
    BOOST_TEST_CONTEXT(ttl.count()) {
      BOOST_TEST((b.a.refused(kv_create{b.a.at("a.k"), payload{"v"}, ttl}).code
                  == error_code::invalid_argument));
      BOOST_TEST((b.a.refused(kv_update{b.a.at("a.k"), payload{"v"}, {}, ttl}).code
                  == error_code::invalid_argument));
    }
  }
  BOOST_TEST((b.a.missing("a.k").code == error_code::key_not_found));
}

CONFORMANCE(ttl, the_longest_ttl_is_taken) {
  if (b.can.max_ttl)
    return;
  BOOST_TEST((b.a.get(kv_create{b.a.at("a.k"), payload{"v"}, longest_ttl}).ttl == longest_ttl));
}

CONFORMANCE(ttl, a_watch_is_told_of_an_expiry_in_time) {
  b.a.open_watch("a.k", 1);
  const auto written = b.a.create("a.k", "v", b.ttl());
  b.pass(b.ttl() - 1ms);
  BOOST_TEST(b.a.of(1).changes().size() == 1U); // Never early.
  b.pass(1ms + b.telling());
  const auto changes = b.a.changes(1, 2);
  BOOST_TEST((changes[1].tombstone == tombstone_cause::expired));
  BOOST_TEST(changes[1].payload.size() == 0U);
  if (b.can.expiry_events == expiry_events::marked)
    BOOST_TEST((changes[1].revision > written));
  else
    BOOST_TEST(changes[1].unmarked);
}

CONFORMANCE(ttl, an_expiry_that_a_reader_finds_is_told_once) {
  b.a.open_watch("a.k", 1);
  b.a.create("a.k", "v", b.ttl());
  passes(b, b.ttl());
  b.a.missing("a.k");
  b.a.missing("a.k");
  b.pass(b.telling());
  BOOST_TEST(b.a.changes(1, 2).size() == 2U);
  if (b.can.expiry_events == expiry_events::marked)
    BOOST_TEST(b.status().expired == 1U);
}

CONFORMANCE(ttl, a_thousand_keys_that_go_at_once_are_all_gone_for_readers_and_all_told) {
  constexpr std::size_t count = 1'000;
  b.a.open_watch("m.*", 1);
  for (std::size_t i = 0; i < count; ++i)
    b.a.create("m.k" + std::to_string(i), "v", b.ttl() + 1s);
  b.a.changes(1, count);
  passes(b, b.ttl() + 1s);
  BOOST_TEST((b.a.missing("m.k999").code == error_code::key_not_found));
  b.a.get(kv_list{b.a.at("m.*"), 2, 64});
  BOOST_REQUIRE(b.a.wait(2, [](const told& x) { return x.count(part_kind::snapshot_end) > 0; }));
  BOOST_TEST(b.a.of(2).snapshot().empty());
  b.pass(b.telling());
  std::size_t expired = 0;
  for (const auto& x : b.a.changes(1, 2 * count))
    expired += x.tombstone == tombstone_cause::expired ? 1 : 0;
  BOOST_TEST(expired == count);
}

} // namespace trunnion::test::ttl_checks
