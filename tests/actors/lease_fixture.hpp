// Leases on a memory backend behind a flaky link, with holders and subscribers that tell the trace.

#pragma once

#include "trunnion/actors/lease.hpp"
#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/messages/lease_record.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"
#include "trunnion/tests/fixtures/flaky_backend.hpp"

namespace trunnion::test {

inline std::string to_words(const lease_jeopardy& x) {
  return "jeopardy, " + std::to_string(x.time_left / 1ms) + " ms left";
}
inline std::string to_words(const lease_recovered& x) {
  return "recovered, " + std::to_string(x.time_left / 1ms) + " ms left";
}
inline std::string to_words(const lease_renewed& x) {
  return "renewed " + to_string(x.revision) + ", " + std::to_string(x.time_left / 1ms) + " ms left";
}
inline std::string to_words(const lease_ended& x) {
  return "ended: " + (x.lost ? to_string(*x.lost) : "released")
         + (x.culprit.empty() ? "" : " by " + x.culprit);
}

struct lease_fixture : deterministic_fixture {
  using deterministic_fixture::deterministic_fixture;

  static lease_options options(std::string_view key, nanoseconds ttl = 1s) {
    return {.subject = at(key), .ttl = ttl, .owner = "host/" + std::string{key}};
  }

  /// An actor that only lives.
  caf::actor someone() {
    return track(system.spawn([](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler(caf::drop);
      return {[](caf::unit_t) {}};
    }));
  }

  /// Starts to acquire through the link, or directly.
  lease_actor begin(const lease_options& x, const caf::actor& holder) {
    return begin_at(link, x, holder);
  }
  lease_actor begin(const lease_options& x) { return begin(x, someone()); }
  lease_actor begin_at(const backend_actor& backend, const lease_options& x,
                       const caf::actor& holder) {
    auto lease = acquire(system, rt(), backend, caf::actor_cast<caf::strong_actor_ptr>(holder), x);
    BOOST_REQUIRE(lease);
    return track(*lease);
  }

  /// A lease that is held.
  lease_actor hold(std::string_view key, nanoseconds ttl = 1s) {
    auto lease = begin(options(key, ttl));
    BOOST_REQUIRE(ask<lease_grant>(lease, lease_await{}).value().subject == at(key));
    return lease;
  }
  /// One that the link cannot disturb.
  lease_actor hold_directly(std::string_view key, nanoseconds ttl = 1s) {
    auto lease = begin_at(store, options(key, ttl), someone());
    BOOST_REQUIRE(ask<lease_grant>(lease, lease_await{}).ready());
    return lease;
  }

  /// A subscriber that writes to the trace what it is told.
  caf::actor subscribe(const lease_actor& lease, std::string_view name, bool renewals = false) {
    auto sink = system.spawn([this, lease, renewals, name = std::string{name}](
                               caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler(caf::drop);
      me->set_error_handler([](caf::error&) {});
      me->request(caf::actor_cast<caf::actor>(lease), caf::infinite, lease_subscribe{renewals})
        .then([](const lease_status&) {},
              [this, name](const caf::error&) { write(log_level::info, name, "refused"); });
      const auto say = [this, name](const auto& x) { write(log_level::info, name, to_words(x)); };
      return {[=](const lease_jeopardy& x) { say(x); }, [=](const lease_recovered& x) { say(x); },
              [=](const lease_renewed& x) { say(x); }, [=](const lease_ended& x) { say(x); }};
    });
    return track(sink);
  }

  /// Whether the trace has this.
  bool told(std::string_view words) const { return trace.find(words) != std::string::npos; }

  /// What a backend would send to the lease as its watch.
  void send_part(const lease_actor& lease, const watch_part& x) {
    caf::anon_send(caf::actor_cast<caf::actor>(lease), x);
    run();
  }

  lease_status status(const lease_actor& lease) {
    return ask<lease_status>(lease, lease_inspect{}).value();
  }
  lease_view view(const lease_actor& lease) {
    return ask<lease_view>(lease, lease_get_view{}).value();
  }
  lease_refreshed refresh(const lease_actor& lease) {
    return ask<lease_refreshed>(lease, lease_refresh{}).value();
  }

  pending<kv_entry> look(std::string_view key) { return ask<kv_entry>(store, kv_get{at(key)}); }
  bool has_key(std::string_view key) { return look(key).get().engaged(); }
  lease_record record(std::string_view key) {
    auto decoded = decode_lease_record(look(key).value().entry.payload.bytes());
    BOOST_REQUIRE(decoded);
    return *decoded;
  }
  void remove(std::string_view key) {
    BOOST_REQUIRE(ask<kv_deleted>(store, kv_delete{at(key), std::nullopt}).get().engaged());
  }

  flaky_link wire;
  backend_actor store = track(spawn_memory_backend(system, rt()));
  backend_actor link = spawn_flaky(*this, wire, store);
};

} // namespace trunnion::test
