// How one speaks with a group of leases and members, and what its supervisor tells.
//
// A group shares one fate: on the first loss of a lease, or death of a member, all of it ends in
// order, and one report says what was abandoned, why, and by whom.

#pragma once

#include "trunnion/messages/lease.hpp"

#include <string>
#include <vector>

namespace trunnion {

/// To every member and subscriber, once for each loss: how much time is left to end well.
struct member_lost {
  std::string which; ///< The lease's subject, or the member's name.
  loss_reason reason{};
  std::string culprit; ///< Who caused it, for people.
  nanoseconds close_within{};
  std::string group; ///< The group's name.
  bool operator==(const member_lost&) const = default;
};

/// One report for each group, whatever happened.
struct group_report {
  std::vector<lost_lease> abandoned; ///< Lost leases and dead members, in the order of the losses.
  std::vector<std::string> killed;   ///< Members that did not end in time.
  std::vector<std::string> unreleased; ///< Subjects of leases whose release was not confirmed.
  std::string group;                   ///< The group's name.
  bool operator==(const group_report&) const = default;
  [[nodiscard]] bool is_orderly() const { return abandoned.empty(); }
};

enum class group_phase : std::uint8_t { running, closing, ended };

struct group_status {
  group_phase phase{};
  std::vector<lease_grant> leases;  ///< As granted.
  std::vector<std::string> members; ///< Alive, in order of start.
  std::uint64_t refreshes = 0;      ///< Confirmed.
  std::uint64_t late_records = 0;   ///< Times the record's source was late or failed.
  bool operator==(const group_status&) const = default;
};

/// Makes the sender, a `group_sink`, a subscriber.
struct group_subscribe {
  bool operator==(const group_subscribe&) const = default;
};

/// Ends the group in order; is answered with its report when all is over.
struct group_stop {
  bool operator==(const group_stop&) const = default;
};

/// Is answered with the report when the group is over; at once if it is.
struct group_wait_ended {
  bool operator==(const group_wait_ended&) const = default;
};

struct group_inspect {
  bool operator==(const group_inspect&) const = default;
};

/// Asks a record source for what the next refresh of a lease shall say.
struct record_wanted {
  trunnion::subject subject;
  bool operator==(const record_wanted&) const = default;
};

struct record_text {
  std::string json;
  bool operator==(const record_text&) const = default;
};

[[nodiscard]] std::string to_string(group_phase x);

/// For people: `mount.ControlLease lost (deleted, by ...)`, or `ended in order`.
[[nodiscard]] std::string to_string(const group_report& x);

template <class F> auto inspect(F& f, member_lost& x) {
  return fields(f, x, "member_lost", field{"which", x.which}, field{"reason", x.reason},
                field{"culprit", x.culprit}, field{"close_within", x.close_within},
                field{"group", x.group});
}

template <class F> auto inspect(F& f, group_report& x) {
  return fields(f, x, "group_report", field{"abandoned", x.abandoned}, field{"killed", x.killed},
                field{"unreleased", x.unreleased}, field{"group", x.group});
}

template <class F> auto inspect(F& f, group_status& x) {
  return fields(f, x, "group_status", field{"phase", x.phase}, field{"leases", x.leases},
                field{"members", x.members}, field{"refreshes", x.refreshes},
                field{"late_records", x.late_records});
}

template <class F> auto inspect(F& f, group_subscribe& x) {
  return fields(f, x, "group_subscribe");
}
template <class F> auto inspect(F& f, group_stop& x) { return fields(f, x, "group_stop"); }
template <class F> auto inspect(F& f, group_wait_ended& x) {
  return fields(f, x, "group_wait_ended");
}
template <class F> auto inspect(F& f, group_inspect& x) { return fields(f, x, "group_inspect"); }

template <class F> auto inspect(F& f, record_wanted& x) {
  return fields(f, x, "record_wanted", field{"subject", x.subject});
}
template <class F> auto inspect(F& f, record_text& x) {
  return fields(f, x, "record_text", field{"json", x.json});
}

} // namespace trunnion
