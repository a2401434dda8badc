// Decides how a group of leases and members ends.
//
// The machine has the five steps of the specification and no means: it is told what happened and
// when, and returns what must be done.
//
//   1. On the first loss or death every member is told, and `close_by` is fixed: now + the smaller
//   of
//      the stop timeout and the sum of the members' graces.
//   2. Members that depend on a lost lease are stopped at once. The others stop in reverse order of
//      start, one after the other, each within its grace.
//   3. A lease is released when the last of its dependents has ended, or at `close_by`.
//   4. At `close_by` what is left is killed, and what is left of the leases is deleted at its last
//      known revision. A second later the group is over, whatever is still unconfirmed.
//   5. One report tells what was abandoned, and what could not be released.
//
// A stop that was asked for takes the same way, and abandons nothing.
//
// Clock: none inside; `now` never goes back. Order: actions are to be done in the order given.
// Threads: none; one user at a time.

#pragma once

#include "trunnion/messages/group.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace trunnion {

/// A group is over at most this long after its `close_by`.
inline constexpr nanoseconds group_end_patience = std::chrono::seconds{1};

/// What a member depends on: by default on every lease, and on no other member.
struct member_needs {
  bool every_lease = true;
  std::set<std::string> leases;  ///< Subjects; with `every_lease` false.
  std::set<std::string> members; ///< Names.
};

// -- actions ------------------------------------------------------------------

struct tell_lost {
  member_lost what;
};
struct stop_member {
  std::string name;
};
struct kill_member {
  std::string name;
};
struct release_lease {
  std::string subject;
};
/// Delete the key at its last known revision, without its lease's actor.
struct delete_lease {
  std::string subject;
};
struct finish_group {
  group_report report;
};
using group_action
  = std::variant<tell_lost, stop_member, kill_member, release_lease, delete_lease, finish_group>;
using group_actions = std::vector<group_action>;

class group_machine {
public:
  explicit group_machine(nanoseconds stop_timeout) : stop_timeout_(stop_timeout) {}

  // -- composition, while running ---------------------------------------------

  void add_lease(const std::string& subject);

  /// Members start in this order. `name` must be new.
  void add_member(const std::string& name, nanoseconds grace, member_needs needs);

  [[nodiscard]] bool has_member(const std::string& name) const;

  // -- events -----------------------------------------------------------------

  /// A lease was lost; of one that is being released it is only noted.
  [[nodiscard]] group_actions on_lease_lost(instant now, const std::string& subject,
                                            loss_reason reason, const std::string& culprit);

  /// A lease has been released: its key is gone, or it is not (`confirmed`).
  [[nodiscard]] group_actions on_lease_released(instant now, const std::string& subject,
                                                bool confirmed);

  /// A lease's actor died. Its key is deleted by us, which is told by `on_lease_released`.
  [[nodiscard]] group_actions on_lease_died(instant now, const std::string& subject,
                                            const std::string& culprit);

  /// A member has ended. Unless it was stopped, that is a death.
  [[nodiscard]] group_actions on_member_ended(instant now, const std::string& name,
                                              const std::string& culprit);

  /// A member may leave without being missed.
  [[nodiscard]] group_actions on_member_finished(instant now, const std::string& name);

  /// Something else that the group cannot do without is gone: its owner, or what refreshes it.
  [[nodiscard]] group_actions on_abandoned(instant now, const std::string& which,
                                           loss_reason reason, const std::string& culprit);

  [[nodiscard]] group_actions on_stop(instant now);
  [[nodiscard]] group_actions on_time(instant now);

  // -- how it stands ----------------------------------------------------------

  [[nodiscard]] std::optional<instant> next_due() const;
  [[nodiscard]] group_phase phase() const { return phase_; }
  [[nodiscard]] std::optional<instant> close_by() const { return close_by_; }
  [[nodiscard]] const group_report& report() const { return report_; }

  /// Alive, in order of start.
  [[nodiscard]] std::vector<std::string> members() const;

private:
  enum class lease_state : std::uint8_t { held, lost, releasing, over };
  enum class member_state : std::uint8_t { running, stopping, killed, ended };

  struct member {
    std::string name;
    nanoseconds grace;
    member_needs needs;
    member_state state = member_state::running;
    instant kill_at{};
  };

  void abandon(instant now, lost_lease what, group_actions& out);
  void abandon_lease(instant now, const lost_lease& what, group_actions& out);
  void begin_closing(instant now);
  void stop(instant now, member& m, group_actions& out);
  void kill(member& m, group_actions& out);
  void proceed(instant now, group_actions& out);
  void stop_next(instant now, group_actions& out);
  void release_unneeded(group_actions& out);
  void finish(group_actions& out);
  [[nodiscard]] bool is_needed(const std::string& lease) const;
  [[nodiscard]] static bool needs(const member& m, const std::string& lease);
  member* find(const std::string& name);

  nanoseconds stop_timeout_;
  group_phase phase_ = group_phase::running;
  bool close_by_passed_ = false;
  std::optional<instant> close_by_;
  std::map<std::string, lease_state> leases_;
  std::vector<member> members_; // In order of start.
  group_report report_;
};

} // namespace trunnion
