#include "trunnion/actors/clock_watch.hpp"
#include "trunnion/tests/actors/lease_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

/// Fails the n-th answers or requests of one kind.
auto only(traffic kind, fate what) {
  return [kind, what](traffic x) { return x == kind ? what : fate::pass; };
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(lease_test, lease_fixture)

// -- acquiring, refreshing, releasing ---------------------------------------------------

BOOST_AUTO_TEST_CASE(a_lease_is_held_until_its_release_and_its_key_is_gone_then) {
  const auto lease = begin(options("ridge.mount.EntityLease"));
  const auto grant = ask<lease_grant>(lease, lease_await{}).value();
  BOOST_TEST((grant.ttl == 1s));
  BOOST_TEST((grant.time_left == 980ms));
  const auto seen = view(lease);
  BOOST_TEST(seen.held());
  BOOST_TEST((seen.token() == grant.token));
  const auto stored = record("ridge.mount.EntityLease");
  BOOST_TEST(*stored.holder == status(lease).holder);
  BOOST_TEST(stored.owner == "host/ridge.mount.EntityLease");
  BOOST_TEST(stored.version == lease_record_version);
  BOOST_TEST((stored.ttl == 1s));
  const auto released = ask<lease_released>(lease, lease_release{}).value();
  BOOST_TEST((released == lease_released{std::nullopt, true}));
  BOOST_TEST(!seen.held());
  BOOST_TEST(!has_key("ridge.mount.EntityLease"));
  BOOST_TEST(trace
             == "0 lease: ridge.mount.EntityLease: acquired, token 1, TTL 1000 ms\n"
                "0 lease: ridge.mount.EntityLease: released\n");
}

BOOST_AUTO_TEST_CASE(a_holder_is_named_by_a_uuid_of_version_7_that_is_new_each_time) {
  const auto first = status(hold("a.A")).holder, second = status(hold("a.B")).holder;
  BOOST_TEST(first.size() == 36U);
  BOOST_TEST(first != second);
  BOOST_TEST(first.substr(0, 13) == "018bcfe5-6800"); // The start of the wall clock.
  BOOST_TEST(first[14] == '7');
  BOOST_TEST((std::string_view{"89ab"}.find(first[19]) != std::string_view::npos));
}

BOOST_AUTO_TEST_CASE(a_refresh_keeps_sets_or_clears_the_record) {
  auto wanted = options("a.A");
  wanted.record = R"({"n": 1})";
  const auto lease = begin(wanted);
  BOOST_TEST(record("a.A").record == R"({"n": 1})");
  BOOST_TEST(!record("a.A").token);
  advance(100ms);
  (void)refresh(lease);
  BOOST_TEST(record("a.A").record == R"({"n": 1})");
  BOOST_TEST((*record("a.A").token == view(lease).token()));
  BOOST_TEST(record("a.A").renewal == 1U);
  BOOST_TEST((record("a.A").refreshed_at.at - record("a.A").acquired_at.at == 100ms));
  BOOST_TEST(ask<lease_refreshed>(lease, lease_refresh{"[2]"}).get().engaged());
  BOOST_TEST(record("a.A").record == "[2]");
  BOOST_TEST(status(lease).record == "[2]");
  BOOST_TEST(ask<lease_refreshed>(lease, lease_refresh{"null"}).get().engaged());
  BOOST_TEST(record("a.A").record == "null");
  BOOST_TEST(
    (ask<lease_refreshed>(lease, lease_refresh{"{"}).error().code == error_code::invalid_argument));
  BOOST_TEST((ask<lease_refreshed>(lease, lease_refresh{std::string(1U << 20U, '1')}).error().code
              == error_code::payload_too_large));
  BOOST_TEST(view(lease).held());
}

BOOST_AUTO_TEST_CASE(a_held_key_is_unavailable_with_its_owner_record_and_time_left) {
  auto wanted = options("a.A", 10s);
  wanted.record = "[1]";
  const auto first = begin(wanted);
  advance(4s);
  const auto second = begin(options("a.A"));
  const auto error = ask<lease_grant>(second, lease_await{}).error();
  BOOST_TEST((error.code == error_code::lease_unavailable));
  const auto& holder = std::get<held_lease>(error.detail);
  BOOST_TEST(holder.owner == "host/a.A");
  BOOST_TEST(holder.record == "[1]");
  BOOST_TEST((*holder.time_left == 6s));
  BOOST_TEST((status(second).phase == lease_phase::unavailable));
  BOOST_TEST(
    (ask<lease_ended>(second, lease_wait_ended{}).error().code == error_code::lease_unavailable));
  BOOST_TEST(view(first).held());
}

BOOST_AUTO_TEST_CASE(tokens_grow_also_for_the_same_owner) {
  fencing_token last;
  for (int i = 0; i < 5; ++i) {
    const auto lease = hold("a.A");
    const auto token = view(lease).token();
    BOOST_TEST((token > last));
    last = token;
    (void)refresh(lease);
    BOOST_TEST((view(lease).token() == token));
    BOOST_TEST(ask<lease_released>(lease, lease_release{}).value().key_deleted);
  }
}

BOOST_AUTO_TEST_CASE(senseless_options_are_refused_before_anything_is_sent) {
  const auto holder = caf::actor_cast<caf::strong_actor_ptr>(someone());
  const auto code = [&](auto change) {
    auto x = options("a.A");
    change(x);
    const auto lease = acquire(system, rt(), link, holder, x);
    BOOST_REQUIRE(!lease);
    return lease.error().code;
  };
  using enum error_code;
  BOOST_TEST((code([](auto& x) { x.ttl = 199ms; }) == invalid_argument));
  BOOST_TEST((code([](auto& x) { x.ttl = 24h * 366; }) == invalid_argument));
  BOOST_TEST((code([](auto& x) { x.grace = 334ms; }) == invalid_argument));
  BOOST_TEST((code([](auto& x) { x.grace = -1ms; }) == invalid_argument));
  BOOST_TEST((code([](auto& x) { x.guard = 9ms; }) == invalid_argument));
  BOOST_TEST((code([](auto& x) { x.guard = 251ms; }) == invalid_argument));
  BOOST_TEST((code([](auto& x) { x.wait = -1ms; }) == invalid_argument));
  BOOST_TEST((code([](auto& x) { x.record = "nil"; }) == invalid_argument));
  BOOST_TEST((code([](auto& x) { x.subject = at("a.*"); }) == invalid_subject));
  BOOST_TEST((code([](auto& x) { x.record = std::string(1U << 20U, '1'); }) == payload_too_large));
  BOOST_TEST(
    (acquire(system, rt(), link, nullptr, options("a.A")).error().code == invalid_argument));
  BOOST_TEST((acquire(system, rt(), {}, holder, options("a.A")).error().code == invalid_argument));
  BOOST_TEST(wire.requests.empty());
}

BOOST_AUTO_TEST_CASE(a_refresh_before_the_grant_and_after_the_end_is_an_error) {
  wire.on_request = only(traffic::create, fate::hold);
  const auto lease = begin(options("a.A"));
  BOOST_TEST(
    (ask<lease_refreshed>(lease, lease_refresh{}).error().code == error_code::invalid_argument));
  wire.heal();
  wire.let_go();
  run();
  BOOST_TEST(ask<lease_released>(lease, lease_release{}).ready());
  BOOST_TEST((ask<lease_refreshed>(lease, lease_refresh{}).error().code == error_code::cancelled));
}

BOOST_AUTO_TEST_CASE(too_many_refreshes_at_once_are_overload) {
  const auto lease = hold("a.A");
  wire.on_request = only(traffic::update, fate::hold);
  std::vector<pending<lease_refreshed>> asked;
  for (std::size_t i = 0; i < limits{}.pending_requests; ++i)
    asked.push_back(ask<lease_refreshed>(lease, lease_refresh{}));
  BOOST_TEST((ask<lease_refreshed>(lease, lease_refresh{}).error().code == error_code::overloaded));
  wire.heal();
  wire.let_go();
  run();
  for (const auto& x : asked)
    BOOST_TEST(x.get().engaged());
  BOOST_TEST(metrics.counts["lease_requests_refused_total"] == 1U);
}

// -- the promises of the specification, one by one ----------------------------------------

BOOST_AUTO_TEST_CASE(a_holder_paused_for_two_ttls_acts_as_lost_before_anything_else_when_it_wakes) {
  const auto lease = hold("a.A");
  const auto seen = view(lease);
  const auto mount = subscribe(lease, "mount");
  const auto refreshing = ask_later<lease_refreshed>(lease, lease_refresh{});
  trace.clear();
  jump(2s);
  BOOST_TEST(!seen.held());
  BOOST_TEST((refreshing.error().code == error_code::lease_abandoned));
  BOOST_TEST(trace == "2000 lease: a.A: lost: paused\n2000 mount: ended: paused\n");
  BOOST_TEST(wire.requests[traffic::update] == 0U);
}

BOOST_AUTO_TEST_CASE(
  a_refresh_that_was_applied_but_whose_answer_was_lost_is_adopted_through_holder_and_renewal) {
  const auto lease = hold("a.A");
  advance(100ms);
  wire.on_answer = only(traffic::update, fate::lose);
  const auto refreshing = ask<lease_refreshed>(lease, lease_refresh{});
  BOOST_TEST(!refreshing.ready());
  advance(99ms);
  BOOST_TEST(!refreshing.ready());
  advance(1ms);
  BOOST_TEST((refreshing.value().time_left == 880ms)); // Counted from the attempt's sending.
  BOOST_TEST((status(lease).revision == look("a.A").value().entry.revision));
  BOOST_TEST(status(lease).unknown == 1U);
  BOOST_TEST(wire.requests[traffic::update] == 1U);
  wire.heal();
  (void)refresh(lease);
  BOOST_TEST(view(lease).held());
}

BOOST_AUTO_TEST_CASE(a_refresh_that_never_arrived_is_tried_again) {
  const auto lease = hold("a.A");
  wire.on_request = only(traffic::update, fate::lose);
  const auto refreshing = ask<lease_refreshed>(lease, lease_refresh{"[1]"});
  advance(100ms); // The read finds the entry as it was.
  wire.heal();
  advance(50ms);
  BOOST_TEST((refreshing.value().time_left == 980ms));
  BOOST_TEST(record("a.A").record == "[1]");
}

BOOST_AUTO_TEST_CASE(an_acquire_that_timed_out_but_was_applied_is_removed_by_the_janitor) {
  wire.on_answer = [](traffic) { return fate::lose; };
  const auto lease = begin(options("a.A", 60s));
  const auto awaiting = ask<lease_grant>(lease, lease_await{});
  BOOST_TEST(has_key("a.A"));
  advance(10s);
  BOOST_TEST((awaiting.error().code == error_code::timeout));
  BOOST_TEST((awaiting.error().certainty == certainty::unknown));
  kill(lease);
  wire.heal();
  BOOST_TEST(has_key("a.A"));
  advance(2s); // One request timeout: its second look.
  BOOST_TEST(!has_key("a.A"));
  BOOST_TEST(metrics.counts["lease_keys_swept_total"] == 1U);
}

BOOST_AUTO_TEST_CASE(a_create_that_arrives_after_all_is_removed_by_the_janitor_a_ttl_later) {
  wire.on_request = [](traffic x) { return x == traffic::create ? fate::hold : fate::pass; };
  const auto lease = begin(options("a.A", 2s));
  const auto awaiting = ask<lease_grant>(lease, lease_await{});
  advance(1s);
  BOOST_TEST((awaiting.error().code == error_code::timeout));
  advance(1500ms); // Two looks have found nothing.
  kill(lease);
  wire.heal();
  for (const auto& deliver : wire.held)
    deliver();
  wire.held.clear();
  run();
  BOOST_TEST(!has_key("a.A")); // The sessions of the dead lease went with it.
}

BOOST_AUTO_TEST_CASE(a_refresh_answered_after_the_deadline_stays_lost_and_its_key_is_deleted) {
  const auto lease = hold("a.A");
  const auto mount = subscribe(lease, "mount");
  advance(500ms);
  wire.on_answer = [](traffic x) { return x == traffic::update ? fate::hold : fate::lose; };
  const auto refreshing = ask<lease_refreshed>(lease, lease_refresh{});
  advance(480ms);
  BOOST_TEST((refreshing.error().code == error_code::lease_abandoned));
  BOOST_TEST((status(lease).lost == loss_reason::backend_lost));
  BOOST_TEST(has_key("a.A")); // For the refresh was applied.
  wire.heal();
  wire.let_go();
  run();
  BOOST_TEST(!has_key("a.A"));
  BOOST_TEST((status(lease).phase == lease_phase::lost));
  BOOST_TEST(!view(lease).held());
}

BOOST_AUTO_TEST_CASE(a_release_repeated_after_another_acquired_leaves_the_newer_key_alone) {
  const auto lease = hold("a.A");
  BOOST_TEST(ask<lease_released>(lease, lease_release{}).value().key_deleted);
  const auto newer = hold("a.A");
  const auto again = ask<lease_released>(lease, lease_release{}).value();
  BOOST_TEST(!again.lost);
  advance(500ms);
  BOOST_TEST(view(newer).held());
  BOOST_TEST(*record("a.A").holder == status(newer).holder);
}

BOOST_AUTO_TEST_CASE(a_release_during_a_refresh_wins) {
  for (const auto what : {fate::pass, fate::lose, fate::hold}) {
    const auto lease = hold("a.A");
    wire.on_answer = only(traffic::update, what);
    const auto refreshing = ask_later<lease_refreshed>(lease, lease_refresh{});
    const auto releasing = ask_later<lease_released>(lease, lease_release{});
    run();
    if (what == fate::hold) {
      advance(50ms);
      wire.let_go();
      run();
    }
    advance(150ms);
    BOOST_TEST(refreshing.ready());
    BOOST_TEST(releasing.value().key_deleted);
    BOOST_TEST(!has_key("a.A"));
    BOOST_TEST((status(lease).phase == lease_phase::released));
    wire.heal();
  }
}

BOOST_AUTO_TEST_CASE(a_refresh_under_way_when_the_release_comes_is_never_written_after_it) {
  const auto lease = hold("a.A");
  wire.on_request = only(traffic::update, fate::lose);
  const auto refreshing = ask<lease_refreshed>(lease, lease_refresh{});
  const auto releasing = ask<lease_released>(lease, lease_release{});
  BOOST_TEST((refreshing.error().code == error_code::cancelled));
  BOOST_TEST(!view(lease).held());
  wire.heal();
  advance(2s);
  BOOST_TEST(releasing.value().key_deleted);
  BOOST_TEST(wire.requests[traffic::update] == 1U);
}

BOOST_AUTO_TEST_CASE(another_holders_live_entry_is_superseded_never_an_extension) {
  const auto lease = hold("a.A");
  const auto mount = subscribe(lease, "mount");
  auto thief = options("a.A", 60s);
  thief.no_enforce = true;
  thief.owner = "bench/1";
  const auto other = begin(thief);
  BOOST_TEST(ask<lease_grant>(other, lease_await{}).ready());
  BOOST_TEST(!view(lease).held());
  const auto now = status(lease);
  BOOST_TEST((now.lost == loss_reason::superseded));
  BOOST_TEST((now.time_left == 0s));
  BOOST_TEST(told("mount: ended: superseded by bench/1\n"));
  BOOST_TEST(told("NOT ENFORCED"));
  advance(1s);
  BOOST_TEST(*record("a.A").holder == status(other).holder);
}

BOOST_AUTO_TEST_CASE(another_holder_is_found_by_a_refresh_when_the_watch_is_silent) {
  const auto lease = hold("a.A");
  wire.on_answer = only(traffic::part, fate::lose);
  remove("a.A");
  const auto other = hold_directly("a.A");
  const auto error = ask<lease_refreshed>(lease, lease_refresh{}).error();
  BOOST_TEST((error.code == error_code::lease_abandoned));
  const auto& lost = std::get<abandonment>(error.detail).leases.front();
  BOOST_TEST((lost == lost_lease{"a.A", loss_reason::superseded, "host/a.A"}));
  BOOST_TEST(view(other).held());
}

BOOST_AUTO_TEST_CASE(releasing_a_lost_lease_succeeds) {
  const auto lease = hold("a.A");
  remove("a.A");
  const auto released = ask<lease_released>(lease, lease_release{}).value();
  BOOST_TEST((released == lease_released{loss_reason::deleted, false}));
}

BOOST_AUTO_TEST_CASE(ten_thousand_leases_refreshed_at_one_instant) {
  constexpr int count = 10'000;
  const auto holder = someone();
  std::vector<lease_actor> leases;
  for (int i = 0; i < count; ++i)
    leases.push_back(begin_at(store, options("a.L" + std::to_string(i), 10s), holder));
  advance(4s);
  std::vector<pending<lease_refreshed>> asked;
  for (const auto& lease : leases)
    asked.push_back(ask_later<lease_refreshed>(lease, lease_refresh{}));
  run();
  for (const auto& x : asked)
    BOOST_REQUIRE((x.value().time_left == 9800ms));
  advance(9s);
  for (const auto& lease : leases)
    BOOST_REQUIRE(view(lease).held());
}

BOOST_AUTO_TEST_CASE(one_slow_key_delays_no_other) {
  const auto slow = hold("a.Slow"), quick = hold_directly("a.Quick");
  wire.on_request = only(traffic::update, fate::hold);
  const auto waiting = ask<lease_refreshed>(slow, lease_refresh{});
  advance(90ms);
  BOOST_TEST((refresh(quick).time_left == 980ms));
  BOOST_TEST(!waiting.ready());
}

BOOST_AUTO_TEST_CASE(jeopardy_and_recovery_come_at_their_stated_moments) {
  auto wanted = options("a.A", 10s); // The deadline is 9800 ms after the sending.
  wanted.grace = 3s;                 // More than a quarter of the TTL.
  const auto lease = begin(wanted);
  const auto mount = subscribe(lease, "mount");
  trace.clear();
  advance(6799ms);
  BOOST_TEST(trace == "");
  advance(1ms);
  BOOST_TEST(trace
             == "6800 lease: a.A: in jeopardy, 3000 ms left\n"
                "6800 mount: jeopardy, 3000 ms left\n");
  trace.clear();
  advance(200ms);
  (void)refresh(lease);
  BOOST_TEST(trace
             == "7000 lease: a.A: recovered, 9800 ms left\n"
                "7000 mount: recovered, 9800 ms left\n");
  trace.clear();
  advance(9800ms);
  BOOST_TEST(trace
             == "13800 lease: a.A: in jeopardy, 3000 ms left\n"
                "13800 mount: jeopardy, 3000 ms left\n"
                "16800 lease: a.A: lost: expired\n"
                "16800 mount: ended: expired\n");
  BOOST_TEST(status(lease).jeopardies == 2U);
}

BOOST_AUTO_TEST_CASE(
  the_wall_clock_stepped_an_hour_either_way_changes_nothing_for_holder_and_memory_store) {
  for (const auto step : {nanoseconds{1h}, nanoseconds{-1h}}) {
    wall_step = {};
    const auto lease = hold("a.A");
    wall_step = step;
    advance(500ms);
    BOOST_TEST((status(lease).time_left == 480ms));
    BOOST_TEST((refresh(lease).time_left == 980ms));
    BOOST_TEST((*look("a.A").value().entry.time_left == 1s));
    advance(980ms - 1ns);
    BOOST_TEST(view(lease).held());
    BOOST_TEST(has_key("a.A"));
    advance(1ns);
    BOOST_TEST((status(lease).lost == loss_reason::expired));
    BOOST_TEST(has_key("a.A"));
    advance(20ms);
    BOOST_TEST(!has_key("a.A"));
  }
}

// -- losses ---------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_deletion_by_another_is_told_in_the_same_moment) {
  const auto lease = hold("a.A");
  const auto seen = view(lease);
  const auto mount = subscribe(lease, "mount"), camera = subscribe(lease, "camera");
  trace.clear();
  advance(100ms);
  remove("a.A");
  BOOST_TEST(!seen.held());
  BOOST_TEST(told("100 lease: a.A: lost: deleted\n"));
  BOOST_TEST(told("100 mount: ended: deleted\n"));
  BOOST_TEST(told("100 camera: ended: deleted\n"));
  BOOST_TEST(std::ranges::count(trace, '\n') == 3);
}

BOOST_AUTO_TEST_CASE(a_broken_marker_ends_the_lease_as_broken_and_is_unavailable_to_acquirers) {
  const auto lease = hold("a.A");
  lease_record marker{.acquired_at = {wall()}, .refreshed_at = {wall()}};
  marker.broken = broken_marker{"admin", "stuck", {wall()}};
  BOOST_TEST(ask<kv_written>(store, kv_update{at("a.A"), payload{encode(marker)}, {}, 1s}).ready());
  BOOST_TEST((status(lease).lost == loss_reason::broken));
  BOOST_TEST(told("lost: broken by broken by admin: stuck"));
  const auto next = begin(options("a.A"));
  BOOST_TEST((ask<lease_grant>(next, lease_await{}).error().code == error_code::lease_unavailable));
  advance(1s);
  (void)hold("a.A");
}

BOOST_AUTO_TEST_CASE(a_store_of_another_epoch_is_another_store) {
  const auto lease = hold("a.A");
  // The third part of its watch, after snapshot and snapshot end.
  send_part(lease, {1, 3, part_kind::change, epoch{1}, revision{9}, {}});
  BOOST_TEST((status(lease).lost == loss_reason::store_changed));
}

BOOST_AUTO_TEST_CASE(a_store_whose_revisions_go_back_is_another_store) {
  const auto lease = hold("a.A");
  const auto e = view(lease).token().epoch;
  send_part(lease, {1, 3, part_kind::change, e, revision{9}, {}});
  BOOST_TEST(view(lease).held());
  send_part(lease, {1, 4, part_kind::change, e, revision{8}, {}});
  BOOST_TEST((status(lease).lost == loss_reason::store_changed));
}

BOOST_AUTO_TEST_CASE(a_silent_store_ends_it_at_the_deadline_as_backend_lost) {
  const auto lease = hold("a.A");
  wire.go_silent();
  advance(300ms);
  const auto refreshing = ask<lease_refreshed>(lease, lease_refresh{});
  advance(680ms - 1ns);
  BOOST_TEST(view(lease).held());
  advance(1ns);
  BOOST_TEST((status(lease).lost == loss_reason::backend_lost));
  BOOST_TEST((refreshing.error().code == error_code::lease_abandoned));
}

BOOST_AUTO_TEST_CASE(a_deletion_in_a_gap_of_the_watch_is_found) {
  const auto lease = hold("a.A");
  wire.on_answer = only(traffic::part, fate::lose);
  remove("a.A");
  BOOST_TEST(view(lease).held());
  wire.heal();
  advance(979ms);
  BOOST_TEST(view(lease).held()); // A part not acknowledged is sent again after a second.
  const auto longer = hold("a.B", 10s);
  wire.on_answer = only(traffic::part, fate::lose);
  remove("a.B");
  wire.heal();
  advance(1100ms);
  BOOST_TEST((status(longer).lost == loss_reason::deleted));
}

BOOST_AUTO_TEST_CASE(a_deletion_before_the_watch_opened_is_found_by_its_snapshot) {
  wire.on_request = only(traffic::watch, fate::hold);
  const auto lease = hold("a.A");
  remove("a.A");
  BOOST_TEST(view(lease).held());
  wire.heal();
  wire.let_go();
  run();
  BOOST_TEST((status(lease).lost == loss_reason::deleted));
}

BOOST_AUTO_TEST_CASE(the_clock_watch_wakes_a_lease_whose_timer_comes_late) {
  const auto watch = track(spawn_clock_watch(system));
  const auto lease = hold("a.A");
  const auto mount = subscribe(lease, "mount");
  trace.clear();
  scheduler.clock().current_time += 5s; // No timer runs: the computer was suspended.
  tell(watch, clock_jumped{5s});
  BOOST_TEST(trace == "5000 lease: a.A: lost: paused\n5000 mount: ended: paused\n");
}

// -- who is told ------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_late_subscriber_is_told_at_once_and_nobody_twice) {
  const auto lease = hold("a.A");
  const auto mount = subscribe(lease, "mount");
  const auto waiting = ask<lease_ended>(lease, lease_wait_ended{});
  remove("a.A");
  BOOST_TEST((waiting.value().lost == loss_reason::deleted));
  BOOST_TEST((ask<lease_ended>(lease, lease_wait_ended{}).value().lost == loss_reason::deleted));
  trace.clear();
  const auto late = subscribe(lease, "late");
  BOOST_TEST(trace == "0 late: ended: deleted\n");
  advance(10s);
  BOOST_TEST(ask<lease_released>(lease, lease_release{}).ready());
  BOOST_TEST(trace == "0 late: ended: deleted\n");
}

BOOST_AUTO_TEST_CASE(a_subscriber_that_asks_again_after_the_end_is_not_told_again) {
  const auto lease = hold("a.A");
  int ends = 0;
  const auto sink = track(system.spawn([&ends, lease](caf::event_based_actor* me) -> caf::behavior {
    me->set_default_handler(caf::drop);
    return {[=](caf::ok_atom) {
              me->request(lease, caf::infinite, lease_subscribe{}).then([](const lease_status&) {});
            },
            [&ends](const lease_ended&) { ++ends; }};
  }));
  tell(sink, caf::ok_atom_v);
  remove("a.A");
  BOOST_TEST(ends == 1);
  tell(sink, caf::ok_atom_v);
  BOOST_TEST(ends == 1);
}

BOOST_AUTO_TEST_CASE(renewals_are_told_to_those_who_asked_for_them) {
  const auto lease = hold("a.A");
  const auto mount = subscribe(lease, "mount"), keeper = subscribe(lease, "keeper", true);
  trace.clear();
  (void)refresh(lease);
  BOOST_TEST(trace == "0 keeper: renewed 2, 980 ms left\n");
}

BOOST_AUTO_TEST_CASE(subscribers_are_bounded) {
  auto small = rt();
  small.bounds.subscribers = 2;
  const auto holder = caf::actor_cast<caf::strong_actor_ptr>(someone());
  const auto lease = track(*acquire(system, small, link, holder, options("a.A")));
  for (const auto* name : {"one", "two", "three"})
    subscribe(lease, name);
  BOOST_TEST(told("three: refused"));
  BOOST_TEST(!told("two: refused"));
}

// -- ends of actors -----------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(when_its_holder_ends_the_lease_releases_itself) {
  for (const auto reason : {caf::exit_reason::kill, caf::exit_reason::user_shutdown}) {
    const auto holder = someone();
    const auto lease = begin(options("a.A"), holder);
    const auto seen = view(lease);
    const auto mount = subscribe(lease, "mount");
    trace.clear();
    kill(holder, reason);
    BOOST_TEST(!seen.held());
    BOOST_TEST(!has_key("a.A"));
    BOOST_TEST(trace == "0 lease: a.A: released\n0 mount: ended: released\n");
  }
}

BOOST_AUTO_TEST_CASE(when_its_holder_ends_and_the_store_is_silent_the_janitor_cleans_up) {
  const auto holder = someone();
  const auto lease = begin(options("a.A", 60s), holder);
  const auto mount = subscribe(lease, "mount");
  wire.go_silent();
  kill(holder);
  advance(1s);
  BOOST_TEST(told("1000 mount: ended: holder_died\n"));
  wire.heal();
  advance(3s);
  BOOST_TEST(!has_key("a.A"));
}

BOOST_AUTO_TEST_CASE(a_refresh_whose_answer_was_lost_does_not_keep_the_key_after_the_loss) {
  const auto lease = hold("a.A", 10s);
  advance(9s);
  wire.on_answer = [](traffic) { return fate::lose; };
  const auto refreshed = ask<lease_refreshed>(lease, lease_refresh{}); // Applied, but not known.
  advance(1s);
  BOOST_TEST(!view(lease).held());
  BOOST_TEST(has_key("a.A"));
  wire.heal();
  advance(2s);
  BOOST_TEST(!has_key("a.A")); // Else it would stand for another 7 seconds.
}

BOOST_AUTO_TEST_CASE(another_life_of_the_store_is_neither_refreshed_nor_deleted_by_revision) {
  const auto current = std::make_shared<caf::actor>(caf::actor_cast<caf::actor>(store));
  const auto front = caf::actor_cast<backend_actor>(
    track(system.spawn([current](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler(
        [me, current](caf::scheduled_actor*, caf::message_view& x) -> caf::result<caf::message> {
          me->delegate(*current, x.move_content_to_message());
          return caf::delegated<caf::message>{};
        });
      return {[](caf::unit_t) {}}; // All messages go to the default handler.
    })));
  const auto lease = begin_at(front, options("a.A"), someone());
  const auto token = ask<lease_grant>(lease, lease_await{}).value().token;
  advance(1ms);
  const auto renewed = track(spawn_memory_backend(system, rt()));
  const auto foreign = encode(lease_record{.holder = "other", .owner = "dome/1"});
  const auto theirs = ask<kv_written>(renewed, kv_create{at("a.A"), payload{foreign}, 60s}).value();
  BOOST_TEST((theirs.revision == token.revision)); // The same number, of another life.
  *current = caf::actor_cast<caf::actor>(renewed);
  const auto refreshed = ask<lease_refreshed>(lease, lease_refresh{});
  BOOST_TEST((refreshed.error().code == error_code::lease_abandoned));
  BOOST_TEST((status(lease).lost == loss_reason::superseded));
  const auto entry = ask<kv_entry>(renewed, kv_get{at("a.A")}).value().entry;
  BOOST_TEST((entry.revision == theirs.revision));
}

BOOST_AUTO_TEST_CASE(an_exit_message_releases_first) {
  const auto lease = hold("a.A");
  const auto seen = view(lease);
  const auto waiting = ask<lease_ended>(lease, lease_wait_ended{});
  kill(lease, caf::exit_reason::user_shutdown);
  BOOST_TEST(!waiting.value().lost);
  BOOST_TEST(!seen.held());
  BOOST_TEST(!has_key("a.A"));
}

BOOST_AUTO_TEST_CASE(a_kill_answers_all_that_was_asked_and_ends_the_view) {
  const auto lease = hold("a.A");
  const auto seen = view(lease);
  wire.on_request = [](traffic) { return fate::lose; };
  const auto refreshing = ask<lease_refreshed>(lease, lease_refresh{});
  const auto ended = ask<lease_ended>(lease, lease_wait_ended{});
  kill(lease);
  BOOST_TEST((refreshing.error().code == error_code::shutting_down));
  BOOST_TEST((refreshing.error().certainty == certainty::unknown));
  BOOST_TEST((ended.error().code == error_code::shutting_down));
  BOOST_TEST(!seen.held());
  const auto other = begin(options("b.B"));
  const auto awaiting = ask<lease_grant>(other, lease_await{});
  const auto releasing = ask<lease_released>(other, lease_release{});
  kill(other);
  BOOST_TEST((awaiting.error().code == error_code::cancelled));
  BOOST_TEST((releasing.error().code == error_code::shutting_down));
}

BOOST_AUTO_TEST_CASE(a_dead_backend_fails_an_acquirer_and_loses_a_holder_at_its_deadline) {
  const auto lease = hold("a.A");
  kill(store);
  kill(link);
  const auto next = begin(options("b.B"));
  BOOST_TEST(
    (ask<lease_grant>(next, lease_await{}).error().code == error_code::backend_unavailable));
  const auto refreshing = ask<lease_refreshed>(lease, lease_refresh{});
  advance(980ms);
  BOOST_TEST((refreshing.error().code == error_code::lease_abandoned));
  BOOST_TEST((status(lease).lost == loss_reason::backend_lost));
}

BOOST_AUTO_TEST_CASE(an_acquirer_that_is_released_leaves_nothing_behind) {
  wire.on_answer = only(traffic::create, fate::hold);
  const auto lease = begin(options("a.A"));
  const auto awaiting = ask<lease_grant>(lease, lease_await{});
  const auto releasing = ask<lease_released>(lease, lease_release{});
  BOOST_TEST((awaiting.error().code == error_code::cancelled));
  wire.heal();
  wire.let_go();
  run();
  BOOST_TEST(releasing.value().key_deleted);
  BOOST_TEST(!has_key("a.A"));
}

BOOST_AUTO_TEST_CASE(margins_and_unknown_outcomes_are_counted) {
  const auto lease = hold("a.A");
  advance(300ms);
  (void)refresh(lease);
  advance(500ms);
  (void)refresh(lease);
  const auto now = status(lease);
  BOOST_TEST((*now.smallest_margin == 480ms));
  BOOST_TEST(now.refreshes == 2U);
  BOOST_TEST(now.attempts == 3U);
  BOOST_TEST(metrics.observed["lease_refresh_margin_seconds"].size() == 2U);
  BOOST_TEST(metrics.observed["lease_refresh_margin_seconds"].back() == 0.48);
  BOOST_TEST(metrics.counts["lease_acquired_total"] == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
