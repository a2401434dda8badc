// Monitors in a test: subscribers that keep what they are told, and a link to the store that loses,
// repeats and delays, or falls silent, as the test wants.

#pragma once

#include "trunnion/actors/kv_monitor.hpp"
#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"
#include "trunnion/tests/fixtures/watch_probe.hpp"

namespace trunnion::test {

/// How a link behaves from now on.
struct link_manner {
  caf::actor store;              ///< Where it leads.
  bool is_deaf = false;          ///< Swallows everything.
  bool cuts_silently = false;    ///< Even `watch_lost` is lost.
  unsigned lose_parts = 0;       ///< As many parts, from the next on.
  unsigned lost_percent = 0;     ///< Of parts, grants and requests to send again.
  unsigned repeated_percent = 0; ///< Of parts.
  unsigned delayed_percent = 0;  ///< Of parts, by up to 300 ms.
  std::mt19937_64 random{1};

  bool happens(unsigned percent) { return random() % 100 < percent; }
};

/// Ends all watches that go through a link, by `watch_lost`.
struct cut_link {};

struct link_state {
  link_state() = default;
  struct route {
    caf::actor client;
    watch_id id = 0;
  };
  std::map<watch_id, route> routes; ///< By the id at the store.
  watch_id last_id = 0;

  watch_id id_at_store(const caf::strong_actor_ptr& client, watch_id id) const {
    for (const auto& [ours, route] : routes)
      if (route.id == id && route.client == client)
        return ours;
    return 0;
  }
};

/// A link as an actor; it stands in for a backend as far as a monitor uses one.
caf::behavior shaky_link(caf::stateful_actor<link_state>* me, std::shared_ptr<link_manner> manner);

/// A subscriber's memory.
struct subscriber_log {
  std::vector<monitor_part> parts;
  std::vector<monitor_health> health;
  std::vector<failure> refused;
  std::map<std::string, entry> known; ///< Live entries, from what was told.
  std::map<std::string, revision> newest;
  std::string mistake; ///< What should not have been told, if anything.
  std::uint64_t next_seq = 1;
  trunnion::epoch epoch;

  void take(const monitor_part& x);

  /// `snapshot: a.x=1; snapshot_end; change: -a.x+`, values as their bytes.
  std::string text() const;
};

struct subscriber {
  caf::actor actor;
  std::shared_ptr<subscriber_log> log;
};

struct monitor_fixture : deterministic_fixture {
  explicit monitor_fixture(std::uint64_t seed = 1);

  backend_actor new_store();

  /// Leads to `store`; `manner` says how well.
  backend_actor link();

  kv_monitor_actor start(const backend_actor& backend, std::string_view pattern = "a.>");

  /// Subscribes with this credit; one that `grants` grants 16 more with each part.
  subscriber subscribe(const kv_monitor_actor& monitor, bool grants = true,
                       std::uint64_t credit = 16);
  void grant(const subscriber& who, const kv_monitor_actor& monitor, std::uint64_t up_to);

  void put(std::string_view key, std::string bytes, std::optional<nanoseconds> ttl = {});
  void remove(std::string_view key);
  void cut();

  monitor_status status(const kv_monitor_actor& monitor);

  /// What the store lists, as `a.x=1 a.y=2`.
  std::string listing(std::string_view pattern = "a.>");

  std::shared_ptr<link_manner> manner = std::make_shared<link_manner>();
  backend_actor store;
  caf::actor shaky;
};

std::string text(const std::vector<entry>& entries);
std::string text(const std::map<std::string, entry>& entries);

} // namespace trunnion::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::test::cut_link)
