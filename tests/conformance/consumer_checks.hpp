// Consumers of streams: where they begin, what they may rely on, what retention took.

#pragma once

#include "trunnion/tests/conformance/stream_checks.hpp"

namespace trunnion::test::consumer_checks {

using stream_checks::texts;

inline constexpr setting keeps_five{.messages_kept = 5};

inline consume from_sequence(std::string_view pattern, watch_id id, std::uint64_t from) {
  return {client::at(pattern), id, stream_start::sequence, 16, {from}};
}

inline consume latest(std::string_view pattern, watch_id id, std::uint64_t credit = 16) {
  return {client::at(pattern), id, stream_start::latest, credit};
}

inline std::vector<std::uint64_t> sequences(const std::vector<stream_message>& all) {
  std::vector<std::uint64_t> result;
  for (const auto& x : all)
    result.push_back(x.sequence.value);
  return result;
}

/// Publishes the numbers from 0 to one stream.
inline std::vector<sequence> say_all(client& by, std::string_view to, std::size_t count) {
  std::vector<sequence> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(by.say(to, std::to_string(i)));
  return result;
}

/// Whether parts are numbered from 1 without a gap, their first copies at least.
inline bool gapless(const told& x) {
  std::uint64_t next = 1;
  for (const auto& part : x.stream_parts)
    if (part.seq == next)
      ++next;
    else if (part.seq > next)
      return false;
  return true;
}

// -- where they begin -------------------------------------------------------------

CONFORMANCE(consumer, the_default_start_is_new) {
  b.a.say("a.s", "old");
  consume x;
  x.pattern = b.a.at("a.s");
  x.id = 1;
  x.credit = 8;
  b.a.get(x);
  b.a.say("a.s", "new");
  EXPECT(texts(b.a.messages(1, 1)) == "a.s=new ");
}

CONFORMANCE(consumer, a_start_at_a_sequence_includes_that_message) {
  const auto all = say_all(b.a, "a.s", 4);
  const auto opened = b.a.get(from_sequence("a.s", 1, all[2].value));
  EXPECT(opened.after == all[1]);
  EXPECT(!opened.resumed);
  EXPECT(texts(b.a.messages(1, 2)) == "a.s=2 a.s=3 ");
}

CONFORMANCE(consumer, a_start_below_one_is_all) {
  say_all(b.a, "a.s", 3);
  b.a.get(from_sequence("a.s", 1, 0));
  b.a.get(from_sequence("a.s", 2, 1));
  EXPECT(texts(b.a.messages(1, 3)) == "a.s=0 a.s=1 a.s=2 ");
  EXPECT(texts(b.a.messages(2, 3)) == "a.s=0 a.s=1 a.s=2 ");
}

CONFORMANCE(consumer, a_start_past_the_end_waits_for_it) {
  const auto last = say_all(b.a, "a.s", 2).back().value;
  const auto opened = b.a.get(from_sequence("a.s", 1, last + 3));
  EXPECT(opened.after.value == last + 2);
  b.a.say("a.s", "too early 1");
  b.a.say("a.s", "too early 2");
  b.a.say("a.s", "awaited");
  b.a.say("a.s", "next");
  EXPECT(texts(b.a.messages(1, 2)) == "a.s=awaited a.s=next ");
}

CONFORMANCE(consumer, sequences_are_shared_by_all_subjects) {
  const auto other = b.a.say("b.s", "1");
  b.a.say("a.s", "2");
  b.a.get(from_sequence("a.s", 1, other.value));
  EXPECT(texts(b.a.messages(1, 1)) == "a.s=2 ");
}

CONFORMANCE(consumer, a_start_at_a_time_begins_with_the_first_message_not_before_it) {
  b.a.say("a.s", "before");
  b.pass(200ms);
  const auto since = b.where->wall();
  b.pass(200ms);
  b.a.say("a.s", "after 1");
  b.a.say("a.s", "after 2");
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::time, 8, {}, since});
  EXPECT(texts(b.a.messages(1, 2)) == "a.s=after 1 a.s=after 2 ");
}

CONFORMANCE(consumer, the_time_of_a_message_itself_includes_it) {
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::all, 8});
  b.a.say("a.s", "1");
  b.pass(200ms);
  b.a.say("a.s", "2");
  const auto time = b.a.messages(1, 2)[1].time;
  b.a.get(consume{b.a.at("a.s"), 2, stream_start::time, 8, {}, time});
  EXPECT(texts(b.a.messages(2, 1)) == "a.s=2 ");
}

CONFORMANCE(consumer, a_time_long_ago_is_all_and_one_to_come_is_what_comes_next) {
  b.a.say("a.s", "1");
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::time, 8, {}, b.where->wall() - 1h});
  b.a.get(consume{b.a.at("a.s"), 2, stream_start::time, 8, {}, b.where->wall() + 1h});
  b.a.get(consume{b.a.at("a.s"), 3, stream_start::time, 8, {}, wall_time{}});
  b.a.say("a.s", "2");
  EXPECT(texts(b.a.messages(1, 2)) == "a.s=1 a.s=2 ");
  EXPECT(texts(b.a.messages(2, 1)) == "a.s=2 ");
  EXPECT(texts(b.a.messages(3, 2)) == "a.s=1 a.s=2 ");
}

CONFORMANCE(consumer, latest_is_the_last_message_of_each_subject_in_order_of_sequence) {
  for (const auto* x : {"b", "a", "b", "c", "a"})
    b.a.say("d." + std::string{x}, x);
  b.a.say("d.e.deeper", "x");
  b.a.get(latest("d.*", 1));
  b.a.get(latest("d.>", 2));
  EXPECT(texts(b.a.messages(1, 3)) == "d.b=b d.c=c d.a=a ");
  EXPECT(texts(b.a.messages(2, 4)) == "d.b=b d.c=c d.a=a d.e.deeper=x ");
}

CONFORMANCE(consumer, latest_goes_on_with_what_follows_and_tells_none_twice) {
  b.a.say("d.a", "old");
  b.a.say("d.a", "1");
  b.a.say("d.b", "2");
  b.a.get(latest("d.*", 1));
  b.a.say("d.a", "3");
  b.a.say("d.c", "4");
  const auto messages = b.a.messages(1, 4);
  EXPECT(texts(messages) == "d.a=1 d.b=2 d.a=3 d.c=4 ");
  b.pass(1100ms);
  EXPECT(b.a.of(1).messages().size() == 4U);
}

CONFORMANCE(consumer, latest_of_a_slow_sink_tells_none_twice_either) {
  auto slow = b.more(sink_manner::silent);
  for (int i = 0; i < 300; ++i)
    b.a.say("d.k" + std::to_string(i), "old");
  slow.get(latest("d.*", 1, 1));
  b.a.say("d.k299", "new"); // While its last one has not been told yet.
  slow.tell(stream_credit{1, 1, 16});
  b.wait_until(
    [&] {
      const auto all = slow.of(1).messages();
      return !all.empty() && all.back().payload.bytes() == "new";
    },
    "the newest message comes");
  std::uint64_t before = 0;
  for (const auto x : sequences(slow.of(1).messages())) {
    EXPECT(before < x); // Neither twice nor out of order.
    before = x;
  }
}

CONFORMANCE(consumer, latest_where_nothing_was_published_waits) {
  b.a.get(latest("d.a", 1));
  b.settle();
  EXPECT(b.a.of(1).messages().empty());
  b.a.say("d.a", "1");
  EXPECT(texts(b.a.messages(1, 1)) == "d.a=1 ");
}

CONFORMANCE(consumer, what_is_opened_says_what_will_not_come) {
  const auto all = say_all(b.a, "a.s", 3);
  const auto opened = [&](stream_start start, watch_id id) {
    return b.a.get(consume{b.a.at("a.s"), id, start, 16}).after;
  };
  EXPECT(opened(stream_start::only_new, 1) == all[2]);
  EXPECT(opened(stream_start::all, 2).value == all[0].value - 1);
  EXPECT(opened(stream_start::latest, 3) == all[2]);
}

// -- order and flow -----------------------------------------------------------------

CONFORMANCE(consumer, history_comes_in_the_order_of_sequences_whatever_the_subjects) {
  for (int i = 0; i < 30; ++i)
    b.a.say(std::string{"a."} + "xyz"[i % 3], std::to_string(i));
  b.a.get(consume{b.a.at("a.*"), 1, stream_start::all, 16});
  const auto messages = b.a.messages(1, 30);
  EXPECT(messages.size() == 30U);
  for (std::size_t i = 1; i < messages.size(); ++i)
    EXPECT(messages[i - 1].sequence < messages[i].sequence);
}

CONFORMANCE(consumer, history_and_what_follows_meet_without_a_gap_or_a_repetition) {
  say_all(b.a, "a.s", 700);
  auto slow = b.more(sink_manner::silent);
  slow.get(consume{slow.at("a.s"), 1, stream_start::all, 1});
  for (int i = 700; i < 720; ++i)
    b.a.say("a.s", std::to_string(i));
  slow.tell(stream_credit{1, 1, 100});
  const auto messages = slow.messages(1, 720);
  REQUIRE(messages.size() == 720U);
  for (std::size_t i = 0; i < messages.size(); ++i)
    REQUIRE(messages[i].payload.bytes() == std::to_string(i));
  EXPECT(gapless(slow.of(1)));
}

CONFORMANCE(consumer, parts_have_a_bounded_size) {
  for (int i = 0; i < 5; ++i)
    b.a.say("a.s", std::string(100'000, 'x'));
  say_all(b.a, "a.s", 600);
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::all, 16});
  EXPECT(b.a.messages(1, 605).size() == 605U);
  for (const auto& part : b.a.of(1).stream_parts) {
    std::size_t bytes = 0;
    for (const auto& x : part.messages)
      bytes += x.payload.size();
    EXPECT(bytes <= max_part_bytes);
    EXPECT(part.messages.size() <= max_part_entries);
  }
}

CONFORMANCE(consumer, parts_name_the_epoch_and_say_how_many_may_follow) {
  say_all(b.a, "a.s", 600);
  b.a.say("b.s", "not mine");
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::all, 16});
  b.a.messages(1, 600);
  std::uint64_t left = 600;
  for (const auto& part : b.a.of(1).stream_parts) {
    EXPECT(part.epoch == b.status().epoch);
    left -= part.messages.size();
    EXPECT(part.pending >= left);
  }
  b.a.get(consume{b.a.at("b.s"), 2, stream_start::all, 16});
  b.a.messages(2, 1);
  EXPECT(b.a.of(2).stream_parts.back().pending == 0U); // It has caught up.
}

CONFORMANCE(consumer, a_consumer_is_sent_no_more_parts_than_were_granted) {
  auto slow = b.more(sink_manner::silent);
  slow.get(consume{slow.at("a.s"), 1, stream_start::only_new, 2});
  say_all(b.a, "a.s", 10);
  b.settle();
  EXPECT(slow.of(1).stream_parts.size() == 2U);
  slow.tell(stream_credit{1, 2, 3});
  EXPECT(slow.messages(1, 10).size() == 10U); // The rest in one part.
  EXPECT(slow.of(1).stream_parts.size() == 3U);
}

CONFORMANCE(consumer, a_lost_grant_of_a_consumer_is_made_good_by_the_next) {
  auto slow = b.more(sink_manner::silent);
  slow.get(consume{slow.at("a.s"), 1, stream_start::only_new, 1});
  b.a.say("a.s", "0");
  slow.messages(1, 1);
  slow.tell(stream_credit{1, 1, 6}); // The grants up to 3 were lost,
  slow.tell(stream_credit{1, 1, 3}); // and come late.
  for (int i = 1; i < 6; ++i)
    b.a.say("a.s", std::to_string(i));
  EXPECT(slow.messages(1, 6).size() == 6U);
}

CONFORMANCE(consumer, a_consumer_that_missed_a_part_gets_it_again_when_it_asks) {
  auto slow = b.more(sink_manner::silent);
  slow.get(consume{slow.at("a.s"), 1, stream_start::only_new, 8});
  say_all(b.a, "a.s", 4);
  slow.messages(1, 4);
  slow.tell(rewatch{1, 3});
  REQUIRE(slow.wait(1, [](const told& x) { return x.stream_parts.size() == 6; }));
  const auto parts = slow.of(1).stream_parts;
  EXPECT((parts[4] == parts[2]));
  EXPECT((parts[5] == parts[3]));
}

CONFORMANCE(consumer, a_sink_that_vanishes_leaves_nothing_unseen) {
  auto slow = b.more(sink_manner::silent);
  slow.get(consume{slow.at("a.s"), 1, stream_start::only_new, 8});
  say_all(b.a, "a.s", 4);
  b.settle();
  EXPECT(b.status().unseen_parts == 4U);
  slow.die();
  b.wait_until([&] { return b.status().unseen_parts == 0U; }, "the parts are forgotten");
  EXPECT(b.status().watches == 0U);
}

CONFORMANCE(consumer, every_acknowledged_message_is_there) {
  auto writer = b.more();
  std::vector<publish> all;
  for (int i = 0; i < 100; ++i)
    all.push_back({writer.at("a.s"), payload{std::to_string(i)}});
  const auto answers = writer.ask_at_once(std::move(all));
  writer.wait_for(answers);
  std::vector<std::uint64_t> acknowledged;
  for (const auto& x : answers)
    acknowledged.push_back(x.get()->sequence.value);
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::all, 16});
  const auto messages = b.a.messages(1, 100);
  EXPECT((sequences(messages) == acknowledged));
  for (int i = 0; i < 100; ++i)
    EXPECT(messages[static_cast<std::size_t>(i)].payload.bytes() == std::to_string(i));
}

// -- retention ----------------------------------------------------------------------

CONFORMANCE(retention, what_was_removed_before_it_was_read_is_announced, keeps_five) {
  b.needs(b.of.keeps_few_messages, "its retention cannot be set");
  auto slow = b.more(sink_manner::silent);
  slow.get(consume{slow.at("a.s"), 1, stream_start::only_new, 1});
  say_all(b.a, "a.s", 12); // The first is told at once.
  slow.tell(stream_credit{1, 1, 9});
  EXPECT(texts(slow.messages(1, 6)) == "a.s=0 a.s=7 a.s=8 a.s=9 a.s=10 a.s=11 ");
  std::uint64_t skipped = 0;
  for (const auto& part : slow.of(1).stream_parts)
    skipped += part.skipped;
  EXPECT(skipped == 6U);
}

CONFORMANCE(retention, only_messages_of_the_consumer_count_as_skipped, keeps_five) {
  b.needs(b.of.keeps_few_messages, "its retention cannot be set");
  auto slow = b.more(sink_manner::silent);
  slow.get(consume{slow.at("a.s"), 1, stream_start::only_new, 0});
  for (int i = 0; i < 6; ++i) {
    b.a.say("a.s", std::to_string(i));
    b.a.say("b.s", "not mine");
  }
  slow.tell(stream_credit{1, 0, 9});
  EXPECT(texts(slow.messages(1, 2)) == "a.s=4 a.s=5 ");
  EXPECT(slow.of(1).stream_parts[0].skipped == 4U);
}

CONFORMANCE(retention, no_more_than_the_bound_is_kept, keeps_five) {
  b.needs(b.of.keeps_few_messages, "its retention cannot be set");
  say_all(b.a, "a.s", 12);
  EXPECT(b.status().messages == 5U);
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::all, 16});
  EXPECT(texts(b.a.messages(1, 5)) == "a.s=7 a.s=8 a.s=9 a.s=10 a.s=11 ");
}

CONFORMANCE(retention, a_durable_consumer_is_told_what_it_lost_while_it_was_away, keeps_five) {
  b.needs(b.of.keeps_few_messages, "its retention cannot be set");
  auto first = b.more();
  first.get(consume{first.at("a.s"), 1, stream_start::only_new, 8, {}, {}, "log"});
  const auto seen = b.a.say("a.s", "0");
  first.messages(1, 1);
  first.get(stream_ack{"log", seen});
  first.die();
  for (int i = 1; i < 12; ++i)
    b.a.say("a.s", std::to_string(i));
  auto second = b.more();
  EXPECT(
    second.get(consume{second.at("a.s"), 1, stream_start::only_new, 8, {}, {}, "log"}).resumed);
  EXPECT(texts(second.messages(1, 5)) == "a.s=7 a.s=8 a.s=9 a.s=10 a.s=11 ");
  std::uint64_t skipped = 0;
  for (const auto& part : second.of(1).stream_parts)
    skipped += part.skipped;
  EXPECT(skipped == 6U);
}

// -- listing ------------------------------------------------------------------------

inline std::string listed(client& by, const list_streams& x) {
  std::string result;
  for (const auto& y : by.get(x).subjects)
    result += y.text() + " ";
  return result;
}

CONFORMANCE(stream_list, a_listing_names_the_subjects_that_have_messages) {
  const auto dev = *entity::parse("dev");
  EXPECT(listed(b.a, {dev}).empty());
  for (const auto* x : {"dev.b", "dev.a", "dev.b", "dev._EVENTS", "dev.kid.x", "devil.z"})
    b.a.say(x, "v");
  b.a.get(consume{b.a.at("dev.quiet"), 1, stream_start::only_new, 8}); // Makes no stream.
  const auto all = b.a.get(list_streams{dev});
  EXPECT(!all.more);
  REQUIRE(all.subjects.size() == 3U);
  EXPECT(std::ranges::is_sorted(all.subjects));
  EXPECT(
    (std::set<std::string>{all.subjects[0].text(), all.subjects[1].text(), all.subjects[2].text()}
     == std::set<std::string>{"dev.a", "dev.b", "dev._EVENTS"}));
  EXPECT(std::ranges::any_of(all.subjects,
                             [](const auto& x) { return x.kind() == property_kind::events; }));
}

CONFORMANCE(stream_list, a_shallow_listing_has_no_grandchildren_and_a_deep_one_has) {
  for (const auto* x : {"dev.a", "dev.kid.x", "dev.kid.kid.y", "other.z", "top"})
    b.a.say(x, "v");
  const auto dev = *entity::parse("dev");
  EXPECT(listed(b.a, {dev}) == "dev.a ");
  EXPECT(listed(b.a, {dev, true}) == "dev.a dev.kid.x dev.kid.kid.y "
         || listed(b.a, {dev, true}) == "dev.a dev.kid.kid.y dev.kid.x ");
  EXPECT(listed(b.a, {entity{}}) == "top ");
  EXPECT(b.a.get(list_streams{entity{}, true}).subjects.size() == 5U);
}

CONFORMANCE(stream_list, a_long_listing_comes_page_by_page) {
  std::set<std::string> expected;
  for (int i = 0; i < 25; ++i) {
    b.a.say("dev.k" + std::to_string(i), "v");
    expected.insert("dev.k" + std::to_string(i));
  }
  list_streams x{*entity::parse("dev"), false, {}, 10};
  std::set<std::string> found;
  std::optional<subject> before;
  std::size_t pages = 0;
  for (bool more = true; more; ++pages) {
    REQUIRE(pages < 4U);
    const auto page = b.a.get(x);
    EXPECT(page.subjects.size() <= 10U);
    for (const auto& y : page.subjects) {
      EXPECT((!before || *before < y));
      EXPECT(found.insert(y.text()).second);
      before = y;
    }
    more = page.more;
    x.after = before;
  }
  EXPECT(pages == 3U);
  EXPECT((found == expected));
}

CONFORMANCE(stream_list, one_answer_has_a_bounded_number_of_subjects) {
  for (std::uint32_t i = 0; i < max_listed_streams + 5; ++i)
    b.a.say("dev.k" + std::to_string(i), "v");
  const auto all = b.a.get(list_streams{*entity::parse("dev"), false, {}, 5'000});
  EXPECT(all.subjects.size() == max_listed_streams);
  EXPECT(all.more);
}

CONFORMANCE(stream_list, a_subject_whose_messages_are_all_gone_is_not_listed, keeps_five) {
  b.needs(b.of.keeps_few_messages, "its retention cannot be set");
  b.a.say("dev.old", "v");
  say_all(b.a, "dev.new", 5);
  EXPECT(listed(b.a, {*entity::parse("dev")}) == "dev.new ");
}

} // namespace trunnion::test::consumer_checks
