// A connection that was lost for a moment: nothing goes quiet, and nothing is missed.

#pragma once

#include "trunnion/tests/conformance/durable_checks.hpp"
#include "trunnion/tests/conformance/request_checks.hpp"
#include "trunnion/tests/conformance/watch_checks.hpp"

namespace trunnion::test::interruption_checks {

/// What a watch makes its receiver believe: each key that exists, with its value. A key that a
/// fresh snapshot does not name has vanished.
inline std::map<std::string, std::string> believed(const told& x) {
  std::map<std::string, std::string> result;
  for (const auto& part : x.parts) {
    if (part.kind == part_kind::resync)
      result.clear();
    for (const auto& y : part.entries)
      if (y.is_live())
        result[y.subject.text()] = y.payload.bytes();
      else
        result.erase(y.subject.text());
  }
  return result;
}

using keys = std::map<std::string, std::string>;

inline void wait_for_belief(bench& b, client& by, watch_id id, const keys& expected) {
  b.wait_until([&] { return believed(by.of(id)) == expected; }, "the watch tells what is there");
}

CONFORMANCE(interruption, an_interrupted_watch_goes_on_and_never_goes_quiet) {
  b.a.create("a.k", "1");
  b.a.open_watch("a.>", 1);
  b.interrupt();
  b.a.put("a.k", "2");
  b.a.create("a.l", "1");
  wait_for_belief(b, b.a, 1, {{"a.k", "2"}, {"a.l", "1"}});
  b.interrupt();
  b.a.remove("a.k");
  wait_for_belief(b, b.a, 1, {{"a.l", "1"}});
  EXPECT(b.a.of(1).lost.empty());
}

CONFORMANCE(interruption, a_resync_is_followed_by_a_whole_snapshot) {
  for (int i = 0; i < 600; ++i)
    b.a.create("m.k" + std::to_string(i), "v");
  b.a.open_watch("m.*", 1);
  b.interrupt();
  b.a.create("m.last", "v");
  b.wait_until([&] { return believed(b.a.of(1)).size() == 601U; }, "all keys are told");
  const auto told = b.a.of(1);
  EXPECT(watch_checks::gapless(told));
  const auto resync = std::ranges::find(told.parts, part_kind::resync, &watch_part::kind);
  if (resync == told.parts.end())
    return; // It resumed by itself.
  EXPECT(told.count(part_kind::snapshot_end) == 2U);
  EXPECT(std::next(resync)->kind == part_kind::snapshot);
  EXPECT(resync->entries.empty());
}

CONFORMANCE(interruption, a_key_that_vanished_meanwhile_can_be_told) {
  auto slow = b.more(sink_manner::silent);
  b.a.create("a.k", "1");
  b.a.create("a.l", "1");
  slow.get(watch{slow.at("a.>"), 1, 2}); // The snapshot and its end.
  b.a.remove("a.k");
  b.interrupt();
  b.a.create("a.m", "1");
  slow.tell(watch_credit{1, 2, 16});
  wait_for_belief(b, slow, 1, {{"a.l", "1"}, {"a.m", "1"}});
}

CONFORMANCE(interruption, an_interruption_sends_nothing_without_credit) {
  auto slow = b.more(sink_manner::silent);
  b.a.create("a.k", "1");
  slow.get(watch{slow.at("a.>"), 1, 2});
  slow.tell(watch_credit{1, 2, 2});
  b.interrupt();
  b.a.put("a.k", "2");
  b.settle();
  EXPECT(slow.of(1).parts.size() == 2U);
  slow.tell(watch_credit{1, 2, 16});
  wait_for_belief(b, slow, 1, {{"a.k", "2"}});
}

CONFORMANCE(interruption, many_interruptions_in_a_row_end_well) {
  b.a.create("a.k", "0");
  b.a.open_watch("a.>", 1);
  for (int i = 1; i <= 10; ++i) {
    b.interrupt();
    b.a.put("a.k", std::to_string(i));
  }
  wait_for_belief(b, b.a, 1, {{"a.k", "10"}});
}

CONFORMANCE(interruption, an_interrupted_consumer_misses_nothing_and_repeats_nothing_seen) {
  b.a.get(consume{b.a.at("a.s"), 1, stream_start::only_new, 16});
  for (int i = 0; i < 20; ++i) {
    b.a.say("a.s", std::to_string(i));
    b.a.messages(1, static_cast<std::size_t>(i) + 1);
    if (i % 5 == 4)
      b.interrupt();
  }
  b.pass(1100ms);
  const auto messages = b.a.of(1).messages();
  REQUIRE(messages.size() == 20U);
  for (std::size_t i = 0; i < messages.size(); ++i)
    EXPECT(messages[i].payload.bytes() == std::to_string(i));
  EXPECT(b.a.of(1).lost.empty());
}

CONFORMANCE(interruption, an_interrupted_consumer_goes_on_after_what_its_sink_has_seen) {
  auto slow = b.more(sink_manner::silent);
  slow.get(consume{slow.at("a.s"), 1, stream_start::only_new, 4});
  for (int i = 0; i < 8; ++i)
    b.a.say("a.s", std::to_string(i));
  slow.messages(1, 4);
  slow.tell(stream_credit{1, 2, 4}); // Of four, it has seen two.
  b.interrupt();
  slow.tell(stream_credit{1, 2, 100});
  b.wait_until(
    [&] {
      const auto all = slow.of(1).messages();
      return !all.empty() && all.back().payload.bytes() == "7";
    },
    "the last message comes");
  std::set<std::string> seen;
  for (const auto& x : slow.of(1).messages())
    seen.emplace(x.payload.bytes());
  EXPECT(seen.size() == 8U); // Nothing is missing; what was unseen may have come twice.
}

CONFORMANCE(interruption, a_durable_consumer_keeps_its_name_and_its_place) {
  b.a.get(durable_checks::durably("a.s", "log"));
  const auto said = b.a.say("a.s", "1");
  b.a.messages(1, 1);
  b.a.get(stream_ack{"log", said});
  b.interrupt();
  const auto next = b.a.say("a.s", "2");
  EXPECT(stream_checks::texts(b.a.messages(1, 2)) == "a.s=1 a.s=2 ");
  EXPECT(b.a.get(stream_ack{"log", next}).up_to == next);
  EXPECT(b.status().durables == 1U);
}

CONFORMANCE(interruption, listeners_still_listen_afterwards) {
  auto server = b.more();
  server.echo("r.q");
  b.interrupt();
  EXPECT(b.a.call("r.q", "x") == "x");
  EXPECT(b.status().listeners == 1U);
}

CONFORMANCE(interruption, an_expiry_is_told_after_an_interruption_too) {
  b.a.open_watch("a.>", 1);
  b.a.create("a.k", "1", b.ttl());
  b.a.create("a.l", "1");
  b.interrupt();
  b.pass(b.ttl() + b.telling());
  wait_for_belief(b, b.a, 1, {{"a.l", "1"}});
}

CONFORMANCE(interruption, what_was_unwatched_stays_so) {
  b.a.open_watch("a.>", 1);
  b.a.tell(unwatch{1});
  const auto before = b.a.of(1).parts.size();
  b.interrupt();
  b.a.create("a.k", "1");
  b.pass(1500ms);
  EXPECT(b.a.of(1).parts.size() == before);
}

} // namespace trunnion::test::interruption_checks
