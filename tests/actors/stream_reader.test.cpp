#include "trunnion/actors/stream_reader.hpp"

#include "trunnion/actors/kv_monitor.hpp"
#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/flaky_backend.hpp"

#include <stdexcept>

using namespace trunnion;
using namespace trunnion::test;

namespace {

/// To a `patient_sink`: answers the batch in hand.
struct answer_batch {
  caf::error error; ///< None: all well.
};

} // namespace

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(answer_batch)

namespace {

using texts = std::vector<std::string>;

/// What a sink was handed.
struct read_log {
  texts read;
  std::vector<std::size_t> batches;
  std::uint64_t skipped = 0;
  std::optional<caf::typed_response_promise<batch_read>> in_hand;

  void take(const read_batch& x) {
    for (const auto& m : x.messages)
      read.emplace_back(m.payload.bytes());
    batches.push_back(x.messages.size());
    skipped += x.skipped;
  }
};

struct reader_fixture : deterministic_fixture {
  backend_actor backend = track(spawn_memory_backend(system, rt()));
  flaky_link link;
  backend_actor shaky = spawn_flaky(*this, link, backend);
  std::shared_ptr<read_log> log = std::make_shared<read_log>();

  read_function taking() {
    return [log = log](const read_batch& x) {
      log->take(x);
      return outcome<void>{};
    };
  }

  /// Answers when the test says so.
  read_sink patient() {
    auto actor = system.spawn([log = log](caf::event_based_actor* me) -> caf::behavior {
      return {
        [=](const read_batch& x) -> caf::result<batch_read> {
          log->take(x);
          log->in_hand = me->make_response_promise<batch_read>();
          return *log->in_hand;
        },
        [=](const answer_batch& x) {
          auto promise = *std::exchange(log->in_hand, std::nullopt);
          if (x.error)
            promise.deliver(x.error);
          else
            promise.deliver(batch_read{});
        },
      };
    });
    return caf::actor_cast<read_sink>(track(actor));
  }

  void answer(const read_sink& sink, const caf::error& error = {}) {
    BOOST_REQUIRE(log->in_hand.has_value());
    caf::anon_send(caf::actor_cast<caf::actor>(sink), answer_batch{error});
    run();
  }

  static reader_options options(stream_start begin = stream_start::all) {
    return {.pattern = at("ridge.>"), .start = begin};
  }

  static reader_options durable(stream_start begin = stream_start::all) {
    auto result = options(begin);
    result.durable = "night";
    return result;
  }

  stream_reader_actor start(const reader_options& options, const any_read_sink& sink,
                            const backend_actor& from) {
    auto started = read_stream(system, rt(), from, options, sink);
    if (!started)
      BOOST_FAIL("no reader: " << to_string(started.error()));
    return track(*started);
  }
  stream_reader_actor start(const reader_options& options, const any_read_sink& sink) {
    return start(options, sink, shaky);
  }

  void write_to(std::string_view where, const std::string& text) {
    std::ignore = ask<published>(backend, publish{at(where), payload{text}}).value();
  }

  void write_some(int from, int to) {
    for (int i = from; i <= to; ++i)
      write_to("ridge.wind", std::to_string(i));
  }

  static texts counted(int from, int to) {
    texts result;
    for (int i = from; i <= to; ++i)
      result.push_back(std::to_string(i));
    return result;
  }

  void must_have_read(int from, int to) {
    BOOST_TEST(log->read == counted(from, to), boost::test_tools::per_element());
  }

  reader_status status(const stream_reader_actor& x) {
    return ask<reader_status>(x, reader_inspect{}).value();
  }

  std::shared_ptr<std::optional<failure>> end_of(const stream_reader_actor& x) {
    auto result = std::make_shared<std::optional<failure>>();
    track(system.spawn([=](caf::event_based_actor* me) -> caf::behavior {
      me->set_down_handler([=](const caf::down_msg& down) {
        *result = down.reason ? to_failure(down.reason) : failure{.text = "by itself"};
      });
      me->monitor(x);
      return {[](caf::unit_t) {}};
    }));
    run();
    return result;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(stream_reader_test, reader_fixture)

BOOST_AUTO_TEST_CASE(a_function_reads_what_is_kept_and_what_follows) {
  write_some(1, 3);
  const auto reader = start(options(), taking());
  write_some(4, 5);
  must_have_read(1, 5);
  const auto shown = status(reader);
  BOOST_TEST(shown.healthy);
  BOOST_TEST(shown.messages == 5U);
  BOOST_TEST(shown.lag == 0U);
  BOOST_TEST((shown.read == sequence{5}));
  BOOST_TEST(trace == "0 stream_reader: ridge.>: reading\n");
}

BOOST_AUTO_TEST_CASE(only_its_pattern_is_read) {
  auto terms = options();
  terms.pattern = at("ridge.wind");
  start(terms, taking());
  write_to("ridge.rain", "no");
  write_to("valley.wind", "no");
  write_to("ridge.wind", "1");
  must_have_read(1, 1);
}

BOOST_AUTO_TEST_CASE(one_batch_is_in_hand_and_the_next_has_what_came_meanwhile) {
  const auto sink = patient();
  const auto reader = start(options(), sink);
  write_some(1, 5);
  must_have_read(1, 1);
  BOOST_TEST(status(reader).buffered == 5U);
  answer(sink);
  must_have_read(1, 5);
  BOOST_TEST(log->batches == (std::vector<std::size_t>{1, 4}), boost::test_tools::per_element());
  answer(sink);
  BOOST_TEST(status(reader).buffered == 0U);
}

BOOST_AUTO_TEST_CASE(a_slow_sink_has_a_bounded_number_of_messages_waiting_for_it) {
  auto terms = options();
  terms.window = 4;
  const auto sink = patient();
  const auto reader = start(terms, sink);
  for (int i = 1; i <= 3'000; ++i)
    write_to("ridge.wind", std::to_string(i));
  BOOST_TEST(status(reader).buffered <= 4U * max_part_entries + max_part_entries);
  while (log->in_hand)
    answer(sink);
  must_have_read(1, 3'000);
}

BOOST_AUTO_TEST_CASE(a_reader_of_the_latest_gets_the_newest_of_each_subject_then_all) {
  write_to("ridge.wind", "old");
  write_to("ridge.rain", "1");
  write_to("ridge.wind", "2");
  start(options(stream_start::latest), taking());
  write_some(3, 4);
  must_have_read(1, 4);
}

// -- interruptions ------------------------------------------------------------

BOOST_AUTO_TEST_CASE(after_an_interruption_it_resumes_without_loss_or_repetition) {
  const auto reader = start(options(stream_start::only_new), taking());
  write_some(1, 3);
  link.go_silent();
  write_some(4, 40);
  advance(1min);
  BOOST_TEST(!status(reader).healthy);
  must_have_read(1, 3);
  link.heal();
  advance(1min);
  BOOST_TEST(status(reader).healthy);
  write_some(41, 42);
  must_have_read(1, 42);
}

BOOST_AUTO_TEST_CASE(a_backend_that_is_interrupted_repeats_nothing_to_the_sink) {
  start(options(), taking());
  write_some(1, 3);
  interrupt_memory_backend(backend);
  run();
  write_some(4, 6);
  must_have_read(1, 6);
}

BOOST_AUTO_TEST_CASE(a_consumer_that_the_backend_has_forgotten_is_opened_anew) {
  const auto reader = start(options(stream_start::only_new), taking(), backend);
  write_some(1, 3);
  // In the reader's name: to it, the consumer ends without a word.
  caf::send_as(caf::actor_cast<caf::actor>(reader), caf::actor_cast<caf::actor>(backend),
               unconsume{1});
  run();
  write_some(4, 6);
  must_have_read(1, 3);
  advance(health_check_every * 3);
  must_have_read(1, 6);
  BOOST_TEST(status(reader).reopened == 1U);
}

BOOST_AUTO_TEST_CASE(on_a_link_that_loses_parts_nothing_is_lost_or_repeated) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    *log = {};
    auto chance = std::make_shared<std::mt19937_64>(seed);
    link.on_answer = [chance](traffic kind) {
      return kind == traffic::part && (*chance)() % 3 == 0 ? fate::lose : fate::pass;
    };
    const auto reader = start(options(stream_start::only_new), taking());
    advance(1s);
    for (int i = 0; i < 10; ++i) {
      write_some(i * 10 + 1, i * 10 + 10);
      advance(500ms);
    }
    advance(1min);
    must_have_read(1, 100);
    kill(reader);
  }
}

BOOST_AUTO_TEST_CASE(when_the_backend_has_ended_it_stays_and_says_so) {
  const auto reader = start(options(), taking(), backend);
  write_some(1, 2);
  kill(backend);
  advance(1min);
  BOOST_TEST(!status(reader).healthy);
  BOOST_TEST(trace.find("interrupted: ") != std::string::npos);
  BOOST_TEST(!ask<reader_stopped>(reader, reader_stop{}).value().read.value == 0U);
}

BOOST_AUTO_TEST_CASE(what_retention_removed_before_it_was_read_is_told) {
  memory_options small;
  small.streams.max_messages = 10;
  backend = track(spawn_memory_backend(system, rt(), small));
  auto terms = options();
  terms.window = 1;
  const auto sink = patient();
  const auto reader = start(terms, sink, backend);
  write_some(1, 1);
  write_some(2, 2); // Fills the window, so that the rest waits at the backend.
  write_some(3, 50);
  while (log->in_hand)
    answer(sink);
  BOOST_TEST(log->read.size() + log->skipped == 50U);
  BOOST_TEST(log->skipped > 0U);
  BOOST_TEST(status(reader).skipped == log->skipped);
}

// -- durable consumers --------------------------------------------------------

BOOST_AUTO_TEST_CASE(what_a_durable_consumer_has_answered_for_does_not_come_again) {
  write_some(1, 3);
  const auto first = start(durable(), taking());
  BOOST_TEST((status(first).acknowledged == sequence{3}));
  kill(first);
  write_some(4, 5);
  start(durable(), taking());
  must_have_read(1, 5);
}

BOOST_AUTO_TEST_CASE(what_it_was_handed_and_has_not_answered_for_comes_again) {
  write_some(1, 3);
  const auto sink = patient();
  const auto first = start(durable(), sink);
  must_have_read(1, 3);
  BOOST_TEST((status(first).acknowledged == sequence{}));
  kill(first);
  *log = {};
  start(durable(), taking());
  must_have_read(1, 3);
}

BOOST_AUTO_TEST_CASE(a_durable_consumer_repeats_nothing_within_a_readers_life) {
  const auto sink = patient();
  const auto reader = start(durable(), sink);
  write_some(1, 3);
  must_have_read(1, 1);
  link.go_silent(); // With one batch in hand, and more of it received.
  advance(30s - 1ms);
  answer(sink);
  link.heal();
  advance(20s);
  while (log->in_hand)
    answer(sink);
  must_have_read(1, 3);
  advance(10s);
  BOOST_TEST((status(reader).acknowledged == sequence{3}));
}

BOOST_AUTO_TEST_CASE(an_acknowledgement_that_was_lost_is_made_good) {
  link.on_request = [](traffic x) { return x == traffic::ack ? fate::lose : fate::pass; };
  const auto reader = start(durable(), taking());
  write_some(1, 3);
  advance(5s);
  BOOST_TEST((status(reader).acknowledged == sequence{}));
  link.heal();
  advance(10s);
  BOOST_TEST((status(reader).acknowledged == sequence{3}));
}

BOOST_AUTO_TEST_CASE(a_reader_whose_consumer_was_taken_over_ends_and_says_so) {
  const auto first = start(durable(), taking());
  const auto end = end_of(first);
  write_some(1, 2);
  const auto second = start(durable(), taking(), backend);
  BOOST_REQUIRE(end->has_value());
  BOOST_TEST(((*end)->code == error_code::consumer_taken));
  write_some(3, 4);
  must_have_read(1, 4);
  BOOST_TEST(status(second).healthy);
}

BOOST_AUTO_TEST_CASE(a_reader_whose_durable_consumer_was_dropped_ends) {
  const auto reader = start(durable(), taking());
  const auto end = end_of(reader);
  BOOST_TEST(ask<durable_dropped>(backend, drop_durable{"night"}).value().existed);
  BOOST_REQUIRE(end->has_value());
  BOOST_TEST(((*end)->code == error_code::cancelled));
}

BOOST_AUTO_TEST_CASE(a_durable_name_that_is_known_with_another_pattern_ends_it) {
  start(durable(), taking());
  auto terms = durable();
  terms.pattern = at("valley.>");
  const auto end = end_of(start(terms, taking()));
  BOOST_REQUIRE(end->has_value());
  BOOST_TEST(((*end)->code == error_code::invalid_argument));
}

// -- sinks --------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(an_error_of_the_sink_ends_the_reader_with_it) {
  const auto sink = patient();
  const auto end = end_of(start(options(), sink));
  write_some(1, 1);
  answer(sink, to_error(error_code::storage_full, "no room for readings"));
  BOOST_REQUIRE(end->has_value());
  BOOST_TEST(((*end)->code == error_code::storage_full));
}

BOOST_AUTO_TEST_CASE(an_exception_of_the_sink_ends_the_reader_with_its_type_and_text) {
  const auto end = end_of(start(options(), read_function{[](const read_batch&) -> outcome<void> {
                                  throw std::logic_error{"never thought of that"};
                                }}));
  write_some(1, 1);
  BOOST_REQUIRE(end->has_value());
  BOOST_TEST((*end)->text == "the sink threw std::logic_error: never thought of that");
}

BOOST_AUTO_TEST_CASE(a_sink_that_ends_ends_the_reader) {
  const auto sink = patient();
  const auto end = end_of(start(options(), sink));
  kill(sink);
  BOOST_REQUIRE(end->has_value());
  BOOST_TEST(((*end)->code == error_code::cancelled));
}

BOOST_AUTO_TEST_CASE(a_sink_that_does_not_answer_ends_the_reader) {
  const auto sink = patient();
  const auto end = end_of(start(options(), sink));
  write_some(1, 1);
  advance(30s - 1ms);
  BOOST_TEST(!end->has_value());
  advance(1ms);
  BOOST_REQUIRE(end->has_value());
  BOOST_TEST(((*end)->code == error_code::timeout));
}

// -- the end ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(stopping_waits_for_the_batch_in_hand_and_its_acknowledgement) {
  const auto sink = patient();
  const auto reader = start(durable(), sink);
  write_some(1, 3);
  const auto stopped = ask<reader_stopped>(reader, reader_stop{});
  BOOST_TEST(!stopped.ready());
  answer(sink);
  BOOST_TEST((stopped.value().read == sequence{1}));
  must_have_read(1, 1);
  *log = {};
  start(durable(), taking());
  must_have_read(2, 3);
}

BOOST_AUTO_TEST_CASE(stopping_without_an_acknowledgement_says_so_after_the_grace) {
  const auto reader = start(durable(), taking());
  link.on_request = [](traffic x) { return x == traffic::ack ? fate::lose : fate::pass; };
  write_some(1, 3);
  const auto stopped = ask<reader_stopped>(reader, reader_stop{});
  advance(2s);
  BOOST_TEST((stopped.error().code == error_code::timeout));
  BOOST_TEST((stopped.error().certainty == certainty::unknown));
}

BOOST_AUTO_TEST_CASE(an_exit_message_ends_it_in_order) {
  const auto sink = patient();
  const auto reader = start(durable(), sink);
  const auto end = end_of(reader);
  write_some(1, 1);
  kill(reader, caf::exit_reason::user_shutdown);
  BOOST_TEST(!end->has_value());
  answer(sink);
  BOOST_TEST(end->has_value());
}

BOOST_AUTO_TEST_CASE(it_ends_with_its_owner_and_leaves_no_consumer_behind) {
  const auto owner = track(
    system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](caf::unit_t) {}}; }));
  auto terms = options();
  terms.owner = caf::actor_cast<caf::strong_actor_ptr>(owner);
  const auto end = end_of(start(terms, taking()));
  kill(owner);
  BOOST_TEST(end->has_value());
  BOOST_TEST(ask<backend_status>(backend, get_backend_status{}).value().watches == 0U);
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused_at_the_start) {
  const auto refusal = [&](const reader_options& x, const any_read_sink& sink) {
    const auto started = read_stream(system, rt(), backend, x, sink);
    BOOST_REQUIRE(!started.has_value());
    return started.error().code;
  };
  BOOST_TEST((refusal(options(), read_function{}) == error_code::invalid_argument));
  auto terms = options();
  terms.durable = "no spaces";
  BOOST_TEST((refusal(terms, taking()) == error_code::invalid_argument));
  terms = options();
  terms.window = 0;
  BOOST_TEST((refusal(terms, taking()) == error_code::invalid_argument));
  terms = options();
  terms.pattern = subject{*entity::parse("ridge"), property{}};
  BOOST_TEST((refusal(terms, taking()) == error_code::invalid_subject));
}

BOOST_AUTO_TEST_SUITE_END()
