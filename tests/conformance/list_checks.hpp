// Listings: one picture, in parts, then over.

#pragma once

#include "trunnion/tests/conformance/watch_checks.hpp"

namespace trunnion::test::list_checks {

using watch_checks::texts;

inline told list(bench& b, client& by, std::string_view pattern, watch_id id,
                 std::uint64_t credit = 16) {
  by.get(kv_list{by.at(pattern), id, credit});
  REQUIRE(by.wait(id, [](const told& x) { return x.count(part_kind::snapshot_end) > 0; }));
  b.settle();
  return by.of(id);
}

CONFORMANCE(list, a_listing_has_the_live_entries_and_ends) {
  b.a.create("a.l", "2");
  b.a.create("a.k", "1");
  b.a.create("a.gone", "v");
  b.a.remove("a.gone");
  EXPECT(texts(list(b, b.a, "a.*", 1).snapshot()) == "a.k=1 a.l=2 ");
  b.a.put("a.k", "3");
  b.settle();
  EXPECT(b.a.of(1).changes().empty());
}

CONFORMANCE(list, each_pattern_lists_what_it_covers) {
  for (const auto* key : {"k", "a.k", "a.b.k", "a-b.k", "ab.k", "a.b.c.k"})
    b.a.create(key, "v");
  EXPECT(list(b, b.a, ">", 1).snapshot().size() == 6U);
  EXPECT(texts(list(b, b.a, "*", 2).snapshot()) == "k=v ");
  EXPECT(texts(list(b, b.a, "a.*", 3).snapshot()) == "a.k=v ");
  EXPECT(texts(list(b, b.a, "a.>", 4).snapshot()) == "a.k=v a.b.k=v a.b.c.k=v ");
  EXPECT(texts(list(b, b.a, "a.b.k", 5).snapshot()) == "a.b.k=v ");
  EXPECT(list(b, b.a, "nothing.>", 6).snapshot().empty());
}

CONFORMANCE(list, a_listing_that_was_seen_is_over) {
  b.a.create("a.k", "v");
  list(b, b.a, "a.*", 1);
  EXPECT(b.status().watches == 0U);
  EXPECT(b.status().sessions == 0U);
  list(b, b.a, "a.*", 1); // The id is free again.
}

CONFORMANCE(list, a_consistent_listing_is_the_picture_of_one_moment) {
  b.needs(b.can.consistent_list, "its listings are no picture of one moment");
  auto slow = b.more(sink_manner::silent);
  for (int i = 0; i < 600; ++i)
    b.a.create("m.k" + std::to_string(i), "old");
  slow.get(kv_list{slow.at("m.*"), 1, 1});
  for (int i = 0; i < 600; ++i)
    b.a.put("m.k" + std::to_string(i), "new");
  b.a.create("m.zz", "new");
  slow.tell(watch_credit{1, 1, 16});
  REQUIRE(slow.wait(1, [](const told& x) { return x.count(part_kind::snapshot_end) > 0; }));
  const auto entries = slow.of(1).snapshot();
  EXPECT(entries.size() == 600U);
  EXPECT(std::ranges::all_of(entries, [](const auto& x) { return x.payload.bytes() == "old"; }));
}

CONFORMANCE(list, too_many_listings_of_one_session_are_refused) {
  auto slow = b.more(sink_manner::silent);
  b.a.create("a.k", "v");
  std::optional<failure> refusal;
  for (watch_id id = 1; id <= 10'000 && !refusal; ++id)
    if (auto answer = slow.ask(kv_list{slow.at("a.*"), id, 0}); !answer)
      refusal = answer.error();
  REQUIRE(refusal.has_value());
  EXPECT(refusal->code == error_code::overloaded);
  EXPECT(b.status().refused == 1U);
  list(b, b.a, "a.*", 1); // Others are not concerned.
  slow.tell(unwatch{1});
  EXPECT(slow.ask(kv_list{slow.at("a.*"), 20'000, 0}).has_value());
}

CONFORMANCE(list, a_listing_can_be_cut_short) {
  auto slow = b.more(sink_manner::silent);
  for (int i = 0; i < 600; ++i)
    b.a.create("m.k" + std::to_string(i), "v");
  slow.get(kv_list{slow.at("m.*"), 1, 1});
  slow.tell(unwatch{1});
  b.pass(3s);
  EXPECT(slow.of(1).parts.size() <= 1U);
  EXPECT(b.status().watches == 0U);
}

} // namespace trunnion::test::list_checks
