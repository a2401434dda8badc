#include "trunnion/backends/memory/key_store.hpp"

namespace trunnion {
namespace {

failure mismatch(const subject& key, std::string why, revision current) {
  return {error_code::revision_mismatch, certainty::not_applied, key.text(), std::move(why),
          current_revision{current.value}};
}

constexpr const char* another_life = "the revision is of another life of the store";

} // namespace

key_store::key_store(trunnion::epoch life, const tombstone_limits& limits)
  : epoch_(life), limits_(limits) {
  ensure(limits.most > 0, "the newest tombstone is always kept"); // Operations still look at it.
}

// -- operations ---------------------------------------------------------------

outcome<kv_entry> key_store::get(const kv_get& x, const moment& at) {
  if (auto valid = check_key(x.subject); !valid)
    return tl::unexpected{valid.error()};
  const auto* known = find(x.subject, at);
  if (!is_live(known))
    return tl::unexpected{failure{error_code::key_not_found, certainty::not_applied,
                                  x.subject.text(), "there is no such key",
                                  missing_key{known != nullptr}}};
  return kv_entry{epoch_, to_change(known->first, known->second).told_at(at.now)};
}

outcome<kv_written> key_store::create(kv_create x, const moment& at) {
  return update({std::move(x.subject), std::move(x.payload), revision{}, x.ttl}, at);
}

outcome<kv_written> key_store::update(kv_update x, const moment& at) {
  if (auto valid
      = check_key(x.subject).and_then([&] { return check_payload(x.subject, x.payload); });
      !valid)
    return tl::unexpected{valid.error()};
  const auto ttl = ttl_in_force(x.subject, x.ttl, ttls);
  if (!ttl)
    return tl::unexpected{ttl.error()};
  auto* known = find(x.subject, at);
  const auto current = is_live(known) ? known->second.revision : revision{};
  if (x.in_epoch && *x.in_epoch != epoch_)
    return tl::unexpected{mismatch(x.subject, another_life, current)};
  if (x.expected && *x.expected != current)
    return tl::unexpected{
      mismatch(x.subject, x.expected->value == 0 ? "the key exists" : "the revision is not current",
               current)};
  return write(std::move(x.subject), known, std::move(x.payload), *ttl, at);
}

outcome<kv_deleted> key_store::remove(const kv_delete& x, const moment& at) {
  if (auto valid = check_key(x.subject); !valid)
    return tl::unexpected{valid.error()};
  auto* known = find(x.subject, at);
  if (x.in_epoch && *x.in_epoch != epoch_)
    return tl::unexpected{
      mismatch(x.subject, another_life, is_live(known) ? known->second.revision : revision{})};
  if (!is_live(known)) {
    if (x.expected)
      return tl::unexpected{mismatch(x.subject, "the key does not exist", {})};
    return kv_deleted{epoch_, std::nullopt};
  }
  if (x.expected && *x.expected != known->second.revision)
    return tl::unexpected{
      mismatch(x.subject, "the revision is not current", known->second.revision)};
  bury(*known, tombstone_cause::deleted, at);
  return kv_deleted{epoch_, known->second.revision};
}

key_store::node* key_store::find(const subject& key, const moment& at) {
  const auto found = keys_.find(key);
  if (found == keys_.end())
    return nullptr;
  if (!found->second.tombstone && found->second.deadline <= at.now)
    bury(*found, tombstone_cause::expired, at);
  return &*found;
}

kv_written key_store::write(subject key, node* known, payload value, std::optional<nanoseconds> ttl,
                            const moment& at) {
  if (!known)
    known = &*keys_.try_emplace(std::move(key)).first;
  else if (known->second.tombstone)
    tombstones_.erase(known->second.revision);
  auto& x = known->second;
  if (x.tombstone || x.revision == revision{})
    x.in_order = ordered_.insert(known).first;
  x.payload = std::move(value);
  x.revision = {++newest_.value};
  x.written = at.wall;
  x.tombstone.reset();
  x.deadline = ttl ? at.now + *ttl : instant::max();
  place(*known);
  tell(*known);
  return {epoch_, x.revision, ttl};
}

void key_store::bury(node& key, tombstone_cause cause, const moment& at) {
  auto& x = key.second;
  ordered_.erase(x.in_order); // Finding it would be a walk through strings.
  x.payload = {};
  x.revision = {++newest_.value};
  x.written = at.wall;
  x.tombstone = cause;
  x.deadline = at.now + limits_.max_age;
  if (x.place != unplaced)
    take_out(x.place);
  tombstones_.emplace_hint(tombstones_.end(), x.revision, &key);
  if (cause == tombstone_cause::expired)
    ++expired_;
  tell(key);
  if (tombstones_.size() > limits_.most)
    forget_oldest_tombstone();
}

void key_store::tell(const node& key) const {
  if (listener_)
    listener_(key.first, key.second);
}

void key_store::forget_oldest_tombstone() {
  const auto oldest = tombstones_.begin();
  keys_.erase(keys_.find(oldest->second->first));
  tombstones_.erase(oldest);
}

change key_store::to_change(const subject& key, const record& x) {
  change result;
  result.entry.subject = key;
  result.entry.payload = x.payload;
  result.entry.revision = x.revision;
  result.entry.written = x.written;
  result.entry.tombstone = x.tombstone;
  if (!x.tombstone && x.deadline != instant::max())
    result.deadline = x.deadline;
  return result;
}

// -- reading many -------------------------------------------------------------

template <class Visitor>
bool key_store::visit_range(const bound& from, const page_position& position, Visitor visit) const {
  auto i = ordered_.lower_bound(from);
  if (position.behind && !in_key_order{}(bound_of(*position.behind), from))
    i = ordered_.upper_bound(bound_of(*position.behind));
  while (i != ordered_.end())
    switch (visit(**i++)) {
    case next_step::go_on: break;
    case next_step::end_range: return true;
    case next_step::stop: return false;
    }
  return true;
}

template <class Visitor>
bool key_store::visit_live(const subject& pattern, const page_position& position, instant now,
                           Visitor visit) const {
  const auto visit_if = [&](auto within) {
    return [&visit, within, now](const node& x) {
      if (!within(x.first.owner_text()))
        return next_step::end_range;
      return x.second.deadline <= now || visit(x) ? next_step::go_on : next_step::stop;
    };
  };
  const auto owner = pattern.owner_text();
  if (pattern.is_name()) {
    const auto found = keys_.find(pattern);
    return found == keys_.end() || found->second.tombstone || found->second.deadline <= now
           || position.has_passed(pattern) || visit(*found);
  }
  const auto is_owner = [owner](std::string_view x) { return x == owner; };
  if (pattern.kind() == property_kind::all_properties)
    return visit_range({owner, ""}, position, visit_if(is_owner));
  if (owner.empty())
    return visit_range({"", ""}, position, visit_if([](std::string_view) { return true; }));
  // The owners below `a` begin with `a.` and are neighbours, but `a-b` lies between them and `a`.
  const auto below = std::string{owner} + '.';
  return visit_range({owner, ""}, position, visit_if(is_owner))
         && visit_range({below, ""}, position,
                        visit_if([&](std::string_view x) { return x.starts_with(below); }));
}

entry_page key_store::page(const subject& pattern, const page_position& position,
                           instant now) const {
  entry_page result;
  part_room room;
  result.last = visit_live(pattern, position, now, [&](const node& x) {
    if (!room.take(x.second.payload.size()))
      return false;
    result.entries.push_back(to_change(x.first, x.second).told_at(now));
    return true;
  });
  return result;
}

std::vector<entry> key_store::picture(const subject& pattern, instant now) const {
  std::vector<entry> result;
  visit_live(pattern, {}, now, [&](const node& x) {
    result.push_back(to_change(x.first, x.second).told_at(now));
    return true;
  });
  return result;
}

// -- time ---------------------------------------------------------------------

void key_store::run_timers(const moment& at, std::size_t steps) {
  while (steps-- > 0 && run_one_timer(at))
    ;
}

bool key_store::run_one_timer(const moment& at) {
  if (!heap_.empty() && heap_.front().due <= at.now) {
    auto& key = *heap_.front().key;
    const auto deadline = key.second.deadline;
    if (deadline <= at.now)
      bury(key, tombstone_cause::expired, at);
    else if (deadline == instant::max())
      take_out(0);
    else
      sift_down(0, {deadline, key.second.revision, &key});
    return true;
  }
  if (tombstones_.empty() || tombstones_.begin()->second->second.deadline > at.now)
    return false;
  forget_oldest_tombstone();
  return true;
}

std::optional<instant> key_store::next_due() const {
  std::optional<instant> result;
  if (!heap_.empty())
    result = heap_.front().due;
  if (!tombstones_.empty()) {
    const auto too_old = tombstones_.begin()->second->second.deadline;
    result = result ? std::min(*result, too_old) : too_old;
  }
  return result;
}

// -- the heap of deadlines ----------------------------------------------------

void key_store::place(node& key) {
  const auto& x = key.second;
  if (x.deadline == instant::max() || (x.place != unplaced && heap_[x.place].due <= x.deadline))
    return; // It comes up too early at worst, and is placed again then.
  const timed entry{x.deadline, x.revision, &key};
  if (x.place != unplaced)
    return sift_up(x.place, entry);
  heap_.push_back(entry);
  sift_up(static_cast<std::uint32_t>(heap_.size() - 1), entry);
}

void key_store::take_out(std::uint32_t place) {
  heap_[place].key->second.place = unplaced;
  const auto last = heap_.back();
  heap_.pop_back();
  if (place == heap_.size())
    return;
  if (place > 0 && last < heap_[(place - 1) / 2])
    sift_up(place, last);
  else
    sift_down(place, last);
}

void key_store::sift_up(std::uint32_t place, timed x) {
  for (; place > 0 && x < heap_[(place - 1) / 2]; place = (place - 1) / 2)
    put(place, heap_[(place - 1) / 2]);
  put(place, x);
}

void key_store::sift_down(std::uint32_t place, timed x) {
  for (;;) {
    auto child = std::size_t{place} * 2 + 1;
    if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child])
      ++child;
    if (child >= heap_.size() || !(heap_[child] < x))
      break;
    put(place, heap_[child]);
    place = static_cast<std::uint32_t>(child);
  }
  put(place, x);
}

void key_store::put(std::uint32_t place, const timed& x) {
  heap_[place] = x;
  x.key->second.place = place;
}

} // namespace trunnion
