// Durable consumers: one live session for each name, resumed after what was acknowledged.

#pragma once

#include "trunnion/tests/conformance/stream_checks.hpp"

namespace trunnion::test::durable_checks {

using stream_checks::texts;

inline consume durably(std::string_view pattern, std::string name, watch_id id = 1,
                       stream_start start = stream_start::all, std::uint64_t credit = 16) {
  return {client::at(pattern), id, start, credit, {}, {}, std::move(name)};
}

/// Waits until the consumer is told that it is lost, and returns why.
inline failure lost(client& by, watch_id id = 1) {
  REQUIRE_FOR("it is told", by.wait(id, [](const told& x) { return !x.lost.empty(); }));
  EXPECT(by.of(id).lost.size() == 1U);
  return by.of(id).lost[0];
}

CONFORMANCE(durable, it_resumes_after_what_was_acknowledged) {
  auto first = b.more();
  for (int i = 0; i < 4; ++i)
    b.a.say("a.s", std::to_string(i));
  EXPECT(!first.get(durably("a.s", "log")).resumed);
  const auto seen = first.messages(1, 4);
  EXPECT(first.get(stream_ack{"log", seen[1].sequence}).up_to == seen[1].sequence);
  first.die();
  b.a.say("a.s", "4");
  auto second = b.more();
  const auto opened = second.get(durably("a.s", "log"));
  EXPECT(opened.resumed);
  EXPECT(opened.after == seen[1].sequence);
  EXPECT(texts(second.messages(1, 3)) == "a.s=2 a.s=3 a.s=4 ");
}

CONFORMANCE(durable, what_was_not_acknowledged_comes_again) {
  auto first = b.more();
  first.get(durably("a.s", "log"));
  b.a.say("a.s", "1");
  b.a.say("a.s", "2");
  first.messages(1, 2);
  first.die();
  auto second = b.more();
  second.get(durably("a.s", "log"));
  EXPECT(texts(second.messages(1, 2)) == "a.s=1 a.s=2 ");
}

CONFORMANCE(durable, what_was_acknowledged_never_comes_again) {
  auto first = b.more();
  first.get(durably("a.s", "log"));
  for (int i = 0; i < 5; ++i)
    b.a.say("a.s", std::to_string(i));
  const auto seen = first.messages(1, 5);
  first.get(stream_ack{"log", seen[4].sequence});
  b.a.say("a.s", "5");
  EXPECT(first.messages(1, 6).size() == 6U); // Not to the live one,
  b.pass(1100ms);
  EXPECT(first.of(1).messages().size() == 6U);
  first.get(stream_ack{"log", first.of(1).messages()[5].sequence});
  first.die();
  auto second = b.more();
  second.get(durably("a.s", "log"));
  b.a.say("a.s", "6");
  EXPECT(texts(second.messages(1, 1)) == "a.s=6 "); // nor to the next.
}

CONFORMANCE(durable, acknowledging_is_cumulative_and_does_not_go_back) {
  auto first = b.more();
  first.get(durably("a.s", "log"));
  for (int i = 0; i < 4; ++i)
    b.a.say("a.s", std::to_string(i));
  const auto seen = first.messages(1, 4);
  EXPECT(first.get(stream_ack{"log", seen[2].sequence}).up_to == seen[2].sequence);
  EXPECT(first.get(stream_ack{"log", seen[0].sequence}).up_to == seen[2].sequence);
  EXPECT(first.get(stream_ack{"log", {}}).up_to == seen[2].sequence);
  first.die();
  auto second = b.more();
  second.get(durably("a.s", "log"));
  EXPECT(texts(second.messages(1, 1)) == "a.s=3 ");
}

CONFORMANCE(durable, its_start_counts_only_when_it_is_new) {
  b.a.say("a.s", "old");
  auto first = b.more();
  first.get(durably("a.s", "log", 1, stream_start::only_new));
  b.a.say("a.s", "1");
  b.a.say("a.s", "2");
  const auto seen = first.messages(1, 2);
  EXPECT(texts(seen) == "a.s=1 a.s=2 ");
  first.get(stream_ack{"log", seen[0].sequence});
  first.tell(unconsume{1});
  b.a.say("a.s", "3");
  auto second = b.more();
  EXPECT(second.get(durably("a.s", "log", 1, stream_start::all)).resumed);
  EXPECT(texts(second.messages(1, 2)) == "a.s=2 a.s=3 ");
}

CONFORMANCE(durable, one_that_acknowledged_nothing_resumes_where_it_began) {
  b.a.say("a.s", "old");
  auto first = b.more();
  first.get(durably("a.s", "log", 1, stream_start::only_new));
  first.die();
  b.a.say("a.s", "1");
  auto second = b.more();
  EXPECT(second.get(durably("a.s", "log", 1, stream_start::only_new)).resumed);
  EXPECT(texts(second.messages(1, 1)) == "a.s=1 ");
}

CONFORMANCE(durable, a_second_session_takes_over_and_the_first_is_told) {
  auto first = b.more(), second = b.more();
  first.get(durably("a.s", "log"));
  b.a.say("a.s", "1");
  const auto seen = first.messages(1, 1);
  first.get(stream_ack{"log", seen[0].sequence});
  EXPECT(second.get(durably("a.s", "log", 7)).resumed);
  EXPECT(lost(first).code == error_code::consumer_taken);
  b.a.say("a.s", "2");
  EXPECT(texts(second.messages(7, 1)) == "a.s=2 ");
  b.settle();
  EXPECT(first.of(1).messages().size() == 1U);
  EXPECT(b.status().watches == 1U);
  EXPECT(b.status().durables == 1U);
}

CONFORMANCE(durable, the_same_session_under_another_id_takes_over_too) {
  b.a.get(durably("a.s", "log", 1));
  EXPECT(b.a.get(durably("a.s", "log", 2)).resumed);
  EXPECT(lost(b.a, 1).code == error_code::consumer_taken);
  b.a.say("a.s", "1");
  EXPECT(texts(b.a.messages(2, 1)) == "a.s=1 ");
  EXPECT(b.a.of(1).messages().empty());
  EXPECT(b.status().watches == 1U);
}

CONFORMANCE(durable, only_the_live_consumer_may_acknowledge) {
  auto first = b.more(), second = b.more();
  first.get(durably("a.s", "log"));
  const auto said = b.a.say("a.s", "1");
  first.messages(1, 1);
  EXPECT(second.refused(stream_ack{"log", said}).code == error_code::consumer_taken);
  second.get(durably("a.s", "log"));
  EXPECT(texts(second.messages(1, 1)) == "a.s=1 "); // It counted for nothing.
  EXPECT(first.refused(stream_ack{"log", said}).code == error_code::consumer_taken);
  EXPECT(second.get(stream_ack{"log", said}).up_to == said);
}

CONFORMANCE(durable, acknowledging_for_an_unknown_name_is_a_mistake) {
  EXPECT(b.a.refused(stream_ack{"log", {1}}).code == error_code::invalid_argument);
  EXPECT(b.status().durables == 0U);
}

CONFORMANCE(durable, another_pattern_under_a_known_name_is_refused_and_changes_nothing) {
  auto first = b.more(), second = b.more();
  first.get(durably("a.s", "log"));
  for (const auto* other : {"a.t", "a.*", "a.>", "s"})
    EXPECT_FOR(other, second.refused(durably(other, "log")).code == error_code::invalid_argument);
  b.a.say("a.s", "1");
  EXPECT(texts(first.messages(1, 1)) == "a.s=1 "); // It lives on.
  EXPECT(first.of(1).lost.empty());
}

CONFORMANCE(durable, its_name_is_short_and_plain) {
  for (const std::string name :
       {"has space", "dot.ted", "*", ">", "a/b", "a\nb", "\xc5\xbelu\xc5\xa5", "a=b"})
    EXPECT_FOR("'" + name + "'",
               b.a.refused(durably("a.s", name)).code == error_code::invalid_argument);
  EXPECT(b.a.refused(durably("a.s", std::string(max_durable_name + 1, 'x'))).code
         == error_code::invalid_argument);
  EXPECT(b.status().durables == 0U);
  watch_id id = 0;
  for (const auto& name : {std::string{"ok-_1"}, std::string(max_durable_name, 'x')})
    EXPECT_FOR(name, b.a.ask(durably("a.s", name, ++id)).has_value());
  EXPECT(b.status().durables == 2U);
}

CONFORMANCE(durable, an_empty_name_is_no_durable_consumer) {
  auto first = b.more(), second = b.more();
  first.get(durably("a.s", ""));
  second.get(durably("a.s", ""));
  b.a.say("a.s", "1");
  EXPECT(texts(first.messages(1, 1)) == "a.s=1 ");
  EXPECT(texts(second.messages(1, 1)) == "a.s=1 ");
  EXPECT(b.status().durables == 0U);
}

CONFORMANCE(durable, names_do_not_share_what_was_acknowledged) {
  b.a.get(durably("a.s", "one", 1));
  b.a.get(durably("a.s", "two", 2));
  const auto said = b.a.say("a.s", "1");
  b.a.messages(1, 1);
  b.a.messages(2, 1);
  b.a.get(stream_ack{"one", said});
  b.a.tell(unconsume{1});
  b.a.tell(unconsume{2});
  b.a.get(durably("a.s", "one", 3));
  b.a.get(durably("a.s", "two", 4));
  EXPECT(texts(b.a.messages(4, 1)) == "a.s=1 ");
  EXPECT(b.a.of(3).messages().empty());
}

CONFORMANCE(durable, its_place_is_kept_when_it_is_closed) {
  b.a.get(durably("a.s", "log"));
  const auto said = b.a.say("a.s", "1");
  b.a.messages(1, 1);
  b.a.get(stream_ack{"log", said});
  b.a.tell(unconsume{1});
  EXPECT(b.status().durables == 1U);
  EXPECT(b.status().watches == 0U);
  b.a.say("a.s", "2");
  b.a.get(durably("a.s", "log", 2));
  EXPECT(texts(b.a.messages(2, 1)) == "a.s=2 ");
}

CONFORMANCE(durable, dropping_it_forgets_its_place_and_tells_its_consumer) {
  auto first = b.more();
  first.get(durably("a.s", "log"));
  const auto said = b.a.say("a.s", "1");
  first.messages(1, 1);
  first.get(stream_ack{"log", said});
  EXPECT(b.a.get(drop_durable{"log"}).existed);
  EXPECT(lost(first).code == error_code::cancelled);
  EXPECT(!b.a.get(drop_durable{"log"}).existed);
  EXPECT(b.status().durables == 0U);
  auto second = b.more();
  EXPECT(!second.get(durably("a.s", "log")).resumed);
  EXPECT(texts(second.messages(1, 1)) == "a.s=1 "); // As a new one.
}

CONFORMANCE(durable, a_dropped_name_may_get_another_pattern) {
  b.a.get(durably("a.s", "log"));
  b.a.get(drop_durable{"log"});
  EXPECT(b.a.ask(durably("b.s", "log", 2)).has_value());
}

CONFORMANCE(durable, a_store_has_a_bounded_number_of_names) {
  watch_id id = 0;
  for (std::size_t i = 0; i < max_durables; ++i) {
    b.a.get(durably("a.s", "d" + std::to_string(i), ++id, stream_start::all, 0));
    b.a.tell(unconsume{id});
  }
  const auto error = b.a.refused(durably("a.s", "one-more", ++id));
  EXPECT(error.code == error_code::overloaded);
  EXPECT(b.status().durables == max_durables);
  EXPECT(b.a.ask(durably("a.s", "d7", ++id)).has_value()); // Known names go on.
  b.a.get(drop_durable{"d0"});
  EXPECT(b.a.ask(durably("a.s", "one-more", ++id)).has_value());
}

CONFORMANCE(durable, a_refused_opening_leaves_no_name) {
  b.a.open_watch("a.k", 1);
  EXPECT(b.a.refused(durably("a.s", "log", 1)).code == error_code::invalid_argument);
  EXPECT(b.status().durables == 0U);
}

} // namespace trunnion::test::durable_checks
