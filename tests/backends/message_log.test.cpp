#include "trunnion/backends/memory/message_log.hpp"

#include <boost/test/unit_test.hpp>

#include <deque>
#include <map>
#include <random>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1h};
constexpr wall_time wall_start{1'700'000'000s};

subject key(std::string_view text) { return *subject::parse(text); }

using numbers = std::vector<std::uint64_t>;

struct fixture {
  message_log log{{}};

  void say(std::string_view to, nanoseconds when = 0s) {
    log.append(key(to), payload{"v"}, wall_start + when, start);
  }

  static consume from(stream_start x, std::string_view pattern = ">") {
    return {.pattern = key(pattern), .start = x};
  }

  /// The sequences of all that a consumer at `place` is told.
  static numbers read(const message_log& log, std::string_view pattern, stream_place place,
                      std::size_t steps = 1'000) {
    numbers result;
    for (bool at_tail = false; !at_tail;) {
      const auto batch = log.read(key(pattern), place, steps);
      for (const auto& x : batch.messages)
        result.push_back(x.sequence.value);
      place.from = batch.next;
      at_tail = batch.at_tail;
    }
    BOOST_TEST((place.from > log.newest()));
    return result;
  }

  numbers told(const consume& x) const { return read(log, x.pattern.text(), *log.place_of(x)); }
};

void check(const numbers& x, const numbers& y) {
  BOOST_TEST(x == y, boost::test_tools::per_element());
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(message_log_test, fixture)

// -- starts -------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(starts_of_an_empty_log_are_what_comes_first) {
  for (const auto x : {stream_start::only_new, stream_start::all, stream_start::sequence,
                       stream_start::time, stream_start::latest})
    BOOST_TEST(log.place_of(from(x))->from.value == 1U);
  BOOST_TEST(!log.place_of(from(static_cast<stream_start>(99))));
}

BOOST_AUTO_TEST_CASE(a_start_by_sequence_begins_there_or_at_the_oldest_or_waits) {
  for (int i = 0; i < 5; ++i)
    say("a.s");
  const auto place = [&](std::uint64_t x) {
    auto asked = from(stream_start::sequence);
    asked.from = {x};
    return log.place_of(asked)->from.value;
  };
  BOOST_TEST(place(0) == 1U);
  BOOST_TEST(place(1) == 1U);
  BOOST_TEST(place(3) == 3U);
  BOOST_TEST(place(5) == 5U);
  BOOST_TEST(place(6) == 6U);
  BOOST_TEST(place(100) == 100U);
  const auto batch = log.read(key(">"), {{100}, {}}, 10);
  BOOST_TEST(batch.at_tail);
  BOOST_TEST(batch.next.value == 100U);
}

BOOST_AUTO_TEST_CASE(a_start_by_time_begins_with_the_first_message_that_is_not_older) {
  for (const auto when : {1s, 2s, 2s, 5s})
    say("a.s", when);
  const auto place = [&](nanoseconds x) {
    auto asked = from(stream_start::time);
    asked.since = wall_start + x;
    return log.place_of(asked)->from.value;
  };
  BOOST_TEST(place(-1h) == 1U);
  BOOST_TEST(place(1s) == 1U);
  BOOST_TEST(place(1s + 1ns) == 2U);
  BOOST_TEST(place(2s) == 2U);
  BOOST_TEST(place(3s) == 4U);
  BOOST_TEST(place(5s) == 4U);
  BOOST_TEST(place(5s + 1ns) == 5U); // What comes next.
  say("a.s", 3s);                    // The wall clock was set back.
  say("a.s", 6s);
  BOOST_TEST(place(3s) == 4U);
  BOOST_TEST(place(6s) == 6U);
}

BOOST_AUTO_TEST_CASE(the_latest_are_the_newest_of_each_subject_in_the_order_of_sequences) {
  for (const auto* x : {"a.b", "a.a", "a.b", "a.c", "a.a", "a.kid.x", "b.b"})
    say(x);
  check(told(from(stream_start::latest, "a.*")), {3, 4, 5});
  check(told(from(stream_start::latest, "a.>")), {3, 4, 5, 6});
  check(told(from(stream_start::latest, "a.a")), {5});
  check(told(from(stream_start::latest, "a.none")), {});
}

BOOST_AUTO_TEST_CASE(what_follows_the_latest_is_told_whole) {
  for (const auto* x : {"a.b", "a.a", "a.b"})
    say(x);
  const auto place = *log.place_of(from(stream_start::latest));
  for (const auto* x : {"a.b", "a.b", "a.new"}) // While the consumer is on its way.
    say(x);
  check(read(log, ">", place), {2, 3, 4, 5, 6});
  check(read(log, "a.b", place), {3, 4, 5});
  check(read(log, ">", place, 1), {2, 3, 4, 5, 6});
}

// -- retention ----------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_oldest_of_a_subject_goes_when_it_has_too_many) {
  message_log small{{.max_messages_per_subject = 2}};
  std::string removed;
  small.on_removed([&](const removed_message& x) {
    removed
      += std::to_string(x.message.sequence.value) + ">" + std::to_string(x.successor.value) + " ";
  });
  for (const auto* x : {"a.a", "a.b", "a.a", "a.a", "a.a", "a.b"})
    small.append(key(x), payload{"v"}, wall_start, start);
  BOOST_TEST(removed == "1>3 3>4 ");
  check(read(small, ">", {{1}, {}}), {2, 4, 5, 6});
  BOOST_TEST(small.size() == 4U);
  BOOST_TEST(small.oldest().value == 2U);
}

BOOST_AUTO_TEST_CASE(holes_are_closed_and_cost_a_bounded_number_of_slots) {
  message_log small{{.max_messages_per_subject = 1}};
  small.append(key("a.quiet"), payload{"v"}, wall_start, start);
  for (int i = 0; i < 100'000; ++i) {
    small.append(key("a.s" + std::to_string(i % 7)), payload{"v"}, wall_start, start);
    BOOST_REQUIRE(small.holes() <= 1'025U);
  }
  BOOST_TEST(small.size() == 8U);
  BOOST_TEST(small.subjects() == 8U);
  check(read(small, "a.quiet", {{1}, {}}), {1});
  check(read(small, "a.s3", {{2}, {}}).size() == 1 ? numbers{1} : numbers{}, {1});
  BOOST_TEST(read(small, ">", {{50'000}, {}}).size() == 7U);
}

BOOST_AUTO_TEST_CASE(a_subject_without_messages_leaves_nothing_behind) {
  message_log small{{.max_messages = 10}};
  for (int i = 0; i < 1'000; ++i)
    small.append(key("a.s" + std::to_string(i)), payload{"v"}, wall_start, start);
  BOOST_TEST(small.subjects() == 10U);
  small.run_timers(start + 2h, 100);
  BOOST_TEST(small.subjects() == 0U);
  BOOST_TEST(small.bytes() == 0U);
  BOOST_TEST(small.size() == 0U);
  BOOST_TEST(small.oldest().value == 1'001U);
}

// -- pending ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(pending_is_never_too_low_and_of_one_subject_not_more_than_it_has) {
  for (int i = 0; i < 600; ++i)
    say(i % 2 ? "a.s" : "b.s");
  const auto one = log.read(key("a.s"), {{1}, {}}, 10'000);
  BOOST_TEST(one.messages.size() == max_part_entries);
  BOOST_TEST(one.pending >= 300U - max_part_entries);
  BOOST_TEST(one.pending <= 300U);
  BOOST_TEST(log.read(key("a.s"), {one.next, {}}, 10'000).pending == 0U);
}

BOOST_AUTO_TEST_CASE(one_subject_is_read_past_the_others_without_looking_at_them) {
  say("a.s");
  for (int i = 0; i < 10'000; ++i)
    say("b.s");
  say("a.s");
  const auto batch = log.read(key("a.s"), {{1}, {}}, 4);
  BOOST_TEST(batch.messages.size() == 2U);
  BOOST_TEST(batch.at_tail);
}

// -- listing ------------------------------------------------------------------

namespace {

std::string names(const stream_subjects& x) {
  std::string result;
  for (const auto& y : x.subjects)
    result += y.text() + " ";
  return result + (x.more ? "..." : "");
}

} // namespace

BOOST_AUTO_TEST_CASE(the_subjects_of_an_entity_are_listed_shallow_or_deep) {
  log.append({*entity::parse("dev"), property::events()}, payload{"e"}, wall_start, start);
  for (const auto* x : {"dev.b", "dev.a", "dev.kid.x", "dev.kid.y.z", "dev-2.s", "dev/x.s", "root",
                        "dev.kid", "dev.kid-2", "dev.a"})
    say(x);
  const auto list = [&](std::string_view of, bool deep) {
    return names(log.list({.entity = *entity::parse(of), .deep = deep}));
  };
  BOOST_TEST(list("dev", false) == "dev._EVENTS dev.a dev.b dev.kid dev.kid-2 ");
  BOOST_TEST(list("dev", true)
             == "dev._EVENTS dev.a dev.b dev.kid dev.kid-2 dev.kid.x dev.kid.y.z ");
  BOOST_TEST(list("dev.kid", false) == "dev.kid.x ");
  BOOST_TEST(list("", false) == "root ");
  BOOST_TEST(log.list({.entity = entity{}, .deep = true}).subjects.size() == 10U);
  BOOST_TEST(list("none", true) == "");
  const auto events = log.list({.entity = *entity::parse("dev"), .at_most = 1}).subjects.at(0);
  BOOST_TEST((events.kind() == property_kind::events));
}

BOOST_AUTO_TEST_CASE(pages_together_are_the_listing) {
  for (int i = 0; i < 2'500; ++i)
    say("m." + std::string(i % 3 ? "" : "kid" + std::to_string(i) + ".") + "s" + std::to_string(i));
  for (const bool deep : {false, true})
    for (const std::uint32_t at_most : {1U, 7U, 1'000U, 5'000U}) {
      std::vector<subject> paged;
      list_streams asked{*entity::parse("m"), deep, {}, at_most};
      for (bool more = true; more;) {
        auto page = log.list(asked);
        BOOST_REQUIRE(page.subjects.size() <= std::min(at_most, max_listed_streams));
        BOOST_REQUIRE(!page.subjects.empty());
        paged.insert(paged.end(), page.subjects.begin(), page.subjects.end());
        asked.after = paged.back();
        more = page.more;
      }
      BOOST_TEST(paged.size() == (deep ? 2'500U : 1'666U));
      BOOST_TEST(std::ranges::is_sorted(paged));
      BOOST_TEST((std::ranges::adjacent_find(paged) == paged.end()));
    }
}

BOOST_AUTO_TEST_CASE(a_page_goes_on_behind_a_subject_that_is_gone) {
  for (const auto* x : {"a.a", "a.c"})
    say(x);
  list_streams asked{*entity::parse("a"), false, key("a.b"), 10};
  BOOST_TEST(names(log.list(asked)) == "a.c ");
  asked.after = key("a.z");
  BOOST_TEST(names(log.list(asked)) == "");
  asked.after = key("Z.z"); // Before all of them.
  BOOST_TEST(names(log.list(asked)) == "a.a a.c ");
}

// -- against a plain model ----------------------------------------------------

namespace {

/// The same rules in the plainest way.
struct model {
  struct message {
    std::uint64_t at;
    std::string subject;
    wall_time wall;
    instant when;
    std::uint64_t successor = 0;
  };
  std::deque<message> kept;

  void append(const message& x, const retention& limits) {
    for (auto& y : kept)
      if (y.subject == x.subject && y.successor == 0)
        y.successor = x.at;
    kept.push_back(x);
    const auto same = [&](const message& y) { return y.subject == x.subject; };
    if (static_cast<std::size_t>(std::ranges::count_if(kept, same))
        > *limits.max_messages_per_subject)
      kept.erase(std::ranges::find_if(kept, same));
    while (kept.size() > limits.max_messages)
      kept.pop_front();
  }

  numbers told(const subject& pattern, const stream_place& place) const {
    numbers result;
    for (const auto& x : kept)
      if (pattern.covers(key(x.subject)) && place.takes({x.at}, {x.successor}))
        result.push_back(x.at);
    return result;
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(whatever_is_published_it_agrees_with_a_plain_model) {
  const retention limits{.max_messages = 400, .max_age = 10s, .max_messages_per_subject = 40};
  message_log log{limits};
  model plain;
  std::mt19937_64 random{7};
  nanoseconds time{};
  std::uint64_t removed = 0;
  log.on_removed([&](const removed_message&) { ++removed; });
  const std::vector<std::string> patterns{">", "m.*", "m.k.*", "m.k.>", "m.s1", "m.k.s2", "m.none"};
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    time += milliseconds{random() % 30};
    const auto which = random() % 3 == 0 ? random() % 40 : random() % 4;
    const auto name = (which % 2 ? "m.s" : "m.k.s") + std::to_string(which);
    const auto wall = wall_start + time + (random() % 500 == 0 ? -5s : 0s);
    log.append(key(name), payload{"v"}, wall, start + time);
    plain.append({i, name, wall, start + time}, limits);
    if (random() % 10 == 0) {
      log.run_timers(start + time, 1'000);
      while (!plain.kept.empty() && plain.kept.front().when + limits.max_age <= start + time)
        plain.kept.pop_front();
    }
    BOOST_REQUIRE(log.size() == plain.kept.size());
    BOOST_REQUIRE(removed == i - plain.kept.size());
    if (i % 50 != 0)
      continue;
    const auto& pattern = patterns[random() % patterns.size()];
    const stream_place place{{i - random() % std::min<std::uint64_t>(i, 600)},
                             {random() % 2 ? 0 : i - random() % std::min<std::uint64_t>(i, 100)}};
    BOOST_REQUIRE(read(log, pattern, place, 1 + random() % 200) == plain.told(key(pattern), place));
    auto asked = from(stream_start::time, pattern);
    asked.since = wall_start + time - milliseconds{random() % 12'000};
    const auto first
      = std::ranges::find_if(plain.kept, [&](const auto& x) { return x.wall >= asked.since; });
    BOOST_REQUIRE(log.place_of(asked)->from.value
                  == (first == plain.kept.end() ? i + 1 : first->at));
  }
}

BOOST_AUTO_TEST_SUITE_END()
