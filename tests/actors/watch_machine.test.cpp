#include "trunnion/actors/watch_machine.hpp"

#include <boost/test/unit_test.hpp>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

const instant start{1h};

subject at(std::string_view text) { return *subject::parse(text); }

entry value(std::string_view key, std::uint64_t rev, std::string bytes = "x") {
  return {.subject = at(key), .payload = payload{std::move(bytes)}, .revision = {rev}};
}

entry tombstone(std::string_view key, std::uint64_t rev,
                tombstone_cause cause = tombstone_cause::deleted) {
  return {.subject = at(key), .revision = {rev}, .tombstone = cause};
}

/// `a=1 b=2+` for values at revisions, `-a@3` for deletions; `+` where a deletion was skipped.
std::string text(const std::vector<entry>& entries) {
  std::string result;
  for (const auto& x : entries) {
    result += result.empty() ? "" : " ";
    result += x.is_live() ? x.subject.text() + "=" : "-" + x.subject.text() + "@";
    result += to_string(x.revision) + (x.skipped_delete ? "+" : "");
  }
  return result;
}

std::string text(const monitor_view& view) {
  std::vector<entry> all;
  for (const auto& [key, x] : view.entries())
    all.push_back(x);
  return text(all);
}

/// A watch that numbers its parts by itself.
struct fixture {
  fixture() { machine.open(id, now); }

  watch_part part(part_kind kind, std::uint64_t rev, std::vector<entry> entries = {}) {
    return {id, ++seq, kind, store, {rev}, std::move(entries)};
  }
  watch_step give(const watch_part& x) { return machine.on_part(x, now); }
  watch_step snapshot(std::uint64_t rev, std::vector<entry> entries) {
    const auto first = give(part(part_kind::snapshot, rev, std::move(entries)));
    auto second = give(part(part_kind::snapshot_end, rev));
    auto told = first.changes;
    for (std::size_t i = 0; i < second.changes.entries.size(); ++i)
      told.add(second.changes.entries[i], second.changes.was_live[i]);
    second.changes = std::move(told);
    return second;
  }
  watch_step change(std::uint64_t rev, std::vector<entry> entries) {
    return give(part(part_kind::change, rev, std::move(entries)));
  }
  void reopen() {
    machine.close();
    seq = 0;
    machine.open(++id, now);
  }

  watch_machine machine;
  instant now = start;
  watch_id id = 1;
  std::uint64_t seq = 0;
  epoch store{7};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(watch_machine_test, fixture)

BOOST_AUTO_TEST_CASE(a_snapshot_then_changes_make_the_view) {
  BOOST_TEST(!machine.is_whole());
  const auto whole = snapshot(2, {value("a.x", 1), value("a.y", 2)});
  BOOST_TEST(whole.became_current);
  BOOST_TEST(text(whole.changes.entries) == "a.x=1 a.y=2");
  const auto step = change(4, {tombstone("a.x", 3), value("a.z", 4)});
  BOOST_TEST(text(step.changes.entries) == "-a.x@3 a.z=4");
  BOOST_TEST((step.changes.was_live == std::vector<bool>{true, false}));
  BOOST_TEST(text(machine.view()) == "a.y=2 a.z=4");
  BOOST_TEST(machine.revision().value == 4u);
}

BOOST_AUTO_TEST_CASE(every_part_is_acknowledged_and_more_are_granted) {
  const auto step = give(part(part_kind::snapshot_end, 0));
  BOOST_TEST((step.credit == watch_credit{.id = 1, .seen = 1, .up_to = 1 + watch_window}));
}

BOOST_AUTO_TEST_CASE(a_repeated_part_is_acknowledged_and_ignored) {
  snapshot(1, {value("a.x", 1)});
  const auto deletion = part(part_kind::change, 2, {tombstone("a.x", 2)});
  give(deletion);
  change(3, {value("a.x", 3)});
  const auto step = give(deletion);
  BOOST_TEST(step.changes.entries.empty());
  BOOST_TEST((step.credit == watch_credit{.id = 1, .seen = 4, .up_to = 4 + watch_window}));
  BOOST_TEST(text(machine.view()) == "a.x=3");
}

BOOST_AUTO_TEST_CASE(a_gap_is_asked_for_once_and_again_after_a_second) {
  snapshot(0, {});
  const auto lost = part(part_kind::change, 1, {value("a.x", 1)});
  const auto later = part(part_kind::change, 2, {value("a.y", 2)});
  BOOST_TEST((give(later).ask == rewatch{.id = 1, .from_seq = 3}));
  BOOST_TEST(!give(later).ask);
  BOOST_TEST((machine.next_due() == start + 1s));
  now += 999ms;
  BOOST_TEST(!machine.on_time(now).ask);
  now += 1ms;
  BOOST_TEST((machine.on_time(now).ask == rewatch{.id = 1, .from_seq = 3}));
  BOOST_TEST(text(machine.view()).empty());
  give(lost);
  BOOST_TEST(!machine.next_due());
  give(later);
  BOOST_TEST(text(machine.view()) == "a.x=1 a.y=2");
  BOOST_TEST(machine.gaps() == 1u);
}

BOOST_AUTO_TEST_CASE(a_gap_that_is_never_filled_breaks_the_watch_after_ten_seconds) {
  snapshot(0, {});
  now += 1h; // A quiet watch is not a stuck one.
  BOOST_TEST(machine.on_time(now).broken.empty());
  ++seq;
  change(2, {value("a.y", 2)});
  for (int i = 0; i < 9; ++i) {
    now += 1s;
    BOOST_TEST(machine.on_time(now).broken.empty());
  }
  now += 1s;
  BOOST_TEST(machine.on_time(now).broken == "the watch is stuck");
}

BOOST_AUTO_TEST_CASE(a_snapshot_that_stops_short_breaks_the_watch_after_ten_seconds) {
  give(part(part_kind::snapshot, 1, {value("a.x", 1)}));
  BOOST_TEST((machine.next_due() == start + 10s));
  BOOST_TEST(machine.on_time(start + 9999ms).broken.empty());
  BOOST_TEST(!machine.on_time(start + 10s).broken.empty());
}

BOOST_AUTO_TEST_CASE(a_resync_tells_vanished_keys_as_deletions_and_only_real_differences) {
  snapshot(3, {value("a.x", 1), value("a.y", 2), value("a.z", 3)});
  give(part(part_kind::resync, 3));
  BOOST_TEST(!machine.is_current());
  const auto step = snapshot(6, {value("a.y", 2), value("a.z", 5), value("a.w", 6)});
  BOOST_TEST(text(step.changes.entries) == "a.z=5 a.w=6 -a.x@1");
  BOOST_TEST(step.changes.entries.back().unmarked);
  BOOST_TEST((step.changes.was_live == std::vector<bool>{true, false, true}));
  BOOST_TEST(text(machine.view()) == "a.w=6 a.y=2 a.z=5");
  BOOST_TEST(machine.resyncs() == 1u);
}

BOOST_AUTO_TEST_CASE(a_reopened_watch_tells_vanished_keys_as_deletions) {
  snapshot(2, {value("a.x", 1), value("a.y", 2)});
  reopen();
  BOOST_TEST(machine.is_whole());
  BOOST_TEST(!machine.is_current());
  BOOST_TEST(text(snapshot(3, {value("a.y", 2)}).changes.entries) == "-a.x@1");
}

BOOST_AUTO_TEST_CASE(parts_of_an_earlier_watch_are_ignored) {
  const auto old = part(part_kind::snapshot, 1, {value("a.x", 1)});
  reopen();
  const auto step = give(old);
  BOOST_TEST(step.changes.entries.empty());
  BOOST_TEST(!step.credit);
}

BOOST_AUTO_TEST_CASE(an_older_snapshot_takes_nothing_back) {
  snapshot(1, {value("a.x", 1)});
  change(9, {value("a.x", 5), value("a.y", 6), value("a.z", 7)});
  change(9, {tombstone("a.y", 8), value("a.w", 9)});
  reopen();
  // As of revision 7: `a.x` is older, `a.y` was not deleted yet, `a.w` was not there.
  const auto step = snapshot(7, {value("a.x", 1), value("a.y", 6), value("a.z", 7)});
  BOOST_TEST(text(step.changes.entries).empty());
  BOOST_TEST(text(machine.view()) == "a.w=9 a.x=5 a.z=7");
}

BOOST_AUTO_TEST_CASE(an_older_value_does_not_bring_a_deleted_key_back_but_a_newer_one_does) {
  snapshot(1, {value("a.x", 1)});
  change(3, {tombstone("a.x", 3)});
  BOOST_TEST(text(change(3, {value("a.x", 2)}).changes.entries).empty());
  BOOST_TEST(text(change(4, {value("a.x", 4)}).changes.entries) == "a.x=4");
  BOOST_TEST(machine.remembered_tombstones() == 0u);
}

BOOST_AUTO_TEST_CASE(what_was_made_during_a_snapshot_is_told_after_it) {
  snapshot(1, {value("a.x", 1)});
  reopen();
  // The store deleted `a.x` at 2 and made it again at 3, behind the cursor of a snapshot that
  // says 4.
  BOOST_TEST(text(snapshot(4, {value("a.y", 4)}).changes.entries) == "a.y=4 -a.x@1");
  BOOST_TEST(text(change(4, {value("a.x", 3)}).changes.entries) == "a.x=3");
}

BOOST_AUTO_TEST_CASE(an_unmarked_expiry_removes_the_value_that_it_names) {
  snapshot(5, {value("a.x", 5)});
  auto expiry = tombstone("a.x", 5, tombstone_cause::expired);
  BOOST_TEST(text(change(5, {expiry}).changes.entries).empty()); // A marked one would be newer.
  expiry.unmarked = true;
  BOOST_TEST(text(change(5, {expiry}).changes.entries) == "-a.x@5");
}

BOOST_AUTO_TEST_CASE(a_deletion_of_what_was_never_seen_is_not_told) {
  snapshot(0, {});
  BOOST_TEST(text(change(2, {tombstone("a.x", 2)}).changes.entries).empty());
}

BOOST_AUTO_TEST_CASE(another_epoch_replaces_everything_that_differs) {
  snapshot(9, {value("a.x", 7), value("a.y", 8), value("a.z", 9)});
  change(10, {tombstone("a.z", 10)});
  reopen();
  store = {8};
  const auto step = snapshot(8, {value("a.x", 1, "new"), value("a.y", 8), value("a.z", 2)});
  BOOST_TEST(text(step.changes.entries) == "a.x=1+ a.z=2");
  BOOST_TEST(text(machine.view()) == "a.x=1 a.y=8 a.z=2");
  BOOST_TEST((machine.epoch() == epoch{8}));
  BOOST_TEST(machine.revision().value == 8u);
}

BOOST_AUTO_TEST_CASE(another_epoch_replaces_everything_even_if_its_first_snapshot_broke_off) {
  snapshot(9, {value("a.x", 7), value("a.y", 8), value("a.z", 9)});
  reopen();
  store = {8};
  give(part(part_kind::snapshot, 2, {value("a.x", 1)}));
  BOOST_TEST(!machine.is_whole()); // Keys of both epochs stand side by side.
  reopen();
  BOOST_TEST(!machine.is_whole());
  const auto step = snapshot(2, {value("a.x", 1), value("a.y", 2)});
  BOOST_TEST(text(step.changes.entries) == "a.y=2+ -a.z@0");
  BOOST_TEST(machine.is_whole());
}

BOOST_AUTO_TEST_CASE(a_resync_may_bring_another_epoch) {
  snapshot(9, {value("a.x", 9)});
  store = {8};
  give(part(part_kind::resync, 0));
  BOOST_TEST(text(snapshot(1, {value("a.x", 1)}).changes.entries) == "a.x=1+");
}

BOOST_AUTO_TEST_CASE(parts_that_cannot_follow_break_the_watch) {
  const auto breaks = [this](part_kind kind) { return !give(part(kind, 1)).broken.empty(); };
  BOOST_TEST(breaks(part_kind::change)); // Before the end of the snapshot.
  reopen();
  snapshot(1, {});
  BOOST_TEST(breaks(part_kind::snapshot)); // Without a resync.
  reopen();
  snapshot(1, {});
  BOOST_TEST(breaks(part_kind::snapshot_end));
  reopen();
  snapshot(1, {});
  store = {8};
  BOOST_TEST(breaks(part_kind::change)); // Of another store.
}

BOOST_AUTO_TEST_CASE(a_watch_that_starts_over_under_numbers_that_were_used_is_broken) {
  snapshot(1, {value("a.x", 1)});
  const auto resync = part(part_kind::resync, 1);
  give(resync);
  snapshot(1, {value("a.x", 1)});
  BOOST_TEST(give(resync).broken.empty()); // A mere repetition.
  seq = 3;
  BOOST_TEST(!give(part(part_kind::resync, 1)).broken.empty());
}

BOOST_AUTO_TEST_CASE(remembered_tombstones_are_bounded_and_the_oldest_go_first) {
  snapshot(0, {});
  const auto count = max_remembered_tombstones + 1;
  std::uint64_t rev = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto key = "a.k" + std::to_string(i);
    change(rev + 1, {value(key, rev + 1)});
    change(rev + 2, {tombstone(key, rev + 2)});
    rev += 2;
  }
  BOOST_TEST(machine.remembered_tombstones() == max_remembered_tombstones);
  BOOST_TEST(text(change(rev, {value("a.k1", 3)}).changes.entries).empty());
  BOOST_TEST(text(change(rev, {value("a.k0", 1)}).changes.entries) == "a.k0=1");
}

BOOST_AUTO_TEST_CASE(the_time_left_is_counted_from_when_it_was_learned) {
  auto lease = value("a.x", 1);
  lease.time_left = 10s;
  snapshot(1, {lease, value("a.y", 1)});
  const auto& view = machine.view();
  BOOST_TEST((view.copy_of(*view.find(at("a.x")), now + 4s).time_left == 6s));
  BOOST_TEST((view.copy_of(*view.find(at("a.x")), now + 11s).time_left == 0s));
  BOOST_TEST(!view.copy_of(*view.find(at("a.y")), now + 4s).time_left);
}

BOOST_AUTO_TEST_SUITE_END()
