// An entity's keys, streams, events and requests in one small object, for an actor.
//
// It binds a backend, an entity, and the actor that speaks. What comes back is handed to a function
// that runs in that actor, with the value or the failure; a wrong address is such a failure, too,
// so there is one place for errors. Every operation ends: by an answer, or by `timeout`.
//
//   entity_context here{self, rt, backend};
//   auto mount = here.at("ridge", "mount");
//   mount.update("state", payload{"slewing"}, [this](const outcome<kv_written>& x) { ... });
//   mount.publish_event(payload{R"({"event":"slewed"})"}, ignore);
//   mount.invoke("slew", payload{"12.5"}, [this](const outcome<payload>& x) { ... });
//
// Properties are names; where a pattern makes sense, `*` and `>` stand for the entity's own
// properties and for all below it, and `_EVENTS` for its events. Copies are cheap and independent.
//
// Threads: used by its actor alone, and not after that has ended. Plain threads have a
// `blocking_client` (`client.hpp`).

#pragma once

#include "trunnion/actors/entity_path.hpp"
#include "trunnion/actors/kv_lister.hpp"
#include "trunnion/actors/responder.hpp"
#include "trunnion/actors/stream_reader.hpp"
#include "trunnion/messages/interfaces.hpp"

#include <functional>

namespace caf {
class scheduled_actor;
} // namespace caf

namespace trunnion {

/// Called in the speaking actor with what came of an operation.
template <class T> using on_outcome = std::function<void(const outcome<T>&)>;

/// For operations whose outcome does not matter.
inline constexpr auto ignore = [](const auto&) {};

/// How long a context waits for an answer unless it is told otherwise.
inline constexpr nanoseconds default_operation_timeout = std::chrono::seconds{5};

class entity_context {
public:
  /// At `where`; the root unless given. Any event-based actor of CAF may speak.
  entity_context(caf::scheduled_actor* speaker, const runtime& rt, backend_actor backend,
                 entity where = {});

  /// Further down. What is no entity is told by each operation there.
  template <class... Segments> [[nodiscard]] entity_context at(const Segments&... segments) const {
    auto result = *this;
    result.where_ = descend(where_, {std::string_view{segments}...});
    return result;
  }

  /// Likewise, with another timeout for all but `invoke`. Not positive: `invalid_argument`.
  [[nodiscard]] entity_context within(nanoseconds timeout) const;

  /// `invalid_subject` if it is none.
  [[nodiscard]] const outcome<entity>& where() const { return where_; }

  // -- keys -------------------------------------------------------------------

  void get(std::string_view prop, on_outcome<kv_entry> then) const;
  void create(std::string_view prop, payload value, on_outcome<kv_written> then,
              std::optional<nanoseconds> ttl = {}) const;
  void update(std::string_view prop, payload value, on_outcome<kv_written> then,
              const write_terms& terms = {}) const;
  void remove(std::string_view prop, on_outcome<kv_deleted> then,
              const write_terms& terms = {}) const;

  /// The live entries of a name, `*` or `>`.
  void list(std::string_view pattern, on_outcome<listing> then) const;

  /// A monitor of a name, `*` or `>`, which ends with the speaker.
  [[nodiscard]] outcome<kv_monitor_actor> monitor(std::string_view pattern) const;

  // -- streams ----------------------------------------------------------------

  void publish(std::string_view prop, payload message, on_outcome<published> then) const;
  void publish_event(payload message, on_outcome<published> then) const;

  /// A reader of a name, `_EVENTS`, `*` or `>`, which ends with the speaker unless the options say
  /// with whom; their pattern is not looked at.
  [[nodiscard]] outcome<stream_reader_actor> consume(std::string_view pattern, any_read_sink sink,
                                                     reader_options options = {}) const;

  // -- requests ---------------------------------------------------------------

  /// Serves a request; ends with the speaker unless the options say with whom. Their subject and
  /// handler are not looked at.
  [[nodiscard]] outcome<responder_actor> handle(std::string_view request,
                                                any_request_handler handler,
                                                responder_options options = {}) const;

  /// Asks whoever serves it. The error of a handler is `remote_request`, with what it said.
  void invoke(std::string_view request, payload message, on_outcome<payload> then,
              nanoseconds timeout = default_request_timeout) const;

private:
  template <class Answer, class Request, class Then>
  void ask(Request request, nanoseconds timeout, Then then) const;

  /// The subject, or nothing after `then` was told why there is none.
  template <class T>
  std::optional<subject> find(std::string_view prop, const on_outcome<T>& then) const;

  caf::scheduled_actor* speaker_;
  runtime rt_;
  backend_actor backend_;
  outcome<entity> where_;
  nanoseconds timeout_ = default_operation_timeout;
};

} // namespace trunnion
