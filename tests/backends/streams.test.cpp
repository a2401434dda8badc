// Streams of the memory backend, as sessions see them. What every engine must do is in the
// conformance suite; here is what needs a small store, or a look inside.

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct session_job {
  std::function<void(caf::event_based_actor*)> run;
};

} // namespace

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(session_job)

namespace {

/// A session with all that it was told. One that grants has seen each part at once.
struct session {
  caf::actor actor;
  std::shared_ptr<std::vector<stream_part>> parts = std::make_shared<std::vector<stream_part>>();
  std::shared_ptr<std::vector<stream_lost>> lost = std::make_shared<std::vector<stream_lost>>();
  std::shared_ptr<std::vector<watch_part>> watched = std::make_shared<std::vector<watch_part>>();
  bool grants = true;

  [[nodiscard]] std::string told(watch_id id = 1) const {
    std::string result;
    for (const auto& part : *parts) {
      if (part.id != id)
        continue;
      if (part.skipped > 0)
        result += "-" + std::to_string(part.skipped) + " ";
      for (const auto& x : part.messages)
        result += std::to_string(x.sequence.value) + " ";
    }
    return result;
  }

  [[nodiscard]] std::uint64_t skipped() const {
    std::uint64_t result = 0;
    for (const auto& part : *parts)
      result += part.skipped;
    return result;
  }
};

struct fixture : deterministic_fixture {
  backend_actor backend = track(spawn_memory_backend(system, rt()));

  session come(bool grants = true) {
    session result;
    result.grants = grants;
    auto [handle, parts, lost, watched, does] = result;
    result.actor = system.spawn([=](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler(caf::drop);
      me->set_error_handler([](caf::error&) {});
      const auto sender = [=] { return caf::actor_cast<caf::actor>(me->current_sender()); };
      return {
        [=](const stream_part& x) {
          parts->push_back(x);
          if (does)
            me->send(sender(), stream_credit{x.id, x.seq, x.seq + 16});
        },
        [=](const stream_lost& x) { lost->push_back(x); },
        [=](const watch_part& x) {
          watched->push_back(x);
          me->send(sender(), watch_credit{x.id, x.seq, x.seq + 16});
        },
        [=](const session_job& x) { x.run(me); },
      };
    });
    return track(result.actor), result;
  }

  /// Asks as this session.
  template <class Answer, class Request> pending<Answer> ask_as(const session& who, Request x) {
    pending<Answer> result{std::make_shared<std::optional<caf::expected<Answer>>>()};
    const auto to = caf::actor_cast<caf::actor>(backend);
    caf::anon_send(who.actor, session_job{[=](caf::event_based_actor* me) {
                     me->request(to, caf::infinite, x)
                       .then([=](const Answer& y) { *result.slot = y; },
                             [=](const caf::error& y) { *result.slot = caf::expected<Answer>{y}; });
                   }});
    run();
    return result;
  }

  void tell_as(const session& who, const auto& x) {
    const auto to = caf::actor_cast<caf::actor>(backend);
    caf::anon_send(who.actor, session_job{[=](caf::event_based_actor* me) { me->send(to, x); }});
    run();
  }

  consuming open(const session& who, consume x) { return ask_as<consuming>(who, x).value(); }

  consume durable(std::string name, stream_start from = stream_start::all, watch_id id = 1) {
    return {
      .pattern = at("a.s"), .id = id, .start = from, .credit = 16, .durable = std::move(name)};
  }

  consume from(stream_start x, std::string_view pattern = "a.s", std::uint64_t credit = 16) {
    return {.pattern = at(pattern), .id = 1, .start = x, .credit = credit};
  }

  void say(std::string_view to = "a.s", std::string value = "v") {
    std::ignore = ask<published>(backend, publish{at(to), payload{std::move(value)}}).value();
  }

  void say_many(int count, std::string_view to = "a.s") {
    for (int i = 0; i < count; ++i)
      say(to);
  }

  std::uint64_t acknowledge(const session& who, std::string name, std::uint64_t up_to) {
    return ask_as<stream_acked>(who, stream_ack{std::move(name), {up_to}}).value().up_to.value;
  }

  error_code refused(const session& who, const stream_ack& x) {
    return ask_as<stream_acked>(who, x).error().code;
  }

  backend_status status() { return ask<backend_status>(backend, get_backend_status{}).value(); }

  void use(const retention& streams) {
    backend = track(spawn_memory_backend(system, rt(), {.streams = streams, .tombstones = {}}));
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(streams_test, fixture)

// -- starts -------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_start_says_behind_which_message_it_is) {
  say_many(5);
  const auto after = [&](consume x) { return open(come(), x).after.value; };
  auto by_sequence = from(stream_start::sequence), by_time = from(stream_start::time);
  BOOST_TEST(after(from(stream_start::only_new)) == 5U);
  BOOST_TEST(after(from(stream_start::all)) == 0U);
  BOOST_TEST(after(from(stream_start::latest)) == 5U);
  BOOST_TEST(after(by_sequence) == 0U);
  by_sequence.from = {3};
  BOOST_TEST(after(by_sequence) == 2U);
  by_sequence.from = {9};
  BOOST_TEST(after(by_sequence) == 8U);
  BOOST_TEST(after(by_time) == 0U);
  by_time.since = wall() + 1h;
  BOOST_TEST(after(by_time) == 5U);
}

BOOST_AUTO_TEST_CASE(a_start_past_the_end_waits_for_its_message) {
  const auto one = come();
  auto asked = from(stream_start::sequence);
  asked.from = {4};
  say_many(2);
  open(one, asked);
  say_many(3);
  BOOST_TEST(one.told() == "4 5 ");
}

BOOST_AUTO_TEST_CASE(a_start_by_time_reads_from_there_on) {
  say();
  advance(1s);
  const auto between = wall();
  advance(1s);
  say_many(2);
  const auto one = come();
  auto asked = from(stream_start::time);
  asked.since = between;
  open(one, asked);
  say();
  BOOST_TEST(one.told() == "2 3 4 ");
}

BOOST_AUTO_TEST_CASE(the_latest_of_subjects_that_change_meanwhile_come_once_and_nothing_is_missed) {
  for (int i = 0; i < 3; ++i)
    for (const auto* x : {"a.s", "a.t", "a.u"})
      say(x);
  const auto slow = come(false);
  open(slow, from(stream_start::latest, "a.*", 0));
  for (const auto* x : {"a.t", "a.new", "a.t"})
    say(x);
  tell_as(slow, stream_credit{1, 0, 1});
  say("a.u");
  tell_as(slow, stream_credit{1, 1, 9});
  say("a.s");
  BOOST_TEST(slow.told() == "7 8 9 10 11 12 13 14 ");
}

BOOST_AUTO_TEST_CASE(a_latest_that_retention_takes_before_it_is_told_is_a_gap) {
  use({.max_messages_per_subject = 1});
  for (const auto* x : {"a.s", "a.t", "a.s"})
    say(x);
  const auto slow = come(false);
  open(slow, from(stream_start::latest, "a.*", 0));
  say("a.s"); // Takes 3 away.
  say("a.s"); // And 4.
  tell_as(slow, stream_credit{1, 0, 9});
  BOOST_TEST(slow.told() == "-2 2 5 ");
}

BOOST_AUTO_TEST_CASE(an_unknown_start_is_refused) {
  const auto error = ask_as<consuming>(come(), from(static_cast<stream_start>(77))).error();
  BOOST_TEST((error.code == error_code::invalid_argument));
  BOOST_TEST(status().watches == 0U);
}

// -- durable consumers --------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_durable_consumer_resumes_behind_what_was_acknowledged) {
  say_many(5);
  const auto one = come();
  BOOST_TEST(!open(one, durable("d")).resumed);
  BOOST_TEST(one.told() == "1 2 3 4 5 ");
  BOOST_TEST(acknowledge(one, "d", 2) == 2U);
  tell_as(one, unconsume{1});
  say();
  const auto again = open(one, durable("d", stream_start::only_new, 2)); // In the same session.
  BOOST_TEST(again.resumed);
  BOOST_TEST(again.after.value == 2U);
  BOOST_TEST(one.told(2) == "3 4 5 6 ");
  acknowledge(one, "d", 4);
  kill(one.actor);
  const auto two = come();
  BOOST_TEST(open(two, durable("d")).after.value == 4U); // In another one.
  BOOST_TEST(two.told() == "5 6 ");
  BOOST_TEST(status().durables == 1U);
}

BOOST_AUTO_TEST_CASE(a_second_session_takes_over_and_the_first_is_told) {
  const auto one = come(), two = come();
  open(one, durable("d"));
  say_many(2);
  acknowledge(one, "d", 1);
  open(two, durable("d"));
  BOOST_REQUIRE(one.lost->size() == 1U);
  BOOST_TEST((one.lost->at(0).error.code == error_code::consumer_taken));
  BOOST_TEST(one.lost->at(0).id == 1U);
  say();
  BOOST_TEST(one.told() == "1 2 ");
  BOOST_TEST(two.told() == "2 3 ");
  BOOST_TEST(status().watches == 1U);
  BOOST_TEST((refused(one, {"d", {2}}) == error_code::consumer_taken)); // Too late.
  BOOST_TEST(acknowledge(two, "d", 3) == 3U);
  BOOST_TEST((refused(come(), {"d", {3}}) == error_code::consumer_taken));
}

BOOST_AUTO_TEST_CASE(the_same_session_takes_over_under_another_id) {
  const auto one = come();
  open(one, durable("d"));
  open(one, durable("d", stream_start::all, 2));
  BOOST_REQUIRE(one.lost->size() == 1U);
  BOOST_TEST(one.lost->at(0).id == 1U);
  say();
  BOOST_TEST(one.told(1) == "");
  BOOST_TEST(one.told(2) == "1 ");
  BOOST_TEST(acknowledge(one, "d", 1) == 1U);
}

BOOST_AUTO_TEST_CASE(an_open_that_is_refused_takes_nothing_over) {
  const auto one = come(), two = come();
  open(one, durable("d"));
  auto other = durable("d");
  other.pattern = at("a.*");
  BOOST_TEST((ask_as<consuming>(two, other).error().code == error_code::invalid_argument));
  BOOST_TEST((ask_as<consuming>(one, durable("d")).error().code == error_code::invalid_argument));
  say();
  BOOST_TEST(one.lost->empty());
  BOOST_TEST(one.told() == "1 ");
}

BOOST_AUTO_TEST_CASE(acknowledging_needs_no_live_consumer_but_the_one_that_had_it) {
  const auto one = come();
  say_many(3);
  open(one, durable("d"));
  tell_as(one, unconsume{1});
  BOOST_TEST(acknowledge(one, "d", 3) == 3U);
  BOOST_TEST((refused(one, {"unknown", {1}}) == error_code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_dropped_durable_is_told_and_begins_anew) {
  const auto one = come();
  say_many(2);
  open(one, durable("d"));
  acknowledge(one, "d", 2);
  BOOST_TEST(ask<durable_dropped>(backend, drop_durable{"d"}).value().existed);
  BOOST_REQUIRE(one.lost->size() == 1U);
  BOOST_TEST((one.lost->at(0).error.code == error_code::cancelled));
  BOOST_TEST(!ask<durable_dropped>(backend, drop_durable{"d"}).value().existed);
  BOOST_TEST((refused(one, {"d", {2}}) == error_code::invalid_argument));
  BOOST_TEST(status().durables == 0U);
  BOOST_TEST(!open(one, durable("d", stream_start::all, 2)).resumed);
  BOOST_TEST(one.told(2) == "1 2 ");
}

BOOST_AUTO_TEST_CASE(one_durable_too_many_is_refused_and_costs_nothing) {
  const auto one = come();
  for (std::size_t i = 0; i < max_durables; ++i) {
    open(one, durable("d" + std::to_string(i), stream_start::all, i));
    tell_as(one, unconsume{i});
  }
  const auto error = ask_as<consuming>(one, durable("more")).error();
  BOOST_TEST((error.code == error_code::overloaded));
  BOOST_TEST(status().durables == max_durables);
  BOOST_TEST(status().watches == 0U);
  BOOST_TEST(status().refused == 1U);
}

BOOST_AUTO_TEST_CASE(a_durable_consumer_of_the_latest_goes_on_with_the_latest) {
  for (int i = 0; i < 2; ++i)
    for (const auto* x : {"a.s", "a.t"})
      say(x);
  const auto one = come();
  auto asked = durable("d", stream_start::latest);
  asked.pattern = at("a.*");
  open(one, asked);
  BOOST_TEST(one.told() == "3 4 ");
  acknowledge(one, "d", 3);
  say("a.s");
  kill(one.actor);
  const auto two = come();
  open(two, asked);
  BOOST_TEST(two.told() == "4 5 ");
}

// -- retention ----------------------------------------------------------------

BOOST_AUTO_TEST_CASE(gaps_are_exact_whatever_retention_goes_by) {
  for (const auto& limits : {retention{.max_messages = 10}, retention{.max_bytes = 40},
                             retention{.max_age = 5s}, retention{.max_messages_per_subject = 3}}) {
    use(limits);
    const auto slow = come(false);
    open(slow, from(stream_start::only_new, "a.s", 1));
    for (int i = 0; i < 50; ++i) {
      say("a.s");
      say("b.s");
      advance(1s);
    }
    for (std::uint64_t seen = 1; seen <= 20; ++seen)
      tell_as(slow, stream_credit{1, seen, seen + 1});
    std::size_t told = 0;
    for (const auto& part : *slow.parts)
      told += part.seq == 1 && &part != &slow.parts->front() ? 0 : part.messages.size();
    BOOST_TEST(slow.skipped() > 0U);
    BOOST_TEST(told + slow.skipped() == 50U);
    kill(backend);
  }
}

BOOST_AUTO_TEST_CASE(a_durable_consumer_is_told_what_it_missed_while_nobody_had_it) {
  use({.max_messages = 4});
  const auto one = come();
  open(one, durable("d"));
  say_many(3);
  acknowledge(one, "d", 1);
  kill(one.actor);
  for (int i = 0; i < 5; ++i) {
    say("a.s");
    say("b.s");
  }
  const auto two = come();
  BOOST_TEST(open(two, durable("d")).after.value == 1U);
  BOOST_TEST(two.told() == "-5 10 12 "); // 2, 3, 4, 6, 8 are gone.
}

BOOST_AUTO_TEST_CASE(with_one_message_for_each_subject_a_consumer_that_keeps_up_misses_none) {
  use({.max_messages_per_subject = 1});
  const auto one = come();
  open(one, from(stream_start::only_new));
  for (int i = 0; i < 50; ++i) // At once, so that they are told together.
    ask_later<published>(backend, publish{at("a.s"), payload{"v"}});
  run();
  BOOST_TEST(one.skipped() == 0U);
  std::size_t told = 0;
  for (const auto& part : *one.parts)
    told += part.messages.size();
  BOOST_TEST(told == 50U);
  BOOST_TEST(status().messages == 1U);
}

BOOST_AUTO_TEST_CASE(a_slow_consumer_of_a_flood_costs_a_bounded_amount) {
  const auto silent = come(false), slow = come(false);
  open(silent, from(stream_start::only_new, "f.>", 4));
  open(slow, from(stream_start::only_new, "f.>", 1));
  const auto source = come();
  const auto to = caf::actor_cast<caf::actor>(backend);
  constexpr int total = 120'000, at_once = 4'000;
  for (int sent = 0; sent < total; sent += at_once) {
    caf::anon_send(source.actor, session_job{[=](caf::event_based_actor* me) {
                     for (int i = 0; i < at_once; ++i)
                       me->send(to, publish{at("f.s" + std::to_string(i % 50)), payload{"v"}});
                   }});
    run();
  }
  const auto now = status();
  BOOST_TEST(now.messages == 100'000U);
  BOOST_TEST(now.unseen_parts == 5U);
  BOOST_TEST(now.queued == 0U);
  for (std::uint64_t seen = 1; seen < 1'000; seen += 16)
    tell_as(slow, stream_credit{1, seen, seen + 16});
  std::map<std::uint64_t, std::size_t> told; // By part: the first one was sent again.
  for (const auto& part : *slow.parts)
    told[part.seq] = part.messages.size();
  std::size_t messages = 0;
  for (const auto& [seq, count] : told)
    messages += count;
  BOOST_TEST(messages + slow.skipped() == static_cast<std::size_t>(total));
  BOOST_TEST(slow.skipped() > 0U);
  BOOST_TEST(slow.parts->back().pending == 0U);
}

BOOST_AUTO_TEST_CASE(pending_says_how_many_follow_at_most) {
  say_many(1'000);
  const auto slow = come(false);
  open(slow, from(stream_start::all, "a.s", 1));
  std::uint64_t told = 0;
  for (std::uint64_t seen = 1; seen <= 6; ++seen) {
    const auto& part = slow.parts->back();
    told += part.messages.size();
    BOOST_TEST(part.pending >= 1'000 - told);
    BOOST_TEST((part.pending == 0) == (told == 1'000));
    if (told == 1'000)
      break;
    tell_as(slow, stream_credit{1, seen, seen + 1});
  }
  BOOST_TEST(told == 1'000U);
}

// -- asking again, and interruptions ------------------------------------------

BOOST_AUTO_TEST_CASE(a_sink_that_lost_a_part_asks_for_it_again) {
  const auto one = come(false);
  open(one, from(stream_start::only_new));
  say_many(3);
  tell_as(one, rewatch{1, 2});
  BOOST_TEST(one.told() == "1 2 3 2 3 ");
  tell_as(one, rewatch{1, 9});
  BOOST_REQUIRE(one.lost->size() == 1U);
  BOOST_TEST((one.lost->at(0).error.code == error_code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(after_an_interruption_a_consumer_resumes_behind_what_its_sink_has_seen) {
  const auto one = come(false);
  open(one, from(stream_start::only_new));
  say_many(3);
  tell_as(one, stream_credit{1, 1, 16});
  interrupt_memory_backend(backend);
  run();
  say();
  BOOST_TEST(one.told() == "1 2 3 2 3 4 ");
  std::vector<std::uint64_t> numbers;
  for (const auto& part : *one.parts)
    numbers.push_back(part.seq);
  BOOST_TEST(numbers == (std::vector<std::uint64_t>{1, 2, 3, 2, 3, 4}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(after_an_interruption_a_watch_takes_a_fresh_snapshot) {
  const auto one = come();
  ask<kv_written>(backend, kv_create{at("a.k"), payload{"v"}, {}});
  BOOST_REQUIRE(ask_as<watch_opened>(one, watch{at("a.*"), 1, 16}).value().epoch.value > 0U);
  interrupt_memory_backend(backend);
  run();
  ask<kv_written>(backend, kv_create{at("a.l"), payload{"v"}, {}});
  std::string kinds;
  for (const auto& part : *one.watched)
    kinds += to_string(part.kind) + std::to_string(part.entries.size()) + " ";
  BOOST_TEST(kinds == "snapshot1 snapshot_end0 resync0 snapshot1 snapshot_end0 change1 ");
}

// -- listing ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(subjects_that_lost_their_messages_are_not_listed) {
  use({.max_age = 10s});
  say("a.s");
  advance(5s);
  say("a.t");
  const auto list = [&] {
    return ask<stream_subjects>(backend, list_streams{*entity::parse("a")}).value().subjects;
  };
  BOOST_TEST(list().size() == 2U);
  open(come(), from(stream_start::all, "a.quiet")); // A consumer makes no stream.
  BOOST_TEST(list().size() == 2U);
  advance(5s);
  BOOST_REQUIRE(list().size() == 1U);
  BOOST_TEST(list()[0].text() == "a.t");
}

BOOST_AUTO_TEST_CASE(a_page_of_no_subjects_is_refused) {
  list_streams none{*entity::parse("a")};
  none.at_most = 0;
  BOOST_TEST((ask<stream_subjects>(backend, none).error().code == error_code::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()
