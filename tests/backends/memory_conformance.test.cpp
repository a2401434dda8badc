// The conformance suite against the memory backend, in virtual time.

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/conformance/all_checks.hpp"

namespace trunnion::test {
namespace {

capabilities memory_expected() {
  capabilities result;
  result.engine = "memory";
  result.least_ttl = 1ms;
  result.ttl_resolution = 1ms;
  result.expiry_told_within = 100ms;
  result.min_safe_ttl = 100ms;
  result.max_payload = max_payload_size;
  result.consistent_list = true;
  result.durability = durability::process;
  result.expiry_events = expiry_events::marked;
  return result;
}

backend_actor make_memory(deterministic_fixture& fixture, const limits& bounds) {
  auto rt = fixture.rt();
  return spawn_memory_backend(fixture.system, {rt.time, rt.random, rt.log, rt.metrics, bounds});
}

const std::size_t added = add_conformance_suite({
  "memory",
  [](const limits& bounds) { return std::make_unique<virtual_world>(1, make_memory, bounds); },
  memory_expected(),
});

} // namespace
} // namespace trunnion::test

BOOST_AUTO_TEST_CASE(the_conformance_suite_has_not_shrunk) {
  BOOST_TEST(trunnion::test::added >= 100U);
}
