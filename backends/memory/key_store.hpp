// Keys, values, revisions and deadlines in memory.
//
// Every write, deletion and expiry takes one revision. A key whose deadline has passed is expired
// when somebody touches it, whether or not a timer has run, so that no reader ever sees it;
// `expire` does the same for those that nobody touches. Deletions and expiries leave tombstones,
// the oldest of which go when they are too many or too old.
//
// Looking up a key is one hash; live keys are also kept in order, for listings; each key has at
// most one place in the heap of deadlines, which a later deadline does not move until it comes up,
// so that refreshing a lease costs no search.
//
// Clock: none inside; every call takes the `moment`, whose `now` never goes back.
// Threads: one user at a time.

#pragma once

#include "trunnion/backends/common/checks.hpp"
#include "trunnion/backends/common/fan_out.hpp"

#include <functional>
#include <set>

namespace trunnion {

/// When something happens: `now` decides, `wall` is written down.
struct moment {
  instant now;
  wall_time wall;
};

struct tombstone_limits {
  std::size_t most = 100'000;
  nanoseconds max_age = std::chrono::hours{1};
};

class key_store {
public:
  struct record;

private:
  using node = std::pair<const subject, record>; // In the table of keys, at one address for life.

  /// A place among the keys, which need not exist.
  struct bound {
    std::string_view owner;
    std::string_view text;
  };
  static bound bound_of(const subject& x) { return {x.owner_text(), x.text()}; }
  static bound bound_of(const node* x) { return bound_of(x->first); }
  static bound bound_of(const bound& x) { return x; }

  /// `key_order`, also against a bound.
  struct in_key_order {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const {
      const auto x = bound_of(a), y = bound_of(b);
      const auto owners = x.owner <=> y.owner;
      return owners != 0 ? owners < 0 : x.text < y.text;
    }
  };
  using order = std::set<const node*, in_key_order>;

public:
  /// One millisecond: what this store can tell apart, and its least TTL.
  static constexpr ttl_rules ttls{.least = milliseconds{1}, .resolution = milliseconds{1}};

  /// What stands under a key.
  struct record {
    trunnion::payload payload;
    trunnion::revision revision;
    wall_time written;
    instant deadline = instant::max(); // Never; of a tombstone: when it is too old.
    std::optional<tombstone_cause> tombstone;
    std::uint32_t place = unplaced; // In the heap of deadlines.
    order::iterator in_order;       // While it is live.
  };

  /// Told of every write, deletion and expiry once it is done. Must not call the store.
  using listener = std::function<void(const subject&, const record&)>;

  key_store(trunnion::epoch life, const tombstone_limits& limits);
  key_store(const key_store&) = delete; // Its parts point to each other.
  key_store& operator=(const key_store&) = delete;

  void listen(listener x) { listener_ = std::move(x); }

  // -- operations: as `messages/kv.hpp` says ----------------------------------

  outcome<kv_entry> get(const kv_get& x, const moment& at);
  outcome<kv_written> create(kv_create x, const moment& at);
  outcome<kv_written> update(kv_update x, const moment& at);
  outcome<kv_deleted> remove(const kv_delete& x, const moment& at);

  // -- reading many -----------------------------------------------------------

  /// Live keys under `pattern`, one part's worth behind `position`, in `key_order`.
  [[nodiscard]] entry_page page(const subject& pattern, const page_position& position,
                                instant now) const;

  /// All live keys under `pattern`.
  [[nodiscard]] std::vector<entry> picture(const subject& pattern, instant now) const;

  // -- time -------------------------------------------------------------------

  /// Expires what is due and drops what is too old, in at most `steps` steps.
  void run_timers(const moment& at, std::size_t steps);

  /// When `run_timers` has something to do, or may have.
  [[nodiscard]] std::optional<instant> next_due() const;

  // -- figures ----------------------------------------------------------------

  [[nodiscard]] trunnion::epoch epoch() const { return epoch_; }
  [[nodiscard]] trunnion::revision newest() const { return newest_; }
  [[nodiscard]] std::size_t live() const { return ordered_.size(); }
  [[nodiscard]] std::size_t tombstones() const { return tombstones_.size(); }
  [[nodiscard]] std::uint64_t expired() const { return expired_; }

  /// `x` as an entry.
  [[nodiscard]] static change to_change(const subject& key, const record& x);

private:
  static constexpr std::uint32_t unplaced = 0xffff'ffff;

  /// Not `noexcept`, so that libstdc++ keeps the hash beside each key, and looks at no key in vain.
  struct key_hash {
    std::size_t operator()(const subject& x) const { return std::hash<subject>{}(x); }
  };

  using table = std::unordered_map<subject, record, key_hash>;

  struct timed {
    instant due;   // No later than the key's deadline.
    revision rank; // Equal deadlines come up in the order of their writes.
    node* key;
    bool operator<(const timed& other) const {
      return due != other.due ? due < other.due : rank < other.rank;
    }
  };

  node* find(const subject& key, const moment& at);
  static bool is_live(const node* x) { return x && !x->second.tombstone; }
  kv_written write(subject key, node* known, payload value, std::optional<nanoseconds> ttl,
                   const moment& at);
  void bury(node& key, tombstone_cause cause, const moment& at);
  void tell(const node& key) const;
  void forget_oldest_tombstone();
  bool run_one_timer(const moment& at);

  enum class next_step : std::uint8_t { go_on, end_range, stop };

  /// Calls `visit(node)` in order from a bound on, behind `position`; false if it was stopped.
  template <class Visitor>
  bool visit_range(const bound& from, const page_position& position, Visitor visit) const;

  /// Calls `visit(node)` for live keys in order until it returns false; whether it never did.
  template <class Visitor>
  bool visit_live(const subject& pattern, const page_position& position, instant now,
                  Visitor visit) const;

  // The heap of deadlines.
  void place(node& key);
  void take_out(std::uint32_t place);
  void sift_up(std::uint32_t place, timed x);
  void sift_down(std::uint32_t place, timed x);
  void put(std::uint32_t place, const timed& x);

  trunnion::epoch epoch_;
  tombstone_limits limits_;
  listener listener_;
  table keys_;                           // Live ones and tombstones.
  order ordered_;                        // Live ones.
  std::map<revision, node*> tombstones_; // Oldest first.
  std::vector<timed> heap_;
  trunnion::revision newest_;
  std::uint64_t expired_ = 0;
};

} // namespace trunnion
