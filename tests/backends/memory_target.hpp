// The memory backend in virtual time, as a target of the conformance suite.

#pragma once

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/conformance/conformance.hpp"

namespace trunnion::test {

inline capabilities memory_expected() {
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

inline backend_actor make_memory(deterministic_fixture& fixture, const limits& bounds) {
  auto rt = fixture.rt();
  return spawn_memory_backend(fixture.system, {rt.time, rt.random, rt.log, rt.metrics, bounds});
}

inline conformance_target memory_target(std::uint64_t seed = 1) {
  return {"memory",
          [seed](const limits& bounds) {
            return std::make_unique<virtual_world>(seed, make_memory, bounds);
          },
          memory_expected()};
}

} // namespace trunnion::test
