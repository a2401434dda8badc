// An entity's keys, streams, events and requests for code outside actors, by calls that block.
//
// A `main`, a driver's callback or a test has no mailbox. Each call here makes an actor for itself,
// asks, waits for the answer, and returns it; so one client may be used by any number of threads at
// once, without locks. (A read from the memory backend takes 30 microseconds so; an actor shared by
// all calls would make it 20, and callers wait for each other.) Every call ends by its timeout.
//
//   blocking_client here{sys, rt, backend};
//   auto mount = here.at("ridge", "mount");
//   if (auto written = mount.update("state", payload{"parked"}); !written)
//     std::cerr << to_string(written.error());
//   auto changes = mount.watch("*");
//   while (auto part = changes->next(10s)) { ... }
//
// Never inside an actor, whose thread is shared: on a worker thread of CAF each call fails with
// `invalid_argument`; elsewhere it is the caller's duty.
//
// Threads: any. A feed is used by one thread at a time. Feeds hold the actor system: let them go
// before it ends.

#pragma once

#include "trunnion/actors/client_feeds.hpp"
#include "trunnion/actors/context.hpp"

namespace trunnion {

class blocking_client {
public:
  /// At `where`; the root unless given.
  blocking_client(caf::actor_system& sys, const runtime& rt, backend_actor backend,
                  entity where = {});

  /// Further down. What is no entity is told by each operation there.
  template <class... Segments> [[nodiscard]] blocking_client at(const Segments&... segments) const {
    auto result = *this;
    result.where_ = descend(where_, {std::string_view{segments}...});
    return result;
  }

  /// Likewise, with another timeout for all but `invoke`. Not positive: `invalid_argument`.
  [[nodiscard]] blocking_client within(nanoseconds timeout) const;

  /// `invalid_subject` if it is none.
  [[nodiscard]] const outcome<entity>& where() const { return where_; }

  // -- keys -------------------------------------------------------------------

  outcome<kv_entry> get(std::string_view prop) const;
  outcome<kv_written> create(std::string_view prop, payload value,
                             std::optional<nanoseconds> ttl = {}) const;
  outcome<kv_written> update(std::string_view prop, payload value,
                             const write_terms& terms = {}) const;
  outcome<kv_deleted> remove(std::string_view prop, const write_terms& terms = {}) const;

  /// The live entries of a name, `*` or `>`.
  outcome<listing> list(std::string_view pattern) const;

  /// Entries and their changes, of a name, `*` or `>`.
  outcome<key_feed> watch(std::string_view pattern) const;

  // -- streams ----------------------------------------------------------------

  outcome<published> publish(std::string_view prop, payload message) const;
  outcome<published> publish_event(payload message) const;

  /// Messages of a name, `_EVENTS`, `*` or `>`. The options' pattern, owner and patience are not
  /// looked at.
  outcome<message_feed> consume(std::string_view pattern, reader_options options = {}) const;

  // -- requests ---------------------------------------------------------------

  /// Serves a request until the result ends. The function runs in an actor, one call at a time, and
  /// must not block. The options' subject, handler and owner are not looked at.
  outcome<request_service> handle(std::string_view request, request_function handler,
                                  responder_options options = {}) const;

  /// Asks whoever serves it. The error of a handler is `remote_request`, with what it said.
  outcome<payload> invoke(std::string_view request, payload message,
                          nanoseconds timeout = default_request_timeout) const;

private:
  outcome<subject> find(std::string_view prop) const;

  caf::actor_system* system_;
  runtime rt_;
  backend_actor backend_;
  outcome<entity> where_;
  nanoseconds timeout_ = default_operation_timeout;
};

} // namespace trunnion
