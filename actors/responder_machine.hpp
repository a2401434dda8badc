// Which request a handler works on next, and which are owed an answer.
//
// Requests wait in the order in which they came. Up to `limit` are with the handler. One whose time
// has passed or whose caller is gone leaves the line at once; if the handler has it, it keeps its
// place there until the handler is done, and its answer goes nowhere.
//
// Pure: no clock, no I/O; every call takes `now`. Threads: one user at a time.

#pragma once

#include "trunnion/messages/responder.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace trunnion {

enum class admission_verdict : std::uint8_t {
  taken,
  known, ///< It is here already: sent twice.
  late,  ///< Nobody waits for it any more.
  full,
  stopping,
};

/// A request that goes to the handler.
struct begun_request {
  std::uint64_t ticket = 0; ///< Names it until it is done.
  trunnion::payload payload;
  nanoseconds time_left{};
};

class responder_machine {
public:
  responder_machine(std::size_t limit, std::size_t queue) : limit_(limit), queue_(queue) {}

  [[nodiscard]] admission_verdict on_request(const incoming_request& x, instant now);

  /// The next request that may begin. It counts as running until `on_done`.
  [[nodiscard]] std::optional<begun_request> next(instant now);

  /// A request that came is handled and answered in one go, since none was in front of it.
  [[nodiscard]] bool may_pass() const { return !is_stopping_ && line_.empty() && !is_full(); }
  void on_passed(bool failed) { count(failed); }

  /// The handler is done with it. Returns the number to answer, if it is owed an answer.
  std::optional<std::uint64_t> on_done(std::uint64_t ticket, instant now, bool failed);

  /// Its caller is gone.
  void withdraw(std::uint64_t number);

  /// All callers are gone.
  void withdraw_all();

  /// Takes no more. Returns the numbers of those that waited.
  [[nodiscard]] std::vector<std::uint64_t> stop();

  /// The handler's work on what runs counts no more. Returns the numbers that are owed an answer.
  [[nodiscard]] std::vector<std::uint64_t> cut_off(instant now);

  /// All places are taken by requests whose time has passed for longer than `patience`: the handler
  /// does not answer any more.
  [[nodiscard]] bool is_stuck(instant now, nanoseconds patience) const;

  [[nodiscard]] bool is_stopping() const { return is_stopping_; }
  [[nodiscard]] std::size_t running() const { return running_.size(); }

  /// Those that wait and have time left.
  [[nodiscard]] std::size_t waiting(instant now);

  [[nodiscard]] std::uint64_t served() const { return served_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  [[nodiscard]] std::uint64_t withdrawn() const { return withdrawn_; }

private:
  struct waiting_request {
    std::uint64_t number = 0;
    trunnion::payload payload;
    instant deadline;
  };
  struct running_request {
    std::optional<std::uint64_t> number; // Nothing: the caller is gone.
    instant deadline;
  };

  [[nodiscard]] bool is_full() const { return running_.size() >= limit_; }
  void count(bool failed) { ++(failed ? failed_ : served_); }
  void drop_late(instant now);

  std::size_t limit_;
  std::size_t queue_;
  bool is_stopping_ = false;
  std::uint64_t tickets_ = 0;
  std::map<std::uint64_t, waiting_request> line_;    // By ticket: the order of arrival.
  std::map<std::uint64_t, running_request> running_; // By ticket.
  std::unordered_map<std::uint64_t, std::uint64_t> tickets_by_number_; // Of callers not known gone.
  instant soonest_ = instant::max(); // No deadline in the line is before it.
  std::uint64_t served_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t withdrawn_ = 0;
};

} // namespace trunnion
