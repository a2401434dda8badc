#include "trunnion/actors/group_machine.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1h};

std::string text(const group_actions& actions) {
  std::string result;
  for (const auto& action : actions) {
    const auto word = [&]() -> std::string {
      if (const auto* x = std::get_if<tell_lost>(&action))
        return "tell " + x->what.which + " " + to_string(x->what.reason) + " "
               + std::to_string(x->what.close_within / 1ms);
      if (const auto* x = std::get_if<stop_member>(&action))
        return "stop " + x->name;
      if (const auto* x = std::get_if<kill_member>(&action))
        return "kill " + x->name;
      if (const auto* x = std::get_if<release_lease>(&action))
        return "release " + x->subject;
      if (const auto* x = std::get_if<delete_lease>(&action))
        return "delete " + x->subject;
      return "finish: " + to_string(std::get<finish_group>(action).report);
    };
    result += word() + "; ";
  }
  return result;
}

/// An observatory: the dome needs weather and its own lease; the camera needs the mount's lease.
group_machine observatory() {
  group_machine machine{10s};
  machine.add_lease("dome.L");
  machine.add_lease("mount.L");
  machine.add_member("weather", 1s, {.every_lease = false});
  machine.add_member("dome", 4s,
                     {.every_lease = false, .leases = {"dome.L"}, .members = {"weather"}});
  machine.add_member("camera", 2s, {.every_lease = false, .leases = {"mount.L"}});
  return machine;
}

} // namespace

BOOST_AUTO_TEST_SUITE(group_machine_test)

BOOST_AUTO_TEST_CASE(a_lost_lease_stops_its_dependents_at_once_and_the_others_in_reverse_order) {
  auto machine = observatory();
  BOOST_TEST(text(machine.on_lease_lost(start, "mount.L", loss_reason::deleted, "eve"))
             == "tell mount.L deleted 7000; stop camera; ");
  BOOST_TEST(text(machine.on_member_ended(start + 1s, "camera", "")) == "stop dome; ");
  BOOST_TEST(text(machine.on_member_ended(start + 3s, "dome", ""))
             == "stop weather; release dome.L; ");
  BOOST_TEST(text(machine.on_member_ended(start + 3s, "weather", "")) == "");
  BOOST_TEST(text(machine.on_lease_released(start + 3s, "dome.L", true))
             == "finish: mount.L lost (deleted, by eve); ");
}

BOOST_AUTO_TEST_CASE(a_dome_whose_weather_service_died_still_closes_under_its_lease) {
  auto machine = observatory();
  BOOST_TEST(text(machine.on_member_ended(start, "weather", "weather (killed)"))
             == "tell weather holder_died 6000; stop camera; ");
  BOOST_TEST(text(machine.on_member_ended(start, "camera", "")) == "stop dome; release mount.L; ");
  BOOST_TEST(text(machine.on_time(start + 3s)) == ""); // Its grace runs; its lease is kept.
  BOOST_TEST(text(machine.on_member_ended(start + 3s, "dome", "")) == "release dome.L; ");
}

BOOST_AUTO_TEST_CASE(an_ordinary_stop_takes_the_same_way_and_abandons_nothing) {
  auto machine = observatory();
  BOOST_TEST(text(machine.on_stop(start)) == "stop camera; ");
  BOOST_TEST(text(machine.on_member_ended(start, "camera", "")) == "stop dome; release mount.L; ");
  BOOST_TEST(text(machine.on_lease_released(start, "mount.L", true)) == "");
  BOOST_TEST(text(machine.on_member_ended(start, "dome", "")) == "stop weather; release dome.L; ");
  BOOST_TEST(text(machine.on_member_ended(start, "weather", "")) == "");
  BOOST_TEST(text(machine.on_lease_released(start, "dome.L", true)) == "finish: ended in order; ");
}

BOOST_AUTO_TEST_CASE(releasing_one_lease_ends_the_group_without_an_error) {
  auto machine = observatory();
  BOOST_TEST(text(machine.on_lease_released(start, "mount.L", true)) == "stop camera; ");
  BOOST_TEST(machine.report().is_orderly());
}

BOOST_AUTO_TEST_CASE(a_member_that_overstays_its_grace_is_killed_and_the_next_goes_on) {
  auto machine = observatory();
  BOOST_TEST(text(machine.on_stop(start)) == "stop camera; ");
  BOOST_TEST((machine.next_due() == start + 2s));
  BOOST_TEST(text(machine.on_time(start + 2s)) == "kill camera; ");
  BOOST_TEST(text(machine.on_member_ended(start + 2s, "camera", ""))
             == "stop dome; release mount.L; ");
  BOOST_TEST((machine.report().killed == std::vector<std::string>{"camera"}));
}

BOOST_AUTO_TEST_CASE(
  at_close_by_all_that_is_left_is_killed_and_deleted_and_a_second_later_it_is_over) {
  group_machine machine{3s};
  machine.add_lease("L");
  machine.add_member("a", 5s, {});
  machine.add_member("b", 5s, {});
  BOOST_TEST(text(machine.on_stop(start)) == "stop b; ");
  BOOST_TEST((machine.close_by() == start + 3s));
  BOOST_TEST(text(machine.on_time(start + 3s)) == "kill b; kill a; delete L; ");
  BOOST_TEST((machine.next_due() == start + 4s));
  BOOST_TEST(
    text(machine.on_time(start + 4s))
    == "finish: b was killed, it did not end in time; a was killed, it did not end in time; "
       "L could not be released; ");
  BOOST_TEST(!machine.next_due());
}

BOOST_AUTO_TEST_CASE(the_abandonment_is_never_hidden_behind_a_failure_to_release) {
  auto machine = observatory();
  (void)machine.on_lease_lost(start, "mount.L", loss_reason::superseded, "ridge/7");
  (void)machine.on_member_ended(start, "camera", "");
  (void)machine.on_member_ended(start, "dome", "");
  (void)machine.on_member_ended(start, "weather", "");
  BOOST_TEST(text(machine.on_lease_released(start, "dome.L", false))
             == "finish: mount.L lost (superseded, by ridge/7); dome.L could not be released; ");
}

BOOST_AUTO_TEST_CASE(a_second_lease_lost_on_the_way_stops_its_dependents_at_once) {
  auto machine = observatory();
  (void)machine.on_lease_lost(start, "mount.L", loss_reason::expired, "");
  BOOST_TEST(text(machine.on_lease_lost(start + 1s, "dome.L", loss_reason::expired, ""))
             == "tell dome.L expired 6000; stop dome; ");
}

BOOST_AUTO_TEST_CASE(a_dead_lease_actor_has_its_key_deleted_first) {
  auto machine = observatory();
  BOOST_TEST(text(machine.on_lease_died(start, "mount.L", "its actor"))
             == "delete mount.L; tell mount.L holder_died 7000; stop camera; ");
}

BOOST_AUTO_TEST_CASE(a_group_without_members_releases_its_leases_together) {
  group_machine machine{10s};
  machine.add_lease("A");
  machine.add_lease("B");
  BOOST_TEST(text(machine.on_stop(start)) == "release A; release B; ");
  BOOST_TEST(text(machine.on_lease_released(start, "A", true)) == "");
  BOOST_TEST(text(machine.on_lease_released(start, "B", true)) == "finish: ended in order; ");
}

BOOST_AUTO_TEST_CASE(a_member_that_may_finish_is_not_missed) {
  auto machine = observatory();
  BOOST_TEST(text(machine.on_member_finished(start, "weather")) == "");
  BOOST_TEST((machine.phase() == group_phase::running));
}

/// Plays random histories and checks what must hold in every one of them.
BOOST_AUTO_TEST_CASE(no_history_breaks_the_five_steps) {
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    std::mt19937_64 random{seed};
    auto machine = observatory();
    auto now = start;
    std::set<std::string> alive{"weather", "dome", "camera"}, stopped, released;
    std::size_t finished = 0;
    std::optional<instant> close_by;
    const auto heed = [&](const group_actions& actions) {
      for (const auto& action : actions) {
        BOOST_REQUIRE(finished == 0u); // Nothing follows the end.
        if (const auto* x = std::get_if<stop_member>(&action)) {
          BOOST_REQUIRE(alive.contains(x->name));
          BOOST_REQUIRE(stopped.insert(x->name).second);
        } else if (const auto* x = std::get_if<kill_member>(&action)) {
          BOOST_REQUIRE(alive.contains(x->name));
        } else if (const auto* x = std::get_if<release_lease>(&action)) {
          BOOST_REQUIRE(released.insert(x->subject).second);
          const auto* needed_by = x->subject == "mount.L" ? "camera" : "dome";
          BOOST_REQUIRE(!alive.contains(needed_by)); // Step 3.
        } else if (std::holds_alternative<finish_group>(action)) {
          ++finished;
        }
      }
      if (machine.close_by()) {
        BOOST_REQUIRE(!close_by || close_by == machine.close_by()); // Fixed by the first.
        close_by = machine.close_by();
      }
    };
    for (int step = 0; step < 200 && finished == 0; ++step) {
      const std::vector<std::string> names(alive.begin(), alive.end());
      switch (random() % 6) {
      case 0:
        if (random() % 4 == 0)
          heed(machine.on_lease_lost(now, random() % 2 ? "mount.L" : "dome.L", loss_reason::deleted,
                                     ""));
        break;
      case 1:
        if (!names.empty() && (stopped.contains(names.front()) || random() % 8 == 0)) {
          const auto name = names[random() % names.size()];
          alive.erase(name);
          heed(machine.on_member_ended(now, name, ""));
        }
        break;
      case 2:
        for (const auto& lease : std::set<std::string>{released})
          heed(machine.on_lease_released(now, lease, random() % 2 == 0));
        break;
      case 3:
        if (random() % 8 == 0)
          heed(machine.on_stop(now));
        break;
      default:
        if (const auto due = machine.next_due()) { // The actor looks no later than this.
          now = std::min(*due, now + std::chrono::milliseconds{random() % 3000});
          heed(machine.on_time(now));
        } else {
          now += std::chrono::milliseconds{random() % 3000};
        }
      }
      if (close_by)
        BOOST_REQUIRE((finished == 1u || now < *close_by + group_end_patience));
    }
    if (machine.phase() == group_phase::ended)
      BOOST_REQUIRE(finished == 1u);
  }
}

BOOST_AUTO_TEST_SUITE_END()
