// How one speaks with a monitor of keys: subscribe, and get a snapshot and then the changes.
//
// Parts are numbered from 1 for each subscriber. Credit is absolute: parts up to `up_to` may be
// sent; while there is none, changes are coalesced for each key, so that a slow subscriber costs at
// most one entry for each key. Between actors of one system no message is lost, so parts are not
// repeated.

#pragma once

#include "trunnion/messages/watch.hpp"

#include <functional>
#include <map>

namespace trunnion {

/// A monitor's view: the live entries.
using entry_map = std::map<subject, entry>;

/// Makes the sender, a `monitor_sink`, a subscriber; again starts over with a snapshot.
struct monitor_subscribe {
  std::uint64_t credit = 0;
  bool operator==(const monitor_subscribe&) const = default;
};

struct monitor_credit {
  std::uint64_t up_to = 0;
  bool operator==(const monitor_credit&) const = default;
};

struct monitor_unsubscribe {
  bool operator==(const monitor_unsubscribe&) const = default;
};

/// To subscribers. `snapshot` parts up to `snapshot_end`, then `change` parts. After an
/// interruption that lost history, deletions are worked out and told as changes: there is no
/// `resync`.
struct monitor_part {
  std::uint64_t seq = 0;
  part_kind kind{};
  trunnion::revision revision; ///< All up to it is told by this part and those before it.
  std::vector<entry> entries;
  trunnion::epoch epoch; ///< Of the store; revisions compare within one.
  bool operator==(const monitor_part&) const = default;
};

/// To subscribers: whether the view can be relied on. Nothing is lost for good in between.
struct monitor_health {
  bool healthy = false;
  std::string text; ///< Why not, for people.
  bool operator==(const monitor_health&) const = default;
};

/// Is answered with all live entries once the first snapshot is complete.
struct monitor_get_all {
  bool operator==(const monitor_get_all&) const = default;
};

struct monitor_entries {
  trunnion::epoch epoch;
  trunnion::revision revision;
  std::vector<entry> entries; ///< In the order of their subjects.
  nanoseconds age{};          ///< Since the view was last known to be current (`healthy_as_of`).
  bool operator==(const monitor_entries&) const = default;
};

/// Local: is answered as `monitor_get_all` once the view fulfils `predicate`, or with `timeout`.
struct monitor_wait_for {
  std::function<bool(const entry_map&)> predicate; ///< Called in the monitor; must not block.
  nanoseconds timeout{};
};

struct monitor_inspect {
  bool operator==(const monitor_inspect&) const = default;
};

struct monitor_status {
  trunnion::subject pattern;
  bool healthy = false;
  nanoseconds age{}; ///< Since the view was last known to be current; zero while healthy.
  trunnion::revision revision;
  std::uint64_t keys = 0;
  std::uint64_t subscribers = 0;
  std::uint64_t waiters = 0;
  std::uint64_t gaps = 0;     ///< Parts that were missing and asked for again.
  std::uint64_t resyncs = 0;  ///< Fresh snapshots after history was lost.
  std::uint64_t reopened = 0; ///< Watches opened anew.
  std::uint64_t pending = 0;  ///< Coalesced changes of subscribers without credit.
  bool operator==(const monitor_status&) const = default;
};

template <class F> auto inspect(F& f, monitor_subscribe& x) {
  return fields(f, x, "monitor_subscribe", field{"credit", x.credit});
}
template <class F> auto inspect(F& f, monitor_credit& x) {
  return fields(f, x, "monitor_credit", field{"up_to", x.up_to});
}
template <class F> auto inspect(F& f, monitor_unsubscribe& x) {
  return fields(f, x, "monitor_unsubscribe");
}
template <class F> auto inspect(F& f, monitor_part& x) {
  return fields(f, x, "monitor_part", field{"seq", x.seq}, field{"kind", x.kind},
                field{"revision", x.revision}, field{"entries", x.entries},
                field{"epoch", x.epoch});
}
template <class F> auto inspect(F& f, monitor_health& x) {
  return fields(f, x, "monitor_health", field{"healthy", x.healthy}, field{"text", x.text});
}
template <class F> auto inspect(F& f, monitor_get_all& x) {
  return fields(f, x, "monitor_get_all");
}
template <class F> auto inspect(F& f, monitor_entries& x) {
  return fields(f, x, "monitor_entries", field{"epoch", x.epoch}, field{"revision", x.revision},
                field{"entries", x.entries}, field{"age", x.age});
}
template <class F> auto inspect(F& f, monitor_inspect& x) {
  return fields(f, x, "monitor_inspect");
}
template <class F> auto inspect(F& f, monitor_status& x) {
  return fields(f, x, "monitor_status", field{"pattern", x.pattern}, field{"healthy", x.healthy},
                field{"age", x.age}, field{"revision", x.revision}, field{"keys", x.keys},
                field{"subscribers", x.subscribers}, field{"waiters", x.waiters},
                field{"gaps", x.gaps}, field{"resyncs", x.resyncs}, field{"reopened", x.reopened},
                field{"pending", x.pending});
}

} // namespace trunnion
