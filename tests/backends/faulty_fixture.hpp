// A memory backend behind a faulty link, and clients with little to say.

#pragma once

#include "trunnion/backends/faulty/faulty_backend.hpp"
#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/watch_probe.hpp"

#include <tuple>

namespace trunnion::test {

/// One request of each kind with the type of its answer; all are sensible but for their effect.
template <class Answer, class Operation> struct operation_of {
  using answer = Answer;
  Operation operation;
};

struct faulty_fixture : deterministic_fixture {
  using deterministic_fixture::deterministic_fixture;

  static fault_plan plan(std::string_view text) {
    auto read = parse_plan(text);
    BOOST_REQUIRE_MESSAGE(read, text);
    return *read;
  }

  /// The least seed with which exactly these decisions fall.
  struct decision {
    fault_kind kind;
    message_place at;
    bool strikes = true;
  };
  static std::uint64_t seed_with(std::string_view text, const std::vector<decision>& wanted) {
    for (std::uint64_t seed = 1;; ++seed) {
      const fault_dice dice{seed, plan(text)};
      if (std::ranges::all_of(
            wanted, [&](const auto& x) { return dice.strikes(x.kind, x.at) == x.strikes; }))
        return seed;
    }
  }

  faulty_backend_actor make_link(std::string_view text, std::uint64_t seed = 1,
                                 const limits& bounds = {}) {
    const auto handed = rt();
    return track(
      spawn_faulty_backend(system, {handed.time, handed.random, handed.log, handed.metrics, bounds},
                           store, {seed, plan(text)}));
  }

  faulty_report report(const faulty_backend_actor& link) {
    return ask<faulty_report>(link, get_faulty_report{}).value();
  }
  backend_status status() { return ask<backend_status>(store, get_backend_status{}).value(); }

  static kv_create create(std::string_view key, std::string value = "v") {
    return {at(key), payload{std::move(value)}, {}};
  }
  static kv_update put(std::string_view key, std::string value) {
    return {at(key), payload{std::move(value)}, {}, {}, {}};
  }
  bool has(std::string_view key) { return ask<kv_entry>(store, kv_get{at(key)}).get().engaged(); }
  std::string value(std::string_view key) {
    return std::string{ask<kv_entry>(store, kv_get{at(key)}).value().entry.payload.bytes()};
  }

  /// Calls `visit` with each kind of request that a link may disturb; without credit, so that the
  /// askers get no parts.
  static void for_each_operation(auto visit) {
    const service_info info{.name = "dome", .version = "1.0.0"};
    visit(operation_of<kv_entry, kv_get>{{at("o.k")}});
    visit(operation_of<kv_written, kv_create>{create("o.new")});
    visit(operation_of<kv_written, kv_update>{put("o.k", "v")});
    visit(operation_of<kv_deleted, kv_delete>{{at("o.k"), {}, {}}});
    visit(operation_of<watch_opened, kv_list>{{at("o.>"), 1, 0}});
    visit(operation_of<watch_opened, watch>{{at("o.>"), 2, 0}});
    visit(operation_of<published, publish>{{at("o.s"), payload{"m"}}});
    visit(operation_of<consuming, consume>{{at("o.>"), 3, stream_start::all, 0, {}, {}, ""}});
    visit(operation_of<stream_acked, stream_ack>{{"log", {1}}});
    visit(operation_of<durable_dropped, drop_durable>{{"log"}});
    visit(operation_of<stream_subjects, list_streams>{{*entity::parse("o"), false, {}}});
    visit(operation_of<listening, listen>{{at("o.r")}});
    visit(operation_of<invoked, invoke>{{at("o.nobody"), payload{"q"}, 10s}});
    visit(operation_of<unlistened, unlisten>{{at("o.r")}});
    visit(operation_of<listeners_purged, purge_listeners>{});
    visit(operation_of<service_registered, register_service>{{info, {}}});
    visit(operation_of<service_unregistered, unregister_service>{{"dome"}});
    visit(operation_of<capabilities, get_capabilities>{});
    visit(operation_of<backend_status, get_backend_status>{});
  }

  /// A listener on `subject` that answers each request `after` a while with its own payload.
  struct server_log {
    std::vector<incoming_request> handed;
    std::size_t withdrawn = 0;
    std::vector<failure> refused;
  };
  std::shared_ptr<server_log> serve(const backend_actor& backend, std::string_view on,
                                    bool answers = true) {
    auto log = std::make_shared<server_log>();
    auto server = system.spawn([=, name = at(on)](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler(caf::drop);
      me->set_error_handler([](caf::error&) {});
      me->request(backend, caf::infinite, listen{name})
        .then([](const listening&) {},
              [log](const caf::error& e) { log->refused.push_back(to_failure(e)); });
      return {
        [=](const incoming_request& x) {
          log->handed.push_back(x);
          if (answers)
            me->send(caf::actor_cast<caf::actor>(me->current_sender()),
                     request_reply{x.number, x.payload, {}});
        },
        [=](const request_withdrawn&) { ++log->withdrawn; },
      };
    });
    track(server);
    return log;
  }

  backend_actor store = track(spawn_memory_backend(system, rt()));
};

} // namespace trunnion::test
