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

inline backend_actor make_memory_with(caf::actor_system& sys, const runtime& rt,
                                      const setting& wanted) {
  memory_options options;
  if (wanted.messages_kept > 0)
    options.streams.max_messages = wanted.messages_kept;
  return spawn_memory_backend(sys, rt, options);
}

inline backend_actor make_memory(deterministic_fixture& fixture, const setting& wanted) {
  auto rt = fixture.rt();
  return make_memory_with(fixture.system, {rt.time, rt.random, rt.log, rt.metrics, wanted.bounds},
                          wanted);
}

inline conformance_target memory_target(std::uint64_t seed = 1) {
  conformance_target result;
  result.name = "memory";
  result.make_world = [seed](const setting& wanted) {
    return std::make_unique<virtual_world>(seed, make_memory, wanted);
  };
  result.expected = memory_expected();
  result.interrupt = [](world& x) { interrupt_memory_backend(x.engine()); };
  result.skipped = {"a_ttl_over_the_longest_is_refused_with_what_it_would_need"};
  return result;
}

} // namespace trunnion::test
