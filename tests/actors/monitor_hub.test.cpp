#include "trunnion/actors/monitor_hub.hpp"

#include "trunnion/tests/actors/monitor_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct fixture : monitor_fixture {
  monitor_hub_actor hub = track(spawn_monitor_hub(system, rt(), store, nullptr));

  kv_monitor_actor open(std::string_view pattern) {
    return ask<monitor_handle>(hub, open_monitor{at(pattern)}).value().monitor;
  }
  std::uint64_t watches() {
    return ask<backend_status>(store, get_backend_status{}).value().watches;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(monitor_hub_test, fixture)

BOOST_AUTO_TEST_CASE(all_who_watch_one_pattern_share_one_watch) {
  const auto first = subscribe(open("a.>")), second = subscribe(open("a.>"));
  const auto other = subscribe(open("a.*"));
  BOOST_TEST((open("a.>") == open("a.>")));
  BOOST_TEST((open("a.>") != open("a.*")));
  BOOST_TEST(watches() == 2u);
  put("a.x", "1");
  for (const auto& x : {first, second, other})
    BOOST_TEST(x.log->text() == "snapshot_end; change: a.x=1");
}

BOOST_AUTO_TEST_CASE(a_monitor_that_nobody_uses_ends_after_half_a_minute) {
  const auto monitor = open("a.>");
  advance(20s);
  std::ignore = ask<monitor_entries>(monitor, monitor_get_all{}).value();
  advance(29s);
  BOOST_TEST(watches() == 1u);
  advance(1s);
  BOOST_TEST(watches() == 0u);
  BOOST_TEST((open("a.>") != monitor));
  BOOST_TEST(watches() == 1u);
}

BOOST_AUTO_TEST_CASE(a_monitor_that_was_just_given_away_is_not_ended) {
  const auto monitor = open("a.>");
  advance(29s);
  BOOST_TEST((open("a.>") == monitor));
  advance(30s); // It said that it was unused at 30 s, and says so again at 60 s.
  BOOST_TEST(watches() == 1u);
  advance(1s);
  BOOST_TEST(watches() == 0u);
}

BOOST_AUTO_TEST_CASE(a_monitor_lives_as_long_as_somebody_subscribes_or_waits) {
  const auto monitor = open("a.>");
  const auto camera = subscribe(monitor);
  advance(10min);
  BOOST_TEST(watches() == 1u);
  kill(camera.actor);
  const auto waits = [](const entry_map&) { return false; };
  const auto waiting = ask<monitor_entries>(monitor, monitor_wait_for{waits, 1min});
  advance(80s);
  BOOST_TEST((waiting.error().code == error_code::timeout));
  BOOST_TEST(watches() == 1u);
  advance(10s);
  BOOST_TEST(watches() == 0u);
}

BOOST_AUTO_TEST_CASE(a_monitor_that_died_is_started_anew) {
  const auto monitor = open("a.>");
  kill(monitor);
  const auto camera = subscribe(open("a.>"));
  BOOST_TEST(camera.log->text() == "snapshot_end");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_watched_is_refused) {
  const auto refused = ask<monitor_handle>(hub, open_monitor{at("a._EVENTS")});
  BOOST_TEST((refused.error().code == error_code::invalid_subject));
}

BOOST_AUTO_TEST_CASE(one_pattern_too_many_is_refused_and_counted) {
  auto narrow = rt();
  narrow.bounds.watches_per_client = 1;
  hub = track(spawn_monitor_hub(system, narrow, store, nullptr));
  open("a.>");
  const auto refused = ask<monitor_handle>(hub, open_monitor{at("b.>")});
  BOOST_TEST((refused.error().code == error_code::overloaded));
  BOOST_TEST(metrics.counts["monitor_hub_refused"] == 1u);
}

BOOST_AUTO_TEST_CASE(the_monitors_end_with_their_hub_and_the_hub_with_its_owner) {
  const auto owner = make_probe(*this);
  hub = track(
    spawn_monitor_hub(system, rt(), store, caf::actor_cast<caf::strong_actor_ptr>(owner.actor)));
  open("a.>");
  open("b.>");
  BOOST_TEST(watches() == 2u);
  kill(owner.actor);
  BOOST_TEST(watches() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
