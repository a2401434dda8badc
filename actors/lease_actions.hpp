// What the rules of a lease want done: operations on the store, words to those who must know.
//
// Threads: plain values.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace trunnion {

/// Write our record with this number: a create, an overwrite, or else only over `expected`.
struct send_write {
  std::uint64_t renewal = 0;
  std::optional<revision> expected; ///< None: create, or overwrite if the lease does not enforce.
  bool operator==(const send_write&) const = default;
};

/// Read the key from the leader.
struct send_read {
  std::uint64_t serial = 0;
  bool operator==(const send_read&) const = default;
};

/// Delete the key at this revision of this epoch.
struct send_delete {
  std::uint64_t serial = 0;
  revision expected;
  epoch in_epoch;
  bool operator==(const send_delete&) const = default;
};

/// Delete the key at this revision of this epoch; nobody waits for the answer.
struct discard {
  revision expected;
  epoch in_epoch;
  bool operator==(const discard&) const = default;
};

struct open_watch {}; ///< Of the key; in place of an earlier one.
struct close_watch {};

struct granted {};      ///< The lease is held.
struct renewed {};      ///< A write was confirmed: the deadline has moved.
struct refresh_done {}; ///< The oldest refresh that was asked for is complete.

/// The oldest refresh that was asked for cannot be; the lease is as it was.
struct refresh_refused {
  std::shared_ptr<const failure> why; ///< Shared to keep actions small.
};

struct jeopardised {
  nanoseconds time_left{};
};
struct recovered {
  nanoseconds time_left{};
};

/// The lease is over, once and for all. Nothing lost: released.
struct ended {
  std::optional<loss_reason> lost;
  std::string culprit;
};

/// The lease will not be held.
struct not_acquired {
  std::shared_ptr<const failure> why;
};

/// Something of ours may be left in the store, or may yet come there.
struct call_janitor {};

/// What a waiter tells the waiting room of its turn.
enum class turn_result : std::uint8_t {
  taken,    ///< The key is ours.
  missed,   ///< Another holds it.
  troubled, ///< The store did not do it.
};

struct join_queue {};
struct leave_queue {};
struct report_turn {
  turn_result result{};
};

using lease_action
  = std::variant<send_write, send_read, send_delete, discard, open_watch, close_watch, granted,
                 renewed, refresh_done, refresh_refused, jeopardised, recovered, ended,
                 not_acquired, call_janitor, join_queue, leave_queue, report_turn>;

/// To be done in this order.
using lease_actions = std::vector<lease_action>;

} // namespace trunnion
