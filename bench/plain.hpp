// CAF's own request and response: the least that anything through an actor can cost.

#pragma once

#include "trunnion/bench/asker.hpp"
#include "trunnion/messages/runtime/caf_shim.hpp"

namespace trunnion::bench {

struct nothing_asked {};
struct nothing_answered {};

} // namespace trunnion::bench

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::bench::nothing_asked)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::bench::nothing_answered)

namespace trunnion::bench {

using empty_actor = caf::typed_actor<answers<nothing_asked, nothing_answered>>;

inline empty_actor spawn_empty(caf::actor_system& sys) {
  return sys.spawn([]() -> empty_actor::behavior_type {
    return {[](const nothing_asked&) { return nothing_answered{}; }};
  });
}

/// The issue of an asker that asks an empty actor.
inline auto ask_empty(const empty_actor& empty) {
  return [empty](caf::event_based_actor* self, std::size_t, auto done) {
    self->request(empty, caf::infinite, nothing_asked{})
      .then([done](const nothing_answered&) { done(); }, or_die("plain request"));
  };
}

/// Of single rounds, so that a slow moment spoils one of them only; their median.
[[nodiscard]] inline double ratio(const std::vector<throughput>& x,
                                  const std::vector<throughput>& y) {
  std::vector<double> result;
  for (std::size_t i = 0; i < x.size(); ++i)
    result.push_back(x[i].rate / y[i].rate);
  return median(result);
}

} // namespace trunnion::bench
