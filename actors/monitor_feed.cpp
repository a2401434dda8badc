#include "trunnion/actors/monitor_feed.hpp"

#include "trunnion/messages/ensure.hpp"

namespace trunnion {
namespace {

/// Whether a part that has entries has room for one more of `size`.
bool has_room(const monitor_part& part, std::size_t bytes, std::size_t size) {
  return part.entries.empty()
         || (part.entries.size() < max_part_entries && bytes + size <= max_part_bytes);
}

} // namespace

std::optional<std::uint64_t> monitor_feed::pass(const view_changes& changes,
                                                const view_position& at) {
  const bool fits = changes.entries.size() <= max_part_entries
                    && (changes.bytes <= max_part_bytes || changes.entries.size() == 1);
  if (!is_live_ || !line_.empty() || next_ > up_to_ || !fits)
    return std::nullopt;
  told_ = at;
  return next_++;
}

void monitor_feed::hold(const view_changes& changes) {
  for (std::size_t i = 0; i < changes.entries.size(); ++i)
    hold(changes.entries[i], changes.was_live[i], changes.epoch);
}

void monitor_feed::hold(const entry& x, bool was_live, trunnion::epoch epoch) {
  if (!is_live_ && (!cursor_ || x.subject > *cursor_))
    return;
  const auto place = places_.find(x.subject.text());
  if (place == places_.end()) {
    auto& added = line_[++places_given_];
    added = {.key = x.subject, .is_known = was_live, .skips_delete = x.skipped_delete};
    added.epoch = epoch;
    if (!x.is_live())
      added.tombstone = x;
    places_.emplace(added.key.text(), places_given_);
    return;
  }
  auto& kept = line_.at(place->second);
  if (x.is_live()) {
    kept.skips_delete |= kept.tombstone || x.skipped_delete;
    kept.tombstone.reset();
  } else if (kept.is_known) {
    kept.tombstone = x;
    kept.epoch = epoch;
  } else { // Came and went unseen.
    const auto number = place->second;
    places_.erase(place);
    line_.erase(number);
  }
}

std::optional<monitor_part> monitor_feed::next(const monitor_view& view, const view_position& at,
                                               instant now) {
  if (next_ > up_to_ || (is_live_ && line_.empty()))
    return std::nullopt;
  if (!is_live_ && !cursor_)
    told_ = at;
  auto part = is_live_ ? changes_page(view, at.epoch, now) : snapshot_page(view, now);
  if (is_live_ && line_.empty())
    told_ = at;
  if (told_.epoch != at.epoch) // Nothing of this epoch is told completely.
    told_ = {.epoch = at.epoch};
  part.seq = next_++;
  part.epoch = told_.epoch;
  part.revision = told_.revision;
  return part;
}

monitor_part monitor_feed::snapshot_page(const monitor_view& view, instant now) {
  monitor_part part{.kind = part_kind::snapshot};
  const auto& all = view.entries();
  std::size_t bytes = 0;
  for (auto i = cursor_ ? all.upper_bound(*cursor_) : all.begin();
       i != all.end() && has_room(part, bytes, i->second.payload.size()); ++i) {
    bytes += i->second.payload.size();
    part.entries.push_back(view.copy_of(i->second, now));
  }
  if (part.entries.empty()) {
    part.kind = part_kind::snapshot_end;
    is_live_ = true;
    cursor_.reset();
  } else {
    cursor_ = part.entries.back().subject;
  }
  return part;
}

monitor_part monitor_feed::changes_page(const monitor_view& view, trunnion::epoch epoch,
                                        instant now) {
  monitor_part part{.kind = part_kind::change};
  std::size_t bytes = 0;
  for (auto i = line_.begin(); i != line_.end(); i = line_.erase(i)) {
    const auto& kept = i->second;
    const auto* value = kept.tombstone ? nullptr : view.find(kept.key);
    ensure(kept.tombstone || value, "a change is in the view, or is a deletion");
    const auto size = value ? value->payload.size() : 0;
    if (!has_room(part, bytes, size))
      break;
    bytes += size;
    auto& told = part.entries.emplace_back(value ? view.copy_of(*value, now) : *kept.tombstone);
    told.skipped_delete = value && kept.skips_delete;
    if (!value && kept.epoch != epoch) { // Its revision means nothing any more.
      told.revision = {};
      told.unmarked = true;
    }
    places_.erase(kept.key.text());
  }
  return part;
}

} // namespace trunnion
