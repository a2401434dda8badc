// The receiver's side of a watch: turns numbered parts into a view that never goes back.
//
// Parts may be lost, repeated, or come late; the watch may say that history was lost, or end and be
// opened again, perhaps on another store. Whoever looks at the view must not notice: it takes parts
// in their order only, asks for what is missing, and works out from a fresh snapshot what changed
// in the meantime, deletions included. Only real differences are reported.
//
// Within one epoch an older revision of a key never replaces a newer one, nor brings a deleted key
// back: the newest `max_remembered_tombstones` are remembered for that. In another epoch revisions
// start anew, so everything is replaced.
//
// Pure: no clock, no I/O; every call takes `now` and returns what to do. Threads: one user at a
// time.

#pragma once

#include "trunnion/actors/monitor_view.hpp"

#include <set>
#include <unordered_set>

namespace trunnion {

inline constexpr std::uint64_t watch_window = 64; ///< Parts that may be under way to us.
inline constexpr nanoseconds gap_patience = std::chrono::seconds{1};
inline constexpr nanoseconds watch_stuck_after = std::chrono::seconds{10};
inline constexpr std::size_t max_remembered_tombstones = 10'000;

/// Differences of a view, in the order in which they happened.
struct view_changes {
  trunnion::epoch epoch; ///< Of the revisions.
  std::vector<entry> entries;
  std::vector<bool> was_live; ///< Of each: whether the view had its key before.
  std::size_t bytes = 0;      ///< Of all payloads.

  void add(entry x, bool had_key) {
    bytes += x.payload.size();
    entries.push_back(std::move(x));
    was_live.push_back(had_key);
  }
};

/// What follows from an event.
struct watch_step {
  view_changes changes;               ///< To pass on.
  std::optional<watch_credit> credit; ///< To send.
  std::optional<rewatch> ask;         ///< To send.
  bool became_current = false;        ///< A snapshot is complete: the view can be relied on.
  std::string broken;                 ///< If not empty: why the watch must be opened anew.
};

class watch_machine {
public:
  /// Starts over with a watch `id`, which is not zero, that is opened at `now`. The view stays.
  void open(watch_id id, instant now);

  /// The watch is over; what still comes of it is ignored.
  void close() { phase_ = phase::closed; }

  [[nodiscard]] watch_step on_part(const watch_part& x, instant now);
  [[nodiscard]] watch_step on_time(instant now);

  /// When `on_time` must be called at the latest, if at all.
  [[nodiscard]] std::optional<instant> next_due() const;

  /// All that may be sent now; repeating it does no harm, and makes a lost grant good.
  [[nodiscard]] watch_credit credit() const {
    return {.id = id_, .seen = next_ - 1, .up_to = next_ - 1 + watch_window};
  }

  /// Asks again for what must come next. If it has not been sent yet nothing follows, unless the
  /// backend does not know the watch any more, and says so.
  [[nodiscard]] rewatch probe() const { return {.id = id_, .from_seq = next_}; }

  /// Whether parts of this watch are taken.
  [[nodiscard]] bool is_open(watch_id id) const { return phase_ != phase::closed && id == id_; }

  /// Whether a part of the present watch has come.
  [[nodiscard]] bool has_parts() const { return next_ > 1; }

  /// Whether the view follows the store.
  [[nodiscard]] bool is_current() const { return phase_ == phase::live; }

  /// Whether the view is a picture to show: there has been a whole snapshot, and nothing of an
  /// earlier epoch stands beside what is of this one.
  [[nodiscard]] bool is_whole() const { return complete_ && foreign_.empty(); }

  [[nodiscard]] const monitor_view& view() const { return view_; }
  [[nodiscard]] trunnion::epoch epoch() const { return epoch_; }

  /// The newest that the view takes account of.
  [[nodiscard]] trunnion::revision revision() const { return revision_; }

  [[nodiscard]] std::uint64_t gaps() const { return gaps_; }
  [[nodiscard]] std::uint64_t resyncs() const { return resyncs_; }
  [[nodiscard]] std::size_t remembered_tombstones() const { return tombstones_.size(); }

private:
  enum class phase : std::uint8_t { closed, snapshot, live };

  [[nodiscard]] std::string misplaced(const watch_part& x) const;
  void on_gap(instant now, watch_step& step);
  void take(const watch_part& x, instant now, watch_step& step);
  void begin_snapshot();
  void adopt(trunnion::epoch x);
  void put(const entry& x, instant now, view_changes& told);
  void remove(const entry& x, view_changes& told);
  void drop_unnamed(trunnion::revision as_of, view_changes& told);
  void remember(const subject& key, trunnion::revision deleted_by);
  void forget(const subject& key);

  phase phase_ = phase::closed;
  watch_id id_ = 0;
  std::uint64_t next_ = 1;       // The number of the part that must come next.
  std::optional<instant> asked_; // When that part was last asked for, since a later one came.
  instant progress_;             // When the last part was taken.
  std::uint64_t resync_ = 0;     // The number of the last part that was a resync.
  bool complete_ = false;
  bool fresh_ = false; // Nothing of the present snapshot has come yet.

  monitor_view view_;
  trunnion::epoch epoch_;
  trunnion::revision revision_;
  std::unordered_set<const entry*> named_;   // By the present snapshot; only looked up.
  std::unordered_set<const entry*> foreign_; // Of an earlier epoch; only looked up.
  std::unordered_map<subject, trunnion::revision> tombstones_; // Of keys that are not in the view.
  std::set<std::pair<trunnion::revision, subject>> oldest_tombstones_; // The same, by revision.
  std::uint64_t gaps_ = 0;
  std::uint64_t resyncs_ = 0;
};

} // namespace trunnion
