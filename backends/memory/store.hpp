// All that the memory backend knows, without an actor around it.
//
// The backend gives it to many actors; the simulator uses it by itself, as the oracle that says
// what any backend must have answered.
//
// Clock: none inside; every call takes a `moment`, whose `now` never goes back.
// Threads: one user at a time.

#pragma once

#include "trunnion/backends/memory/key_store.hpp"
#include "trunnion/backends/memory/message_log.hpp"

namespace trunnion {

struct memory_options {
  retention streams;
  tombstone_limits tombstones;
};

class memory_store {
public:
  memory_store(epoch life, const memory_options& options)
    : keys(life, options.tombstones), log(options.streams) {}

  /// Appends to a stream; it is kept once this returns.
  outcome<published> publish(trunnion::publish x, const moment& at);

  /// What has become due, in at most `steps` steps.
  void run_timers(const moment& at, std::size_t steps);

  /// When `run_timers` has something to do, or may have.
  [[nodiscard]] std::optional<instant> next_due() const;

  key_store keys;
  message_log log;
};

} // namespace trunnion
