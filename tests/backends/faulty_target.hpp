// The memory backend behind a faulty link, in virtual time, as a target of the conformance suite.

#pragma once

#include "trunnion/backends/faulty/faulty_backend.hpp"
#include "trunnion/tests/backends/memory_target.hpp"

namespace trunnion::test {

/// With the plan `none`, which must be as if there were no link.
inline conformance_target faulty_memory_target(std::uint64_t seed = 1) {
  auto result = memory_target(seed);
  result.name = "faulty_memory";
  result.make_world = [seed](const setting& wanted) {
    const auto front = std::make_shared<backend_actor>(); // One link for all clients.
    const auto door = [front, wanted](deterministic_fixture& fixture, const backend_actor& engine) {
      if (!*front) {
        const auto rt = fixture.rt();
        *front = spawn_faulty_backend(fixture.system,
                                      {rt.time, rt.random, rt.log, rt.metrics, wanted.bounds},
                                      engine, {1, fault_plan{}});
      }
      return *front;
    };
    return std::make_unique<virtual_world>(seed, make_memory, wanted, door);
  };
  return result;
}

} // namespace trunnion::test
