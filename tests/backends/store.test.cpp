#include "trunnion/backends/memory/store.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1h};

moment at(nanoseconds after) { return {start + after, wall_time{1'700'000'000s} + after}; }

subject key(std::string_view text) { return *subject::parse(text); }

struct fixture {
  memory_store store{epoch{7},
                     {.streams = {.max_bytes = 100, .max_messages = 5, .max_age = 1min},
                      .tombstones = {.most = 3, .max_age = 1h}}};

  void put(std::string_view to, nanoseconds when, std::optional<nanoseconds> ttl = std::nullopt) {
    BOOST_REQUIRE(store.keys.update({key(to), payload{"v"}, {}, ttl}, at(when)));
  }
  bool has(std::string_view x, nanoseconds when) {
    return store.keys.get({key(x)}, at(when)).has_value();
  }
  published say(std::string_view to, std::string text, nanoseconds when) {
    return *store.publish({key(to), payload{std::move(text)}}, at(when));
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(store_test, fixture)

BOOST_AUTO_TEST_CASE(a_key_that_nobody_touches_expires_when_timers_run) {
  std::vector<std::string> told;
  store.keys.listen([&](const subject& x, const key_store::record& r) {
    told.push_back(x.text() + (r.tombstone ? " gone" : ""));
  });
  put("a.k", 0s, 2s);
  put("a.l", 0s, 1s);
  BOOST_TEST((store.next_due() == start + 1s));
  store.run_timers(at(1s), 10);
  store.run_timers(at(2s), 10);
  BOOST_TEST(told == (std::vector<std::string>{"a.k", "a.l", "a.l gone", "a.k gone"}),
             boost::test_tools::per_element());
  BOOST_TEST(store.keys.expired() == 2U);
  BOOST_TEST(store.keys.live() == 0U);
}

BOOST_AUTO_TEST_CASE(keys_of_one_deadline_expire_in_the_order_of_their_writes) {
  std::string told;
  for (const auto* x : {"a.c", "a.a", "a.b", "a.d"})
    put(x, 0s, 1s);
  store.keys.listen([&](const subject& x, const auto&) { told += x.text() + " "; });
  store.run_timers(at(1s), 3); // In slices.
  BOOST_TEST(told == "a.c a.a a.b ");
  store.run_timers(at(1s), 3);
  BOOST_TEST(told == "a.c a.a a.b a.d ");
}

BOOST_AUTO_TEST_CASE(a_refreshed_key_is_looked_at_again_and_not_expired) {
  put("a.k", 0s, 1s);
  put("a.k", 900ms, 1s);
  store.run_timers(at(1s), 10);
  BOOST_TEST((store.next_due() == start + 1900ms));
  BOOST_TEST(has("a.k", 1899ms));
  BOOST_TEST(!has("a.k", 1900ms));
}

BOOST_AUTO_TEST_CASE(refreshing_leaves_nothing_behind) {
  for (int i = 0; i < 1'000; ++i)
    put("a.k", i * 1ms, i % 3 == 0 ? 1s : i % 3 == 1 ? 1h : 5ms);
  put("a.k", 1s);
  store.run_timers(at(2h), 1); // One place in the heap, however often it was written.
  BOOST_TEST(!store.next_due());
  BOOST_TEST(has("a.k", 3h));
}

BOOST_AUTO_TEST_CASE(the_oldest_tombstones_go_when_there_are_too_many) {
  const auto is_known = [&](std::string_view x) {
    const auto error = store.keys.get({key(x)}, at(1s)).error();
    return std::get<missing_key>(error.detail).deleted;
  };
  for (const auto* x : {"a.a", "a.b", "a.c", "a.d"}) {
    put(x, 0s);
    BOOST_REQUIRE(store.keys.remove({key(x), {}}, at(0s)));
  }
  BOOST_TEST(store.keys.tombstones() == 3U);
  BOOST_TEST(!is_known("a.a"));
  BOOST_TEST(is_known("a.b"));
  BOOST_TEST(is_known("a.d"));
}

BOOST_AUTO_TEST_CASE(tombstones_go_when_they_are_too_old) {
  put("a.k", 0s);
  BOOST_REQUIRE(store.keys.remove({key("a.k"), {}}, at(0s)));
  BOOST_TEST((store.next_due() == start + 1h));
  store.run_timers(at(1h), 10);
  BOOST_TEST(store.keys.tombstones() == 0U);
  BOOST_TEST(!store.next_due());
}

BOOST_AUTO_TEST_CASE(a_key_that_was_created_again_is_no_tombstone) {
  put("a.k", 0s);
  BOOST_REQUIRE(store.keys.remove({key("a.k"), {}}, at(0s)));
  put("a.k", 0s);
  BOOST_TEST(store.keys.tombstones() == 0U);
  store.run_timers(at(2h), 10);
  BOOST_TEST(has("a.k", 2h));
}

BOOST_AUTO_TEST_CASE(pages_together_are_the_picture) {
  for (int i = 0; i < 700; ++i)
    put("m." + std::string(i % 2 ? "x." : "") + "k" + std::to_string(i), 0s);
  for (const auto* pattern : {"m.>", ">", "m.*", "m.x.*", "m.k0"}) {
    std::vector<std::string> paged, whole;
    page_position position;
    for (bool last = false; !last;) {
      const auto page = store.keys.page(key(pattern), position, at(0s).now);
      BOOST_REQUIRE(page.entries.size() <= max_part_entries);
      for (const auto& x : page.entries)
        paged.push_back(x.subject.text());
      if (!page.entries.empty())
        position.behind = page.entries.back().subject;
      last = page.last;
    }
    for (const auto& x : store.keys.picture(key(pattern), at(0s).now))
      whole.push_back(x.subject.text());
    BOOST_TEST(paged == whole, boost::test_tools::per_element());
    BOOST_TEST(!whole.empty());
  }
}

BOOST_AUTO_TEST_CASE(an_expired_key_is_in_no_picture_even_if_no_timer_has_run) {
  put("a.k", 0s, 1s);
  put("a.l", 0s);
  BOOST_TEST(store.keys.picture(key("a.*"), at(1s).now).size() == 1U);
  BOOST_TEST(store.keys.page(key("a.*"), {}, at(1s).now).entries.size() == 1U);
  BOOST_TEST(store.keys.page(key("a.k"), {}, at(1s).now).entries.empty());
}

BOOST_AUTO_TEST_CASE(whatever_is_done_it_agrees_with_a_plain_map) {
  struct value {
    std::uint64_t at;
    instant until;
  };
  memory_store store{epoch{7}, {}};
  std::map<std::string, value> plain;
  std::mt19937_64 random{3};
  nanoseconds time{};
  std::uint64_t newest = 0;
  for (int step = 0; step < 20'000; ++step) {
    time += milliseconds{random() % 20};
    const auto now = start + time;
    const auto name = "a.k" + std::to_string(random() % 50);
    std::erase_if(plain, [&](const auto& x) { return x.second.until <= now; });
    const auto known = plain.find(name);
    const auto current = known == plain.end() ? 0 : known->second.at;
    const auto expected = random() % 3 == 0 ? std::nullopt
                          : random() % 3    ? std::optional{revision{current}}
                                            : std::optional{revision{random() % (newest + 2)}};
    const bool fits = !expected || expected->value == current;
    switch (random() % 4) {
    case 0: {
      const auto ttl = milliseconds{1 + random() % 500};
      const auto written = store.keys.update({key(name), payload{"v"}, expected, ttl}, at(time));
      BOOST_REQUIRE(written.has_value() == fits);
      if (written)
        plain[name] = {written->revision.value, now + ttl};
      break;
    }
    case 1: {
      const auto written = store.keys.update({key(name), payload{"v"}, expected, {}}, at(time));
      BOOST_REQUIRE(written.has_value() == fits);
      if (written)
        plain[name] = {written->revision.value, instant::max()};
      break;
    }
    case 2: {
      const bool deletes = !expected || (current != 0 && expected->value == current);
      BOOST_REQUIRE(store.keys.remove({key(name), expected}, at(time)).has_value() == deletes);
      if (deletes)
        plain.erase(name);
      break;
    }
    default:
      if (random() % 2)
        store.run_timers(at(time), random() % 10);
      const auto read = store.keys.get({key(name)}, at(time));
      BOOST_REQUIRE(read.has_value() == (current != 0));
      BOOST_REQUIRE((!read || read->entry.revision.value == current));
    }
    BOOST_REQUIRE(store.keys.newest().value >= newest);
    newest = store.keys.newest().value;
    if (step % 100 == 0)
      BOOST_REQUIRE(store.keys.picture(key("a.*"), now).size()
                    == static_cast<std::size_t>(std::ranges::count_if(
                      plain, [&](const auto& x) { return x.second.until > now; })));
  }
}

// -- streams ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_oldest_messages_go_when_there_are_too_many) {
  std::vector<std::uint64_t> removed;
  store.on_removed([&](const auto& x) { removed.push_back(x.message.sequence.value); });
  for (int i = 0; i < 7; ++i)
    say("a.s", "v", 0s);
  BOOST_TEST(removed == (std::vector<std::uint64_t>{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(store.log.oldest().value == 3U);
  BOOST_TEST(store.log.size() == 5U);
}

BOOST_AUTO_TEST_CASE(the_oldest_messages_go_when_they_are_too_large_together) {
  for (int i = 0; i < 3; ++i)
    say("a.s", std::string(40, 'x'), 0s);
  BOOST_TEST(store.log.size() == 2U);
  say("a.s", std::string(500, 'x'), 0s); // The newest stays, however large.
  BOOST_TEST(store.log.size() == 1U);
}

BOOST_AUTO_TEST_CASE(messages_go_when_they_are_too_old) {
  say("a.s", "1", 0s);
  say("a.s", "2", 30s);
  BOOST_TEST((store.next_due() == start + 1min));
  store.run_timers(at(1min), 10);
  BOOST_TEST(store.log.size() == 1U);
  store.run_timers(at(90s), 10);
  BOOST_TEST(store.log.size() == 0U);
  BOOST_TEST(say("a.s", "3", 2min).sequence.value == 3U); // Sequences go on.
}

BOOST_AUTO_TEST_CASE(a_place_before_the_oldest_message_reads_from_the_oldest) {
  for (int i = 0; i < 7; ++i)
    say(i % 2 ? "a.s" : "b.s", std::to_string(i), 0s);
  const auto batch = store.log.read(key("a.s"), {{1}, {}}, 100);
  BOOST_REQUIRE(batch.messages.size() == 2U);
  BOOST_TEST(batch.messages[0].sequence.value == 4U);
  BOOST_TEST(batch.at_tail);
  BOOST_TEST(batch.next.value == 8U);
}

BOOST_AUTO_TEST_CASE(reading_stops_after_so_many_steps_and_goes_on_from_there) {
  for (int i = 0; i < 4; ++i)
    say("b.s", "v", 0s);
  say("a.s", "mine", 0s);
  const auto first = store.log.read(key("a.*"), {{1}, {}}, 3);
  BOOST_TEST(first.messages.empty());
  BOOST_TEST(!first.at_tail);
  BOOST_TEST(first.pending == 2U);
  BOOST_TEST(store.log.read(key("a.*"), {first.next, {}}, 3).messages.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
