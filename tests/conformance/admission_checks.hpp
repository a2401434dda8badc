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
      BOOST_REQUIRE((answer.error().code == error_code::overloaded));
      BOOST_REQUIRE((answer.error().certainty == certainty::not_applied));
    }
  }
  BOOST_TEST(done >= tight.operations_per_client);
  BOOST_TEST(refused > 0U);
  BOOST_TEST(b.status().refused == refused);
  BOOST_TEST(b.status().keys == done);
  BOOST_TEST(b.status().queued == 0U);
}

CONFORMANCE(admission, a_flood_of_one_client_does_not_hold_up_another) {
  auto greedy = b.more(), other = b.more();
  const auto answers = flood(greedy, 9'000, true);
  const auto mine = other.ask_later(kv_update{other.at("o.k"), payload{"v"}, {}, {}});
  greedy.wait_for(answers);
  BOOST_REQUIRE(b.where->wait_until([&] { return mine.ready(); }, client::patience));
  BOOST_REQUIRE(mine.get().has_value());
  BOOST_TEST(mine.get()->revision.value < 3'000U); // Long before the flood was done.
}

CONFORMANCE(admission, the_order_of_one_clients_operations_is_kept_under_load) {
  auto greedy = b.more();
  const auto answers = flood(greedy, 9'000, true);
  greedy.wait_for(answers);
  revision before;
  for (const auto& x : answers) {
    BOOST_REQUIRE((x.get()->revision > before));
    before = x.get()->revision;
  }
  BOOST_TEST(b.a.read("f.k").payload.bytes() == "8999");
}

CONFORMANCE(admission, what_is_told_under_load_keeps_its_place_among_the_operations) {
  auto greedy = b.more();
  const auto answers = flood(greedy, 5'000, true);
  const auto opened = greedy.ask_later(watch{greedy.at("f.k"), 1, 8});
  greedy.tell(unwatch{1}); // Must not overtake what it ends.
  greedy.wait_for(answers);
  BOOST_TEST(opened.get().has_value());
  BOOST_TEST(b.status().watches == 0U);
}

CONFORMANCE(admission, too_many_watches_of_one_session_are_refused, tight) {
  for (watch_id id = 1; id <= tight.watches_per_client; ++id)
    b.a.get(watch{b.a.at("a.k"), id, 4});
  const auto error = b.a.refused(watch{b.a.at("a.k"), 100, 4});
  BOOST_TEST((error.code == error_code::overloaded));
  BOOST_TEST((b.a.refused(consume{b.a.at("a.k"), 100, stream_start::all, 4}).code
              == error_code::overloaded));
  BOOST_TEST(b.status().refused == 2U);
  auto other = b.more();
  other.open_watch("a.k", 1);
  b.a.tell(unwatch{1});
  BOOST_TEST(b.a.ask(watch{b.a.at("a.k"), 100, 4}).has_value());
}

CONFORMANCE(admission, what_nobody_sends_cannot_be_told_to_anybody) {
  const auto to = caf::actor_cast<caf::actor>(b.where->backend());
  caf::anon_send(to, watch{client::at("a.k"), 1, 4});
  caf::anon_send(to, kv_list{client::at("a.k"), 1, 4});
  caf::anon_send(to, consume{client::at("a.k"), 1, stream_start::all, 4});
  caf::anon_send(to, rewatch{1, 1});
  caf::anon_send(to, watch_credit{1, 1, 4});
  caf::anon_send(to, unwatch{1});
  b.settle();
  BOOST_TEST(b.status().watches == 0U);
  BOOST_TEST(b.status().sessions == 0U);
}

} // namespace trunnion::test::admission_checks
