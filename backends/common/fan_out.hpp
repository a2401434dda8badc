// What one watch or listing tells its sink, and when.
//
// The engine says what changed; this decides what the sink is told: first a snapshot in pages, then
// changes, one part each as long as the sink keeps up. While it has no credit its changes are
// coalesced for each key, newest first to survive, and told together later. If even those become
// too many, or if the sink asks for parts that were never sent, the watch says `resync` and
// takes a fresh snapshot, so that a sink costs a bounded amount whatever it does.
//
// Pages of a watch are read as they are sent, so that an open watch costs no copy of the store: a
// change of a key that the snapshot has passed waits until the snapshot ends, one of a key ahead of
// it will be seen there. A listing is given its whole picture at the start, which makes it one
// moment's.
//
// `Packet` is what is kept for sending again (`part_window.hpp`). An `Out` has `Packet
// pack(watch_part)`, which adds the epoch, and `void send(const Packet&)`.
// Clock: none inside; every call takes `now`. Threads: one user at a time.

#pragma once

#include "trunnion/backends/common/key_order.hpp"
#include "trunnion/backends/common/part_room.hpp"
#include "trunnion/backends/common/part_window.hpp"

#include <map>
#include <memory>
#include <unordered_map>

namespace trunnion {

/// Keys of one watch whose changes may wait for credit, beside those that its snapshot has just
/// named; one more, and the watch resyncs.
inline constexpr std::size_t max_pending_keys = 4'096;

/// A key's new state; `deadline` in place of the time left, which depends on when it is told.
struct change {
  trunnion::entry entry;
  std::optional<instant> deadline;

  [[nodiscard]] trunnion::entry told_at(instant now) const {
    auto result = entry;
    if (deadline)
      result.time_left = std::max(*deadline - now, nanoseconds{});
    return result;
  }
};

/// Live entries that follow a `page_position`.
struct entry_page {
  std::vector<entry> entries;
  bool last = false; ///< Nothing follows.
};

/// Changes that wait: for each key the newest, in the order of their revisions.
class pending_changes {
public:
  [[nodiscard]] bool empty() const { return by_revision_.empty(); }
  [[nodiscard]] std::size_t size() const { return by_revision_.size(); }

  void add(const change& x) {
    auto next = x;
    const auto [known, is_new] = newest_.try_emplace(x.entry.subject, x.entry.revision);
    if (!is_new) {
      const auto older = by_revision_.find(known->second);
      next.entry.skipped_delete
        = older->second.entry.skipped_delete || !older->second.entry.is_live();
      by_revision_.erase(older);
      known->second = x.entry.revision;
    }
    by_revision_.emplace(x.entry.revision, std::move(next));
  }

  /// Takes as many as fit into one part.
  [[nodiscard]] std::vector<entry> take(instant now) {
    std::vector<entry> result;
    part_room room;
    auto i = by_revision_.begin();
    for (; i != by_revision_.end() && room.take(i->second.entry.payload.size()); ++i) {
      result.push_back(i->second.told_at(now));
      newest_.erase(i->second.entry.subject);
    }
    by_revision_.erase(by_revision_.begin(), i);
    return result;
  }

private:
  std::map<revision, change> by_revision_;
  std::unordered_map<subject, revision> newest_;
};

template <class Packet> class watch_fan_out {
public:
  /// A watch that was opened when the store's newest revision was `at`; pages are the engine's.
  watch_fan_out(watch_id id, std::uint64_t credit, std::uint64_t most, revision at)
    : id_(id), window_(credit, most), snapshot_(std::make_unique<snapshot>()) {
    snapshot_->at = at;
  }

  /// A listing of `picture`, taken when the newest revision was `at`.
  watch_fan_out(watch_id id, std::uint64_t credit, std::uint64_t most, revision at,
                std::vector<entry> picture)
    : watch_fan_out(id, credit, most, at) {
    snapshot_->picture = std::move(picture);
    is_listing_ = true;
  }

  [[nodiscard]] bool is_listing() const { return is_listing_; }

  /// A listing that was told whole, and seen.
  [[nodiscard]] bool is_over() const { return is_listing_ && !snapshot_ && window_.unseen() == 0; }

  [[nodiscard]] std::size_t unseen() const { return window_.unseen(); }
  [[nodiscard]] std::size_t pending() const { return pending_ ? pending_->size() : 0; }

  /// When `resend_due` has something to do.
  [[nodiscard]] std::optional<instant> next_resend() const { return window_.next_resend(); }

  // -- the snapshot -----------------------------------------------------------

  /// Whether the engine must `add_page` what follows `position()`.
  [[nodiscard]] bool wants_page() const {
    return snapshot_ && !is_listing_ && snapshot_->announced && !snapshot_->ended
           && window_.is_open();
  }

  [[nodiscard]] const page_position& position() const { return snapshot_->position; }

  void add_page(entry_page page, instant now, auto& out) {
    ensure(wants_page(), "pages are added when they are wanted");
    if (!page.entries.empty()) {
      snapshot_->position.behind = page.entries.back().subject;
      snapshot_->told += page.entries.size();
      send(part_kind::snapshot, snapshot_->at, std::move(page.entries), now, out);
    }
    snapshot_->ended = page.last;
    flush(now, out);
  }

  // -- changes ----------------------------------------------------------------

  /// A key that the watch covers has changed. With `more_to_come` it is told in one part with what
  /// follows, at the next `flush` at the latest: a sink that keeps up gets every change either way.
  void offer(const change& x, bool more_to_come, instant now, auto& out) {
    if (is_listing_ || (snapshot_ && !snapshot_->position.has_passed(x.entry.subject)))
      return;
    if (batch_ && !batch_->room.take(x.entry.payload.size()))
      send_batch(now, out);
    if (!snapshot_ && !pending_ && window_.is_open()) {
      if (!batch_ && !more_to_come)
        return send(part_kind::change, x.entry.revision, {x.told_at(now)}, now, out);
      if (!batch_)
        batch_ = std::make_unique<batch>(x.entry.payload.size());
      batch_->entries.push_back(x.told_at(now));
      return more_to_come ? void() : send_batch(now, out);
    }
    if (!pending_)
      pending_ = std::make_unique<pending_changes>();
    pending_->add(x);
    if (pending_->size() > max_pending_keys + (snapshot_ ? snapshot_->told : 0))
      begin_again(x.entry.revision);
  }

  /// Sends what credit allows, pages excepted. Pages may be wanted afterwards.
  void flush(instant now, auto& out) {
    send_batch(now, out);
    if (snapshot_ && !snapshot_->announced && window_.is_open()) {
      snapshot_->announced = true;
      send(part_kind::resync, snapshot_->at, {}, now, out);
    }
    if (is_listing_)
      send_picture(now, out);
    if (snapshot_ && snapshot_->ended && window_.is_open()) {
      const auto at = snapshot_->at;
      snapshot_.reset();
      send(part_kind::snapshot_end, at, {}, now, out);
    }
    while (!snapshot_ && pending_ && window_.is_open()) {
      auto entries = pending_->take(now);
      if (pending_->empty())
        pending_.reset();
      const auto newest = entries.back().revision;
      send(part_kind::change, newest, std::move(entries), now, out);
    }
  }

  // -- what the sink says -----------------------------------------------------

  void on_credit(std::uint64_t seen, std::uint64_t up_to) { window_.on_credit(seen, up_to); }

  /// Sends again from `from`, unless the sink has said meanwhile to have seen it; returns how many
  /// parts. What was never sent makes the watch resync, with `from` as the number of the next part;
  /// `newest` is the store's newest revision. A listing cannot be told again: false in the answer.
  rewatched on_rewatch(std::uint64_t from, revision newest, instant now, auto& out) {
    send_batch(now, out);
    const auto resent = window_.resend_from(from, now, [&](const auto& x) { out.send(x); });
    if (resent)
      return {*resent, true};
    if (is_listing_)
      return {0, false};
    window_.restart(from);
    begin_again(newest);
    return {};
  }

  /// After an interruption: a watch says `resync` and takes a fresh snapshot, with what `flush` and
  /// pages send; what its sink has not seen is sent again before.
  void resume(revision newest, instant now, auto& out) {
    send_batch(now, out);
    window_.resend_unseen(now, [&](const auto& x) { out.send(x); });
    if (!is_listing_)
      begin_again(newest);
  }

  /// Drops all that is kept, at the end.
  void forget() {
    window_.restart(1);
    pending_.reset();
    batch_.reset();
  }

  std::size_t resend_due(instant now, auto& out) {
    return window_.resend_due(now, [&](const auto& x) { out.send(x); });
  }

private:
  struct snapshot {
    page_position position;
    revision at;                // When it began; all later changes are told or seen in it.
    bool announced = true;      // Else a `resync` goes before it.
    bool ended = false;         // All pages are told.
    std::vector<entry> picture; // Of a listing.
    std::size_t told = 0;       // Entries, so far.
  };

  /// Changes that are told in one part.
  struct batch {
    explicit batch(std::size_t first) { std::ignore = room.take(first); }
    std::vector<entry> entries;
    part_room room;
  };

  void begin_again(revision at) {
    pending_.reset();
    snapshot_ = std::make_unique<snapshot>();
    snapshot_->at = at;
    snapshot_->announced = false;
  }

  /// Sends what was held back; nothing else was sent since, so the credit is still there.
  void send_batch(instant now, auto& out) {
    if (!batch_)
      return;
    auto entries = std::move(std::exchange(batch_, nullptr)->entries);
    const auto newest = entries.back().revision;
    send(part_kind::change, newest, std::move(entries), now, out);
  }

  void send_picture(instant now, auto& out) {
    while (snapshot_ && !snapshot_->ended && window_.is_open()) {
      std::vector<entry> part;
      part_room room;
      auto& [position, at, announced, ended, picture, told] = *snapshot_;
      while (told < picture.size() && room.take(picture[told].payload.size()))
        part.push_back(std::move(picture[told++]));
      ended = told == picture.size();
      if (!part.empty())
        send(part_kind::snapshot, at, std::move(part), now, out);
    }
  }

  void send(part_kind kind, revision at, std::vector<entry> entries, instant now, auto& out) {
    auto packet = out.pack(watch_part{id_, window_.next(), kind, {}, at, std::move(entries)});
    out.send(packet);
    window_.on_sent(std::move(packet), now);
  }

  watch_id id_;
  bool is_listing_ = false;
  part_window<Packet> window_;
  std::unique_ptr<snapshot> snapshot_;       // Until it ends.
  std::unique_ptr<pending_changes> pending_; // While there is no credit.
  std::unique_ptr<batch> batch_;             // With credit for one part.
};

} // namespace trunnion
