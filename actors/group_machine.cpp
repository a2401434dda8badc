#include "trunnion/actors/group_machine.hpp"

#include "trunnion/messages/ensure.hpp"

#include <algorithm>
#include <ranges>

namespace trunnion {

// -- composition --------------------------------------------------------------

void group_machine::add_lease(const std::string& subject) {
  ensure(phase_ == group_phase::running, "leases join a running group only");
  ensure(leases_.emplace(subject, lease_state::held).second, "a lease joins its group once");
}

void group_machine::add_member(const std::string& name, nanoseconds grace, member_needs needs) {
  ensure(phase_ == group_phase::running, "members join a running group only");
  ensure(!find(name), "the name of a member is new in its group");
  members_.push_back({.name = name, .grace = grace, .needs = std::move(needs)});
}

bool group_machine::has_member(const std::string& name) const {
  return std::ranges::any_of(members_, [&](const member& m) { return m.name == name; });
}

// -- events -------------------------------------------------------------------

group_actions group_machine::on_lease_lost(instant now, const std::string& subject,
                                           loss_reason reason, const std::string& culprit) {
  auto out = on_time(now);
  const auto found = leases_.find(subject);
  if (phase_ == group_phase::ended || found == leases_.end())
    return out;
  auto& state = found->second;
  if (state == lease_state::releasing) {
    state = lease_state::over; // Not ours any more, which is what the release was for.
  } else if (state == lease_state::held) {
    state = lease_state::lost;
    abandon_lease(now, {subject, reason, culprit}, out);
  }
  proceed(now, out);
  return out;
}

group_actions group_machine::on_lease_released(instant now, const std::string& subject,
                                               bool confirmed) {
  auto out = on_time(now);
  const auto found = leases_.find(subject);
  if (phase_ == group_phase::ended || found == leases_.end())
    return out;
  auto& state = found->second;
  if (state == lease_state::over || state == lease_state::lost)
    return out;
  if (phase_ == group_phase::running) // By its holder, not by us: an ordinary end of the group.
    begin_closing(now);
  state = lease_state::over;
  if (!confirmed)
    report_.unreleased.push_back(subject);
  proceed(now, out);
  return out;
}

group_actions group_machine::on_lease_died(instant now, const std::string& subject,
                                           const std::string& culprit) {
  auto out = on_time(now);
  const auto found = leases_.find(subject);
  if (phase_ == group_phase::ended || found == leases_.end())
    return out;
  const auto before = found->second;
  if (before == lease_state::held || before == lease_state::releasing)
    out.emplace_back(delete_lease{subject});
  if (before == lease_state::held) {
    found->second = lease_state::releasing; // The group waits for the answer.
    abandon_lease(now, {subject, loss_reason::holder_died, culprit}, out);
  }
  proceed(now, out);
  return out;
}

group_actions group_machine::on_member_ended(instant now, const std::string& name,
                                             const std::string& culprit) {
  auto out = on_time(now);
  auto* m = find(name);
  if (!m || m->state == member_state::ended || phase_ == group_phase::ended)
    return out;
  const bool was_asked = m->state != member_state::running;
  m->state = member_state::ended;
  if (!was_asked)
    abandon(now, {name, loss_reason::holder_died, culprit}, out);
  proceed(now, out);
  return out;
}

group_actions group_machine::on_member_finished(instant now, const std::string& name) {
  auto out = on_time(now);
  if (auto* m = find(name); m && phase_ != group_phase::ended) {
    m->state = member_state::ended;
    proceed(now, out);
  }
  return out;
}

group_actions group_machine::on_abandoned(instant now, const std::string& which, loss_reason reason,
                                          const std::string& culprit) {
  auto out = on_time(now);
  if (phase_ != group_phase::ended) {
    abandon(now, {which, reason, culprit}, out);
    proceed(now, out);
  }
  return out;
}

group_actions group_machine::on_stop(instant now) {
  auto out = on_time(now);
  if (phase_ == group_phase::running)
    begin_closing(now);
  proceed(now, out);
  return out;
}

group_actions group_machine::on_time(instant now) {
  group_actions out;
  if (phase_ != group_phase::closing)
    return out;
  const bool is_late = now >= *close_by_;
  for (auto& m : members_ | std::views::reverse)
    if (m.state == member_state::stopping && (is_late || now >= m.kill_at))
      kill(m, out);
  if (is_late && !close_by_passed_) {
    close_by_passed_ = true;
    for (auto& m : members_ | std::views::reverse)
      if (m.state == member_state::running)
        kill(m, out);
    for (auto& [subject, state] : leases_)
      if (state == lease_state::held) { // One that is being released is on its way already.
        state = lease_state::releasing;
        out.emplace_back(delete_lease{subject});
      }
  }
  if (now >= *close_by_ + group_end_patience) {
    for (const auto& [subject, state] : leases_)
      if (state == lease_state::releasing)
        report_.unreleased.push_back(subject);
    finish(out);
  } else {
    proceed(now, out);
  }
  return out;
}

// -- the steps ----------------------------------------------------------------

void group_machine::abandon(instant now, lost_lease what, group_actions& out) {
  if (phase_ == group_phase::running)
    begin_closing(now);
  report_.abandoned.push_back(what);
  const auto left = *close_by_ > now ? *close_by_ - now : nanoseconds{};
  out.emplace_back(
    tell_lost{{std::move(what.subject), what.reason, std::move(what.culprit), left}});
}

void group_machine::abandon_lease(instant now, const lost_lease& what, group_actions& out) {
  abandon(now, what, out);
  for (auto& m : members_)
    if (m.state == member_state::running && needs(m, what.subject))
      stop(now, m, out);
}

void group_machine::begin_closing(instant now) {
  phase_ = group_phase::closing;
  nanoseconds sum{};
  for (const auto& m : members_)
    if (m.state == member_state::running)
      sum += m.grace;
  close_by_ = now + std::min(stop_timeout_, sum);
}

void group_machine::stop(instant now, member& m, group_actions& out) {
  m.state = member_state::stopping;
  m.kill_at = std::min(now + m.grace, *close_by_);
  out.emplace_back(stop_member{m.name});
}

void group_machine::kill(member& m, group_actions& out) {
  m.state = member_state::killed;
  report_.killed.push_back(m.name);
  out.emplace_back(kill_member{m.name});
}

void group_machine::proceed(instant now, group_actions& out) {
  if (phase_ != group_phase::closing)
    return;
  stop_next(now, out);
  release_unneeded(out);
  const bool members_ended
    = std::ranges::all_of(members_, [](const member& m) { return m.state == member_state::ended; });
  const bool leases_over = std::ranges::all_of(leases_, [](const auto& lease) {
    return lease.second == lease_state::over || lease.second == lease_state::lost;
  });
  if (members_ended && leases_over)
    finish(out);
}

void group_machine::stop_next(instant now, group_actions& out) {
  for (auto& m : members_ | std::views::reverse) {
    if (m.state == member_state::ended)
      continue;
    if (m.state == member_state::running)
      stop(now, m, out);
    return; // One after the other: the next waits for this one's end.
  }
}

void group_machine::release_unneeded(group_actions& out) {
  for (auto& [subject, state] : leases_)
    if (state == lease_state::held && !is_needed(subject)) {
      state = lease_state::releasing;
      out.emplace_back(release_lease{subject});
    }
}

void group_machine::finish(group_actions& out) {
  if (phase_ == group_phase::ended)
    return;
  phase_ = group_phase::ended;
  out.emplace_back(finish_group{report_});
}

// -- how it stands ------------------------------------------------------------

bool group_machine::needs(const member& m, const std::string& lease) {
  return m.needs.every_lease || m.needs.leases.contains(lease);
}

bool group_machine::is_needed(const std::string& lease) const {
  return std::ranges::any_of(
    members_, [&](const member& m) { return m.state != member_state::ended && needs(m, lease); });
}

group_machine::member* group_machine::find(const std::string& name) {
  const auto found
    = std::ranges::find_if(members_, [&](const member& m) { return m.name == name; });
  return found == members_.end() ? nullptr : &*found;
}

std::optional<instant> group_machine::next_due() const {
  if (phase_ != group_phase::closing)
    return std::nullopt;
  auto due = close_by_passed_ ? *close_by_ + group_end_patience : *close_by_;
  for (const auto& m : members_)
    if (m.state == member_state::stopping)
      due = std::min(due, m.kill_at);
  return due;
}

std::vector<std::string> group_machine::members() const {
  std::vector<std::string> result;
  for (const auto& m : members_)
    if (m.state != member_state::ended)
      result.push_back(m.name);
  return result;
}

} // namespace trunnion
