#include "trunnion/actors/group_supervisor.hpp"
#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"
#include "trunnion/tests/fixtures/flaky_backend.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct group_fixture : deterministic_fixture {
  using deterministic_fixture::deterministic_fixture;

  backend_actor backend = track(spawn_memory_backend(system, rt()));

  group_supervisor_actor start_group(const caf::strong_actor_ptr& owner = nullptr,
                                     nanoseconds stop_timeout = 10s) {
    return track(make_group(system, rt(), backend, owner,
                            {.name = "ridge.observer", .stop_timeout = stop_timeout}));
  }

  static lease_options lease(std::string_view key, nanoseconds ttl = 10s) {
    return {.subject = at(key), .ttl = ttl, .owner = "test/1"};
  }

  std::vector<held_handle> acquire_all(const group_supervisor_actor& group,
                                       std::vector<lease_options> leases) {
    return ask<group_acquired>(group, group_acquire{std::move(leases)}).value().leases;
  }

  /// A member that takes `takes` to end, and writes to the trace what it is told.
  caf::actor worker(const std::string& who, nanoseconds takes = {}) {
    return track(system.spawn([=, this](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler(caf::drop);
      me->set_exit_handler([=, this](const caf::exit_msg& x) {
        write(log_level::info, who, "stops");
        me->delayed_send(me, takes, caf::ok_atom_v);
        exit_reasons[who] = x.reason;
      });
      return {
        [=, this](const member_lost& x) { write(log_level::info, who, "told of " + x.which); },
        [=, this](caf::ok_atom) {
          write(log_level::info, who, "ends");
          me->quit();
        }};
    }));
  }

  void join(const group_supervisor_actor& group, group_join x) {
    (void)ask<group_joined>(group, std::move(x)).value();
  }

  bool has_key(std::string_view key) {
    return ask<kv_entry>(backend, kv_get{at(key)}).get().engaged();
  }

  void delete_key(std::string_view key) {
    (void)ask<kv_deleted>(backend, kv_delete{at(key), std::nullopt}).value();
  }

  /// When a line of the trace ends with `text`, in milliseconds; fails if there is none.
  std::int64_t when(std::string_view text) const {
    std::istringstream lines{trace};
    for (std::string line; std::getline(lines, line);)
      if (line.find(text) != std::string::npos)
        return std::stoll(line);
    BOOST_FAIL("not in the trace: " << text << "\n" << trace);
    return -1;
  }

  std::map<std::string, caf::error> exit_reasons;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(group_test, group_fixture)

BOOST_AUTO_TEST_CASE(a_group_keeps_its_leases_for_as_long_as_it_runs) {
  const auto group = start_group();
  const auto leases = acquire_all(group, {lease("ridge.mount.L"), lease("ridge.camera.L", 2s)});
  BOOST_TEST(leases.size() == 2u);
  advance(1h);
  for (const auto& x : leases)
    BOOST_TEST(x.view.held());
  BOOST_TEST(ask<group_status>(group, group_inspect{}).value().refreshes > 2'000u);
}

BOOST_AUTO_TEST_CASE(acquire_all_is_all_or_nothing) {
  const auto other = start_group();
  acquire_all(other, {lease("b.L")});
  const auto group = start_group();
  const auto refused
    = ask<group_acquired>(group, group_acquire{{lease("c.L"), lease("b.L"), lease("a.L")}});
  BOOST_TEST((refused.error().code == error_code::lease_unavailable));
  advance(100ms);
  BOOST_TEST(!has_key("a.L"));
  BOOST_TEST(!has_key("c.L"));
  BOOST_TEST(ask<group_status>(group, group_inspect{}).value().leases.empty());
  BOOST_TEST(acquire_all(group, {lease("a.L"), lease("c.L")}).size() == 2u);
}

BOOST_AUTO_TEST_CASE(two_groups_that_want_the_same_keys_cannot_block_each_other_for_ever) {
  const auto one = start_group(), two = start_group();
  auto a = lease("a.L"), b = lease("b.L");
  a.wait_forever = b.wait_forever = true;
  const auto first = ask_later<group_acquired>(one, group_acquire{{b, a}});
  const auto second = ask_later<group_acquired>(two, group_acquire{{a, b}});
  advance(1s);
  BOOST_TEST((first.ready() != second.ready())); // One of them has both.
  kill(first.ready() ? one : two, caf::exit_reason::user_shutdown);
  advance(1s);
  BOOST_TEST((first.ready() && second.ready()));
}

BOOST_AUTO_TEST_CASE(what_is_held_while_the_next_is_waited_for_is_refreshed_meanwhile) {
  const auto other = start_group();
  acquire_all(other, {lease("b.L")});
  const auto group = start_group();
  auto b = lease("b.L");
  b.wait_forever = true;
  const auto both = ask_later<group_acquired>(group, group_acquire{{lease("a.L"), b}});
  advance(1min);
  BOOST_TEST(!both.ready());
  kill(other, caf::exit_reason::user_shutdown);
  advance(1s);
  for (const auto& x : both.value().leases)
    BOOST_TEST(x.view.held());
}

BOOST_AUTO_TEST_CASE(loss_of_one_member_ends_the_group_by_the_five_steps) {
  const auto group = start_group();
  const auto leases = acquire_all(group, {lease("dome.L"), lease("mount.L")});
  join(
    group,
    {.name = "weather", .member = worker("weather"), .grace = 1s, .needs = {.every_lease = false}});
  join(group, {.name = "dome",
               .member = worker("dome", 3s),
               .grace = 4s,
               .needs = {.every_lease = false, .leases = {"dome.L"}, .members = {"weather"}}});
  join(group, {.name = "camera",
               .member = worker("camera", 1s),
               .grace = 2s,
               .needs = {.every_lease = false, .leases = {"mount.L"}}});
  const auto report = ask_later<group_report>(group, group_wait_ended{});
  advance(5s);
  delete_key("mount.L");
  // 1. The lost lease's view is false and every member is told, at this same moment.
  BOOST_TEST(!leases[1].view.held());
  for (const auto* who : {"weather", "dome", "camera"})
    BOOST_TEST(when(who + std::string{": told of mount.L"}) == 5'000);
  // 2. Its dependent stops at once; the others in reverse order of start, each when the one before
  //    has ended.
  advance(20s);
  BOOST_TEST(when("camera: stops") == 5'000);
  BOOST_TEST(when("camera: ends") == 6'000);
  BOOST_TEST(when("dome: stops") == 6'000);
  BOOST_TEST(when("dome: ends") == 9'000);
  BOOST_TEST(when("weather: stops") == 9'000);
  // 3. The dome's lease was kept until the dome had ended, and then released.
  BOOST_TEST(!leases[0].view.held());
  BOOST_TEST(!has_key("dome.L"));
  // 5. One report.
  const auto& lost = report.value().abandoned;
  BOOST_REQUIRE(lost.size() == 1u);
  BOOST_TEST(lost[0].subject == "mount.L");
  BOOST_TEST((lost[0].reason == loss_reason::deleted));
  BOOST_TEST(report.value().killed.empty());
  BOOST_TEST(report.value().unreleased.empty());
}

BOOST_AUTO_TEST_CASE(a_lease_is_held_until_the_last_of_its_dependents_has_ended) {
  const auto group = start_group();
  const auto leases = acquire_all(group, {lease("dome.L", 2s)});
  join(group, {.name = "dome", .member = worker("dome", 6s), .grace = 8s});
  const auto report = ask_later<group_report>(group, group_stop{});
  advance(5'900ms);
  BOOST_TEST(leases[0].view.held()); // Refreshed all the while.
  advance(200ms);
  BOOST_TEST(!leases[0].view.held());
  BOOST_TEST(report.value().is_orderly());
}

BOOST_AUTO_TEST_CASE(what_is_left_at_close_by_is_killed_and_its_leases_are_deleted) {
  const auto group = start_group(nullptr, 3s);
  acquire_all(group, {lease("L")});
  const auto stubborn = worker("stubborn", 1h);
  join(group, {.name = "stubborn", .member = stubborn, .grace = 1min});
  const auto report = ask_later<group_report>(group, group_stop{});
  advance(2'999ms);
  BOOST_TEST(has_key("L"));
  advance(2ms);
  BOOST_TEST(!has_key("L"));
  BOOST_TEST((report.value().killed == std::vector<std::string>{"stubborn"}));
}

BOOST_AUTO_TEST_CASE(no_view_outlives_its_key_at_close_by) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    group_fixture world{seed};
    const auto group = world.start_group(nullptr, 3s);
    const auto view = world.acquire_all(group, {lease("L")})[0].view;
    world.join(group, {.name = "stubborn", .member = world.worker("stubborn", 1h), .grace = 1min});
    bool is_gone = false, was_held = false;
    world.track(world.system.spawn([&](caf::event_based_actor* me) -> caf::behavior {
      me->request(world.backend, caf::infinite, watch{at("L"), 1, 100})
        .then([](const watch_opened&) {});
      return {[&](const watch_part& x) {
        for (const auto& entry : x.entries)
          if (!entry.is_live()) {
            is_gone = true;
            was_held |= view.held();
          }
      }};
    }));
    world.kill(group, caf::exit_reason::user_shutdown);
    world.advance(4s);
    BOOST_TEST(is_gone);
    BOOST_TEST(!was_held);
  }
}

BOOST_AUTO_TEST_CASE(a_supervisor_that_is_killed_without_a_lease_leaves_no_child_either) {
  const auto group = start_group();
  join(group, {.name = "member", .member = worker("member")});
  kill(group);
  advance(1s);
  BOOST_TEST(exit_reasons.contains("member"));
}

BOOST_AUTO_TEST_CASE(what_is_being_acquired_ends_with_the_group) {
  const auto other = start_group();
  acquire_all(other, {lease("b.L")});
  const auto group = start_group();
  auto b = lease("b.L");
  b.wait_forever = true;
  const auto both = ask_later<group_acquired>(group, group_acquire{{lease("a.L"), b}});
  advance(1s);
  BOOST_TEST(has_key("a.L"));
  BOOST_TEST(ask<group_report>(group, group_stop{}).value().is_orderly());
  advance(1ms);
  BOOST_TEST((both.error().code == error_code::cancelled));
  BOOST_TEST(!has_key("a.L"));
  kill(other, caf::exit_reason::user_shutdown);
  advance(1s);
  BOOST_TEST(!has_key("b.L")); // Nobody waits for it any more.
}

BOOST_AUTO_TEST_CASE(a_lease_that_was_refreshed_before_its_group_had_all_is_known_by_its_revision) {
  const auto other = start_group();
  acquire_all(other, {lease("b.L")});
  const auto group = start_group();
  auto b = lease("b.L");
  b.wait_forever = true;
  const auto both = ask_later<group_acquired>(group, group_acquire{{lease("a.L"), b}});
  advance(1min);
  kill(other, caf::exit_reason::user_shutdown);
  advance(30ms);
  kill(both.value().leases[0].lease);
  advance(1ms);
  BOOST_TEST(!has_key("a.L"));
}

BOOST_AUTO_TEST_CASE(a_supervisor_that_dies_of_whatever_reason_leaves_no_child_and_no_key) {
  for (const auto reason : {caf::exit_reason::kill, caf::exit_reason::unhandled_exception,
                            caf::exit_reason::user_shutdown}) {
    const auto group = start_group();
    acquire_all(group, {lease("a.L"), lease("b.L")});
    bool ended = false;
    const auto member = worker("member");
    member->attach_functor([&](const caf::error&) { ended = true; });
    join(group, {.name = "member", .member = member});
    kill(group, reason);
    advance(1s);
    BOOST_TEST(ended);
    BOOST_TEST(!has_key("a.L"));
    BOOST_TEST(!has_key("b.L"));
  }
}

BOOST_AUTO_TEST_CASE(the_death_of_a_leases_actor_deletes_its_key_at_its_last_revision) {
  const auto group = start_group();
  const auto leases = acquire_all(group, {lease("a.L"), lease("b.L")});
  const auto report = ask_later<group_report>(group, group_wait_ended{});
  advance(30s); // Several refreshes, so the revision is not the first.
  kill(leases[0].lease);
  advance(1s);
  BOOST_TEST(!has_key("a.L"));
  BOOST_TEST(!has_key("b.L"));
  BOOST_REQUIRE(report.value().abandoned.size() == 1u);
  BOOST_TEST((report.value().abandoned[0].reason == loss_reason::holder_died));
}

BOOST_AUTO_TEST_CASE(the_death_of_the_owner_is_reported_as_such) {
  const auto owner = worker("owner");
  const auto group = start_group(caf::actor_cast<caf::strong_actor_ptr>(owner));
  acquire_all(group, {lease("a.L")});
  const auto report = ask_later<group_report>(group, group_wait_ended{});
  kill(owner);
  advance(1s);
  BOOST_REQUIRE(report.value().abandoned.size() == 1u);
  BOOST_TEST((report.value().abandoned[0].reason == loss_reason::holder_died));
  BOOST_TEST(report.value().abandoned[0].culprit.starts_with("its owner"));
  BOOST_TEST(!has_key("a.L"));
}

BOOST_AUTO_TEST_CASE(a_lease_that_died_in_the_middle_of_a_refresh_leaves_no_key) {
  for (const auto lost : {traffic::get, traffic::create}) { // What is lost besides the answer.
    flaky_link wire;
    const auto link = spawn_flaky(*this, wire, backend);
    const auto group = track(make_group(system, rt(), link, nullptr, {.name = "ridge.observer"}));
    const auto held = acquire_all(group, {lease("a.L")});
    wire.on_answer = [](traffic x) { return x == traffic::update ? fate::lose : fate::pass; };
    const auto refreshed = ask<lease_refreshed>(held[0].lease, lease_refresh{});
    BOOST_TEST(!refreshed.ready()); // Applied, but nobody knows.
    wire.on_answer = [=](traffic x) { return x == lost ? fate::lose : fate::pass; };
    const auto report = ask_later<group_report>(group, group_wait_ended{});
    kill(held[0].lease);
    const bool is_known = lost == traffic::create;
    BOOST_TEST(has_key("a.L") == !is_known);
    advance(2s);
    BOOST_TEST(report.value().unreleased.empty() == is_known);
    wire.heal();
    advance(10s); // The janitor's last look.
    BOOST_TEST(!has_key("a.L"));
  }
}

BOOST_AUTO_TEST_CASE(leases_that_are_waited_for_count_for_the_bound_of_a_group) {
  const auto other = start_group();
  acquire_all(other, {lease("a.L")});
  const auto group = start_group();
  group_acquire many;
  for (std::size_t i = 0; i + 1 < max_group_leases; ++i)
    many.leases.push_back(lease(i == 0 ? "a.L" : "b.L" + std::to_string(i)));
  many.leases.front().wait_forever = true;
  const auto waiting = ask<group_acquired>(group, std::move(many));
  BOOST_TEST(!waiting.ready());
  const auto refused = ask<group_acquired>(group, group_acquire{{lease("c.L"), lease("d.L")}});
  BOOST_TEST((refused.error().code == error_code::overloaded));
  BOOST_TEST(ask<group_acquired>(group, group_acquire{{lease("c.L")}}).ready());
}

BOOST_AUTO_TEST_CASE(a_group_that_only_its_owner_knew_still_ends_in_order) {
  auto group = std::make_shared<group_supervisor_actor>();
  const auto owner = track(system.spawn([&, group](caf::event_based_actor* me) -> caf::behavior {
    *group = make_group(system, rt(), backend, caf::actor_cast<caf::strong_actor_ptr>(me),
                        {.name = "ridge.camera"});
    return {[](caf::ok_atom) {}};
  }));
  acquire_all(*group, {lease("a.L")});
  join(*group, {.name = "shutter", .member = worker("shutter", 2s), .grace = 4s});
  *group = nullptr;
  group.reset();
  kill(owner);
  BOOST_TEST(when("shutter: told of ridge.camera") == 0);
  advance(1'999ms);
  BOOST_TEST(has_key("a.L")); // Kept until the shutter has closed.
  advance(2ms);
  BOOST_TEST(!has_key("a.L"));
}

BOOST_AUTO_TEST_CASE(the_end_of_an_outsider_ends_the_group_and_not_the_reverse) {
  const auto outsider = worker("outsider");
  const auto group = start_group();
  join(group, {.name = "outsider", .member = outsider, .is_ours = false});
  const auto other = start_group();
  join(other, {.name = "outsider", .member = outsider, .is_ours = false});
  (void)ask<group_report>(other, group_stop{}).value();
  BOOST_TEST(!exit_reasons.contains("outsider"));
  const auto report = ask_later<group_report>(group, group_wait_ended{});
  kill(outsider);
  advance(1s);
  BOOST_REQUIRE(report.value().abandoned.size() == 1u);
  BOOST_TEST(report.value().abandoned[0].subject == "outsider");
}

BOOST_AUTO_TEST_CASE(a_key_that_is_being_acquired_is_not_asked_for_again) {
  const auto other = start_group();
  acquire_all(other, {lease("L")});
  const auto group = start_group();
  auto waiting = lease("L");
  waiting.wait_forever = true;
  const auto first = ask<group_acquired>(group, group_acquire{{waiting}});
  BOOST_TEST((ask<group_acquired>(group, group_acquire{{waiting}}).error().code
              == error_code::invalid_argument));
  kill(other, caf::exit_reason::user_shutdown);
  advance(1s);
  BOOST_TEST(first.value().leases.size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_ending_group_takes_nothing_new) {
  const auto group = start_group();
  join(group, {.name = "slow", .member = worker("slow", 1s)});
  const auto report = ask_later<group_report>(group, group_stop{});
  advance(100ms);
  BOOST_TEST((ask<group_acquired>(group, group_acquire{{lease("L")}}).error().code
              == error_code::shutting_down));
  BOOST_TEST((ask<group_joined>(group, group_join{.name = "x", .member = worker("x")}).error().code
              == error_code::shutting_down));
  BOOST_TEST(exit_reasons.contains("x")); // Too late, and nobody else's.
  BOOST_TEST(!has_key("L"));
  advance(2s);
  BOOST_TEST(report.ready());
}

BOOST_AUTO_TEST_CASE(a_source_of_records_supplies_them_and_a_late_one_keeps_the_old) {
  const auto group = start_group();
  const auto leases = acquire_all(group, {lease("L", 1s)});
  int asked = 0;
  const auto source
    = track(system.spawn([&](record_source::pointer me) -> record_source::behavior_type {
        return {[&asked, me](const record_wanted&) -> caf::result<record_text> {
          if (++asked == 1)
            return record_text{R"({"n":1})"};
          return me->make_response_promise<record_text>(); // Never answered.
        }};
      }));
  tell(group, group_use_records{source});
  advance(1s);
  BOOST_TEST(asked > 1);
  advance(10s);
  BOOST_TEST(leases[0].view.held());
  BOOST_TEST(ask<lease_status>(leases[0].lease, lease_inspect{}).value().record == R"({"n":1})");
  BOOST_TEST(ask<group_status>(group, group_inspect{}).value().late_records > 0u);
}

BOOST_AUTO_TEST_CASE(a_group_refuses_members_and_leases_beyond_its_bounds) {
  const auto group = start_group();
  group_acquire many;
  many.leases.resize(max_group_leases + 1, lease("L"));
  BOOST_TEST((ask<group_acquired>(group, std::move(many)).error().code == error_code::overloaded));
  for (std::size_t i = 0; i < max_group_members; ++i)
    join(group, {.name = std::to_string(i),
                 .member = system.spawn([](caf::event_based_actor*) -> caf::behavior {
                   return {[](caf::ok_atom) {}};
                 })});
  const auto one_more
    = ask<group_joined>(group, group_join{.name = "one more", .member = worker("x")});
  BOOST_TEST((one_more.error().code == error_code::overloaded));
  BOOST_TEST(ask<group_report>(group, group_stop{}).value().is_orderly());
}

BOOST_AUTO_TEST_CASE(killing_a_group_answers_all_that_wait) {
  const auto group = start_group();
  const auto other = start_group();
  acquire_all(other, {lease("L")});
  auto waiting = lease("L");
  waiting.wait_forever = true;
  const auto acquired = ask<group_acquired>(group, group_acquire{{waiting}});
  const auto ended = ask<group_report>(group, group_wait_ended{});
  kill(group);
  advance(1ms);
  BOOST_TEST((acquired.error().code == error_code::cancelled));
  BOOST_TEST((ended.error().code == error_code::cancelled));
}

BOOST_AUTO_TEST_SUITE_END()
