// What a blocking client leaves with its caller: changes and messages to be pulled, a service that
// goes on.
//
// Each object is an actor that the caller lends its thread: nothing arrives but in `next`. What is
// not pulled yet waits at its source, within a bound: a slow caller gets changes of a key coalesced
// (`key_feed`), or messages late (`message_feed`).
//
// Threads: one at a time, none of CAF's workers. An object holds its actor system: let it go before
// that ends.

#pragma once

#include "trunnion/actors/responder.hpp"
#include "trunnion/actors/stream_reader.hpp"
#include "trunnion/messages/interfaces.hpp"

#include <memory>

namespace trunnion {

/// The entries of a pattern and their changes, as a monitor tells them: `snapshot` parts up to
/// `snapshot_end`, then `change` parts.
class key_feed {
public:
  static outcome<key_feed> open(caf::actor_system& sys, const runtime& rt,
                                const backend_actor& backend, const subject& pattern,
                                nanoseconds timeout);
  key_feed(key_feed&&) noexcept;
  key_feed& operator=(key_feed&&) noexcept;
  ~key_feed();

  /// The next part; `timeout` if there is none in time. Any other failure is the feed's end.
  outcome<monitor_part> next(nanoseconds timeout);

  /// Whether what was told last can be relied on, as of the latest `next`.
  [[nodiscard]] bool is_healthy() const;

private:
  struct impl;
  explicit key_feed(std::unique_ptr<impl> x);
  std::unique_ptr<impl> impl_;
};

inline constexpr nanoseconds message_feed_patience = std::chrono::seconds{1};

/// The messages of a pattern, batch by batch. A batch is acknowledged by the `next` after it, or by
/// `acknowledge`; a durable consumer that ends before gets it again. The destructor waits, at most
/// `message_feed_patience`, until what was acknowledged is on its way to the backend, so that who
/// goes on next goes on behind it.
class message_feed {
public:
  static outcome<message_feed> open(caf::actor_system& sys, const runtime& rt,
                                    const backend_actor& backend, reader_options options);
  message_feed(message_feed&&) noexcept;
  message_feed& operator=(message_feed&&) noexcept;
  ~message_feed();

  /// The next batch; `timeout` if there is none in time. Any other failure is the feed's end, such
  /// as `consumer_taken`.
  outcome<read_batch> next(nanoseconds timeout);

  /// The latest batch is done with.
  void acknowledge();

private:
  struct impl;
  explicit message_feed(std::unique_ptr<impl> x);
  void end() noexcept;
  std::unique_ptr<impl> impl_;
};

/// Serves a request as long as it lives; running requests then have their grace.
class request_service {
public:
  request_service(caf::actor_system& sys, responder_actor responder)
    : system_(&sys), responder_(std::move(responder)) {}
  request_service(request_service&& other) noexcept
    : system_(other.system_), responder_(std::exchange(other.responder_, nullptr)) {}
  request_service& operator=(request_service&& other) noexcept;
  ~request_service() { end(); }

  /// Takes no further request, and waits for those in hand.
  outcome<responder_stopped> stop(nanoseconds timeout = std::chrono::seconds{5});
  outcome<responder_status> inspect(nanoseconds timeout = std::chrono::seconds{5}) const;

private:
  void end() noexcept;

  caf::actor_system* system_;
  responder_actor responder_;
};

} // namespace trunnion
