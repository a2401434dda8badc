#include "trunnion/actors/janitor.hpp"

#include "trunnion/tests/actors/lease_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct janitor_fixture : lease_fixture {
  using lease_fixture::lease_fixture;

  sweep_job job(std::string holder, std::optional<revision> at_revision = {}) {
    return {.subject = at("a.A"),
            .holder = std::move(holder),
            .revision = at_revision,
            .ttl = 10s,
            .timeout = 1s};
  }

  /// A key as a lease of `holder` leaves it; its revision.
  revision leave(const std::string& holder) {
    lease_record left{.acquired_at = {wall()}, .refreshed_at = {wall()}, .holder = holder};
    const auto written
      = ask<kv_written>(store, kv_update{at("a.A"), payload{encode(left)}, {}, 60s});
    return written.value().revision;
  }
};

const std::string me = "018bcfe5-6800-7000-8000-000000000001";
const std::string other = "018bcfe5-6800-7000-8000-000000000002";

} // namespace

BOOST_FIXTURE_TEST_SUITE(janitor_test, janitor_fixture)

BOOST_AUTO_TEST_CASE(it_looks_at_once_after_a_timeout_and_after_a_ttl) {
  for (const auto when : {0ms, 1000ms, 10'000ms}) {
    sweep(system, rt(), store, job(me));
    run();
    if (when > 0ms)
      advance(when - 1ms);
    leave(me);
    BOOST_TEST(has_key("a.A"));
    if (when == 0ms)
      sweep(system, rt(), store, job(me));
    advance(1ms);
    BOOST_TEST(!has_key("a.A"));
    advance(20s);
  }
}

BOOST_AUTO_TEST_CASE(looks_that_are_due_together_after_a_pause_do_no_harm) {
  sweep(system, rt(), store, job(me));
  auto longer = job(me);
  longer.subject = at("b.B");
  longer.ttl = 60s;
  sweep(system, rt(), store, longer);
  run();
  leave(me);
  jump(11s); // Two looks at `a.A` are due now.
  BOOST_TEST(!has_key("a.A"));
  lease_record left{.acquired_at = {wall()}, .refreshed_at = {wall()}, .holder = me};
  (void)ask<kv_written>(store, kv_update{at("b.B"), payload{encode(left)}, {}, 300s}).value();
  advance(60s);
  BOOST_TEST(!has_key("b.B")); // Nor is the other job forgotten.
}

BOOST_AUTO_TEST_CASE(it_is_gone_after_its_last_look) {
  sweep(system, rt(), store, job(me));
  advance(13s);
  leave(me);
  advance(30s);
  BOOST_TEST(has_key("a.A"));
  BOOST_TEST(pending_timers() == 1U); // The store's own, for the key.
}

BOOST_AUTO_TEST_CASE(it_leaves_alone_what_another_holds) {
  leave(other);
  sweep(system, rt(), store, job(me));
  advance(20s);
  BOOST_TEST(has_key("a.A"));
}

BOOST_AUTO_TEST_CASE(a_known_revision_is_deleted_at_once_and_no_later_one) {
  auto left = leave(me);
  sweep(system, rt(), store, job("", left));
  run();
  BOOST_TEST(!has_key("a.A"));
  left = leave(me);
  leave(me);
  sweep(system, rt(), store, job("", left));
  advance(20s);
  BOOST_TEST(has_key("a.A"));
}

BOOST_AUTO_TEST_CASE(a_revision_of_another_life_of_the_store_is_left_alone) {
  auto stale = job("", leave(other));
  stale.in_epoch = epoch{1};
  sweep(system, rt(), store, stale);
  advance(20s);
  BOOST_TEST(has_key("a.A"));
}

BOOST_AUTO_TEST_CASE(where_the_holder_is_known_too_a_later_revision_of_it_goes_as_well) {
  const auto left = leave(me);
  leave(me);
  sweep(system, rt(), store, job(me, left));
  run();
  BOOST_TEST(!has_key("a.A"));
}

BOOST_AUTO_TEST_CASE(a_store_that_does_not_answer_is_asked_again_at_the_next_look) {
  const auto left = leave(me);
  wire.go_silent();
  sweep(system, rt(), link, job(me, left));
  advance(5s);
  wire.heal();
  BOOST_TEST(has_key("a.A"));
  advance(5s);
  BOOST_TEST(!has_key("a.A"));
}

BOOST_AUTO_TEST_SUITE_END()
