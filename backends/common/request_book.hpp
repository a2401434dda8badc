// Who listens on what, who has which request in hand, and whose turn it is.
//
// A request goes to the listener of its subject that has the fewest in hand, and among equals to
// the one that was not given one for longest. Each is in the hand of one session until it is
// closed: answered, withdrawn, or past its deadline. A listener that stopped listening still has in
// hand what it was given.
//
// All of it costs the same however many requests are open, but for the logarithm of a deadline's
// place and that of the listeners on one subject.
//
// Pure: no clock, no actors; sessions are numbers (`session_table.hpp`).
// Threads: one user at a time.

#pragma once

#include "trunnion/backends/common/deadline_heap.hpp"
#include "trunnion/backends/common/session_table.hpp"
#include "trunnion/messages/request.hpp"

#include <map>
#include <set>
#include <unordered_map>

namespace trunnion {

class request_book {
public:
  /// Open at once, of all callers together; one more is `overloaded`.
  static constexpr std::uint64_t most_open = std::uint64_t{1} << 22U;

  struct options {
    std::size_t requests_per_caller;  ///< Open at once; one more is `overloaded`.
    std::size_t subjects_per_session; ///< Listened on; one more is `overloaded`.
  };

  explicit request_book(const options& x) : options_(x) {}
  request_book(const request_book&) = delete;
  request_book& operator=(const request_book&) = delete;

  // -- listening --------------------------------------------------------------

  /// `at_most` is not zero.
  outcome<listening> listen(session_id session, const subject& on, std::uint32_t at_most);

  /// Whether it listened.
  bool unlisten(session_id session, const subject& on);

  /// All subjects of one session; returns how many there were.
  std::size_t purge(session_id session);

  /// One, if any listens.
  [[nodiscard]] std::optional<session_id> any_listener() const;

  // -- requests ---------------------------------------------------------------

  struct handed {
    std::uint64_t number = 0;
    session_id to;
  };

  /// Picks a listener and opens a request; else `unregistered_responder` or `overloaded`.
  outcome<handed> hand_over(const subject& on, session_id caller, instant deadline);

  struct request {
    session_id caller;
    session_id listener;
    const trunnion::subject& subject; ///< Until the request is closed.
  };

  /// Nothing if there is no such open request.
  [[nodiscard]] std::optional<request> find(std::uint64_t number) const;

  /// The request must be open.
  void close(std::uint64_t number);

  /// A request whose deadline has passed, the earliest first.
  [[nodiscard]] std::optional<std::uint64_t> due(instant now) const;

  /// The oldest open request that a session has in hand, or that it waits for.
  [[nodiscard]] std::optional<std::uint64_t> oldest_in_hand(session_id session) const;
  [[nodiscard]] std::optional<std::uint64_t> oldest_asked(session_id session) const;

  /// Of all that are open, one or the other.
  [[nodiscard]] std::optional<std::uint64_t> any_open() const;

  /// Each open request has a place of its own, from 0 up, as few as are ever open at once.
  [[nodiscard]] static std::uint32_t place_of(std::uint64_t number) {
    return static_cast<std::uint32_t>(number % most_open);
  }

  [[nodiscard]] std::optional<instant> next_due() const { return deadlines_.next_due(); }

  // -- figures ----------------------------------------------------------------

  [[nodiscard]] std::size_t open() const { return deadlines_.size(); }
  [[nodiscard]] std::size_t asked_by(session_id session) const {
    return session.value < parties_.size() ? parties_[session.value].asked.size : 0;
  }
  [[nodiscard]] std::size_t listeners() const { return listeners_; }

private:
  struct listener;

  struct by_load {
    bool operator()(const listener* a, const listener* b) const;
  };

  /// Those who listen on one subject; the one who is given the next request comes first.
  using crowd = std::set<listener*, by_load>;

  /// Not `noexcept`, so that libstdc++ keeps the hash beside each subject.
  struct subject_hash {
    std::size_t operator()(const subject& x) const { return std::hash<subject>{}(x); }
  };
  using topics = std::unordered_map<subject, crowd, subject_hash>;

  /// One session on one subject; kept until its last request in hand is closed.
  struct listener {
    session_id session;
    const trunnion::subject* subject = nullptr; // In `party::listeners`.
    crowd* among = nullptr;                     // While it listens.
    std::uint32_t at_most = 0;
    std::uint32_t in_hand = 0;
    std::uint64_t turn = 0; // When it was last given one, or began.
    [[nodiscard]] bool is_open() const { return among != nullptr; }
  };

  static constexpr std::uint32_t none = ~std::uint32_t{};

  struct links {
    std::uint32_t before = none;
    std::uint32_t after = none;
  };

  /// Open requests in the order of their opening, linked through `slot`.
  struct line {
    std::uint32_t first = none;
    std::uint32_t last = none;
    std::size_t size = 0;
  };

  struct slot {
    std::uint64_t life = 0; // How many requests had this place, which tells their numbers apart.
    session_id caller;
    listener* to = nullptr; // Null if nothing is open here.
    links asked, in_hand;
  };

  struct party {
    std::map<subject, listener> listeners;
    std::size_t open_listeners = 0;
    line asked, in_hand;
  };

  party& party_of(session_id x);
  listener* find_open(session_id session, const subject& on);
  void stop(party& owner, listener& x);
  void forget_if_idle(party& owner, listener& x);
  void join(line& x, links slot::*in, std::uint32_t place);
  void leave(line& x, links slot::*in, std::uint32_t place);
  [[nodiscard]] std::uint64_t number_at(std::uint32_t place) const {
    return slots_[place].life * most_open + place;
  }
  [[nodiscard]] std::optional<std::uint64_t> first_of(session_id session, line party::*x) const;

  options options_;
  std::vector<party> parties_; // By session.
  topics topics_;              // None is empty.
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
  deadline_heap deadlines_; // Of all open requests.
  std::uint64_t turns_ = 0;
  std::size_t listeners_ = 0;
};

} // namespace trunnion
