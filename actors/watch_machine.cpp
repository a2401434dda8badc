#include "trunnion/actors/watch_machine.hpp"

#include "trunnion/messages/ensure.hpp"

namespace trunnion {

void watch_machine::open(watch_id id, instant now) {
  ensure(id != 0, "a watch has an id");
  id_ = id;
  next_ = 1;
  resync_ = 0;
  asked_.reset();
  progress_ = now;
  begin_snapshot();
}

watch_step watch_machine::on_part(const watch_part& x, instant now) {
  watch_step step;
  if (!is_open(x.id))
    return step;
  if (x.seq > next_) {
    on_gap(now, step);
    return step;
  }
  if (x.seq == next_) {
    step.broken = misplaced(x);
    if (!step.broken.empty())
      return step;
    ++next_;
    asked_.reset();
    progress_ = now;
    take(x, now, step);
  } else if (x.kind == part_kind::resync && x.seq != resync_) {
    step.broken
      = "the watch started over where it had been before"; // Numbers name other parts now.
    return step;
  }
  step.credit = credit(); // For a repeated part, too: what we said of it before was lost.
  return step;
}

watch_step watch_machine::on_time(instant now) {
  watch_step step;
  if (phase_ == phase::closed)
    return step;
  const bool waits = asked_ || phase_ == phase::snapshot;
  if (waits && progress_ + watch_stuck_after <= now)
    step.broken = "the watch is stuck";
  else if (asked_ && *asked_ + gap_patience <= now)
    on_gap(now, step);
  return step;
}

std::optional<instant> watch_machine::next_due() const {
  if (phase_ == phase::closed || (!asked_ && phase_ == phase::live))
    return std::nullopt;
  const auto stuck = progress_ + watch_stuck_after;
  return asked_ ? std::min(stuck, *asked_ + gap_patience) : stuck;
}

/// Why a part cannot follow what came before it, if so. A sender that believes that we have seen
/// what we have not would leave the view wrong for good.
std::string watch_machine::misplaced(const watch_part& x) const {
  const bool may_change_epoch = fresh_ || x.kind == part_kind::resync;
  if (x.epoch != epoch_ && !may_change_epoch)
    return "the store changed without a word";
  switch (x.kind) {
  case part_kind::resync: return {};
  case part_kind::snapshot:
  case part_kind::snapshot_end:
    return phase_ == phase::snapshot ? "" : "a snapshot came that was not announced";
  case part_kind::change:
    return phase_ == phase::live ? "" : "a change came before the end of the snapshot";
  }
  return "a part of an unknown kind came";
}

void watch_machine::on_gap(instant now, watch_step& step) {
  if (asked_ && now < *asked_ + gap_patience)
    return;
  if (!asked_) {
    ++gaps_;
    progress_ = std::max(progress_, now); // Its patience begins here, not with the last part.
  }
  asked_ = now;
  step.ask = probe();
}

void watch_machine::take(const watch_part& x, instant now, watch_step& step) {
  if (x.kind == part_kind::resync) {
    ++resyncs_;
    resync_ = x.seq;
    begin_snapshot();
    return;
  }
  if (fresh_)
    adopt(x.epoch);
  step.changes.epoch = epoch_;
  if (x.kind == part_kind::change) {
    step.changes.entries.reserve(x.entries.size());
    step.changes.was_live.reserve(x.entries.size());
  }
  for (const auto& change : x.entries)
    if (change.is_live())
      put(change, now, step.changes);
    else
      remove(change, step.changes);
  if (x.kind == part_kind::snapshot)
    return;
  if (x.kind == part_kind::snapshot_end) {
    drop_unnamed(x.revision, step.changes);
    phase_ = phase::live;
    complete_ = true;
    step.became_current = true;
  }
  revision_ = std::max(revision_, x.revision);
}

void watch_machine::begin_snapshot() {
  phase_ = phase::snapshot;
  fresh_ = true;
  named_.clear();
}

/// A snapshot begins, in epoch `x`.
void watch_machine::adopt(trunnion::epoch x) {
  fresh_ = false;
  if (x == epoch_)
    return;
  epoch_ = x;
  revision_ = {};
  tombstones_.clear();
  oldest_tombstones_.clear();
  for (const auto& [key, kept] : view_.entries())
    foreign_.insert(&kept);
}

void watch_machine::put(const entry& x, instant now, view_changes& told) {
  auto change = x;
  const auto* known = view_.find(x.subject);
  if (known) {
    const bool is_foreign = foreign_.erase(known) > 0;
    const bool is_same
      = x.revision == known->revision && (!is_foreign || x.payload == known->payload);
    if (phase_ == phase::snapshot)
      named_.insert(known);
    if (is_same)
      return view_.refresh_time_left(x, now);
    if (!is_foreign && x.revision < known->revision)
      return;
    change.skipped_delete |= is_foreign; // What the old store had is gone.
  } else {
    const auto deleted = tombstones_.find(x.subject);
    if (deleted != tombstones_.end() && x.revision <= deleted->second)
      return;
    forget(x.subject);
  }
  const auto& kept = view_.put(x, now);
  if (phase_ == phase::snapshot)
    named_.insert(&kept);
  told.add(std::move(change), known != nullptr);
}

void watch_machine::remove(const entry& x, view_changes& told) {
  const auto* known = view_.find(x.subject);
  if (!known)
    return remember(x.subject, x.revision);
  const bool is_newer
    = x.revision > known->revision || (x.unmarked && x.revision == known->revision);
  if (!is_newer)
    return;
  named_.erase(known);
  foreign_.erase(known);
  view_.erase(x.subject);
  remember(x.subject, x.revision);
  told.add(x, true);
}

/// A snapshot is complete: what it did not name is gone, unless it is newer than the snapshot.
void watch_machine::drop_unnamed(trunnion::revision as_of, view_changes& told) {
  std::vector<const entry*> gone;
  for (const auto& [key, kept] : view_.entries())
    if (!named_.contains(&kept) && (kept.revision <= as_of || foreign_.contains(&kept)))
      gone.push_back(&kept);
  for (const auto* kept : gone) {
    const bool is_foreign = foreign_.contains(kept);
    const entry tombstone{.subject = kept->subject,
                          // Of the deletion none is known, nor any of this epoch.
                          .revision = is_foreign ? trunnion::revision{} : kept->revision,
                          .written = kept->written,
                          .tombstone = tombstone_cause::deleted,
                          .unmarked = true};
    view_.erase(tombstone.subject);
    if (!is_foreign) // Not `as_of`: what was made behind the snapshot's back is yet to come.
      remember(tombstone.subject, tombstone.revision);
    told.add(tombstone, true);
  }
  named_ = {};
  foreign_ = {};
}

void watch_machine::remember(const subject& key, trunnion::revision deleted_by) {
  auto& kept = tombstones_[key];
  if (kept.value != 0)
    oldest_tombstones_.erase({kept, key});
  kept = std::max(kept, deleted_by);
  oldest_tombstones_.emplace(kept, key);
  if (oldest_tombstones_.size() > max_remembered_tombstones)
    forget(subject{oldest_tombstones_.begin()->second});
}

void watch_machine::forget(const subject& key) {
  const auto found = tombstones_.find(key);
  if (found == tombstones_.end())
    return;
  oldest_tombstones_.erase({found->second, key});
  tombstones_.erase(found);
}

} // namespace trunnion
