// What the memory backend does, operation by operation, and what it keeps for whom.
//
// The backend's actor decides whose operation runs when; this is what running one means: the store,
// the sinks that are told of it, requests and services, and the sessions that all of them belong
// to. Answers are values; sinks, listeners and callers are sent their messages from here.
//
// Clock: the runtime's, looked at once for each operation (`look`). Threads: used by one actor, its
// owner, in whose state it lives.

#pragma once

#include "trunnion/backends/common/request_table.hpp"
#include "trunnion/backends/common/service_table.hpp"
#include "trunnion/backends/common/sink_table.hpp"
#include "trunnion/backends/memory/store.hpp"
#include "trunnion/messages/backend_status.hpp"
#include "trunnion/messages/capabilities.hpp"

namespace trunnion {

class memory_engine : public sink_source {
public:
  using session = const caf::strong_actor_ptr&; ///< The sender of an operation.

  /// `is_busy` says whether more operations are there already, so that sinks may be told of several
  /// at once.
  memory_engine(caf::scheduled_actor* self, const runtime& rt, const memory_options& options,
                std::function<bool()> is_busy);

  /// What follows happens now.
  void look() { at_ = {rt_.time.now(), rt_.time.wall()}; }
  [[nodiscard]] instant now() const { return at_.now; }

  // -- operations -------------------------------------------------------------

  outcome<kv_entry> run(kv_get& x, session);
  outcome<kv_written> run(kv_create& x, session);
  outcome<kv_written> run(kv_update& x, session);
  outcome<kv_deleted> run(kv_delete& x, session);
  outcome<watch_opened> run(const watch& x, session from);
  outcome<watch_opened> run(const kv_list& x, session from);
  outcome<published> run(publish& x, session);
  outcome<consuming> run(const consume& x, session from);
  outcome<stream_acked> run(const stream_ack& x, session from);
  outcome<durable_dropped> run(const drop_durable& x, session);
  outcome<stream_subjects> run(const list_streams& x, session);
  outcome<listening> run(const listen& x, session from);
  outcome<unlistened> run(const unlisten& x, session from);
  outcome<listeners_purged> run(const purge_listeners&, session from);
  outcome<service_registered> run(register_service& x, session from);
  outcome<service_unregistered> run(const unregister_service& x, session from);

  /// Its promise is answered later, or now if it cannot be handed over.
  void run(invocation& x, session caller);

  // -- what sinks and listeners say -------------------------------------------

  void run(const watch_credit& x, session from);
  void run(const stream_credit& x, session from);
  void run(const rewatch& x, session from);
  void run(const unwatch& x, session from);
  void run(const unconsume& x, session from);
  void on_reply(request_reply& x, session from) { requests_.on_reply(from, x); }

  // -- ends -------------------------------------------------------------------

  /// The actor has ended.
  void end_session(const caf::actor_addr& who);

  /// Tells everybody that nothing follows, and answers whoever waits.
  void end_all(const failure& why);

  /// As if the store had been out of reach.
  void interrupt() { sinks_.on_interrupted(); }

  // -- time -------------------------------------------------------------------

  /// Whether `work` has something to do.
  [[nodiscard]] bool has_work() const { return sinks_.has_work(); }
  void work() { sinks_.work(); }

  /// A slice of what has become due, in at least so many steps.
  void run_timers(std::size_t at_least = 0);
  [[nodiscard]] std::optional<instant> next_due() const;

  // -- figures ----------------------------------------------------------------

  [[nodiscard]] static capabilities can();

  /// Run so far.
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

  /// All but what waits.
  [[nodiscard]] backend_status status() const;

  /// Whether something is held of this actor.
  [[nodiscard]] bool holds(const caf::actor_addr& who) const { return sessions_.holds(who); }

  /// Requests of this caller that wait for their answer.
  [[nodiscard]] std::size_t in_flight(const caf::actor_addr& caller) const {
    return requests_.in_flight(caller);
  }

  // -- what sinks read --------------------------------------------------------

  entry_page page(const subject& pattern, const page_position& position) override;
  message_batch read(const subject& pattern, const stream_place& from, std::size_t steps) override;
  revision newest() const override { return store_.keys.newest(); }

private:
  runtime rt_;
  epoch epoch_;
  std::function<bool()> is_busy_;
  memory_store store_;
  session_table sessions_;
  sink_table sinks_;
  request_table requests_;
  service_table services_;
  moment at_; // When the current operation happens.
  std::uint64_t operations_ = 0;
};

} // namespace trunnion
