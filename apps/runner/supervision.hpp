// Who is stopped, and who is started, when an instance of a service has ended.
//
// A service that failed starts again after a pause, under its restart policy
// (`restart_intensity.hpp`). In a group others may have to go with it, since they built on what it
// was: `one-for-all` stops and starts all members, `rest-for-one` those that come after it in the
// group's list. They are stopped from the last to the first, each when those after it have ended,
// and started in the list's order, together with the one that failed.
//
// Rules beside:
// - A service that has failed once too often stays down. With `one-for-all` and `rest-for-one` its
//   whole group then goes down, since the others cannot work without it (as with supervisors of
//   Erlang); with `one-for-one`, and outside of groups, nobody else does.
// - Standbys of a failed service stay, and one takes over, unless the strategy is `one-for-all`. A
//   standby that fails while it only waits concerns nobody else.
// - A member whose policy is `never` is stopped with the others, and not started again; one that
//   had ended in order is.
// - An operator may restart or stop a service: all its instances end in order, without counting as
//   failures or concerning the group. One that was stopped stays down until it is restarted.
// - The end of the whole site is an orderly stop of all, after which nothing starts.
// - What does not end within the stop timeout is killed; the end of the site waits for a second
//   more, and no longer.
//
// Pure. Clock: none inside; `now` never goes back. Threads: one user at a time.

#pragma once

#include "trunnion/messages/errors.hpp"
#include "trunnion/runner/orderly_stop.hpp"
#include "trunnion/runner/restart_intensity.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trunnion {

/// One instance of a service, as far as supervision is concerned.
struct supervised {
  std::string label;    ///< `observer`, and `observer#1` of a standby.
  std::size_t rank = 0; ///< Place of its service in the site's order of start.
  restart_policy restart = {};
  std::optional<std::size_t> group = {};
  std::size_t place = 0; ///< Of its service in the group's list.
};

struct supervised_group {
  std::string name;
  group_strategy strategy{};
};

enum class supervision_verb : std::uint8_t {
  start,
  stop,       ///< Ask it to end in order.
  kill,       ///< It did not end in time.
  stays_down, ///< For good; the text says why.
  plans,      ///< Nothing to do; the text says what comes.
};

struct supervision_action {
  supervision_verb verb;
  std::size_t instance;
  std::string text = {};
};

using supervision_actions = std::vector<supervision_action>;

class supervision {
public:
  /// Instances are named by their place in the list.
  supervision(std::vector<supervised> instances, std::vector<supervised_group> groups,
              nanoseconds stop_timeout);

  /// Starts all, in their order.
  [[nodiscard]] supervision_actions begin();

  /// It has its entity's lease: it no longer only waits.
  void on_active(std::size_t instance) { states_.at(instance).is_idle = false; }

  /// It has ended, as a failure or in order. `chance` is any number.
  [[nodiscard]] supervision_actions on_ended(instant now, std::size_t instance, bool failed,
                                             std::uint64_t chance);

  /// It was to start, and cannot; another attempt would not help.
  [[nodiscard]] supervision_actions on_cannot_start(instant now, std::size_t instance,
                                                    const std::string& why);

  /// An operator's order for all instances of a service: they end, and start `again` or stay down.
  /// `cancelled` while another such order for one of them is under way.
  [[nodiscard]] outcome<supervision_actions>
  order(instant now, const std::vector<std::size_t>& instances, bool again);

  /// It ended, and will not start by itself.
  [[nodiscard]] bool stays_down(std::size_t instance) const { return states_.at(instance).is_out; }

  /// What is due.
  [[nodiscard]] supervision_actions on_time(instant now);

  /// When `on_time` must be called at the latest.
  [[nodiscard]] std::optional<instant> next_due() const;

  /// Ends the site.
  [[nodiscard]] supervision_actions stop_all(instant now);

  [[nodiscard]] bool is_stopping() const { return site_stop_.has_value(); }

  /// Nothing runs, and nothing will: what an order has stopped may be restarted by another.
  [[nodiscard]] bool is_over() const;

private:
  struct state {
    restart_intensity intensity;
    bool is_alive = false;
    bool is_idle = true;                  // It only waits for its lease.
    bool is_out = false;                  // It stays down.
    bool is_stopped = false;              // By an order, until the next one.
    std::optional<instant> start_at = {}; // By itself.
  };

  /// A group's members end, then some of them start.
  struct turn {
    orderly_stop leaving;
    std::vector<std::size_t> coming; // In order of start.
    instant start_at{};
  };

  /// Some instances end by an operator's order, and start again.
  struct ordered {
    orderly_stop leaving;
    std::vector<std::size_t> all;
    bool again = false;
  };

  supervision_actions start(std::size_t i);
  std::optional<supervision_actions> leave_by_order(instant now, std::size_t i);
  supervision_actions finish_orders();
  std::optional<supervision_actions> leave(instant now, std::size_t i);
  supervision_actions stay_down(instant now, std::size_t i, const std::string& why);
  supervision_actions begin_turn(instant now, std::size_t i, instant start_at);
  supervision_actions advance_turn(instant now, std::size_t group);
  void ask(supervision_actions& out, orderly_stop& leaving) const;
  [[nodiscard]] std::vector<std::size_t> members(std::size_t group) const;
  [[nodiscard]] bool concerns_group(std::size_t i) const;

  std::vector<supervised> instances_;
  std::vector<state> states_; // One for each instance.
  std::vector<supervised_group> groups_;
  nanoseconds stop_timeout_;
  std::map<std::size_t, turn> turns_; // By group.
  std::vector<ordered> orders_;
  std::optional<orderly_stop> site_stop_;
  bool is_given_up_ = false; // Something has not even ended when it was killed.
};

} // namespace trunnion
