// How one speaks with an elector: campaign for the leadership, learn who leads, give it up.
//
// Being elected means holding the lease on the election's key.

#pragma once

#include "trunnion/messages/lease.hpp"

namespace trunnion {

/// Stands for election; is answered when elected, or with the error that ended the campaign:
/// `cancelled` after `elector_resign`, `timeout` when `wait` is over. A leader is answered at once.
struct elector_campaign {
  std::optional<nanoseconds> wait; ///< Nothing: for as long as it takes.
  bool operator==(const elector_campaign&) const = default;
};

struct elector_elected {
  fencing_token token;
  nanoseconds time_left{};
  bool operator==(const elector_elected&) const = default;
};

/// Gives the leadership or the campaign up; harmless when there is neither.
struct elector_resign {
  bool operator==(const elector_resign&) const = default;
};

struct elector_resigned {
  bool was_leader = false;
  bool operator==(const elector_resigned&) const = default;
};

/// Makes the sender, an `elector_sink`, a subscriber; it is told who leads now, and each change.
struct elector_observe {
  bool operator==(const elector_observe&) const = default;
};

struct elector_inspect {
  bool operator==(const elector_inspect&) const = default;
};

/// To subscribers, and how an elector stands. Told of the own leadership's end before another's
/// beginning.
struct elector_status {
  trunnion::subject subject;
  std::string name;                  ///< Of this candidate.
  std::optional<std::string> leader; ///< The name of who leads, as far as known.
  fencing_token token;               ///< The leader's; zero while there is none.
  bool is_leader = false;            ///< This candidate leads.
  bool is_candidate = false;         ///< It stands for election.
  std::optional<loss_reason> lost;   ///< Why this candidate's latest leadership ended, if lost.
  bool operator==(const elector_status&) const = default;
};

template <class F> auto inspect(F& f, elector_campaign& x) {
  return fields(f, x, "elector_campaign", field{"wait", x.wait});
}

template <class F> auto inspect(F& f, elector_elected& x) {
  return fields(f, x, "elector_elected", field{"token", x.token}, field{"time_left", x.time_left});
}

template <class F> auto inspect(F& f, elector_resign& x) { return fields(f, x, "elector_resign"); }

template <class F> auto inspect(F& f, elector_resigned& x) {
  return fields(f, x, "elector_resigned", field{"was_leader", x.was_leader});
}

template <class F> auto inspect(F& f, elector_observe& x) {
  return fields(f, x, "elector_observe");
}

template <class F> auto inspect(F& f, elector_inspect& x) {
  return fields(f, x, "elector_inspect");
}

template <class F> auto inspect(F& f, elector_status& x) {
  return fields(f, x, "elector_status", field{"subject", x.subject}, field{"name", x.name},
                field{"leader", x.leader}, field{"token", x.token}, field{"is_leader", x.is_leader},
                field{"is_candidate", x.is_candidate}, field{"lost", x.lost});
}

} // namespace trunnion
