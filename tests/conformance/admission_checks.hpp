// Bounds: no client takes more than its share, and every refusal is said and counted.

#pragma once

#include "trunnion/tests/conformance/conformance.hpp"

namespace trunnion::test::admission_checks {

inline constexpr limits tight{.operations_per_client = 5'000, .watches_per_client = 20};

/// `count` writes of one client, sent at once.
inline std::vector<client::pending<kv_written>> flood(client& by, int count, bool one_key) {
  std::vector<kv_update> all;
  for (int i = 0; i < count; ++i)
    all.push_back(
      {by.at(one_key ? "f.k" : "f.k" + std::to_string(i)), payload{std::to_string(i)}, {}, {}});
  return by.ask_at_once(std::move(all));
}

CONFORMANCE(admission, a_client_with_too_much_in_flight_is_refused_and_the_rest_is_done, tight) {
  auto greedy = b.more();
  const auto answers = flood(greedy, 20'000, false);
  greedy.wait_for(answers);
  std::uint64_t done = 0, refused = 0;
  for (const auto& x : answers) {
    const auto answer = x.get();
    answer ? ++done : ++refused;
    if (!answer) {
      REQUIRE(answer.error().code == error_code::overloaded);
      REQUIRE(answer.error().certainty == certainty::not_applied);
    }
  }
  EXPECT(done >= tight.operations_per_client);
  EXPECT((refused > 0 || b.where->slack() > 0ns)); // In real time it may keep up.
  EXPECT(b.status().refused == refused);
  EXPECT(b.status().keys == done);
  EXPECT(b.status().queued == 0U);
}

CONFORMANCE(admission, a_flood_of_one_client_does_not_hold_up_another) {
  auto greedy = b.more(), other = b.more();
  const auto answers = flood(greedy, 9'000, true);
  const auto mine = other.ask_later(kv_update{other.at("o.k"), payload{"v"}, {}, {}});
  greedy.wait_for(answers);
  REQUIRE(b.where->wait_until([&] { return mine.ready(); }, client::patience));
  REQUIRE(mine.get().has_value());
  // Long before the flood was done; in real time nobody knows when it was sent.
  EXPECT((mine.get()->revision.value < 3'000U || b.where->slack() > 0ns));
}

CONFORMANCE(admission, the_order_of_one_clients_operations_is_kept_under_load) {
  auto greedy = b.more();
  const auto answers = flood(greedy, 9'000, true);
  greedy.wait_for(answers);
  revision before;
  for (const auto& x : answers) {
    REQUIRE(x.get()->revision > before);
    before = x.get()->revision;
  }
  EXPECT(b.a.read("f.k").payload.bytes() == "8999");
}

CONFORMANCE(admission, what_is_told_under_load_keeps_its_place_among_the_operations) {
  auto greedy = b.more();
  const auto answers = flood(greedy, 5'000, true);
  const auto opened = greedy.ask_later(watch{greedy.at("f.k"), 1, 8});
  greedy.tell(unwatch{1}); // Must not overtake what it ends.
  greedy.wait_for(answers);
  EXPECT(opened.get().has_value());
  EXPECT(b.status().watches == 0U);
}

CONFORMANCE(admission, a_producer_that_outruns_the_engine_is_refused_and_loses_nothing, tight) {
  auto greedy = b.more();
  std::vector<publish> all;
  for (int i = 0; i < 20'000; ++i)
    all.push_back({greedy.at("f.s"), payload{std::to_string(i)}});
  const auto answers = greedy.ask_at_once(std::move(all));
  greedy.wait_for(answers);
  std::vector<sequence> acknowledged;
  for (const auto& x : answers)
    if (const auto answer = x.get())
      acknowledged.push_back(answer->sequence);
    else
      REQUIRE(answer.error().code == error_code::overloaded);
  EXPECT((acknowledged.size() < answers.size() || b.where->slack() > 0ns)); // As above.
  EXPECT(std::ranges::is_sorted(acknowledged));
  b.a.get(consume{b.a.at("f.s"), 1, stream_start::all, 16});
  std::vector<sequence> kept;
  for (const auto& x : b.a.messages(1, acknowledged.size()))
    kept.push_back(x.sequence);
  EXPECT((kept == acknowledged));
}

CONFORMANCE(admission, too_many_watches_of_one_session_are_refused, tight) {
  for (watch_id id = 1; id <= tight.watches_per_client; ++id)
    b.a.get(watch{b.a.at("a.k"), id, 4});
  const auto error = b.a.refused(watch{b.a.at("a.k"), 100, 4});
  EXPECT(error.code == error_code::overloaded);
  EXPECT(b.a.refused(consume{b.a.at("a.k"), 100, stream_start::all, 4}).code
         == error_code::overloaded);
  EXPECT(b.status().refused == 2U);
  auto other = b.more();
  other.open_watch("a.k", 1);
  b.a.tell(unwatch{1});
  EXPECT(b.a.ask(watch{b.a.at("a.k"), 100, 4}).has_value());
}

CONFORMANCE(admission, what_nobody_sends_cannot_be_told_to_anybody) {
  const auto to = caf::actor_cast<caf::actor>(b.where->engine());
  caf::anon_send(to, watch{client::at("a.k"), 1, 4});
  caf::anon_send(to, kv_list{client::at("a.k"), 1, 4});
  caf::anon_send(to, consume{client::at("a.k"), 1, stream_start::all, 4});
  caf::anon_send(to, rewatch{1, 1});
  caf::anon_send(to, watch_credit{1, 1, 4});
  caf::anon_send(to, unwatch{1});
  b.settle();
  EXPECT(b.status().watches == 0U);
  EXPECT(b.status().sessions == 0U);
}

} // namespace trunnion::test::admission_checks
