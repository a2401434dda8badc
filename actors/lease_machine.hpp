// All rules of one lease, from acquiring it to its end.
//
// A lease is safe if its holder stops before the store can give the key to another, whatever gets
// lost or late. So the deadline counts from the moment just before a write was handed over, for the
// store cannot have counted from an earlier one, and only a write of this incarnation that
// certainly was applied moves it. Each write bears a number of its own, the renewal, so that one
// whose answer was lost is known by it when a read finds it, along with the time at which it was
// sent.
//
// The machine is told what happened and when, and returns what must be done. It has at most one
// operation under way; one that is not answered in time is given up and settled by a read.
//
// Clock: none inside. Every call takes `now`, which never goes back, and judges it first: at the
// very deadline the lease is lost. An answer that comes later revives nothing, and what it wrote is
// discarded. What a call itself tells of the key outranks the clock as the reason of a loss.
// Threads: none; one user at a time.

#pragma once

#include "trunnion/actors/lease_actions.hpp"
#include "trunnion/actors/lease_sighting.hpp"
#include "trunnion/actors/lease_terms.hpp"
#include "trunnion/messages/kv.hpp"
#include "trunnion/messages/lease.hpp"

#include <optional>
#include <string>

namespace trunnion {

/// Why a lease is to be released.
enum class release_cause : std::uint8_t { asked, holder_died, shutdown };

class lease_machine {
public:
  lease_machine(const lease_terms& terms, instant now);

  // -- what the outside wants -------------------------------------------------

  [[nodiscard]] lease_actions start(instant now);

  /// The waiting room says that this waiter may try.
  [[nodiscard]] lease_actions on_turn(instant now);

  /// One more refresh is wanted. Ignored unless held.
  [[nodiscard]] lease_actions on_refresh(instant now);

  [[nodiscard]] lease_actions on_release(instant now, release_cause cause);

  /// The waiting room or another part of ours cannot do its work.
  [[nodiscard]] lease_actions on_broken_queue(instant now, const failure& why);

  /// Time went by. May be called at any time; must be called at `next_due`.
  [[nodiscard]] lease_actions on_time(instant now);

  // -- what the store says ----------------------------------------------------

  [[nodiscard]] lease_actions on_written(instant now, std::uint64_t renewal, const kv_written& x);
  [[nodiscard]] lease_actions on_write_failed(instant now, std::uint64_t renewal,
                                              const failure& why);
  [[nodiscard]] lease_actions on_read(instant now, std::uint64_t serial, const sighting& x);
  [[nodiscard]] lease_actions on_read_failed(instant now, std::uint64_t serial, const failure& why);
  [[nodiscard]] lease_actions on_deleted(instant now);
  [[nodiscard]] lease_actions on_delete_failed(instant now, std::uint64_t serial,
                                               const failure& why);

  /// The watch tells of the key.
  [[nodiscard]] lease_actions on_sighting(instant now, const sighting& x);

  /// The watch's picture lacks the key, or shows it as it should not be.
  [[nodiscard]] lease_actions on_doubt(instant now);

  /// The store is another one, or its revisions went back.
  [[nodiscard]] lease_actions on_store_changed(instant now);

  [[nodiscard]] lease_actions on_watch_opened(instant now);
  [[nodiscard]] lease_actions on_watch_lost(instant now);

  // -- how it stands, as of the latest call -----------------------------------

  /// When `on_time` must be called; nothing once all is over. In two parts, for they change at
  /// different rates: the right that is held, and all else.
  [[nodiscard]] std::optional<instant> right_due() const;
  [[nodiscard]] std::optional<instant> other_due() const;

  /// The earlier of both.
  [[nodiscard]] std::optional<instant> next_due() const;

  [[nodiscard]] lease_phase phase() const { return phase_; }
  [[nodiscard]] bool is_over() const { return phase_ > lease_phase::releasing; }
  [[nodiscard]] std::optional<loss_reason> lost() const { return lost_; }
  [[nodiscard]] const fencing_token& token() const { return token_; }
  [[nodiscard]] trunnion::revision revision() const { return revision_; }
  [[nodiscard]] nanoseconds ttl() const { return ttl_; } ///< In force.
  [[nodiscard]] instant deadline() const { return deadline_; }
  [[nodiscard]] bool in_jeopardy() const { return jeopardy_; }

  /// Whether the store has confirmed that our entry is gone.
  [[nodiscard]] bool key_deleted() const { return key_deleted_; }

  /// How much was left to the deadline when the latest refresh completed.
  [[nodiscard]] nanoseconds margin() const { return margin_; }

  struct counts {
    std::uint32_t attempts = 0;
    std::uint32_t refreshes = 0;
    std::uint32_t unknown = 0;
    std::uint32_t jeopardies = 0;
    std::optional<nanoseconds> smallest_margin;
  };
  [[nodiscard]] const counts& counted() const { return counts_; }

private:
  enum class op_kind : std::uint8_t { write, read, remove };
  struct operation {
    op_kind kind;
    std::uint64_t serial; // The renewal of a write.
    instant due;
  };

  // How an acquirer stands.
  enum class quest : std::uint8_t {
    trying, // Wants to create the key, or to know what became of that.
    queued, // Waits for its turn.
    asking, // Its wait is over; wants to know who holds the key.
  };

  void look(instant now, lease_actions& out);
  void check_clock(instant now, lease_actions& out);
  void check_timers(instant now, lease_actions& out);
  void proceed(instant now, lease_actions& out);
  void write(instant now, lease_actions& out);
  void read(instant now, lease_actions& out);
  void remove(instant now, lease_actions& out);
  void back_off(instant now);
  bool take_answer(op_kind kind, std::uint64_t serial);
  void expire_operation(instant now, lease_actions& out);

  void grant(instant now, const fencing_token& token, nanoseconds ttl, instant sent,
             std::uint64_t renewal, lease_actions& out);
  void confirm(instant now, trunnion::revision at, nanoseconds ttl, instant sent,
               std::uint64_t renewal, lease_actions& out);
  void fail_write(instant now, const failure& why, lease_actions& out);
  void fail_create(instant now, const failure& why, lease_actions& out);
  void fail_refresh(instant now, const failure& why, lease_actions& out);
  void fail_read(instant now, lease_actions& out);
  void read_while_acquiring(instant now, const sighting& x, lease_actions& out);
  void read_while_held(instant now, const sighting& x, lease_actions& out);
  void read_while_releasing(instant now, const sighting& x, lease_actions& out);

  static failure no_answer();
  void queue_up(turn_result result, lease_actions& out);
  void stop_acquiring(lease_phase phase, failure why, lease_actions& out);
  void give_up(lease_actions& out);
  void finish_release(bool key_deleted, lease_actions& out);
  void lose(loss_reason reason, std::string culprit, lease_actions& out);
  void judge(instant now, const sighting& x, lease_actions& out);
  [[nodiscard]] std::optional<loss_reason> verdict(const sighting& x) const;
  [[nodiscard]] loss_reason clock_verdict(instant now) const;
  [[nodiscard]] bool is_news(const sighting& x) const;
  [[nodiscard]] bool may_be_ours(std::uint64_t renewal) const;
  [[nodiscard]] bool write_may_come() const;
  [[nodiscard]] instant sent_at(std::uint64_t renewal) const;
  [[nodiscard]] instant jeopardy_at() const;

  lease_terms terms_;
  instant looked_; // The latest call.

  // The right.
  fencing_token token_;
  trunnion::revision revision_; // Of our entry, the latest confirmed.
  trunnion::epoch epoch_;       // In which that is.
  nanoseconds ttl_{};
  instant deadline_;

  // Attempts.
  std::optional<operation> op_;
  std::uint64_t next_renewal_ = 0;
  std::uint64_t settled_ = 0;          // Renewals below it are confirmed, or known to be void.
  std::uint64_t next_serial_ = 0;      // Of reads and deletions.
  std::uint64_t first_of_refresh_ = 0; // The first renewal of the refresh under way.
  instant sent_;                       // Of the latest write.
  std::optional<instant> first_sent_;  // Of the writes since the latest confirmed one.
  std::optional<instant> retry_at_;
  nanoseconds pause_;
  std::uint32_t wanted_ = 0; // Refreshes.

  // Waiting and ending.
  std::optional<instant> give_up_;    // An acquirer's.
  std::optional<instant> wait_until_; // A waiter's.
  instant release_by_;
  std::optional<instant> watch_at_; // When to open the watch again, if nothing comes before.

  counts counts_;
  nanoseconds margin_{};

  lease_phase phase_ = lease_phase::acquiring;
  std::optional<loss_reason> lost_;
  std::optional<error_code> last_error_; // An acquirer's.
  release_cause cause_ = release_cause::asked;
  quest quest_ = quest::trying;
  bool needs_read_ = false;      // What became of a write must be known before the next.
  bool unsettled_ = false;       // A write was not answered, and may yet be applied.
  bool doubt_ = false;           // The watch has reason to ask.
  bool refresh_started_ = false; // The oldest refresh wanted has been sent.
  bool last_failed_ = false;     // The latest attempt.
  bool watch_lost_ = false;
  bool in_queue_ = false;
  bool jeopardy_ = false;
  bool key_deleted_ = false;
};

} // namespace trunnion
