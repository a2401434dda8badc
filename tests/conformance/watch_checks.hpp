// Watches: a snapshot, then every change, in order.

#pragma once

#include "trunnion/tests/conformance/conformance.hpp"

namespace trunnion::test::watch_checks {

inline std::string texts(const std::vector<entry>& entries) {
  std::string result;
  for (const auto& x : entries)
    result += x.subject.text() + "=" + (x.is_live() ? std::string{x.payload.bytes()} : "-") + " ";
  return result;
}

/// Whether parts are numbered from 1 without a gap.
inline bool gapless(const told& x) {
  for (std::size_t i = 0; i < x.parts.size(); ++i)
    if (x.parts[i].seq != i + 1)
      return false;
  return true;
}

CONFORMANCE(watch, a_watch_of_nothing_begins_with_an_empty_snapshot) {
  b.a.open_watch("a.k", 1);
  const auto told = b.a.of(1);
  EXPECT(told.snapshot().empty());
  EXPECT(told.count(part_kind::snapshot_end) == 1U);
  EXPECT(gapless(told));
}

CONFORMANCE(watch, a_snapshot_has_the_live_entries_and_only_those) {
  b.a.create("a.k", "v");
  b.a.create("a.gone", "v");
  b.a.remove("a.gone");
  b.a.create("other.k", "v");
  b.a.open_watch("a.*", 1);
  EXPECT(texts(b.a.of(1).snapshot()) == "a.k=v ");
  EXPECT(b.a.of(1).changes().empty());
}

CONFORMANCE(watch, changes_come_in_the_order_of_their_revisions) {
  b.a.open_watch("a.k", 1);
  b.a.create("a.k", "1");
  b.a.put("a.k", "2");
  b.a.remove("a.k");
  b.a.create("a.k", "3");
  const auto changes = b.a.changes(1, 4);
  EXPECT(texts(changes) == "a.k=1 a.k=2 a.k=- a.k=3 ");
  for (std::size_t i = 1; i < changes.size(); ++i)
    EXPECT(changes[i - 1].revision < changes[i].revision);
  EXPECT(changes[2].tombstone == tombstone_cause::deleted);
  EXPECT(gapless(b.a.of(1)));
}

CONFORMANCE(watch, a_change_carries_what_a_reader_would_see) {
  b.a.open_watch("a.k", 1);
  b.a.create("a.k", "v", b.ttl());
  const auto change = b.a.changes(1, 1)[0];
  const auto read = b.a.read("a.k");
  EXPECT(change.revision == read.revision);
  EXPECT(change.payload == read.payload);
  EXPECT(change.written == read.written);
  REQUIRE(change.time_left.has_value());
  EXPECT(*change.time_left <= b.ttl());
  EXPECT(*change.time_left > 0ns);
}

CONFORMANCE(watch, a_deletion_is_told_with_its_own_revision) {
  b.a.create("a.k", "v");
  b.a.open_watch("a.k", 1);
  const auto deleted = b.a.get(kv_delete{b.a.at("a.k"), {}});
  const auto change = b.a.changes(1, 1)[0];
  EXPECT(change.tombstone == tombstone_cause::deleted);
  EXPECT(change.revision == deleted.tombstone);
  EXPECT(change.payload.size() == 0U);
}

CONFORMANCE(watch, no_change_comes_before_the_end_of_the_snapshot) {
  for (int i = 0; i < 300; ++i)
    b.a.create("m.k" + std::to_string(i), "old");
  auto slow = b.more(sink_manner::silent);
  slow.get(watch{slow.at("m.*"), 1, 1});
  for (int i = 0; i < 300; i += 50)
    b.a.put("m.k" + std::to_string(i), "new");
  slow.tell(watch_credit{1, 1, 16});
  REQUIRE(slow.wait(1, [](const told& x) { return x.count(part_kind::snapshot_end) > 0; }));
  b.a.put("m.k0", "newer");
  slow.wait(1, [](const told& x) { return x.count(part_kind::change) > 0; });
  bool ended = false;
  for (const auto& part : slow.of(1).parts) {
    EXPECT((part.kind == part_kind::change) == ended);
    ended = ended || part.kind == part_kind::snapshot_end;
  }
  EXPECT(ended);
}

CONFORMANCE(watch, each_change_of_a_key_is_newer_than_what_was_told_before) {
  b.a.create("a.k", "0");
  b.a.create("a.l", "0");
  b.a.open_watch("a.*", 1);
  for (int i = 1; i < 5; ++i) {
    b.a.put("a.k", std::to_string(i));
    b.a.put("a.l", std::to_string(i));
  }
  EXPECT(b.a.changes(1, 8).size() == 8U);
  std::map<std::string, revision> newest;
  const auto told = b.a.of(1);
  for (const auto& part : told.parts)
    for (const auto& x : part.entries) {
      EXPECT(newest[x.subject.text()] < x.revision);
      newest[x.subject.text()] = x.revision;
      EXPECT(x.revision <= part.revision);
    }
}

CONFORMANCE(watch, two_watches_of_one_session_are_apart) {
  b.a.open_watch("a.k", 1);
  b.a.open_watch("a.*", 2);
  b.a.create("a.k", "1");
  b.a.tell(unwatch{1});
  b.a.create("a.l", "1");
  EXPECT(texts(b.a.changes(2, 2)) == "a.k=1 a.l=1 ");
  EXPECT(texts(b.a.of(1).changes()) == "a.k=1 ");
}

CONFORMANCE(watch, other_keys_are_not_told) {
  b.a.open_watch("a.k", 1);
  b.a.create("a.kk", "v");
  b.a.create("a.k.k", "v");
  b.a.create("b.k", "v");
  b.a.create("k", "v");
  b.a.create("a.k", "mine");
  EXPECT(texts(b.a.changes(1, 1)) == "a.k=mine ");
}

CONFORMANCE(watch, a_shallow_watch_gets_own_properties_and_never_grandchildren) {
  b.a.create("a.old", "v");
  b.a.create("a.b.old", "v");
  b.a.open_watch("a.*", 1);
  b.a.create("a.b.c", "deep");
  b.a.create("a-b.c", "beside");
  b.a.create("a.c", "mine");
  EXPECT(texts(b.a.of(1).snapshot()) == "a.old=v ");
  EXPECT(texts(b.a.changes(1, 1)) == "a.c=mine ");
}

CONFORMANCE(watch, a_deep_watch_gets_everything_below) {
  b.a.create("a.old", "1");
  b.a.create("a.b.old", "2");
  b.a.create("a-b.old", "beside");
  b.a.open_watch("a.>", 1);
  b.a.create("a.c", "3");
  b.a.create("a.b.c.d", "4");
  b.a.create("ab.c", "beside");
  b.a.create("a.e", "5");
  EXPECT(texts(b.a.of(1).snapshot()) == "a.old=1 a.b.old=2 ");
  EXPECT(texts(b.a.changes(1, 3)) == "a.c=3 a.b.c.d=4 a.e=5 ");
}

CONFORMANCE(watch, the_root_can_be_watched_both_ways) {
  b.a.open_watch("*", 1);
  b.a.open_watch(">", 2);
  b.a.create("k", "1");
  b.a.create("a.b.k", "2");
  EXPECT(texts(b.a.changes(2, 2)) == "k=1 a.b.k=2 ");
  EXPECT(texts(b.a.changes(1, 1)) == "k=1 ");
}

CONFORMANCE(watch, a_large_snapshot_comes_in_parts_of_bounded_size) {
  constexpr std::size_t count = 600;
  for (std::size_t i = 0; i < count; ++i)
    b.a.create("m.k" + std::to_string(i), "v");
  b.a.open_watch("m.*", 1, 2);
  const auto told = b.a.of(1);
  EXPECT(told.snapshot().size() == count);
  EXPECT(told.count(part_kind::snapshot) >= 3U);
  for (const auto& part : told.parts)
    EXPECT(part.entries.size() <= max_part_entries);
  EXPECT(gapless(told));
}

CONFORMANCE(watch, large_values_make_small_parts) {
  for (int i = 0; i < 5; ++i)
    b.a.create("m.k" + std::to_string(i), std::string(100'000, 'x'));
  b.a.open_watch("m.*", 1);
  for (const auto& part : b.a.of(1).parts) {
    std::size_t bytes = 0;
    for (const auto& x : part.entries)
      bytes += x.payload.size();
    EXPECT(bytes <= max_part_bytes);
  }
  EXPECT(b.a.of(1).snapshot().size() == 5U);
}

CONFORMANCE(watch, one_value_over_the_size_of_a_part_is_a_part_of_its_own) {
  b.a.create("m.k", std::string(2 * max_part_bytes, 'x'));
  b.a.create("m.l", "v");
  b.a.open_watch("m.*", 1);
  EXPECT(b.a.of(1).snapshot().size() == 2U);
  EXPECT(b.a.of(1).count(part_kind::snapshot) == 2U);
}

CONFORMANCE(watch, an_id_in_use_is_refused_and_free_again_after_unwatch) {
  b.a.open_watch("a.k", 1);
  EXPECT(b.a.refused(watch{b.a.at("a.l"), 1, 4}).code == error_code::invalid_argument);
  EXPECT(b.a.refused(kv_list{b.a.at("a.l"), 1, 4}).code == error_code::invalid_argument);
  EXPECT(b.a.refused(consume{b.a.at("a.l"), 1, stream_start::only_new, 4}).code
         == error_code::invalid_argument);
  b.a.tell(unwatch{1});
  EXPECT(b.a.ask(watch{b.a.at("a.l"), 1, 4}).has_value());
}

CONFORMANCE(watch, two_sessions_may_use_one_id) {
  auto other = b.more();
  b.a.open_watch("a.k", 7);
  other.open_watch("a.l", 7);
  b.a.create("a.k", "v");
  b.a.create("a.l", "w");
  EXPECT(texts(b.a.changes(7, 1)) == "a.k=v ");
  EXPECT(texts(other.changes(7, 1)) == "a.l=w ");
}

CONFORMANCE(watch, nothing_comes_after_unwatch) {
  b.a.open_watch("a.k", 1);
  b.a.tell(unwatch{1});
  b.a.create("a.k", "v");
  b.pass(2s);
  EXPECT(b.a.of(1).changes().empty());
  EXPECT(b.status().watches == 0U);
  EXPECT(b.status().sessions == 0U);
}

CONFORMANCE(watch, the_watches_of_a_dead_session_end_with_it) {
  auto other = b.more();
  other.open_watch("a.k", 1);
  other.open_watch("a.>", 2);
  EXPECT(b.status().watches == 2U);
  other.die();
  EXPECT(b.where->wait_until([&] { return b.status().watches == 0U; }, client::patience));
  EXPECT(b.status().sessions == 0U);
  b.a.create("a.k", "v"); // Does not trip over them.
}

CONFORMANCE(watch, every_watch_of_a_key_is_told) {
  std::vector<client> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(b.more());
    clients.back().open_watch("a.k", 1);
    clients.back().open_watch("a.>", 2);
  }
  b.a.create("a.k", "v");
  for (auto& x : clients) {
    EXPECT(x.changes(1, 1).size() == 1U);
    EXPECT(x.changes(2, 1).size() == 1U);
  }
}

CONFORMANCE(watch, what_cannot_be_a_key_cannot_be_watched) {
  const auto dev = *entity::parse("a");
  for (const auto& prop : {property::none(), property::events()}) {
    EXPECT(b.a.refused(watch{subject{dev, prop}, 1, 4}).code == error_code::invalid_subject);
    EXPECT((b.a.refused(kv_list{subject{dev, prop}, 1, 4}).code == error_code::invalid_subject));
  }
}

CONFORMANCE(watch, a_refused_write_is_not_told) {
  const auto first = b.a.create("a.k", "v");
  b.a.open_watch("a.k", 1);
  b.a.refused(kv_create{b.a.at("a.k"), payload{"w"}, {}});
  b.a.refused(kv_update{b.a.at("a.k"), payload{"w"}, revision{first.value + 9}, {}});
  b.a.refused(kv_delete{b.a.at("a.k"), revision{first.value + 9}});
  b.a.put("a.k", "x");
  EXPECT(texts(b.a.changes(1, 1)) == "a.k=x ");
}

CONFORMANCE(watch, parts_name_the_epoch_and_a_revision_that_grows) {
  b.a.create("a.k", "v");
  b.a.open_watch("a.k", 1);
  b.a.put("a.k", "w");
  b.a.changes(1, 1);
  revision before;
  for (const auto& part : b.a.of(1).parts) {
    EXPECT(part.epoch == b.status().epoch);
    EXPECT(part.revision >= before);
    before = part.revision;
  }
  EXPECT(before == b.a.read("a.k").revision);
}

} // namespace trunnion::test::watch_checks
