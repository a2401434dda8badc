// Services that the bus itself knows of, and the end of a backend.

#pragma once

#include "trunnion/tests/conformance/request_checks.hpp"

namespace trunnion::test::service_checks {

using request_checks::asking;
using request_checks::burst;
using request_checks::error_of;

inline register_service dome(std::string version = "1.2.3", std::size_t endpoints = 2) {
  register_service result{{"dome", std::move(version)}, {}};
  for (std::size_t i = 0; i < endpoints; ++i) {
    const auto name = "e" + std::to_string(i);
    result.endpoints.push_back({name, client::at("ridge.dome." + name)});
  }
  return result;
}

CONFORMANCE(service, a_registered_service_is_counted_until_it_is_unregistered) {
  EXPECT(!b.a.get(dome()).replaced);
  EXPECT(b.status().services == 1U);
  EXPECT(b.status().sessions == 1U);
  EXPECT(b.a.get(unregister_service{"dome"}).registered);
  EXPECT(!b.a.get(unregister_service{"dome"}).registered);
  EXPECT(b.status().services == 0U);
  EXPECT(b.status().sessions == 0U);
}

CONFORMANCE(service, a_service_of_the_same_name_and_session_is_replaced) {
  b.a.get(dome("1.0.0"));
  EXPECT(b.a.get(dome("1.0.1")).replaced);
  EXPECT(b.status().services == 1U);
  auto other = b.more();
  EXPECT(!other.get(dome("1.0.0")).replaced);
  EXPECT(b.status().services == 2U);
}

CONFORMANCE(service, the_services_of_a_dead_session_end_with_it) {
  auto other = b.more();
  other.get(dome());
  b.a.get(dome());
  other.die();
  b.wait_until([&] { return b.status().services == 1U; }, "the service ends");
  EXPECT(b.status().sessions == 1U);
}

CONFORMANCE(service, another_sessions_service_cannot_be_unregistered) {
  auto other = b.more();
  other.get(dome());
  EXPECT(!b.a.get(unregister_service{"dome"}).registered);
  EXPECT(b.status().services == 1U);
}

CONFORMANCE(service, a_services_name_is_a_propertys) {
  for (const std::string name : {"", "two words", "a.b", "*", ">", "_EVENTS"}) {
    auto x = dome();
    x.info.name = name;
    EXPECT_FOR("'" + name + "'", b.a.refused(x).code == error_code::invalid_argument);
  }
  auto x = dome();
  x.info.name = std::string(max_segment_length + 1, 'x');
  EXPECT(b.a.refused(x).code == error_code::invalid_argument);
  EXPECT(b.status().services == 0U);
}

CONFORMANCE(service, a_services_version_is_a_semantic_one) {
  for (const auto* version :
       {"", "1", "1.2", "1.2.x", "v1.2.3", "1.2.3.4", "1.2.3 ", "-1.2.3", "1.2.3-", "1.2.3+"})
    EXPECT_FOR(version, b.a.refused(dome(version)).code == error_code::invalid_argument);
  for (const auto* version : {"0.0.0", "10.20.30", "1.2.3-rc.1", "1.2.3+build.5", "1.0.0-a-b+c"})
    EXPECT_FOR(version, b.a.ask(dome(version)).has_value());
}

CONFORMANCE(service, a_service_has_a_bounded_number_of_endpoints) {
  EXPECT(b.a.ask(dome("1.0.0", 0)).has_value());
  EXPECT(b.a.ask(dome("1.0.0", max_endpoints)).has_value());
  const auto error = b.a.refused(dome("1.0.0", max_endpoints + 1));
  EXPECT((error.code == error_code::overloaded || error.code == error_code::invalid_argument));
  EXPECT(b.status().services == 1U);
}

CONFORMANCE(service, registering_serves_no_requests_by_itself) {
  b.a.get(dome());
  EXPECT(b.a.refused(asking("ridge.dome.e0")).code == error_code::unregistered_responder);
  EXPECT(b.status().listeners == 0U);
}

// -- sessions -------------------------------------------------------------------

CONFORMANCE(session, whoever_holds_nothing_is_no_session) {
  auto other = b.more();
  other.create("a.k", "v");
  other.say("a.s", "v");
  EXPECT(b.status().sessions == 0U);
}

CONFORMANCE(session, a_session_counts_once_whatever_it_holds) {
  auto other = b.more();
  other.open_watch("a.k", 1);
  other.get(consume{other.at("a.s"), 2, stream_start::only_new, 8});
  other.echo("r.q");
  other.get(dome());
  EXPECT(b.status().sessions == 1U);
  EXPECT(b.status().watches == 2U);
  other.tell(unwatch{1});
  other.tell(unconsume{2});
  other.get(purge_listeners{});
  EXPECT(b.status().sessions == 1U); // Its service is left.
  other.get(unregister_service{"dome"});
  EXPECT(b.status().sessions == 0U);
}

CONFORMANCE(session, all_that_a_dead_session_held_ends_with_it) {
  auto other = b.more();
  other.open_watch("a.>", 1);
  other.get(consume{other.at("a.>"), 2, stream_start::only_new, 8, {}, {}, "log"});
  other.echo("r.q");
  other.get(dome());
  other.die();
  b.wait_until([&] { return b.status().sessions == 0U; }, "the session ends");
  const auto status = b.status();
  EXPECT(status.watches == 0U);
  EXPECT(status.listeners == 0U);
  EXPECT(status.services == 0U);
  EXPECT(status.unseen_parts == 0U);
  EXPECT(status.durables == 1U); // Its name stays, so that it can be resumed.
  b.a.create("a.k", "v");        // Does not trip over them.
  b.a.say("a.s", "v");
}

CONFORMANCE(session, the_status_says_where_the_store_is_and_how_it_stands) {
  const auto before = b.status();
  EXPECT(!before.location.empty());
  EXPECT(before.epoch.value > 0U);
  b.a.say("a.s", "1");
  b.a.say("a.s", "2");
  b.a.create("a.k", "v");
  const auto after = b.status();
  EXPECT(after.messages == before.messages + 2);
  EXPECT(after.keys == before.keys + 1);
  EXPECT(after.revision > before.revision);
  EXPECT(after.operations > before.operations);
}

// -- the end --------------------------------------------------------------------

CONFORMANCE(close, a_closed_backend_says_so_and_does_nothing_more) {
  b.a.create("a.k", "v");
  b.a.get(close_backend{});
  const auto error = b.a.refused(kv_update{b.a.at("a.k"), payload{"w"}, {}, {}});
  EXPECT(
    (error.code == error_code::shutting_down || error.code == error_code::backend_unavailable));
  EXPECT(error.certainty == certainty::not_applied);
}

CONFORMANCE(close, closing_tells_every_sink) {
  auto other = b.more();
  b.a.open_watch("a.k", 1);
  other.open_watch("a.>", 1);
  other.get(consume{other.at("a.s"), 2, stream_start::only_new, 8});
  b.a.get(close_backend{});
  for (auto* x : {&b.a, &other})
    EXPECT(x->wait(1, [](const told& y) { return y.lost.size() == 1; }));
  EXPECT(other.wait(2, [](const told& y) { return y.lost.size() == 1; }));
  for (const auto& x : {b.a.of(1), other.of(1), other.of(2)})
    for (const auto& y : x.lost)
      EXPECT(y.code == error_code::shutting_down);
}

CONFORMANCE(close, requests_under_way_end_with_an_unknown_outcome) {
  auto server = b.more(), caller = b.more();
  server.get(listen{server.at("r.q")});
  const auto answers = burst(caller, "r.q", 3, 1h);
  server.incoming(3);
  b.a.get(close_backend{});
  for (const auto& x : answers) {
    const auto error = error_of(caller, x);
    EXPECT(error.code == error_code::shutting_down);
    EXPECT(error.certainty == certainty::unknown);
  }
}

CONFORMANCE(close, an_operation_behind_the_closing_is_refused_and_not_forgotten) {
  const auto first = b.a.ask_later(kv_create{b.a.at("a.k"), payload{"v"}, {}});
  const auto closed = b.a.ask_later(close_backend{});
  const auto behind = b.a.ask_later(kv_create{b.a.at("a.l"), payload{"v"}, {}});
  EXPECT(b.a.wait_for(first).has_value()); // What came before is done.
  EXPECT(b.a.wait_for(closed).has_value());
  const auto error = error_of(b.a, behind);
  EXPECT(
    (error.code == error_code::shutting_down || error.code == error_code::backend_unavailable));
}

CONFORMANCE(close, closing_ends_it_for_all_its_users) {
  auto other = b.more();
  other.open_watch("a.k", 1);
  b.a.get(close_backend{});
  const auto error = other.refused(kv_get{other.at("a.k")});
  EXPECT(
    (error.code == error_code::shutting_down || error.code == error_code::backend_unavailable));
}

} // namespace trunnion::test::service_checks
