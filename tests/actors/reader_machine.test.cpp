#include "trunnion/actors/reader_machine.hpp"

#include <boost/test/unit_test.hpp>

#include <deque>
#include <random>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{std::chrono::hours{1}};
constexpr epoch old_store{7}, new_store{8};

stream_message message(std::uint64_t sequence) {
  return {.subject = *subject::parse("ridge.wind"),
          .sequence = {sequence},
          .time = wall_time{std::chrono::seconds{sequence}},
          .payload = payload{std::to_string(sequence)}};
}

stream_part part(watch_id id, std::uint64_t seq, std::vector<std::uint64_t> sequences,
                 epoch store = old_store) {
  stream_part result{.id = id, .seq = seq, .epoch = store};
  for (const auto x : sequences)
    result.messages.push_back(message(x));
  return result;
}

reader_plan plan(stream_start begin = stream_start::all) {
  return {.pattern = *subject::parse("ridge.>"), .start = begin, .batch = 100, .window = 4};
}

/// All that a machine hands over, each batch answered at once.
std::vector<std::uint64_t> read_all(reader_machine& x) {
  std::vector<std::uint64_t> result;
  while (const auto batch = x.next_batch()) {
    for (const auto& m : batch->messages)
      result.push_back(m.sequence.value);
    x.on_read();
  }
  return result;
}

using numbers = std::vector<std::uint64_t>;

} // namespace

#define CHECK_NUMBERS(x, ...)                                                                      \
  BOOST_TEST((x) == (numbers{__VA_ARGS__}), boost::test_tools::per_element())

BOOST_AUTO_TEST_SUITE(reader_machine_test)

BOOST_AUTO_TEST_CASE(parts_are_taken_in_their_order_only) {
  reader_machine machine{plan()};
  (void)machine.open(1, start);
  BOOST_TEST(machine.on_part(part(1, 1, {1}), start).credit);
  const auto gap = machine.on_part(part(1, 3, {3}), start);
  BOOST_TEST((gap.ask == rewatch{1, 2}));
  CHECK_NUMBERS(read_all(machine), 1);
  (void)machine.on_part(part(1, 2, {2}), start);
  (void)machine.on_part(part(1, 3, {3}), start);
  CHECK_NUMBERS(read_all(machine), 2, 3);
}

BOOST_AUTO_TEST_CASE(a_gap_is_asked_for_once_a_second_and_then_given_up) {
  reader_machine machine{plan()};
  (void)machine.open(1, start);
  BOOST_TEST(machine.on_part(part(1, 2, {2}), start).ask.has_value());
  BOOST_TEST(!machine.on_part(part(1, 3, {3}), start + 500ms).ask.has_value());
  BOOST_TEST((machine.next_due() == start + 1s));
  BOOST_TEST(machine.on_time(start + 1s).ask.has_value());
  BOOST_TEST(!machine.on_time(start + 10s).broken.empty());
  BOOST_TEST(machine.gaps() == 1U);
}

BOOST_AUTO_TEST_CASE(what_was_received_before_is_dropped) {
  reader_machine machine{plan()};
  (void)machine.open(1, start);
  (void)machine.on_part(part(1, 1, {1, 2}), start);
  machine.close();
  BOOST_TEST(!machine.on_part(part(1, 2, {3}), start).credit);
  (void)machine.open(2, start);
  (void)machine.on_part(part(2, 1, {1, 2, 3}), start);
  CHECK_NUMBERS(read_all(machine), 1, 2, 3);
}

BOOST_AUTO_TEST_CASE(one_batch_is_in_hand_at_a_time) {
  reader_machine machine{plan()};
  (void)machine.open(1, start);
  (void)machine.on_part(part(1, 1, {1}), start);
  BOOST_TEST(machine.next_batch().has_value());
  (void)machine.on_part(part(1, 2, {2}), start);
  BOOST_TEST(!machine.next_batch().has_value());
  BOOST_TEST(machine.buffered() == 2U);
  machine.on_read();
  BOOST_TEST((machine.read() == sequence{1}));
  CHECK_NUMBERS(read_all(machine), 2);
}

BOOST_AUTO_TEST_CASE(a_batch_has_so_many_messages_and_bytes_at_most) {
  auto terms = plan();
  terms.batch = 3;
  reader_machine machine{terms};
  (void)machine.open(1, start);
  (void)machine.on_part(part(1, 1, {1, 2}), start);
  (void)machine.on_part(part(1, 2, {3, 4}), start);
  BOOST_TEST(machine.next_batch()->messages.size() == 3U);
  machine.on_read();
  auto large = part(1, 3, {5, 6});
  for (auto& x : large.messages)
    x.payload = payload{std::string(max_part_bytes, 'x')};
  (void)machine.on_part(large, start);
  BOOST_TEST(machine.next_batch()->messages.size() == 1U);
  machine.on_read();
  BOOST_TEST(machine.next_batch()->messages.size() == 1U);
}

BOOST_AUTO_TEST_CASE(credit_leaves_room_for_what_waits_even_after_an_interruption) {
  reader_machine machine{plan()};
  BOOST_TEST(machine.open(1, start).credit == 4U);
  for (std::uint64_t i = 1; i <= 3; ++i)
    (void)machine.on_part(part(1, i, {i}), start);
  BOOST_TEST((machine.credit() == stream_credit{1, 3, 4}));
  BOOST_TEST(machine.open(2, start).credit == 1U);
  CHECK_NUMBERS(read_all(machine), 1, 2, 3);
  BOOST_TEST((machine.credit() == stream_credit{2, 0, 4}));
}

BOOST_AUTO_TEST_CASE(what_retention_removed_is_told_with_the_messages_behind_it) {
  reader_machine machine{plan()};
  (void)machine.open(1, start);
  (void)machine.on_part(part(1, 1, {1}), start);
  auto empty = part(1, 2, {});
  empty.skipped = 5;
  (void)machine.on_part(empty, start);
  auto more = part(1, 3, {9});
  more.skipped = 2;
  (void)machine.on_part(more, start);
  BOOST_TEST(machine.next_batch()->skipped == 0U);
  machine.on_read();
  BOOST_TEST(machine.next_batch()->skipped == 7U);
  BOOST_TEST(machine.skipped() == 7U);
}

BOOST_AUTO_TEST_CASE(the_lag_is_what_waits_here_and_there) {
  reader_machine machine{plan()};
  (void)machine.open(1, start);
  auto first = part(1, 1, {1, 2});
  first.pending = 40;
  (void)machine.on_part(first, start);
  BOOST_TEST(machine.lag() == 42U);
  (void)read_all(machine);
  BOOST_TEST(machine.lag() == 40U);
}

// -- where the next consumer begins -------------------------------------------

BOOST_AUTO_TEST_CASE(a_consumer_that_was_never_confirmed_is_opened_as_the_first_one) {
  auto terms = plan(stream_start::time);
  terms.since = wall_time{3s};
  reader_machine machine{terms};
  (void)machine.open(1, start);
  const auto again = machine.open(2, start);
  BOOST_TEST((again.start == stream_start::time));
  BOOST_TEST((again.since == wall_time{3s}));
}

BOOST_AUTO_TEST_CASE(a_reader_of_new_messages_resumes_where_it_first_began) {
  reader_machine machine{plan(stream_start::only_new)};
  (void)machine.open(1, start);
  (void)machine.on_opened(1, {old_store, {100}, false});
  const auto again = machine.open(2, start);
  BOOST_TEST((again.start == stream_start::sequence));
  BOOST_TEST((again.from == sequence{101}));
}

BOOST_AUTO_TEST_CASE(an_empty_part_is_no_place_to_resume_from) {
  reader_machine machine{plan(stream_start::only_new)};
  (void)machine.open(1, start);
  (void)machine.on_part(part(1, 1, {}), start);
  BOOST_TEST((machine.open(2, start).start == stream_start::only_new));
}

BOOST_AUTO_TEST_CASE(a_reader_of_the_latest_is_not_led_past_what_must_still_come) {
  reader_machine machine{plan(stream_start::latest)};
  (void)machine.open(1, start);
  (void)machine.on_opened(1, {old_store, {100}, false});
  (void)machine.on_part(part(1, 1, {40}), start);
  BOOST_TEST((machine.open(2, start).from == sequence{41}));
  (void)machine.on_part(part(2, 1, {70, 101}), start);
  CHECK_NUMBERS(read_all(machine), 40, 70, 101);
}

BOOST_AUTO_TEST_CASE(a_durable_consumer_that_is_known_goes_on_where_the_backend_says) {
  auto terms = plan(stream_start::only_new);
  terms.durable = "night";
  reader_machine machine{terms};
  (void)machine.open(1, start);
  (void)machine.on_opened(1, {old_store, {100}, true});
  (void)machine.on_part(part(1, 1, {50, 101}), start); // It was opened as `latest` once.
  CHECK_NUMBERS(read_all(machine), 50, 101);
}

BOOST_AUTO_TEST_CASE(a_place_that_retention_went_past_is_noticed) {
  reader_machine machine{plan()};
  (void)machine.open(1, start);
  (void)machine.on_part(part(1, 1, {9}), start);
  (void)machine.open(2, start);
  BOOST_TEST(!machine.on_opened(2, {old_store, {9}, false}).may_have_missed);
  (void)machine.open(3, start);
  BOOST_TEST(machine.on_opened(3, {old_store, {30}, false}).may_have_missed);
}

// -- another store ------------------------------------------------------------

BOOST_AUTO_TEST_CASE(in_another_store_it_goes_on_by_time) {
  reader_machine machine{plan()};
  (void)machine.open(1, start);
  (void)machine.on_part(part(1, 1, {500}), start);
  BOOST_TEST(!machine.on_part(part(1, 2, {1}, new_store), start).broken.empty());
  const auto again = machine.open(2, start);
  BOOST_TEST((again.start == stream_start::time));
  BOOST_TEST((again.since == message(500).time));
  (void)machine.on_part(part(2, 1, {1, 2}, new_store), start);
  CHECK_NUMBERS(read_all(machine), 500, 1, 2);
  BOOST_TEST((machine.open(3, start).from == sequence{3}));
}

BOOST_AUTO_TEST_CASE(a_store_that_only_says_to_be_another_one_repeats_nothing) {
  reader_machine machine{plan()};
  (void)machine.open(1, start);
  (void)machine.on_part(part(1, 1, {5}), start);
  (void)machine.open(2, start);
  BOOST_TEST(!machine.on_opened(2, {new_store, {5}, false}).broken.empty());
  (void)machine.open(3, start);
  (void)machine.on_opened(3, {new_store, {4}, false});
  (void)machine.on_part(part(3, 1, {5, 6}, new_store), start);
  CHECK_NUMBERS(read_all(machine), 5, 6);
}

BOOST_AUTO_TEST_CASE(what_was_read_of_the_old_store_is_not_acknowledged_at_the_new_one) {
  reader_machine machine{plan()};
  (void)machine.open(1, start);
  (void)machine.on_part(part(1, 1, {500}), start);
  BOOST_TEST(machine.next_batch().has_value());
  (void)machine.on_part(part(1, 2, {1}, new_store), start);
  machine.on_read();
  BOOST_TEST((machine.to_acknowledge() == sequence{}));
  BOOST_TEST((machine.read() == sequence{500}));
}

// -- whatever happens ---------------------------------------------------------

BOOST_AUTO_TEST_CASE(whatever_is_lost_repeated_or_interrupted_each_message_is_read_once) {
  constexpr std::uint64_t last = 200;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random{seed};
    reader_machine machine{plan()};
    numbers read;
    watch_id id = 1;
    auto opened = machine.open(id, start);
    auto now = start;
    std::uint64_t next_message = 1, seq = 0, granted = opened.credit;
    std::deque<stream_part> sent; // From this consumer; any of them may come, and come again.
    for (int step = 0; step < 20'000 && read.size() < last; ++step) {
      now += 100ms;
      switch (random() % 8) {
      case 0:
      case 1:
      case 2:
        if (seq < granted && next_message <= last) {
          numbers some;
          for (auto n = random() % 4 + 1; n > 0 && next_message <= last; --n)
            some.push_back(next_message++);
          sent.push_back(part(id, ++seq, some));
        }
        break;
      case 3:
      case 4:
      case 5:
        if (!sent.empty()) {
          (void)machine.on_part(sent[random() % sent.size()], now);
          granted = std::max(granted, machine.credit().up_to);
        }
        break;
      case 6:
        if (const auto batch = machine.next_batch()) {
          for (const auto& m : batch->messages)
            read.push_back(m.sequence.value);
          machine.on_read();
          granted = std::max(granted, machine.credit().up_to);
        }
        break;
      default:
        if (random() % 10 == 0) {
          opened = machine.open(++id, now);
          next_message = opened.start == stream_start::sequence ? opened.from.value : 1;
          seq = 0;
          granted = opened.credit;
          sent.clear();
        }
      }
    }
    BOOST_REQUIRE_EQUAL(read.size(), last);
    for (std::uint64_t i = 0; i < last; ++i)
      BOOST_REQUIRE_EQUAL(read[i], i + 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()
