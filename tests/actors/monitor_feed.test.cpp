#include "trunnion/actors/monitor_feed.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

const instant now{1h};

subject at(std::string_view text) { return *subject::parse(text); }

std::string key(std::uint64_t i) { return "a.k" + std::to_string(1000 + i); }

/// A view and one subscriber of it. Each write goes through both, as in the monitor.
struct fixture {
  void apply(entry x) {
    const bool had = view.find(x.subject) != nullptr;
    if (x.is_live())
      view.put(x, now);
    else
      view.erase(x.subject);
    stands.revision = x.revision;
    view_changes changes{.epoch = stands.epoch};
    changes.add(std::move(x), had);
    if (const auto number = feed.pass(changes, stands))
      take({.seq = *number, .kind = part_kind::change, .entries = changes.entries});
    else
      feed.hold(changes);
    drain();
  }

  void put(std::string_view name, std::string bytes = "x") {
    apply({.subject = at(name), .payload = payload{std::move(bytes)}, .revision = {++rev}});
  }
  void remove(std::string_view name) {
    apply({.subject = at(name), .revision = {++rev}, .tombstone = tombstone_cause::deleted});
  }
  void grant(std::uint64_t more) {
    credit += more;
    feed.on_credit(credit);
    drain();
  }
  void drain() {
    while (auto part = feed.next(view, stands, now))
      take(*std::move(part));
  }

  /// What a subscriber does with a part.
  void take(monitor_part part) {
    BOOST_REQUIRE_EQUAL(part.seq, parts.size() + 1);
    for (const auto& x : part.entries) {
      auto& known = mirror[x.subject.text()];
      BOOST_TEST((x.revision >= known.revision));
      known = x;
    }
    parts.push_back(std::move(part));
  }

  /// Whether the subscriber knows what the view has, and nothing else.
  bool agrees() const {
    entry_map live;
    for (const auto& [name, x] : mirror)
      if (x.is_live()) {
        live[x.subject] = x;
        live[x.subject].skipped_delete = false;
      }
    return live == view.entries();
  }

  std::string kinds() const {
    std::string result;
    for (const auto& x : parts)
      result += to_string(x.kind) + ":" + std::to_string(x.entries.size()) + " ";
    return result;
  }

  monitor_view view;
  view_position stands{.epoch = {7}};
  monitor_feed feed{0};
  std::uint64_t rev = 0;
  std::uint64_t credit = 0;
  std::vector<monitor_part> parts;
  std::map<std::string, entry> mirror;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(monitor_feed_test, fixture)

BOOST_AUTO_TEST_CASE(a_subscriber_gets_a_snapshot_and_then_changes) {
  put("a.x");
  put("a.y");
  grant(9);
  put("a.z");
  remove("a.x");
  BOOST_TEST(kinds() == "snapshot:2 snapshot_end:0 change:1 change:1 ");
  BOOST_TEST(parts.back().entries.at(0).tombstone.has_value());
  BOOST_TEST(agrees());
}

BOOST_AUTO_TEST_CASE(a_snapshot_is_paged_by_count_and_by_bytes) {
  for (std::uint64_t i = 0; i < max_part_entries + 1; ++i)
    put(key(i));
  put("b.big", std::string(max_part_bytes, 'b'));
  grant(9);
  BOOST_TEST(kinds() == "snapshot:256 snapshot:1 snapshot:1 snapshot_end:0 ");
  BOOST_TEST(agrees());
}

BOOST_AUTO_TEST_CASE(no_part_is_sent_without_credit) {
  put("a.x");
  drain();
  BOOST_TEST(parts.empty());
  grant(1);
  BOOST_TEST(kinds() == "snapshot:1 ");
  feed.on_credit(0); // Less than was granted before: nothing is taken back.
  grant(1);
  BOOST_TEST(kinds() == "snapshot:1 snapshot_end:0 ");
}

BOOST_AUTO_TEST_CASE(changes_during_a_snapshot_are_told_by_it_or_after_it) {
  for (std::uint64_t i = 0; i < 2 * max_part_entries; ++i)
    put(key(i));
  grant(1);
  put(key(0));      // Behind the cursor.
  remove(key(1));   // Likewise.
  put(key(400));    // Ahead of it: only the snapshot tells.
  remove(key(401)); // Never seen.
  BOOST_TEST(feed.pending() == 2u);
  grant(9);
  BOOST_TEST(kinds() == "snapshot:256 snapshot:255 snapshot_end:0 change:2 ");
  BOOST_TEST(agrees());
}

BOOST_AUTO_TEST_CASE(the_newest_wins_and_a_deletion_in_between_is_said) {
  put("a.x");
  put("a.y");
  grant(2);
  put("a.x", "1");
  remove("a.x");
  put("a.x", "2");
  put("a.x", "3");
  put("a.y", "4");
  BOOST_TEST(feed.pending() == 2u);
  grant(1);
  const auto& told = parts.back().entries;
  BOOST_REQUIRE(told.size() == 2u);
  BOOST_TEST(told[0].payload.bytes() == "3");
  BOOST_TEST(told[0].skipped_delete);
  BOOST_TEST(!told[1].skipped_delete);
  BOOST_TEST(agrees());
}

BOOST_AUTO_TEST_CASE(what_came_and_went_unseen_costs_nothing) {
  grant(1);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    put(key(i));
    remove(key(i));
  }
  BOOST_TEST(feed.pending() == 0u);
  put("a.x");
  grant(1);
  BOOST_TEST(!parts.back().entries.at(0).skipped_delete);
}

BOOST_AUTO_TEST_CASE(a_key_that_changes_all_the_time_keeps_its_place_and_starves_none) {
  grant(1);
  for (std::uint64_t i = 0; i < 2 * max_part_entries; ++i)
    put(key(i));
  for (std::uint64_t i = 0; i < max_part_entries; ++i)
    put(key(i), "again");
  BOOST_TEST(feed.pending() == 2 * max_part_entries);
  grant(1);
  BOOST_TEST(parts.back().entries.front().subject.text() == key(0));
  BOOST_TEST(parts.back().entries.front().payload.bytes() == "again");
  grant(1);
  BOOST_TEST(parts.back().entries.back().subject.text() == key(2 * max_part_entries - 1));
  BOOST_TEST(feed.pending() == 0u);
}

BOOST_AUTO_TEST_CASE(a_part_names_a_revision_only_if_all_up_to_it_is_told) {
  put("a.x");
  grant(2);
  BOOST_TEST(parts.back().revision.value == 1u);
  for (std::uint64_t i = 0; i < max_part_entries + 1; ++i)
    put(key(i));
  put(key(0));
  grant(1);
  BOOST_TEST(parts.back().revision.value == 1u); // The last key is still to be told.
  grant(1);
  BOOST_TEST(parts.back().revision.value == rev);
}

BOOST_AUTO_TEST_CASE(a_deletion_of_an_earlier_epoch_is_told_without_its_revision) {
  put("a.x");
  grant(2);
  remove("a.x");
  stands.epoch = {8};
  mirror.clear();
  grant(1);
  BOOST_TEST((parts.back().epoch == epoch{8}));
  BOOST_TEST(parts.back().entries.at(0).revision.value == 0u);
  BOOST_TEST(parts.back().entries.at(0).unmarked);
}

BOOST_AUTO_TEST_CASE(too_many_changes_for_one_part_are_paged) {
  grant(9);
  view_changes many;
  for (std::uint64_t i = 0; i < max_part_entries + 1; ++i) {
    const entry x{.subject = at(key(i)), .payload = payload{"x"}, .revision = {++rev}};
    view.put(x, now);
    many.add(x, false);
  }
  stands.revision = {rev};
  BOOST_TEST(!feed.pass(many, stands).has_value());
  feed.hold(many);
  drain();
  BOOST_TEST(kinds() == "snapshot_end:0 change:256 change:1 ");
}

BOOST_AUTO_TEST_CASE(whatever_the_order_of_writes_and_grants_the_subscriber_ends_with_the_view) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    fixture world;
    std::mt19937_64 random{seed};
    for (int i = 0; i < 500; ++i) {
      const auto name = key(random() % 300);
      if (random() % 20 == 0)
        world.grant(random() % 3);
      else if (random() % 3 == 0 && world.view.find(at(name)))
        world.remove(name);
      else
        world.put(name, std::string(random() % 3 == 0 ? 3000 : 3, 'x'));
      BOOST_REQUIRE(world.feed.pending() <= 300u);
    }
    world.grant(100);
    BOOST_REQUIRE_MESSAGE(world.agrees(), "seed " << seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()
