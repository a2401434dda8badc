// Streams: appended, kept, read in order.

#pragma once

#include "trunnion/tests/conformance/conformance.hpp"

namespace trunnion::test::stream_checks {

inline std::string texts(const std::vector<stream_message>& messages) {
  std::string result;
  for (const auto& x : messages)
    result += x.subject.text() + "=" + std::string{x.payload.bytes()} + " ";
  return result;
}

CONFORMANCE(stream, sequences_count_the_messages_of_the_store) {
  const auto one = b.a.say("a.s", "1"), two = b.a.say("b.s", "2"), three = b.a.say("a.s", "3");
  EXPECT(one.value >= 1U);
  EXPECT(two.value == one.value + 1);
  EXPECT(three.value == two.value + 1);
}

CONFORMANCE(stream, a_new_consumer_gets_nothing_old_and_everything_new) {
  const auto old = b.a.say("a.s", "old");
  const auto opened = b.a.get(consume{b.a.at("a.s"), 1, stream_start::only_new, 8});
  EXPECT(opened.after == old);
  b.a.say("a.s", "1");
  b.a.say("a.s", "2");
  EXPECT(texts(b.a.messages(1, 2)) == "a.s=1 a.s=2 ");
}

CONFORMANCE(stream, a_consumer_of_all_gets_history_and_then_what_follows) {
  b.a.say("a.s", "1");
  b.a.say("b.s", "not mine");
  b.a.say("a.s", "2");
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::all, 8});
  b.a.messages(1, 2);
  b.a.say("a.s", "3");
  const auto messages = b.a.messages(1, 3);
  EXPECT(texts(messages) == "a.s=1 a.s=2 a.s=3 ");
  for (std::size_t i = 1; i < messages.size(); ++i)
    EXPECT(messages[i - 1].sequence < messages[i].sequence);
}

CONFORMANCE(stream, a_message_carries_its_sequence_and_the_stores_time) {
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::all, 8});
  const auto before = b.where->wall();
  const auto sequence = b.a.say("a.s", "v");
  const auto message = b.a.messages(1, 1)[0];
  EXPECT(message.sequence == sequence);
  EXPECT(message.time >= before);
  EXPECT(message.time <= b.where->wall());
}

CONFORMANCE(stream, an_empty_store_is_consumed_from_what_comes_first) {
  const auto opened = b.a.get(consume{b.a.at("a.s"), 1, stream_start::all, 8});
  EXPECT(opened.after.value == 0U);
  b.a.say("a.s", "1");
  EXPECT(texts(b.a.messages(1, 1)) == "a.s=1 ");
}

CONFORMANCE(stream, events_are_a_stream_address) {
  const subject events{*entity::parse("a"), property::events()};
  b.a.get(consume{events, 1, stream_start::only_new, 8});
  b.a.get(consume{b.a.at("a.*"), 2, stream_start::only_new, 8});
  b.a.get(publish{events, payload{"v"}});
  EXPECT(texts(b.a.messages(1, 1)) == "a._EVENTS=v ");
  EXPECT(texts(b.a.messages(2, 1)) == "a._EVENTS=v ");
}

CONFORMANCE(stream, patterns_consume_what_they_cover_in_one_order) {
  b.a.say("a.s", "1");
  b.a.say("a.b.s", "2");
  b.a.say("a-b.s", "beside");
  b.a.say("a.t", "3");
  b.a.get(consume{b.a.at("a.>"), 1, stream_start::all, 8});
  b.a.get(consume{b.a.at("a.*"), 2, stream_start::all, 8});
  b.a.get(consume{b.a.at(">"), 3, stream_start::all, 8});
  b.a.say("a.b.c.s", "4");
  EXPECT(texts(b.a.messages(1, 4)) == "a.s=1 a.b.s=2 a.t=3 a.b.c.s=4 ");
  EXPECT(texts(b.a.messages(2, 2)) == "a.s=1 a.t=3 ");
  EXPECT(b.a.messages(3, 5).size() == 5U);
}

CONFORMANCE(stream, what_is_no_stream_is_refused) {
  const auto dev = *entity::parse("a");
  for (const auto& prop :
       {property::none(), property::all_properties(), property::all_descendants()})
    EXPECT(
      (b.a.refused(publish{subject{dev, prop}, payload{"v"}}).code == error_code::invalid_subject));
  EXPECT(b.a.refused(consume{subject{dev, property::none()}, 1, stream_start::all, 8}).code
         == error_code::invalid_subject);
  const payload over{std::string(b.can.max_payload + 1, 'x')};
  EXPECT(b.a.refused(publish{b.a.at("a.s"), over}).code == error_code::payload_too_large);
}

CONFORMANCE(stream, every_consumer_gets_every_message) {
  std::vector<client> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(b.more());
    clients.back().get(consume{b.a.at("a.s"), 1, stream_start::only_new, 8});
  }
  for (int i = 0; i < 20; ++i)
    b.a.say("a.s", std::to_string(i));
  for (auto& x : clients)
    EXPECT(x.messages(1, 20).size() == 20U);
}

CONFORMANCE(stream, a_slow_consumer_loses_nothing_that_is_kept) {
  auto slow = b.more(sink_manner::silent);
  slow.get(consume{slow.at("a.s"), 1, stream_start::only_new, 1});
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    b.a.say("a.s", std::to_string(i));
    b.a.say("b.s", "not mine");
    expected += "a.s=" + std::to_string(i) + " ";
  }
  EXPECT(slow.of(1).stream_parts.size() == 1U);
  slow.tell(stream_credit{1, 1, 100});
  EXPECT(texts(slow.messages(1, 300)) == expected);
  for (const auto& part : slow.of(1).stream_parts) {
    EXPECT(part.skipped == 0U);
    EXPECT(part.messages.size() <= max_part_entries);
  }
}

CONFORMANCE(stream, without_credit_no_message_is_sent) {
  auto slow = b.more(sink_manner::silent);
  b.a.say("a.s", "1");
  slow.get(consume{slow.at("a.s"), 1, stream_start::all, 0});
  b.a.say("a.s", "2");
  b.pass(3s);
  EXPECT(slow.of(1).stream_parts.empty());
  slow.tell(stream_credit{1, 0, 1});
  EXPECT(texts(slow.messages(1, 2)) == "a.s=1 a.s=2 ");
}

CONFORMANCE(stream, a_part_that_was_not_seen_is_sent_again) {
  auto slow = b.more(sink_manner::silent);
  slow.get(consume{slow.at("a.s"), 1, stream_start::only_new, 8});
  b.a.say("a.s", "1");
  b.wait_until([&] { return slow.of(1).stream_parts.size() >= 2; }, "it is sent again");
  const auto parts = slow.of(1).stream_parts;
  EXPECT(parts[0] == parts[1]);
  slow.tell(stream_credit{1, 1, 8});
  b.pass(3s);
  EXPECT(slow.of(1).stream_parts.size() == 2U);
}

CONFORMANCE(stream, nothing_comes_after_unconsume) {
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::only_new, 8});
  b.a.tell(unconsume{1});
  b.a.say("a.s", "1");
  b.pass(2s);
  EXPECT(b.a.of(1).stream_parts.empty());
  EXPECT(b.status().watches == 0U);
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::all, 8}); // The id is free again.
  EXPECT(texts(b.a.messages(1, 1)) == "a.s=1 ");
}

CONFORMANCE(stream, keys_and_streams_of_one_name_are_apart) {
  b.a.create("a.s", "key");
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::all, 8});
  b.a.open_watch("a.s", 2);
  b.a.say("a.s", "message");
  EXPECT(texts(b.a.messages(1, 1)) == "a.s=message ");
  EXPECT(b.a.of(2).changes().empty());
  EXPECT(b.a.read("a.s").payload.bytes() == "key");
}

} // namespace trunnion::test::stream_checks
