// All that the memory backend knows, without an actor around it.
//
// The backend gives it to many actors; the simulator uses it by itself, as the oracle that says
// what any backend must have answered.
//
// Clock: none inside; every call takes a `moment`, whose `now` never goes back.
// Threads: one user at a time.

#pragma once

#include "trunnion/backends/memory/durables.hpp"
#include "trunnion/backends/memory/key_store.hpp"
#include "trunnion/backends/memory/message_log.hpp"

namespace trunnion {

struct memory_options {
  retention streams;
  tombstone_limits tombstones;
};

class memory_store {
public:
  memory_store(epoch life, const memory_options& options);
  memory_store(const memory_store&) = delete; // Its parts point to each other.
  memory_store& operator=(const memory_store&) = delete;

  /// Appends to a stream; it is kept once this returns.
  outcome<published> publish(trunnion::publish x, const moment& at);

  /// Where a consumer that is opened now begins; a durable one is known from now on.
  outcome<stream_opening> open_consumer(const consume& x);

  outcome<stream_acked> acknowledge(const stream_ack& x);
  outcome<stream_subjects> list(const list_streams& x) const;

  /// Told of each message that retention removes. Must not call the store.
  void on_removed(message_log::listener x) { on_removed_ = std::move(x); }

  /// What has become due, in at most `steps` steps.
  void run_timers(const moment& at, std::size_t steps);

  /// When `run_timers` has something to do, or may have.
  [[nodiscard]] std::optional<instant> next_due() const;

  key_store keys;
  message_log log;
  durable_table durables;

private:
  message_log::listener on_removed_;
};

} // namespace trunnion
