#include "trunnion/actors/lease_machine.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

const lease_terms terms{.ttl = 1s};
constexpr instant start{1h};
constexpr epoch store{7};

/// The actions as words, in order.
std::string text(const lease_actions& actions) {
  struct describe {
    std::string operator()(const send_write& x) const {
      const auto n = std::to_string(x.renewal);
      return x.expected ? "update " + n + " over " + to_string(*x.expected) : "create " + n;
    }
    std::string operator()(const send_read& x) const { return "read " + std::to_string(x.serial); }
    std::string operator()(const send_delete& x) const {
      return "delete " + std::to_string(x.serial) + " at " + to_string(x.expected);
    }
    std::string operator()(const discard& x) const { return "discard " + to_string(x.expected); }
    std::string operator()(const open_watch&) const { return "watch"; }
    std::string operator()(const close_watch&) const { return "unwatch"; }
    std::string operator()(const granted&) const { return "granted"; }
    std::string operator()(const renewed&) const { return "renewed"; }
    std::string operator()(const refresh_done&) const { return "done"; }
    std::string operator()(const refresh_refused&) const { return "refused"; }
    std::string operator()(const jeopardised& x) const {
      return "jeopardy " + std::to_string(x.time_left / 1ms);
    }
    std::string operator()(const recovered& x) const {
      return "recovered " + std::to_string(x.time_left / 1ms);
    }
    std::string operator()(const ended& x) const {
      return "ended " + (x.lost ? to_string(*x.lost) : "released");
    }
    std::string operator()(const not_acquired& x) const { return to_string(x.why->code); }
    std::string operator()(const call_janitor&) const { return "janitor"; }
    std::string operator()(const join_queue&) const { return "join"; }
    std::string operator()(const leave_queue&) const { return "leave"; }
    std::string operator()(const report_turn& x) const {
      return x.result == turn_result::taken    ? "taken"
             : x.result == turn_result::missed ? "missed"
                                               : "troubled";
    }
  };
  std::string result;
  for (const auto& action : actions)
    result += (result.empty() ? "" : ", ") + std::visit(describe{}, action);
  return result;
}

kv_written written(std::uint64_t at, std::optional<nanoseconds> ttl = 1s, epoch in = store) {
  return {in, {at}, ttl};
}

failure refused(error_code code) { return {code, certainty::not_applied, "", "", {}}; }
failure mismatch() { return refused(error_code::revision_mismatch); }

sighting own(std::uint64_t at, std::uint64_t renewal, epoch in = store) {
  return {.who = standing::own, .epoch = in, .revision = {at}, .renewal = renewal};
}
sighting foreign(std::uint64_t at) {
  return {.who = standing::foreign, .epoch = store, .revision = {at}, .owner = "dome/1"};
}
sighting tombstone(std::uint64_t at, tombstone_cause cause) {
  return {.who = standing::absent, .epoch = store, .revision = {at}, .cause = cause};
}

/// Held since `start` at revision 5: the deadline is after 980 ms, jeopardy after 730 ms.
lease_machine held(const lease_terms& x = terms) {
  lease_machine machine{x, start};
  BOOST_REQUIRE_EQUAL(text(machine.start(start)), "create 0");
  BOOST_REQUIRE_EQUAL(text(machine.on_written(start, 0, written(5, x.ttl))),
                      x.enforce ? "granted, watch" : "granted");
  if (x.enforce)
    BOOST_REQUIRE_EQUAL(text(machine.on_watch_opened(start)), "");
  return machine;
}

} // namespace

BOOST_AUTO_TEST_SUITE(lease_machine_test)

BOOST_AUTO_TEST_CASE(the_deadline_counts_from_before_the_sending_not_from_the_answer) {
  lease_machine machine{terms, start};
  BOOST_TEST(text(machine.start(start)) == "create 0");
  BOOST_TEST(text(machine.on_written(start + 90ms, 0, written(5))) == "granted, watch");
  BOOST_TEST((machine.deadline() == start + 980ms));
  BOOST_TEST((machine.token() == fencing_token{store, {5}}));
}

BOOST_AUTO_TEST_CASE(the_ttl_in_force_counts_not_the_one_that_was_asked_for) {
  lease_machine machine{{.ttl = 1500ms}, start};
  (void)machine.start(start);
  (void)machine.on_written(start, 0, written(5, 2s));
  BOOST_TEST((machine.deadline() == start + 2s - 40ms));
  BOOST_TEST((machine.ttl() == 2s));
}

BOOST_AUTO_TEST_CASE(at_the_very_deadline_it_is_lost) {
  auto machine = held();
  BOOST_TEST(text(machine.on_time(start + 729ms)) == "");
  BOOST_TEST(text(machine.on_time(start + 730ms)) == "jeopardy 250");
  BOOST_TEST(text(machine.on_time(start + 980ms - 1ns)) == "");
  BOOST_TEST(text(machine.on_time(start + 980ms)) == "ended expired, unwatch");
  BOOST_TEST(text(machine.on_time(start + 2s)) == "");
  BOOST_TEST(!machine.next_due());
}

BOOST_AUTO_TEST_CASE(a_refresh_moves_the_deadline_and_ends_jeopardy) {
  auto machine = held();
  BOOST_TEST(text(machine.on_time(start + 800ms)) == "jeopardy 180");
  BOOST_TEST(text(machine.on_refresh(start + 810ms)) == "update 1 over 5");
  BOOST_TEST(text(machine.on_written(start + 850ms, 1, written(6)))
             == "renewed, recovered 940, done");
  BOOST_TEST((machine.deadline() == start + 810ms + 980ms));
  BOOST_TEST((machine.margin() == 130ms));
}

BOOST_AUTO_TEST_CASE(a_second_refresh_waits_for_the_first) {
  auto machine = held();
  BOOST_TEST(text(machine.on_refresh(start)) == "update 1 over 5");
  BOOST_TEST(text(machine.on_refresh(start)) == "");
  BOOST_TEST(text(machine.on_written(start, 1, written(6))) == "renewed, done, update 2 over 6");
  BOOST_TEST(text(machine.on_written(start, 2, written(9))) == "renewed, done");
}

BOOST_AUTO_TEST_CASE(jeopardy_comes_early_enough_for_the_grace) {
  auto machine = held({.ttl = 1s, .grace = 333ms});
  BOOST_TEST(text(machine.on_time(start + 646ms)) == "");
  BOOST_TEST(text(machine.on_time(start + 647ms)) == "jeopardy 333");
}

BOOST_AUTO_TEST_CASE(a_refresh_without_an_answer_is_read_and_adopted_with_its_own_time) {
  auto machine = held();
  (void)machine.on_refresh(start + 100ms);
  BOOST_TEST(text(machine.on_time(start + 200ms)) == "read 0");
  BOOST_TEST(text(machine.on_read(start + 210ms, 0, own(6, 1))) == "renewed, done");
  BOOST_TEST((machine.deadline() == start + 100ms + 980ms));
  BOOST_TEST(text(machine.on_written(start + 220ms, 1, written(6))) == "");
  BOOST_TEST((machine.revision() == revision{6}));
}

BOOST_AUTO_TEST_CASE(a_refresh_that_did_not_arrive_is_tried_again_under_a_new_number) {
  auto machine = held();
  (void)machine.on_refresh(start + 100ms);
  BOOST_TEST(text(machine.on_time(start + 200ms)) == "read 0");
  BOOST_TEST(text(machine.on_read(start + 210ms, 0, own(5, 0))) == "");
  BOOST_TEST(text(machine.on_time(start + 260ms)) == "update 2 over 5");
}

BOOST_AUTO_TEST_CASE(an_older_attempt_that_was_applied_after_all_counts_from_its_own_sending) {
  auto machine = held();
  (void)machine.on_refresh(start + 100ms);
  (void)machine.on_time(start + 200ms);
  (void)machine.on_read(start + 210ms, 0, own(5, 0));
  BOOST_TEST(text(machine.on_time(start + 260ms)) == "update 2 over 5");
  // The first one arrives now, before the second, which then finds another revision.
  BOOST_TEST(text(machine.on_write_failed(start + 270ms, 2, mismatch())) == "read 1");
  BOOST_TEST(text(machine.on_read(start + 280ms, 1, own(6, 1))) == "renewed, done");
  BOOST_TEST((machine.deadline() == start + 100ms + 980ms));
}

BOOST_AUTO_TEST_CASE(a_conflict_with_a_repeated_request_of_ours_is_no_loss) {
  auto machine = held();
  (void)machine.on_refresh(start + 100ms);
  BOOST_TEST(text(machine.on_write_failed(start + 110ms, 1, mismatch())) == "read 0");
  BOOST_TEST(text(machine.on_read(start + 120ms, 0, own(6, 1))) == "renewed, done");
}

BOOST_AUTO_TEST_CASE(pauses_between_attempts_double_up_to_a_twentieth_of_the_ttl) {
  auto machine = held({.ttl = 10s});
  (void)machine.on_refresh(start);
  auto now = start;
  for (const auto pause : {50ms, 100ms, 200ms, 400ms, 500ms, 500ms}) {
    const auto renewal = machine.counted().attempts - 1;
    BOOST_TEST(text(machine.on_write_failed(now, renewal, refused(error_code::backend_unavailable)))
               == "");
    BOOST_TEST((machine.next_due() == now + pause));
    now += pause;
    BOOST_TEST(text(machine.on_time(now)) == "update " + std::to_string(renewal + 1) + " over 5");
  }
}

BOOST_AUTO_TEST_CASE(a_refusal_ends_the_refresh_not_the_lease) {
  auto machine = held();
  (void)machine.on_refresh(start);
  (void)machine.on_refresh(start);
  BOOST_TEST(text(machine.on_write_failed(start, 1, refused(error_code::payload_too_large)))
             == "refused, update 2 over 5");
  BOOST_TEST(text(machine.on_written(start, 2, written(6))) == "renewed, done");
}

BOOST_AUTO_TEST_CASE(a_loss_calls_the_janitor_only_if_a_refresh_may_have_come_or_may_come_yet) {
  auto idle = held();
  BOOST_TEST(text(idle.on_time(start + 980ms)) == "ended expired, unwatch");
  auto under_way = held();
  (void)under_way.on_refresh(start + 970ms);
  BOOST_TEST(text(under_way.on_time(start + 980ms)) == "ended backend_lost, unwatch, janitor");
  auto unsettled = held();
  (void)unsettled.on_refresh(start + 100ms);
  (void)unsettled.on_time(start + 200ms);               // Reads.
  (void)unsettled.on_read(start + 210ms, 0, own(5, 0)); // Not applied, by then.
  const auto superseded = text(unsettled.on_sighting(start + 220ms, foreign(9)));
  BOOST_TEST(superseded == "ended superseded, unwatch, janitor");
  auto settled = held();
  (void)settled.on_refresh(start + 100ms);
  (void)settled.on_written(start + 110ms, 1, written(6));
  BOOST_TEST(text(settled.on_sighting(start + 220ms, foreign(9))) == "ended superseded, unwatch");
}

BOOST_AUTO_TEST_CASE(what_is_deleted_is_named_with_its_epoch) {
  auto machine = held();
  const auto actions = machine.on_release(start, release_cause::asked);
  BOOST_REQUIRE(actions.size() == 1u);
  BOOST_TEST((std::get<send_delete>(actions[0]) == send_delete{0, {5}, store}));
}

BOOST_AUTO_TEST_CASE(an_answer_after_the_deadline_revives_nothing_and_is_discarded) {
  auto machine = held();
  (void)machine.on_refresh(start + 970ms);
  BOOST_TEST(text(machine.on_written(start + 990ms, 1, written(6)))
             == "ended backend_lost, unwatch, janitor, discard 6");
  BOOST_TEST((machine.phase() == lease_phase::lost));
  BOOST_TEST(text(machine.on_written(start + 991ms, 1, written(6))) == "discard 6");
}

BOOST_AUTO_TEST_CASE(a_create_answered_after_its_own_deadline_is_no_grant) {
  lease_machine machine{{.ttl = 200ms}, start};
  BOOST_TEST(text(machine.start(start)) == "create 0");
  BOOST_TEST(text(machine.on_time(start + 50ms)) == "read 0");
  BOOST_TEST(text(machine.on_time(start + 100ms)) == "");
  BOOST_TEST(text(machine.on_written(start + 180ms, 0, written(5, 200ms))) == "discard 5");
  BOOST_TEST((machine.phase() == lease_phase::acquiring));
}

BOOST_AUTO_TEST_CASE(a_create_without_an_answer_is_adopted_or_tried_again) {
  lease_machine machine{terms, start};
  (void)machine.start(start);
  BOOST_TEST(text(machine.on_time(start + 100ms)) == "read 0");
  auto lost = machine;
  BOOST_TEST(text(machine.on_read(start + 110ms, 0, own(5, 0))) == "granted, watch");
  BOOST_TEST((machine.deadline() == start + 980ms));
  BOOST_TEST(text(lost.on_read(start + 110ms, 0, {})) == "");
  BOOST_TEST(text(lost.on_time(start + 160ms)) == "create 1");
}

BOOST_AUTO_TEST_CASE(an_acquirer_that_gives_up_calls_the_janitor_if_something_may_come) {
  lease_machine machine{terms, start};
  (void)machine.start(start);
  for (auto now = start + 50ms; now < start + 1s; now += 50ms)
    (void)machine.on_time(now);
  BOOST_TEST(text(machine.on_time(start + 1s)) == "timeout, janitor");
  BOOST_TEST((machine.phase() == lease_phase::failed));
  BOOST_TEST(text(machine.on_written(start + 2s, 0, written(5))) == "discard 5");
}

BOOST_AUTO_TEST_CASE(another_holder_makes_the_lease_unavailable_at_once_without_a_wait) {
  lease_machine machine{terms, start};
  (void)machine.start(start);
  BOOST_TEST(text(machine.on_write_failed(start, 0, mismatch())) == "read 0");
  BOOST_TEST(text(machine.on_read(start, 0, foreign(4))) == "lease_unavailable");
  BOOST_TEST((machine.phase() == lease_phase::unavailable));
}

BOOST_AUTO_TEST_CASE(a_waiter_tries_only_in_its_turn_and_asks_at_the_end_who_holds_the_key) {
  lease_machine machine{{.ttl = 1s, .wait = 3s}, start};
  BOOST_TEST(text(machine.start(start)) == "join");
  BOOST_TEST(text(machine.on_turn(start + 1s)) == "create 0");
  BOOST_TEST(text(machine.on_turn(start + 1s)) == "");
  BOOST_TEST(text(machine.on_write_failed(start + 1s, 0, mismatch())) == "read 0");
  BOOST_TEST(text(machine.on_read(start + 1s, 0, foreign(4))) == "missed");
  BOOST_TEST((machine.next_due() == start + 3s));
  BOOST_TEST(text(machine.on_time(start + 3s)) == "leave, read 1");
  BOOST_TEST(text(machine.on_read(start + 3s, 1, foreign(4))) == "lease_unavailable");
}

BOOST_AUTO_TEST_CASE(a_waiter_that_takes_the_key_says_so) {
  lease_machine machine{{.ttl = 1s, .wait_forever = true}, start};
  (void)machine.start(start);
  (void)machine.on_turn(start + 24h);
  BOOST_TEST(text(machine.on_written(start + 24h, 0, written(5))) == "granted, taken, watch");
}

BOOST_AUTO_TEST_CASE(a_release_deletes_at_the_revision_and_is_over_after_a_second_in_any_case) {
  auto machine = held();
  BOOST_TEST(text(machine.on_release(start, release_cause::asked)) == "delete 0 at 5");
  auto slow = machine;
  BOOST_TEST(text(machine.on_deleted(start + 10ms)) == "ended released, unwatch");
  BOOST_TEST(machine.key_deleted());
  for (auto now = start + 50ms; now < start + 1s; now += 50ms)
    (void)slow.on_time(now);
  BOOST_TEST(text(slow.on_time(start + 1s)) == "ended released, unwatch, janitor");
  BOOST_TEST(!slow.key_deleted());
}

BOOST_AUTO_TEST_CASE(a_release_during_a_refresh_waits_for_its_revision) {
  auto machine = held();
  (void)machine.on_refresh(start);
  (void)machine.on_refresh(start);
  BOOST_TEST(text(machine.on_release(start, release_cause::asked)) == "");
  auto lost = machine;
  BOOST_TEST(text(machine.on_written(start, 1, written(6))) == "delete 0 at 6");
  BOOST_TEST(text(lost.on_time(start + 100ms)) == "read 0");
  BOOST_TEST(text(lost.on_read(start + 110ms, 0, own(6, 1))) == "delete 1 at 6");
}

BOOST_AUTO_TEST_CASE(a_release_never_deletes_what_another_holds) {
  auto machine = held();
  (void)machine.on_release(start, release_cause::asked);
  BOOST_TEST(text(machine.on_delete_failed(start, 0, mismatch())) == "");
  BOOST_TEST(text(machine.on_time(start + 50ms)) == "read 1");
  BOOST_TEST(text(machine.on_read(start + 50ms, 1, foreign(8))) == "ended released, unwatch");
}

BOOST_AUTO_TEST_CASE(an_acquirer_that_is_released_removes_what_its_create_wrote) {
  lease_machine machine{terms, start};
  (void)machine.start(start);
  BOOST_TEST(text(machine.on_release(start, release_cause::asked)) == "cancelled");
  BOOST_TEST(text(machine.on_written(start, 0, written(5))) == "delete 0 at 5");
  BOOST_TEST(text(machine.on_deleted(start)) == "ended released");
}

BOOST_AUTO_TEST_CASE(each_loss_has_its_reason) {
  const auto lose = [](auto event) {
    auto machine = held();
    (void)event(machine);
    BOOST_REQUIRE(machine.lost());
    return to_string(*machine.lost());
  };
  BOOST_TEST(lose([](auto& m) { return m.on_time(start + 980ms); }) == "expired");
  BOOST_TEST(lose([](auto& m) { return m.on_time(start + 1030ms); }) == "expired");
  BOOST_TEST(lose([](auto& m) { return m.on_time(start + 1031ms); }) == "paused");
  BOOST_TEST(lose([](auto& m) { return m.on_sighting(start, foreign(9)); }) == "superseded");
  BOOST_TEST(
    lose([](auto& m) { return m.on_sighting(start, tombstone(9, tombstone_cause::deleted)); })
    == "deleted");
  BOOST_TEST(
    lose([](auto& m) { return m.on_sighting(start, tombstone(9, tombstone_cause::purged)); })
    == "deleted");
  BOOST_TEST(
    lose([](auto& m) { return m.on_sighting(start, tombstone(9, tombstone_cause::expired)); })
    == "expired");
  BOOST_TEST(lose([](auto& m) {
               return m.on_sighting(start,
                                    {.who = standing::broken, .epoch = store, .revision = {9}});
             })
             == "broken");
  BOOST_TEST(lose([](auto& m) { return m.on_store_changed(start); }) == "store_changed");
  BOOST_TEST(lose([](auto& m) { return m.on_sighting(start, own(9, 0, epoch{8})); })
             == "store_changed");
  BOOST_TEST(lose([](auto& m) {
               (void)m.on_refresh(start);
               return m.on_written(start, 1, written(6, 1s, epoch{8}));
             })
             == "store_changed");
  BOOST_TEST(lose([](auto& m) {
               (void)m.on_refresh(start);
               return m.on_written(start, 1, written(4));
             })
             == "store_changed");
  BOOST_TEST(lose([](auto& m) {
               (void)m.on_watch_lost(start + 500ms);
               return m.on_time(start + 980ms);
             })
             == "backend_lost");
  BOOST_TEST(lose([](auto& m) {
               (void)m.on_refresh(start + 900ms);
               return m.on_time(start + 980ms);
             })
             == "backend_lost");
  const auto unconfirmed = [&](release_cause cause) {
    return lose([&](auto& m) {
      (void)m.on_release(start, cause);
      return m.on_time(start + 1s);
    });
  };
  BOOST_TEST(unconfirmed(release_cause::holder_died) == "holder_died");
  BOOST_TEST(unconfirmed(release_cause::shutdown) == "shutdown");
}

BOOST_AUTO_TEST_CASE(what_is_seen_of_the_key_outranks_the_clock_as_the_reason) {
  auto superseded = held(), deleted = held(), expired = held(), store_is_new = held();
  const auto late = start + 3s;
  (void)superseded.on_sighting(late, foreign(9));
  (void)deleted.on_sighting(late, tombstone(9, tombstone_cause::deleted));
  (void)expired.on_sighting(late, tombstone(9, tombstone_cause::expired));
  (void)store_is_new.on_store_changed(late);
  BOOST_TEST((superseded.lost() == loss_reason::superseded));
  BOOST_TEST((deleted.lost() == loss_reason::deleted));
  BOOST_TEST((expired.lost() == loss_reason::paused)); // An expiry is only what the clock says.
  BOOST_TEST((store_is_new.lost() == loss_reason::store_changed));
}

BOOST_AUTO_TEST_CASE(old_news_of_the_key_changes_nothing) {
  auto machine = held();
  BOOST_TEST(text(machine.on_sighting(start, foreign(4))) == "");
  BOOST_TEST(text(machine.on_sighting(start, tombstone(3, tombstone_cause::deleted))) == "");
  BOOST_TEST(text(machine.on_sighting(start, own(5, 0))) == "");
}

BOOST_AUTO_TEST_CASE(an_unmarked_expiry_of_our_own_revision_is_a_loss) {
  auto machine = held();
  auto seen = tombstone(5, tombstone_cause::expired);
  seen.unmarked = true;
  BOOST_TEST(text(machine.on_sighting(start + 100ms, seen)) == "ended expired, unwatch");
}

BOOST_AUTO_TEST_CASE(a_doubt_is_settled_by_a_read) {
  auto machine = held();
  BOOST_TEST(text(machine.on_doubt(start)) == "read 0");
  auto gone = machine;
  BOOST_TEST(text(machine.on_read(start, 0, own(5, 0))) == "");
  BOOST_TEST((machine.phase() == lease_phase::held));
  BOOST_TEST(text(gone.on_read(start, 0, {})) == "ended deleted, unwatch");
}

BOOST_AUTO_TEST_CASE(our_own_record_written_again_by_another_is_a_changed_store) {
  auto machine = held();
  BOOST_TEST(text(machine.on_sighting(start, own(9, 0))) == "read 0");
  BOOST_TEST(text(machine.on_read(start, 0, own(9, 0))) == "ended store_changed, unwatch");
}

BOOST_AUTO_TEST_CASE(a_watch_that_does_not_open_is_opened_again) {
  lease_machine machine{terms, start};
  (void)machine.start(start);
  (void)machine.on_written(start, 0, written(5));
  BOOST_TEST(text(machine.on_time(start + 100ms)) == "watch");
  BOOST_TEST(text(machine.on_watch_lost(start + 150ms)) == "");
  BOOST_TEST(text(machine.on_time(start + 250ms)) == "watch");
  BOOST_TEST(text(machine.on_watch_opened(start + 260ms)) == "");
  BOOST_TEST((machine.next_due() == start + 730ms));
}

BOOST_AUTO_TEST_CASE(without_enforcement_nothing_is_watched) {
  lease_machine machine{{.ttl = 1s, .wait_forever = true, .enforce = false}, start};
  BOOST_TEST(text(machine.start(start)) == "create 0");
  BOOST_TEST(text(machine.on_written(start, 0, written(5))) == "granted");
}

BOOST_AUTO_TEST_SUITE_END()
