// What an instrument or a controller publishes: events, and streams of samples.
//
// Publishing must neither hold up the work nor pile up when the bus is slow: at most
// `max_unconfirmed` messages are under way, further ones are dropped and counted, and the first
// failure of an episode is logged.
//
// Threads: used by the actor that owns it.

#pragma once

#include "trunnion/messages/interfaces.hpp"

#include <string>

namespace trunnion {

inline constexpr std::uint64_t max_unconfirmed = 64;
inline constexpr nanoseconds publish_timeout = std::chrono::seconds{5};

template <class Self> class publisher {
public:
  publisher(Self self, const runtime& rt, backend_actor backend)
    : self_(self), rt_(rt), backend_(std::move(backend)) {}

  /// Appends `json` to the stream at `where`.
  void send(const subject& where, std::string json) {
    if (unconfirmed_ >= max_unconfirmed) {
      ++dropped_;
      return;
    }
    ++unconfirmed_;
    self_->request(backend_, publish_timeout, publish{where, payload{std::move(json)}})
      .then(
        [this](const published&) {
          --unconfirmed_;
          is_failing_ = false;
        },
        [this, where](const caf::error& error) {
          --unconfirmed_;
          if (!std::exchange(is_failing_, true))
            rt_.log.write(log_level::warn, "publisher",
                          where.text() + ": " + to_string(to_failure(error)));
        });
  }

  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

private:
  Self self_;
  runtime rt_;
  backend_actor backend_;
  std::uint64_t unconfirmed_ = 0;
  std::uint64_t dropped_ = 0;
  bool is_failing_ = false;
};

/// The event stream of an entity.
[[nodiscard]] inline subject events_of(const entity& owner) {
  return subject{owner, property::events()};
}

} // namespace trunnion
