// What one subscriber of a monitor has been told, and what it must still be told.
//
// A subscriber gets a snapshot, page by page, and then the changes, in parts numbered from 1, as
// far as its credit reaches. The snapshot is read from the monitor's own view by a cursor; nothing
// is copied for it. A change of a key that the cursor has not reached yet is told by the snapshot.
// Other changes that cannot be sent are kept for each key, without its value, which is in the view:
// so the newest wins, and a subscriber that reads nothing costs at most one small record for each
// key that it was told or the view has. A key keeps its place in the line however often it changes,
// so that none is starved.
//
// Pure: no clock, no I/O. Threads: one user at a time.

#pragma once

#include "trunnion/actors/watch_machine.hpp"

#include <map>

namespace trunnion {

/// How the store stands as the view shows it.
struct view_position {
  trunnion::epoch epoch;
  trunnion::revision revision;
};

class monitor_feed {
public:
  explicit monitor_feed(std::uint64_t credit) : up_to_(credit) {}
  monitor_feed(monitor_feed&&) = default; // A copy's places would lie in the original's line.
  monitor_feed& operator=(monitor_feed&&) = default;

  /// Credit is absolute; what was once granted stays so.
  void on_credit(std::uint64_t up_to) { up_to_ = std::max(up_to_, up_to); }

  /// Whether `changes` can go out as they are, in one part; if so, its number, which is then taken.
  [[nodiscard]] std::optional<std::uint64_t> pass(const view_changes& changes,
                                                  const view_position& at);

  /// Keeps `changes` for `next`, where the snapshot does not tell them anyway.
  void hold(const view_changes& changes);

  /// The next part, as long as there is something to tell and credit for it. `view` has all changes
  /// that were passed or held.
  [[nodiscard]] std::optional<monitor_part> next(const monitor_view& view, const view_position& at,
                                                 instant now);

  /// Changes that are kept.
  [[nodiscard]] std::size_t pending() const { return line_.size(); }

private:
  /// A key whose change must be told.
  struct held {
    subject key;
    bool is_known = false;          // Whether the subscriber was told a live value of it.
    bool skips_delete = false;      // A deletion lay between that and the view's value.
    std::optional<entry> tombstone; // If the view has no value.
    trunnion::epoch epoch;          // Of the tombstone.
  };

  void hold(const entry& x, bool was_live, trunnion::epoch epoch);
  [[nodiscard]] monitor_part snapshot_page(const monitor_view& view, instant now);
  [[nodiscard]] monitor_part changes_page(const monitor_view& view, trunnion::epoch epoch,
                                          instant now);

  bool is_live_ = false;          // The snapshot has been told.
  std::optional<subject> cursor_; // The last key of the snapshot that was told.
  view_position told_;            // All up to it has been told, once the snapshot is.
  std::uint64_t next_ = 1;
  std::uint64_t up_to_ = 0;
  std::map<std::uint64_t, held> line_; // By the order of their first change.
  std::unordered_map<std::string_view, std::uint64_t> places_; // In the line, by key.
  std::uint64_t places_given_ = 0;
};

} // namespace trunnion
