#include "trunnion/runner/supervision.hpp"

#include "trunnion/messages/ensure.hpp"
#include "trunnion/site/duration_text.hpp"

#include <algorithm>
#include <iterator>

namespace trunnion {
namespace {

constexpr nanoseconds kill_patience = std::chrono::seconds{1};

void append(supervision_actions& to, supervision_actions what) {
  std::ranges::move(what, std::back_inserter(to));
}

void keep_earliest(std::optional<instant>& earliest, std::optional<instant> x) {
  if (x && (!earliest || *x < *earliest))
    earliest = x;
}

std::string once_too_often(const restart_policy& policy, bool failed) {
  const std::string did = failed ? "it failed" : "it ended";
  if (policy.max == 0)
    return did + ", and its restart.max is 0";
  return did + " " + std::to_string(policy.max + 1) + " times within "
         + print_duration(policy.within);
}

} // namespace

supervision::supervision(std::vector<supervised> instances, std::vector<supervised_group> groups,
                         nanoseconds stop_timeout)
  : instances_(std::move(instances)), groups_(std::move(groups)), stop_timeout_(stop_timeout) {
  for (const auto& x : instances_) {
    ensure(!x.group || *x.group < groups_.size(), "an instance's group is in the list");
    states_.push_back({.intensity = restart_intensity{x.restart}});
  }
}

supervision_actions supervision::begin() {
  supervision_actions out;
  for (std::size_t i = 0; i < instances_.size(); ++i)
    append(out, start(i));
  return out;
}

supervision_actions supervision::start(std::size_t i) {
  auto& x = states_[i];
  ensure(!x.is_alive, "what runs is not started");
  x.is_alive = true;
  x.is_idle = true;
  x.start_at.reset();
  return {{supervision_verb::start, i}};
}

/// Whether the others of its group have to follow it.
bool supervision::concerns_group(std::size_t i) const {
  const auto& group = instances_[i].group;
  return group && groups_[*group].strategy != group_strategy::one_for_one && !states_[i].is_idle;
}

/// In order of start.
std::vector<std::size_t> supervision::members(std::size_t group) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < instances_.size(); ++i)
    if (instances_[i].group == group)
      result.push_back(i);
  std::ranges::stable_sort(result, {}, [this](std::size_t i) { return instances_[i].place; });
  return result;
}

// -- ends -----------------------------------------------------------------------

supervision_actions supervision::on_ended(instant now, std::size_t i, bool failed,
                                          std::uint64_t chance) {
  auto& x = states_.at(i);
  const auto& spec = instances_[i];
  x.is_alive = false;
  if (auto expected = leave(now, i))
    return *expected;
  const auto policy = spec.restart.policy;
  if (policy == restart_when::never || (policy == restart_when::on_failure && !failed))
    return {};
  const auto pause = x.intensity.on_failure(now, chance);
  if (!pause)
    return stay_down(now, i, once_too_often(spec.restart, failed));
  const auto ms = std::chrono::duration_cast<milliseconds>(*pause);
  supervision_actions out{{supervision_verb::plans, i, "starts again in " + print_duration(ms)}};
  if (!concerns_group(i)) {
    x.start_at = now + *pause;
    return out;
  }
  const auto& group = groups_[*spec.group];
  out.back().text += ", with its group '" + group.name + "' (" + to_string(group.strategy) + ")";
  append(out, begin_turn(now, i, now + *pause));
  return out;
}

supervision_actions supervision::on_cannot_start(instant now, std::size_t i,
                                                 const std::string& why) {
  auto& x = states_.at(i);
  x.is_alive = false;
  if (auto expected = leave(now, i))
    return *expected;
  x.is_idle = false; // Others may need it, and it will not come.
  return stay_down(now, i, why);
}

/// What follows if it was to end anyway.
std::optional<supervision_actions> supervision::leave(instant now, std::size_t i) {
  if (site_stop_) {
    supervision_actions out;
    site_stop_->on_ended(i);
    ask(out, *site_stop_);
    return out;
  }
  if (auto ordered = leave_by_order(now, i))
    return ordered;
  const auto found = instances_[i].group ? turns_.find(*instances_[i].group) : turns_.end();
  if (found == turns_.end() || !found->second.leaving.on_ended(i))
    return std::nullopt;
  return advance_turn(now, found->first);
}

// -- orders ---------------------------------------------------------------------

outcome<supervision_actions>
supervision::order(instant now, const std::vector<std::size_t>& instances, bool again) {
  if (site_stop_)
    return fail(error_code::shutting_down, "the site is stopping");
  for (const auto& x : orders_)
    for (const auto i : instances)
      if (std::ranges::find(x.all, i) != x.all.end())
        return fail(error_code::cancelled, "it is being stopped or restarted already",
                    instances_.at(i).label);
  ordered next{orderly_stop{now + stop_timeout_}, instances, again};
  for (const auto i : instances) {
    auto& x = states_.at(i);
    x.start_at.reset();
    x.is_out = true; // Until it starts again.
    x.is_stopped = !again;
    if (x.is_alive)
      next.leaving.add(i, instances_[i].place);
  }
  orders_.push_back(std::move(next));
  supervision_actions out;
  ask(out, orders_.back().leaving);
  append(out, finish_orders());
  return out;
}

std::optional<supervision_actions> supervision::leave_by_order(instant now, std::size_t i) {
  for (auto& x : orders_)
    if (x.leaving.on_ended(i)) {
      const auto& group = instances_[i].group;
      supervision_actions out;
      ask(out, x.leaving);
      append(out, finish_orders());
      if (const auto turn = group ? turns_.find(*group) : turns_.end(); turn != turns_.end()) {
        turn->second.leaving.on_ended(i);
        append(out, advance_turn(now, turn->first));
      }
      return out;
    }
  return std::nullopt;
}

/// Starts what has ended to start again.
supervision_actions supervision::finish_orders() {
  supervision_actions out;
  std::erase_if(orders_, [&](const ordered& x) {
    if (!x.leaving.is_done())
      return false;
    for (const auto i : x.all)
      if (x.again && !states_[i].is_alive) {
        states_[i].is_out = false;
        append(out, start(i));
      }
    return true;
  });
  return out;
}

supervision_actions supervision::stay_down(instant now, std::size_t i, const std::string& why) {
  states_[i].is_out = true;
  supervision_actions out{{supervision_verb::stays_down, i, why}};
  if (!concerns_group(i))
    return out;
  const auto group = *instances_[i].group;
  auto& down = turns_.insert_or_assign(group, turn{orderly_stop{now + stop_timeout_}, {}, now})
                 .first->second;
  for (const auto j : members(group)) {
    auto& x = states_[j];
    if (x.is_alive)
      down.leaving.add(j, instances_[j].place);
    x.start_at.reset();
    if (!std::exchange(x.is_out, true))
      out.push_back(
        {supervision_verb::stays_down, j,
         "its group '" + groups_[group].name + "' is down, since " + instances_[i].label + " is"});
  }
  append(out, advance_turn(now, group));
  return out;
}

// -- turns of groups --------------------------------------------------------------

supervision_actions supervision::begin_turn(instant now, std::size_t i, instant start_at) {
  const auto group = *instances_[i].group;
  const bool all = groups_[group].strategy == group_strategy::one_for_all;
  const auto old = turns_.find(group); // Of members after this one.
  turn next{orderly_stop{now + stop_timeout_}, {}, start_at};
  if (old != turns_.end()) {
    next.leaving = old->second.leaving;
    next.start_at = std::max(start_at, old->second.start_at);
  }
  for (const auto j : members(group)) {
    auto& x = states_[j];
    const bool was_coming
      = old != turns_.end() && std::ranges::find(old->second.coming, j) != old->second.coming.end();
    if (!was_coming && j != i && !all && instances_[j].place <= instances_[i].place)
      continue;
    if (x.is_alive)
      next.leaving.add(j, instances_[j].place);
    x.start_at.reset();
    if (!x.is_out && (j == i || instances_[j].restart.policy != restart_when::never))
      next.coming.push_back(j);
  }
  turns_.insert_or_assign(group, std::move(next));
  return advance_turn(now, group);
}

supervision_actions supervision::advance_turn(instant now, std::size_t group) {
  supervision_actions out;
  auto& x = turns_.at(group);
  ask(out, x.leaving);
  if (!x.leaving.is_done() || now < x.start_at)
    return out;
  const auto coming = std::move(x.coming);
  turns_.erase(group);
  for (const auto i : coming)
    if (!states_[i].is_alive && !states_[i].is_out) // An order may have come in between.
      append(out, start(i));
  return out;
}

void supervision::ask(supervision_actions& out, orderly_stop& leaving) const {
  for (const auto i : leaving.next([this](std::size_t j) { return states_[j].is_idle; }))
    out.push_back({supervision_verb::stop, i});
}

// -- time -----------------------------------------------------------------------

supervision_actions supervision::on_time(instant now) {
  supervision_actions out;
  const auto kill = [&](orderly_stop& leaving) {
    for (const auto i : leaving.overdue(now))
      out.push_back({supervision_verb::kill, i});
  };
  if (site_stop_) {
    kill(*site_stop_);
    const auto killed = site_stop_->killed_at();
    is_given_up_ = killed && now >= *killed + kill_patience;
    return out;
  }
  for (auto& x : orders_)
    kill(x.leaving);
  std::vector<std::size_t> groups;
  for (auto& [group, x] : turns_) {
    kill(x.leaving);
    groups.push_back(group);
  }
  for (const auto group : groups)
    append(out, advance_turn(now, group));
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i].start_at && *states_[i].start_at <= now)
      append(out, start(i));
  return out;
}

std::optional<instant> supervision::next_due() const {
  if (site_stop_) {
    const auto killed = site_stop_->killed_at();
    return killed && !is_given_up_ ? *killed + kill_patience : site_stop_->next_due();
  }
  std::optional<instant> earliest;
  for (const auto& x : orders_)
    keep_earliest(earliest, x.leaving.next_due());
  for (const auto& [group, x] : turns_) {
    keep_earliest(earliest, x.leaving.next_due());
    if (x.leaving.is_done())
      keep_earliest(earliest, x.start_at);
  }
  for (const auto& x : states_)
    keep_earliest(earliest, x.start_at);
  return earliest;
}

// -- the end --------------------------------------------------------------------

supervision_actions supervision::stop_all(instant now) {
  supervision_actions out;
  if (site_stop_)
    return out;
  turns_.clear();
  orders_.clear();
  site_stop_.emplace(now + stop_timeout_);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    states_[i].start_at.reset();
    if (states_[i].is_alive)
      site_stop_->add(i, instances_[i].rank);
  }
  ask(out, *site_stop_);
  return out;
}

bool supervision::is_over() const {
  if (is_given_up_)
    return true;
  return turns_.empty() && orders_.empty() && std::ranges::none_of(states_, [this](const state& x) {
           return x.is_alive || x.start_at.has_value() || (x.is_stopped && !site_stop_);
         });
}

} // namespace trunnion
