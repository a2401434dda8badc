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

BOOST_AUTO_TEST_CASE(what_it_can_do_is_what_memory_allows) {
  const auto can = ask<capabilities>(backend, get_capabilities{}).value();
  BOOST_TEST(can.engine == "memory");
  BOOST_TEST((can.expiry_slack == 0ns));
  BOOST_TEST((can.least_ttl == 1ms));
  BOOST_TEST(can.consistent_list);
  BOOST_TEST((can.durability == durability::process));
}

BOOST_AUTO_TEST_CASE(its_epoch_is_the_wall_clock_at_the_spawn) {
  const auto status = ask<backend_status>(backend, get_backend_status{}).value();
  BOOST_TEST(status.epoch.value == static_cast<std::uint64_t>(wall().time_since_epoch().count()));
  BOOST_TEST(status.location == "memory:");
}

BOOST_AUTO_TEST_CASE(a_write_a_watch_and_an_expiry) {
  const auto sink = make_probe(*this);
  say(*this, sink, backend, watch{at("a.k"), 1, 16});
  BOOST_TEST(sink.log->opened == 1U);
  BOOST_REQUIRE(sink.log->has(part_kind::snapshot_end));
  const auto written = ask<kv_written>(backend, kv_create{at("a.k"), payload{"v"}, 1500ms}).value();
  BOOST_TEST(written.revision.value == 1U);
  advance(1499ms);
  BOOST_TEST(ask<kv_entry>(backend, kv_get{at("a.k")}).value().entry.payload.bytes() == "v");
  BOOST_TEST(sink.log->entries(part_kind::change).size() == 1U);
  advance(1ms);
  const auto told = sink.log->entries(part_kind::change);
  BOOST_REQUIRE(told.size() == 2U);
  BOOST_TEST((told[1].tombstone == tombstone_cause::expired));
  BOOST_TEST((ask<kv_entry>(backend, kv_get{at("a.k")}).error().code == error_code::key_not_found));
}

BOOST_AUTO_TEST_SUITE_END()
