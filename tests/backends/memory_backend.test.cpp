#include "trunnion/backends/memory/memory_backend.hpp"

#include "trunnion/tests/fixtures/watch_probe.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct fixture : deterministic_fixture {
  backend_actor backend = track(spawn_memory_backend(system, rt()));
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(memory_backend_test, fixture)

BOOST_AUTO_TEST_CASE(its_epoch_is_the_wall_clock_at_the_spawn) {
  const auto status = ask<backend_status>(backend, get_backend_status{}).value();
  BOOST_TEST(status.epoch.value == static_cast<std::uint64_t>(wall().time_since_epoch().count()));
  BOOST_TEST(status.location == "memory:");
}

BOOST_AUTO_TEST_CASE(its_end_is_told_to_every_sink) {
  const auto one = make_probe(*this), two = make_probe(*this);
  say(*this, one, backend, watch{at("a.k"), 1, 16});
  say(*this, one, backend, consume{at("a.s"), 2, stream_start::all, 16});
  say(*this, two, backend, watch{at("a.>"), 1, 16});
  kill(backend, caf::exit_reason::user_shutdown);
  for (const auto* log : {one.log.get(), two.log.get()}) {
    BOOST_REQUIRE(log->lost.size() == 1U);
    BOOST_TEST((log->lost[0].error.code == error_code::shutting_down));
  }
  BOOST_TEST(one.log->streams_lost.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_backend_that_is_killed_answers_what_still_waits) {
  std::vector<pending<kv_written>> answers;
  for (int i = 0; i < 5'000; ++i)
    answers.push_back(ask_later<kv_written>(backend, kv_update{at("a.k"), payload{"v"}, {}, {}}));
  for (int i = 0; i < 7'000 && !scheduler.jobs.empty(); ++i) // Some run, some wait in lines.
    scheduler.run_once();
  kill(backend);
  std::size_t refused = 0;
  for (const auto& x : answers) {
    BOOST_REQUIRE(x.ready());
    refused += x.get() ? 0 : 1;
  }
  BOOST_TEST(refused > 0U);
}

BOOST_AUTO_TEST_CASE(a_sink_that_ends_itself_is_kept_alive_by_nobody) {
  {
    const auto gone = make_probe(*this);
    say(*this, gone, backend, watch{at("a.k"), 1, 16});
    tracked.pop_back(); // The last reference but ours.
  }
  run();
  BOOST_TEST(ask<backend_status>(backend, get_backend_status{}).value().watches == 0U);
}

BOOST_AUTO_TEST_CASE(what_retention_took_is_told_with_the_next_part) {
  const auto small
    = track(spawn_memory_backend(system, rt(), {.streams = {.max_messages = 5}, .tombstones = {}}));
  const auto slow = make_probe(*this, probe_manner::silent);
  say(*this, slow, small, consume{at("a.s"), 1, stream_start::only_new, 1});
  for (int i = 0; i < 12; ++i) {
    ask<published>(small, publish{at("a.s"), payload{std::to_string(i)}});
    ask<published>(small, publish{at("b.s"), payload{"not mine"}});
  }
  say(*this, slow, small, stream_credit{1, 1, 9});
  BOOST_REQUIRE(slow.log->stream_parts.size() == 2U);
  const auto& part = slow.log->stream_parts[1];
  BOOST_TEST(part.messages.size() == 2U); // Of the five that are kept.
  BOOST_TEST(part.skipped == 9U);         // 1 + 9 + 2 are all.
  BOOST_TEST(part.messages.back().payload.bytes() == "11");
}

BOOST_AUTO_TEST_CASE(many_expiries_leave_room_for_others_in_between) {
  constexpr std::size_t count = 5'000;
  for (std::size_t i = 0; i < count; ++i)
    ask_later<kv_written>(backend, kv_create{at("m.k" + std::to_string(i)), payload{"v"}, 1s});
  run();
  scheduler.clock().current_time += 1s;
  scheduler.clock().trigger_timeout();
  const auto other = ask_later<kv_written>(backend, kv_create{at("o.k"), payload{"v"}, {}});
  const auto gone = ask_later<kv_entry>(backend, kv_get{at("m.k4999")});
  run();
  BOOST_TEST((gone.error().code == error_code::key_not_found));
  // Its revision shows how many keys had expired before it was written.
  BOOST_TEST(other.value().revision.value < count + count / 2);
  BOOST_TEST(ask<backend_status>(backend, get_backend_status{}).value().keys == 1U);
}

BOOST_AUTO_TEST_CASE(one_wake_up_is_under_way_for_any_number_of_deadlines) {
  for (int i = 0; i < 1'000; ++i)
    ask<kv_written>(backend, kv_create{at("m.k" + std::to_string(i)), payload{"v"}, 1h + i * 1s});
  BOOST_TEST(pending_timers() == 1U);
}

BOOST_AUTO_TEST_CASE(a_pause_past_a_deadline_shows_nobody_an_expired_key) {
  ask<kv_written>(backend, kv_create{at("a.k"), payload{"v"}, 1s});
  scheduler.clock().current_time += 5s; // Nobody has run yet, timers neither.
  BOOST_TEST((ask<kv_entry>(backend, kv_get{at("a.k")}).error().code == error_code::key_not_found));
}

BOOST_AUTO_TEST_CASE(a_step_of_the_wall_clock_changes_no_deadline) {
  ask<kv_written>(backend, kv_create{at("a.k"), payload{"v"}, 10s});
  wall_step = 100h;
  advance(9s);
  BOOST_TEST((ask<kv_entry>(backend, kv_get{at("a.k")}).value().entry.time_left == 1s));
  wall_step = -100h;
  advance(1s);
  BOOST_TEST((ask<kv_entry>(backend, kv_get{at("a.k")}).error().code == error_code::key_not_found));
}

BOOST_AUTO_TEST_SUITE_END()
