#include "trunnion/actors/service.hpp"

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/messages/service_record.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"
#include "trunnion/tests/fixtures/flaky_backend.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct service_fixture : deterministic_fixture {
  backend_actor backend = track(spawn_memory_backend(system, rt()));

  static entity place(std::string_view text) { return *entity::parse(text); }

  /// A member that writes its start and its end to the trace, and takes `takes` for the end.
  service_member member(const std::string& who, nanoseconds takes = {}) {
    return {.name = who,
            .start =
              [=, this](const member_context& context) {
                write(log_level::info, who,
                      "starts, token " + to_string(context.leases.front().grant.token));
                return context.system.spawn([=, this](caf::event_based_actor* me) -> caf::behavior {
                  me->set_default_handler(caf::drop);
                  me->set_exit_handler([=, this](const caf::exit_msg&) {
                    write(log_level::info, who, "stops");
                    me->delayed_send(me, takes, caf::ok_atom_v);
                  });
                  members[who] = caf::actor_cast<caf::strong_actor_ptr>(me);
                  return {[=](caf::ok_atom) { me->quit(); }};
                });
              },
            .grace = 5s};
  }

  service_options camera() {
    return {.info = {"camera", "2.1"},
            .entity = place("ridge.camera"),
            .waits_for_lease = true,
            .owner = "test/1",
            .members = {member("shutter"), member("sensor")}};
  }

  service_actor start(service_options options) { return start_at(backend, std::move(options)); }

  service_actor start_at(const backend_actor& where, service_options options) {
    auto started = start_service(system, rt(), where, std::move(options));
    BOOST_REQUIRE(started.has_value());
    return track(*started);
  }

  service_phase phase(const service_actor& x) {
    return ask<service_status>(x, service_inspect{}).value().phase;
  }

  void kill_member(const std::string& who) {
    caf::anon_send_exit(members.at(who), caf::exit_reason::kill);
    members.erase(who);
    run();
  }

  /// Tells about services when a test says so.
  service_source source_of(const std::shared_ptr<caf::actor>& service) {
    return track(system.spawn([=](service_source::pointer) -> service_source::behavior_type {
      return {[=](const await_service& x) -> caf::result<running_service> {
        if (*service)
          return running_service{*service};
        return to_error(error_code::key_not_found, "no such service", x.name);
      }};
    }));
  }

  std::size_t at_line(std::string_view text) const {
    const auto found = trace.find(text);
    BOOST_REQUIRE_MESSAGE(found != std::string::npos, "not in the trace: " << text << "\n"
                                                                           << trace);
    return found;
  }

  std::map<std::string, caf::strong_actor_ptr> members;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(service_test, service_fixture)

BOOST_AUTO_TEST_CASE(a_service_takes_its_entitys_lease_with_its_name_and_version) {
  const auto service = start(camera());
  const auto entry = ask<kv_entry>(backend, kv_get{at("ridge.camera.EntityLease")}).value().entry;
  const auto record = decode_lease_record(entry.payload.bytes());
  BOOST_REQUIRE(record.has_value());
  BOOST_TEST(record->record == R"({"name":"camera","version":"2.1"})");
  BOOST_TEST((phase(service) == service_phase::running));
}

BOOST_AUTO_TEST_CASE(a_service_writes_its_record_when_it_holds_its_lease_and_leaves_it) {
  const auto key = kv_get{at("ridge.camera.ServiceRecord")};
  const auto first = start(camera());
  const auto written = ask<kv_entry>(backend, key).value().entry;
  const auto record = decode_service_record(written.payload.bytes());
  BOOST_REQUIRE(record.has_value());
  BOOST_TEST((record->info == service_info{"camera", "2.1"}));
  BOOST_TEST(time_text(record->last_registered.at) == time_text(wall()));
  BOOST_TEST(!written.time_left.has_value());
  auto standby = camera();
  standby.instance = 1;
  start(standby);
  advance(1min);
  BOOST_TEST((ask<kv_entry>(backend, key).value().entry.revision == written.revision));
  kill(first, caf::exit_reason::user_shutdown);
  BOOST_TEST(ask<kv_entry>(backend, key).get().engaged());
  advance(1s);
  BOOST_TEST((ask<kv_entry>(backend, key).value().entry.revision > written.revision));
}

BOOST_AUTO_TEST_CASE(a_record_that_was_not_written_is_tried_again) {
  flaky_link wire;
  wire.on_request = [](traffic x) { return x == traffic::update ? fate::lose : fate::pass; };
  const auto service = start_at(spawn_flaky(*this, wire, backend), camera());
  advance(6s);
  BOOST_TEST((phase(service) == service_phase::failed) == false);
  const auto key = kv_get{at("ridge.camera.ServiceRecord")};
  BOOST_TEST(!ask<kv_entry>(backend, key).get().engaged());
  wire.heal();
  advance(5s);
  BOOST_TEST(ask<kv_entry>(backend, key).get().engaged());
}

BOOST_AUTO_TEST_CASE(a_running_service_is_registered_with_the_backend) {
  const auto services
    = [&] { return ask<backend_status>(backend, get_backend_status{}).value().services; };
  const auto service = start(camera());
  BOOST_TEST(services() == 1u);
  (void)ask<group_report>(service, service_stop{});
  BOOST_TEST(services() == 0u);
}

BOOST_AUTO_TEST_CASE(the_ttl_is_ten_seconds_and_longer_where_that_is_not_safe) {
  const auto ttl = [&](std::string_view key) {
    const auto entry = ask<kv_entry>(backend, kv_get{at(key)}).value().entry;
    return decode_lease_record(entry.payload.bytes()).value().ttl.value();
  };
  start(camera());
  BOOST_TEST((ttl("ridge.camera.EntityLease") == 10s));
  flaky_link wire; // Nothing is known of what is safe behind it.
  wire.on_request = [](traffic x) { return x == traffic::other ? fate::lose : fate::pass; };
  auto dome = camera();
  dome.entity = place("ridge.dome");
  const auto service = start_at(spawn_flaky(*this, wire, backend), dome);
  advance(6s);
  BOOST_TEST((ttl("ridge.dome.EntityLease") == 20s));
}

BOOST_AUTO_TEST_CASE(a_member_that_cannot_start_fails_the_service_in_order) {
  auto options = camera();
  options.members.push_back({.name = "broken", .start = [](const member_context&) {
                               return outcome<caf::actor>{
                                 fail(error_code::storage_full, "no room")};
                             }});
  start(options);
  advance(1s);
  BOOST_TEST(at_line("ridge.camera: failed: no room") > at_line("shutter: stops"));
}

BOOST_AUTO_TEST_CASE(a_service_starts_in_order_and_stops_in_reverse_with_the_lease_last) {
  const auto service = start(camera());
  BOOST_TEST(at_line("shutter: starts") < at_line("sensor: starts"));
  const auto report = ask_later<group_report>(service, service_stop{});
  advance(1s);
  BOOST_TEST(at_line("sensor: stops") < at_line("shutter: stops"));
  BOOST_TEST(at_line("shutter: stops") < at_line("stopped: ended in order"));
  BOOST_TEST(report.value().is_orderly());
  BOOST_TEST(!ask<kv_entry>(backend, kv_get{at("ridge.camera.EntityLease")}).get().engaged());
}

BOOST_AUTO_TEST_CASE(a_standby_waits_and_takes_over_with_a_newer_token) {
  const auto first = start(camera());
  auto second_options = camera();
  second_options.instance = 1;
  second_options.members = {member("spare")};
  const auto second = start(second_options);
  advance(1min);
  BOOST_TEST((phase(second) == service_phase::waiting));
  const auto before = ask<service_status>(first, service_inspect{}).value().token;
  kill(first, caf::exit_reason::user_shutdown);
  advance(1s);
  BOOST_TEST((phase(second) == service_phase::running));
  BOOST_TEST((ask<service_status>(second, service_inspect{}).value().token > before));
}

BOOST_AUTO_TEST_CASE(a_killed_service_ends_its_group_in_order_and_its_standby_takes_over) {
  auto options = camera();
  options.members = {member("shutter", 2s)};
  const auto first = start(options);
  auto second_options = camera();
  second_options.instance = 1;
  second_options.members = {member("spare")};
  start(second_options);
  advance(5s);
  kill(first);
  BOOST_TEST(at_line("ridge.camera lost: holder_died, culprit its owner") > 0u);
  BOOST_TEST(at_line("shutter: stops") > 0u);
  advance(1s);
  BOOST_TEST(trace.find("spare: starts") == std::string::npos); // The shutter still closes.
  advance(2s);
  BOOST_TEST(at_line("spare: starts") > at_line("shutter: stops"));
}

BOOST_AUTO_TEST_CASE(the_death_of_a_member_ends_the_service_as_failed) {
  const auto service = start(camera());
  std::optional<caf::error> end;
  service->attach_functor([&](const caf::error& reason) { end = reason; });
  kill_member("sensor");
  advance(1s);
  BOOST_REQUIRE(end.has_value());
  const auto why = to_failure(*end);
  BOOST_TEST((why.code == error_code::lease_abandoned));
  const auto& lost = std::get<abandonment>(why.detail).leases;
  BOOST_REQUIRE(lost.size() == 1u);
  BOOST_TEST(lost[0].subject == "sensor");
  BOOST_TEST((lost[0].reason == loss_reason::holder_died));
}

BOOST_AUTO_TEST_CASE(a_lost_entity_lease_ends_the_service_as_failed) {
  start(camera());
  (void)ask<kv_deleted>(backend, kv_delete{at("ridge.camera.EntityLease"), std::nullopt});
  advance(1s);
  BOOST_TEST(at_line("ridge.camera.EntityLease lost: deleted") > 0u);
  BOOST_TEST(at_line("service: ridge.camera: failed") > at_line("sensor: stops"));
}

BOOST_AUTO_TEST_CASE(a_service_that_may_not_wait_fails_when_another_holds_its_lease) {
  start(camera());
  auto impatient = camera();
  impatient.waits_for_lease = false;
  const auto second = start(impatient);
  advance(1s);
  BOOST_TEST(at_line("failed: ridge.camera.EntityLease") > 0u);
}

BOOST_AUTO_TEST_CASE(a_service_waits_for_what_it_depends_on_and_ends_with_it) {
  const auto camera_service = start(camera());
  const auto known = std::make_shared<caf::actor>(caf::actor_cast<caf::actor>(camera_service));
  service_options observer{.info = {"observer", "1"},
                           .entity = place("ridge.observer"),
                           .waits_for_lease = true,
                           .further_leases = {at("ridge.camera.ControlLease")},
                           .depends_on = {"camera"},
                           .services = source_of(known),
                           .members = {member("loop")}};
  const auto service = start(observer);
  BOOST_TEST((phase(service) == service_phase::running));
  kill(camera_service);
  *known = nullptr;
  advance(1s);
  BOOST_TEST(at_line("ridge.observer: camera lost: holder_died") > 0u);
  BOOST_TEST(at_line("loop: stops") > 0u);
  for (const auto* key : {"ridge.observer.EntityLease", "ridge.camera.ControlLease"})
    BOOST_TEST(!ask<kv_entry>(backend, kv_get{at(key)}).get().engaged());
}

BOOST_AUTO_TEST_CASE(stopping_a_standby_while_it_waits_leaves_nothing_behind) {
  start(camera());
  auto second_options = camera();
  second_options.instance = 1;
  const auto second = start(second_options);
  BOOST_TEST(ask<group_report>(second, service_stop{}).value().is_orderly());
  advance(1min);
  const auto status = ask<backend_status>(backend, get_backend_status{}).value();
  BOOST_TEST(status.watches == 1u); // Of the first instance's lease.
}

BOOST_AUTO_TEST_CASE(a_standby_whose_parent_died_ends_too) {
  start(camera());
  const auto parent = track(
    system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](caf::ok_atom) {}}; }));
  auto options = camera();
  options.instance = 1;
  options.parent = caf::actor_cast<caf::strong_actor_ptr>(parent);
  const auto standby = start(options);
  bool ended = false;
  standby->attach_functor([&](const caf::error&) { ended = true; });
  kill(parent);
  advance(1s);
  BOOST_TEST(ended);
}

BOOST_AUTO_TEST_CASE(subscribers_are_told_of_each_phase) {
  std::vector<service_phase> told;
  const auto service = start(camera());
  track(system.spawn([&](service_sink::pointer me) -> service_sink::behavior_type {
    me->request(service, 1s, service_subscribe{})
      .then([](const service_status&) {}, [](const caf::error&) {});
    return {[&](const service_event& x) { told.push_back(x.phase); }};
  }));
  (void)ask<group_report>(service, service_stop{});
  advance(1s);
  const std::vector expected{service_phase::running, service_phase::stopping,
                             service_phase::stopped};
  BOOST_TEST((told == expected));
}

BOOST_AUTO_TEST_CASE(senseless_options_are_refused) {
  const auto refused = [this](service_options x) {
    const auto started = start_service(system, rt(), backend, std::move(x));
    return !started && started.error().code == error_code::invalid_argument;
  };
  auto at_root = camera();
  at_root.entity = entity{};
  BOOST_TEST(refused(at_root));
  auto twice = camera();
  twice.members.push_back(member("sensor"));
  BOOST_TEST(refused(twice));
  auto unknown = camera();
  unknown.depends_on = {"mount"}; // And nobody who knows it.
  BOOST_TEST(refused(unknown));
}

BOOST_AUTO_TEST_SUITE_END()
