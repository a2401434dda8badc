// A client that does one cheap thing at a steady pace, to see what it notices of others.
//
// It asks whether or not it was answered, so that a slow answer hides no other.
// Threads: the samples may be read once the actor has ended.

#pragma once

#include "trunnion/bench/asker.hpp"

namespace trunnion::bench {

/// Private: a prober's next get is due.
struct probe_again {};

} // namespace trunnion::bench

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::bench::probe_again)

namespace trunnion::bench {

struct sample {
  instant begin;
  double took = 0; ///< Seconds.
};

/// Gets one key once a millisecond until it is ended, and notes how long each took.
struct prober {
  std::vector<sample> samples; ///< To be read after `ended`.
  std::latch ended{1};
};

inline caf::actor spawn_prober(world& w, const std::shared_ptr<prober>& state, const subject& key) {
  return w.sys.spawn([&w, state, key](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(caf::drop);
    self->attach_functor([state] { state->ended.count_down(); });
    self->send(self, probe_again{});
    return {[&w, state, key, self](probe_again) {
      const auto begin = w.now();
      self->delayed_send(self, milliseconds{1}, probe_again{});
      self->request(w.backend, caf::infinite, kv_get{key})
        .then(
          [&w, state, begin](const kv_entry&) {
            state->samples.push_back({begin, seconds(w.now() - begin)});
          },
          or_die("get"));
    }};
  });
}

} // namespace trunnion::bench
