// Whether a condition on readings lets an observatory be open: subscriptions, readings, patience.
//
// It consumes the streams of the services that the condition names, through the backend, and asks
// the condition about the latest readings (`readings.hpp`). What it cannot read makes the condition
// unknown, after three periods, and unknown is no fair weather (`fair_weather.hpp`). Without a
// condition it is always fair.
//
// Threads: used by the actor that owns it, which hands on what comes for it.

#pragma once

#include "trunnion/kinds/fair_weather.hpp"
#include "trunnion/messages/interfaces.hpp"
#include "trunnion/site/readings.hpp"

#include <map>
#include <string>
#include <vector>

namespace trunnion {

/// Private: subscribe to a stream again.
struct condition_reopen {
  std::size_t stream = 0;
};

/// Where readings of a service come from.
struct watched_stream {
  std::string service;
  subject where;
  nanoseconds period{}; ///< From sample to sample.
};

struct condition_settings {
  std::optional<expression> close_when;
  std::vector<watched_stream> streams;                 ///< Of the services that it names.
  nanoseconds reopen_after = std::chrono::seconds{30}; ///< So long it must have been false.
};

inline constexpr std::uint64_t condition_window = 64; ///< Parts that may be under way.
inline constexpr nanoseconds condition_open_timeout = std::chrono::seconds{5};
inline constexpr nanoseconds condition_reopen_after = std::chrono::seconds{1};

template <class Self> class condition_watch {
public:
  condition_watch(Self self, const runtime& rt, backend_actor backend, condition_settings settings)
    : self_(self),
      rt_(rt),
      backend_(std::move(backend)),
      settings_(std::move(settings)),
      fair_(settings_.reopen_after) {}

  [[nodiscard]] bool is_needed() const { return settings_.close_when.has_value(); }

  /// Subscribes to all streams.
  void begin() {
    for (std::size_t i = 0; i < settings_.streams.size(); ++i)
      open(i);
  }

  /// Subscribes to the n-th stream. Each time under another number, so that what is left of an
  /// earlier subscription is not taken for this one.
  void open(std::size_t n) {
    const auto id = ++newest_id_;
    subscriptions_[id] = {n};
    self_
      ->request(backend_, condition_open_timeout,
                consume{stream(n).where, id, stream_start::only_new, condition_window})
      .then([](const consuming&) {},
            [this, id](const caf::error& error) {
              self_->send(backend_, unconsume{id}); // It may have been opened all the same.
              lose(id, to_failure(error));
            });
  }

  void on_part(const stream_part& x) {
    const auto found = subscriptions_.find(x.id);
    if (found == subscriptions_.end())
      return;
    auto& [n, seen] = found->second;
    if (x.seq == seen + 1) { // Else known, or ahead of one that the backend will send again.
      seen = x.seq;
      for (const auto& message : x.messages)
        take(stream(n), message);
    }
    self_->send(backend_, stream_credit{x.id, seen, seen + condition_window});
  }

  void on_lost(const stream_lost& x) { lose(x.id, x.error); }

  /// Whether the observatory may be open now.
  [[nodiscard]] bool is_fair() {
    if (!settings_.close_when)
      return true;
    const auto now = rt_.time.now();
    truth_ = settings_.close_when->evaluate(readings_.lookup(now));
    return fair_.look(now, truth_ == truth::unknown ? std::nullopt
                                                    : std::optional{truth_ == truth::yes});
  }

  /// What the condition said last, for people.
  [[nodiscard]] std::string text() const {
    return "'" + settings_.close_when->text() + "' says " + to_string(truth_);
  }

private:
  struct subscription {
    std::size_t stream = 0;
    std::uint64_t seen = 0; ///< The newest part.
  };

  const watched_stream& stream(std::size_t n) const { return settings_.streams.at(n); }

  void take(const watched_stream& from, const stream_message& message) {
    const auto taken
      = readings_.take(from.service, message.payload.bytes(), rt_.time.now(), from.period);
    const bool is_bad = !taken;
    if (is_bad && !std::exchange(was_bad_, true))
      log(from.where, taken.error());
    was_bad_ = is_bad;
  }

  void lose(watch_id id, const failure& why) {
    const auto lost = subscriptions_.extract(id);
    if (lost.empty())
      return;
    log(stream(lost.mapped().stream).where, why);
    self_->delayed_send(self_, condition_reopen_after, condition_reopen{lost.mapped().stream});
  }

  void log(const subject& where, const failure& why) {
    rt_.log.write(log_level::warn, "condition", where.text() + ": " + to_string(why));
  }

  Self self_;
  runtime rt_;
  backend_actor backend_;
  condition_settings settings_;
  fair_weather fair_;
  readings readings_;
  std::map<watch_id, subscription> subscriptions_;
  watch_id newest_id_ = 0;
  truth truth_ = truth::unknown;
  bool was_bad_ = false; // The last sample could not be read.
};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::condition_reopen)
