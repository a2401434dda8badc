#include "trunnion/actors/elector.hpp"

#include "trunnion/tests/actors/lease_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct election_fixture : lease_fixture {
  using lease_fixture::lease_fixture;

  local_elector_actor candidate(const std::string& name) { return candidate_at(store, name); }

  local_elector_actor candidate_at(const backend_actor& backend, const std::string& name,
                                   const caf::strong_actor_ptr& owner = nullptr) {
    auto started = spawn_elector(
      system, rt(), backend, {.subject = at("ridge.Leader"), .name = name, .owner = "host/" + name},
      owner);
    BOOST_REQUIRE(started.has_value());
    return track(*started);
  }

  pending<elector_elected> campaign(const local_elector_actor& x,
                                    std::optional<nanoseconds> wait = std::nullopt) {
    return ask<elector_elected>(x, elector_campaign{wait});
  }

  bool resign(const local_elector_actor& x) {
    auto answer = ask_later<elector_resigned>(x, elector_resign{});
    advance(1s);
    return answer.value().was_leader;
  }

  elector_status look_at(const local_elector_actor& x) {
    return ask<elector_status>(x, elector_inspect{}).value();
  }

  static std::string words(const elector_status& x) {
    return x.leader.value_or("nobody") + (x.is_leader ? ", me" : "")
           + (x.is_candidate && !x.is_leader ? ", candidate" : "")
           + (x.lost ? ", " + to_string(*x.lost) : "");
  }

  /// An observer that keeps what it is told, each different from the one before.
  std::shared_ptr<std::vector<std::string>> observe(const local_elector_actor& x) {
    auto told = std::make_shared<std::vector<std::string>>();
    track(system.spawn([=](elector_sink::pointer me) -> elector_sink::behavior_type {
      me->request(x, 1s, elector_observe{})
        .then([](const elector_status&) {}, [](const caf::error&) {});
      return {[=](const elector_status& x) { told->push_back(words(x)); }};
    }));
    return told;
  }

  using lines = std::vector<std::string>;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(elector_test, election_fixture)

BOOST_AUTO_TEST_CASE(the_first_candidate_leads_and_the_next_follows_when_it_resigns) {
  const auto a = candidate("a"), b = candidate("b");
  const auto first = campaign(a);
  const auto second = campaign(b);
  BOOST_TEST(first.ready());
  advance(1min);
  BOOST_TEST(!second.ready());
  BOOST_TEST(words(look_at(b)) == "a, candidate");
  BOOST_TEST((look_at(b).token == first.value().token));
  BOOST_TEST(resign(a));
  BOOST_TEST((second.value().token > first.value().token));
  BOOST_TEST(words(look_at(a)) == "b");
  BOOST_TEST(record("ridge.Leader").record == R"({"name":"b"})");
}

BOOST_AUTO_TEST_CASE(of_three_candidates_one_leads_at_a_time) {
  const std::vector all{candidate("a"), candidate("b"), candidate("c")};
  for (const auto& x : all)
    (void)campaign(x);
  std::set<std::string> names;
  for (int round = 0; round < 3; ++round) {
    advance(5s);
    std::vector<local_elector_actor> leaders;
    for (const auto& x : all)
      if (look_at(x).is_leader)
        leaders.push_back(x);
    BOOST_REQUIRE(leaders.size() == 1u);
    names.insert(look_at(leaders.front()).name);
    BOOST_TEST(resign(leaders.front()));
  }
  BOOST_TEST(names.size() == 3u);
}

BOOST_AUTO_TEST_CASE(observers_are_told_of_each_change_in_order) {
  const auto a = candidate("a"), b = candidate("b");
  const auto at_a = observe(a), at_b = observe(b);
  (void)campaign(a);
  (void)campaign(b);
  advance(1min);
  (void)resign(a);
  const lines expected_a{"nobody", "nobody, candidate", "a, me", "nobody", "b"};
  BOOST_TEST(*at_a == expected_a, boost::test_tools::per_element());
  const lines expected_b{"nobody", "a", "a, candidate", "nobody, candidate", "b, me"};
  BOOST_TEST(*at_b == expected_b, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_observer_that_comes_late_is_told_who_leads) {
  const auto a = candidate("a");
  (void)campaign(a);
  advance(1min);
  const auto late = observe(candidate("b"));
  run();
  BOOST_REQUIRE(!late->empty());
  BOOST_TEST(late->back() == "a");
  BOOST_TEST(observe(a)->back() == "a, me");
}

BOOST_AUTO_TEST_CASE(a_deletion_ends_the_leadership_with_its_reason_and_a_new_campaign_works) {
  const auto a = candidate("a");
  const auto told = observe(a);
  const auto before = campaign(a).value().token;
  const auto view = ask<lease_view>(a, lease_get_view{}).value();
  BOOST_TEST(view.held());
  remove("ridge.Leader");
  BOOST_TEST(!view.held());
  BOOST_TEST(told->back() == "nobody, deleted");
  advance(1s);
  const auto again = campaign(a);
  advance(1s);
  BOOST_TEST((again.value().token > before));
  BOOST_TEST(told->back() == "a, me");
}

BOOST_AUTO_TEST_CASE(the_own_end_is_told_before_the_beginning_of_who_superseded_it) {
  const auto a = candidate("a");
  const auto told = observe(a);
  (void)campaign(a);
  const auto other = encode(lease_record{.record = R"({"name":"b"})", .holder = "other"});
  (void)ask<kv_written>(store, kv_update{at("ridge.Leader"), payload{other}, {}, 10s});
  advance(1s);
  const lines expected{"nobody", "nobody, candidate", "a, me", "nobody, superseded",
                       "b, superseded"};
  BOOST_TEST(*told == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_silent_backend_ends_the_leadership_in_time) {
  const auto a = candidate_at(link, "a");
  (void)campaign(a);
  const auto view = ask<lease_view>(a, lease_get_view{}).value();
  wire.go_silent();
  advance(11s);
  BOOST_TEST(!view.held());
  BOOST_TEST(words(look_at(a)) == "nobody, backend_lost");
  const auto again = campaign(a);
  wire.heal();
  advance(30s);
  BOOST_TEST(again.ready());
  BOOST_TEST(look_at(a).is_leader);
}

BOOST_AUTO_TEST_CASE(a_killed_elector_leaves_the_leadership_to_the_next) {
  const auto a = candidate("a"), b = candidate("b");
  const auto first = campaign(a), second = campaign(b);
  kill(a);
  advance(1s);
  BOOST_TEST((second.value().token > first.value().token));
}

BOOST_AUTO_TEST_CASE(an_elector_ends_with_its_owner_and_gives_the_leadership_up) {
  const auto owner = someone();
  const auto a = candidate_at(store, "a", caf::actor_cast<caf::strong_actor_ptr>(owner));
  (void)campaign(a);
  std::optional<caf::error> end;
  a->attach_functor([&](const caf::error& reason) { end = reason; });
  kill(owner);
  advance(1s);
  BOOST_TEST(end.has_value());
  BOOST_TEST(!has_key("ridge.Leader"));
}

BOOST_AUTO_TEST_CASE(an_elector_ends_with_its_owner_also_once_that_has_campaigned) {
  const auto a = std::make_shared<local_elector_actor>();
  const auto owner = track(system.spawn([a](caf::event_based_actor* me) -> caf::behavior {
    return {[me, a](caf::unit_t) {
      me->request(caf::actor_cast<caf::actor>(*a), caf::infinite, elector_campaign{})
        .then([](const elector_elected&) {}, [](const caf::error&) {});
    }};
  }));
  *a = candidate_at(store, "a", caf::actor_cast<caf::strong_actor_ptr>(owner));
  caf::anon_send(owner, caf::unit);
  advance(1s);
  BOOST_TEST(look_at(*a).is_leader);
  kill(owner);
  advance(1s);
  BOOST_TEST(!has_key("ridge.Leader"));
}

BOOST_AUTO_TEST_CASE(a_campaign_ends_when_its_wait_is_over) {
  const auto a = candidate("a"), b = candidate("b");
  (void)campaign(a);
  const auto at_once = campaign(b, 0s);
  BOOST_TEST((at_once.error().code == error_code::timeout));
  advance(1s);
  const auto bounded = campaign(b, 3s);
  advance(2'900ms);
  BOOST_TEST(!bounded.ready());
  advance(200ms);
  BOOST_TEST((bounded.error().code == error_code::timeout));
  BOOST_TEST((bounded.error().certainty == certainty::not_applied));
  BOOST_TEST(words(look_at(b)) == "a");
  BOOST_TEST(resign(a));
  BOOST_TEST(campaign(b, 0s).ready()); // Nobody leads: no waiting is needed.
  BOOST_TEST(look_at(b).is_leader);
}

BOOST_AUTO_TEST_CASE(a_leader_that_campaigns_is_answered_at_once) {
  const auto a = candidate("a");
  const auto first = campaign(a).value();
  advance(1min);
  const auto again = campaign(a).value();
  BOOST_TEST((again.token == first.token));
  BOOST_TEST((again.time_left > 0s && again.time_left < 10s));
}

BOOST_AUTO_TEST_CASE(two_campaigns_at_once_are_one_and_each_waits_as_long_as_it_said) {
  const auto a = candidate("a"), b = candidate("b");
  (void)campaign(a);
  const auto brief = campaign(b, 2s), longer = campaign(b, 1min), shortest = campaign(b, 500ms);
  advance(600ms);
  BOOST_TEST((shortest.error().code == error_code::timeout));
  BOOST_TEST(!brief.ready());
  advance(2s);
  BOOST_TEST((brief.error().code == error_code::timeout));
  BOOST_TEST(!longer.ready());
  const auto another = campaign(b);
  BOOST_TEST(resign(a));
  BOOST_TEST((longer.value().token == another.value().token));
}

BOOST_AUTO_TEST_CASE(a_resignation_ends_campaigns_and_is_harmless_otherwise) {
  const auto a = candidate("a"), b = candidate("b");
  BOOST_TEST(!resign(a));
  (void)campaign(a);
  const auto waiting = campaign(b);
  BOOST_TEST(!resign(b));
  BOOST_TEST((waiting.error().code == error_code::cancelled));
  BOOST_TEST(words(look_at(b)) == "a");
  BOOST_TEST(resign(a));
  BOOST_TEST(!resign(a));
  advance(1min);
  BOOST_TEST(!has_key("ridge.Leader"));
}

BOOST_AUTO_TEST_CASE(a_campaign_right_after_a_resignation_is_a_new_one) {
  const auto a = candidate("a");
  const auto first = campaign(a).value();
  const auto resigned = ask_later<elector_resigned>(a, elector_resign{});
  const auto second = ask_later<elector_elected>(a, elector_campaign{});
  advance(1s);
  BOOST_TEST(resigned.ready());
  BOOST_TEST((second.value().token > first.token));
}

BOOST_AUTO_TEST_CASE(a_campaign_whose_sender_has_ended_is_given_up) {
  const auto a = candidate("a"), b = candidate("b");
  (void)campaign(a);
  const auto asker = track(system.spawn([b](caf::event_based_actor* me) -> caf::behavior {
    me->request(caf::actor_cast<caf::actor>(b), caf::infinite, elector_campaign{})
      .then([](const elector_elected&) {}, [](const caf::error&) {});
    return {[](caf::unit_t) {}};
  }));
  BOOST_TEST(look_at(b).is_candidate);
  kill(asker);
  BOOST_TEST(resign(a));
  BOOST_TEST(words(look_at(b)) == "nobody");
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused_and_an_ending_elector_answers_all) {
  const auto a = candidate("a"), b = candidate("b");
  (void)campaign(a);
  const auto waiting = campaign(b);
  kill(b, caf::exit_reason::user_shutdown);
  BOOST_TEST((waiting.error().code == error_code::shutting_down));
  BOOST_TEST((campaign(a, -1s).error().code == error_code::invalid_argument));
  const auto refused
    = [&](elector_options x) { return !spawn_elector(system, rt(), store, x).has_value(); };
  BOOST_TEST(refused({.subject = at("ridge.Leader")}));
  BOOST_TEST(refused({.subject = at("ridge.*"), .name = "a"}));
  BOOST_TEST(refused({.subject = at("ridge.Leader"), .name = "a", .ttl = 1ms}));
}

BOOST_AUTO_TEST_CASE(never_do_two_lead_at_once_whatever_ends_a_leadership) {
  std::size_t elections = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    election_fixture world{seed};
    std::vector<local_elector_actor> all;
    for (const auto* who : {"a", "b", "c"})
      all.push_back(world.candidate_at(world.link, who));
    for (int step = 0; step < 60; ++step) {
      const auto& one = all[world.random.next() % all.size()];
      switch (world.random.next() % 8) {
      case 0: (void)world.ask_later<elector_resigned>(one, elector_resign{}); break;
      case 1: world.wire.go_silent(); break;
      case 2: world.wire.heal(); break;
      default:
        (void)world.campaign(one, world.random.next() % 2 ? std::nullopt
                                                          : std::optional<nanoseconds>{5s});
      }
      for (int slice = 0; slice < 20; ++slice) {
        world.advance(100ms);
        std::size_t leaders = 0, held = 0;
        for (const auto& x : all) {
          leaders += world.look_at(x).is_leader;
          held += world.ask<lease_view>(x, lease_get_view{}).value().held();
        }
        BOOST_REQUIRE_MESSAGE(leaders <= 1 && held <= 1, "seed " << seed << "\n" << world.trace);
      }
    }
    elections += world.metrics.counts["elector_elected_total"];
  }
  BOOST_TEST(elections > 30u); // The histories have something to show.
}

BOOST_AUTO_TEST_CASE(a_peers_leader_without_a_name_is_known_by_its_owner) {
  const auto a = candidate("a");
  lease_record other{.holder = "x"};
  other.owner = "host/7";
  (void)ask<kv_written>(store, kv_create{at("ridge.Leader"), payload{encode(other)}, 10s});
  BOOST_TEST(words(look_at(a)) == "host/7");
  const auto token = look_at(a).token;
  other.renewal = 1;
  (void)ask<kv_written>(store, kv_update{at("ridge.Leader"), payload{encode(other)}, {}, 10s});
  BOOST_TEST((look_at(a).token == token)); // A refresh is no new leadership.
  (void)ask<kv_written>(store, kv_update{at("ridge.Leader"), payload{"7"}, {}, 10s});
  BOOST_TEST(words(look_at(a)) == "nobody");
}

BOOST_AUTO_TEST_SUITE_END()
