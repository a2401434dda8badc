#include "trunnion/backends/common/fan_out.hpp"

#include "trunnion/backends/common/stream_fan_out.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1h};

/// Keeps what is sent; the part itself is the packet.
template <class Part> struct recorder {
  std::vector<Part> sent;
  Part pack(Part x) const { return x; }
  void send(const Part& x) { sent.push_back(x); }
};

using mouth = recorder<watch_part>;
using feed = watch_fan_out<watch_part>;

change write(std::string_view key, std::uint64_t at, std::string value = "v") {
  change result;
  result.entry.subject = *subject::parse(key);
  result.entry.payload = payload{std::move(value)};
  result.entry.revision = {at};
  return result;
}

change removal(std::string_view key, std::uint64_t at) {
  auto result = write(key, at, "");
  result.entry.tombstone = tombstone_cause::deleted;
  return result;
}

/// Parts in words: `1:snapshot_end 2:change(a.k@1)`.
std::string words(const mouth& x) {
  std::string result;
  for (const auto& part : x.sent) {
    result += std::to_string(part.seq) + ":" + to_string(part.kind);
    for (const auto& e : part.entries)
      result += "(" + e.subject.text() + "@" + to_string(e.revision) + (e.is_live() ? "" : " gone")
                + (e.skipped_delete ? " skipped" : "") + ")";
    result += " ";
  }
  return result;
}

/// A watch that has told its empty snapshot.
feed live(mouth& out, std::uint64_t credit, std::uint64_t most = 100) {
  feed x{1, credit, most, {}};
  x.flush(start, out);
  x.add_page({{}, true}, start, out);
  return x;
}

} // namespace

BOOST_AUTO_TEST_SUITE(fan_out_test)

BOOST_AUTO_TEST_CASE(a_snapshot_is_told_page_by_page_as_credit_allows) {
  mouth out;
  feed x{1, 1, 100, {5}};
  BOOST_TEST(x.wants_page());
  x.add_page({{write("a.k", 1).entry}, false}, start, out);
  BOOST_TEST(!x.wants_page());
  BOOST_TEST(x.position().behind->text() == "a.k");
  x.on_credit(1, 2);
  BOOST_TEST(x.wants_page());
  x.add_page({{write("a.l", 2).entry}, true}, start, out);
  x.on_credit(2, 3);
  x.flush(start, out);
  BOOST_TEST(words(out) == "1:snapshot(a.k@1) 2:snapshot(a.l@2) 3:snapshot_end ");
  BOOST_TEST(out.sent[0].revision.value == 5U);
}

BOOST_AUTO_TEST_CASE(a_change_ahead_of_a_snapshot_is_left_to_it_and_one_behind_waits) {
  mouth out;
  feed x{1, 1, 100, {}};
  x.add_page({{write("a.m", 1).entry}, false}, start, out);
  x.offer(write("a.z", 2), false, start, out);
  x.offer(write("a.b", 3), false, start, out);
  BOOST_TEST(x.pending() == 1U);
  x.on_credit(1, 9);
  x.add_page({{write("a.z", 2).entry}, true}, start, out);
  BOOST_TEST(words(out) == "1:snapshot(a.m@1) 2:snapshot(a.z@2) 3:snapshot_end 4:change(a.b@3) ");
}

BOOST_AUTO_TEST_CASE(without_credit_the_newest_change_of_each_key_waits_in_the_order_of_revisions) {
  mouth out;
  auto x = live(out, 1);
  x.offer(write("a.k", 1), false, start, out);
  x.offer(write("a.l", 2), false, start, out);
  x.offer(write("a.k", 3), false, start, out);
  x.offer(removal("a.m", 4), false, start, out);
  x.offer(write("a.m", 5), false, start, out);
  x.offer(write("a.m", 6), false, start, out);
  x.offer(removal("a.l", 7), false, start, out);
  BOOST_TEST(x.pending() == 3U);
  x.on_credit(1, 2);
  x.flush(start, out);
  BOOST_TEST(words(out) == "1:snapshot_end 2:change(a.k@3)(a.m@6 skipped)(a.l@7 gone) ");
}

BOOST_AUTO_TEST_CASE(with_more_to_come_every_change_is_told_in_one_part) {
  mouth out;
  auto x = live(out, 2); // Credit for one more part.
  for (std::uint64_t i = 1; i <= 3; ++i)
    x.offer(write("a.k", i), true, start, out);
  BOOST_TEST(out.sent.size() == 1U);
  x.flush(start, out);
  x.offer(write("a.k", 4), true, start, out); // No credit: coalesced.
  x.offer(write("a.k", 5), true, start, out);
  x.on_credit(2, 3);
  x.flush(start, out);
  BOOST_TEST(words(out) == "1:snapshot_end 2:change(a.k@1)(a.k@2)(a.k@3) 3:change(a.k@5) ");
}

BOOST_AUTO_TEST_CASE(a_part_that_is_full_does_not_wait_for_more) {
  mouth out;
  auto x = live(out, 9);
  for (std::uint64_t i = 1; i <= max_part_entries + 1; ++i)
    x.offer(write("a.k", i), true, start, out);
  BOOST_REQUIRE(out.sent.size() == 2U);
  BOOST_TEST(out.sent[1].entries.size() == max_part_entries);
  x.offer(write("a.k", 999), false, start, out); // Takes the one that waits along.
  BOOST_REQUIRE(out.sent.size() == 3U);
  BOOST_TEST(out.sent[2].entries.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_change_tells_the_time_left_when_it_is_told) {
  mouth out;
  auto x = live(out, 1);
  auto timed = write("a.k", 1);
  timed.deadline = start + 10s;
  x.offer(timed, false, start, out);
  x.on_credit(1, 2);
  x.flush(start + 4s, out);
  BOOST_TEST((out.sent.back().entries[0].time_left == 6s));
}

BOOST_AUTO_TEST_CASE(too_many_waiting_keys_make_a_watch_resync) {
  mouth out;
  auto x = live(out, 1);
  for (std::uint64_t i = 1; i <= max_pending_keys + 1; ++i)
    x.offer(write("a.k" + std::to_string(i), i), false, start, out);
  BOOST_TEST(x.pending() == 0U);
  x.on_credit(1, 2); // One part at a time is enough.
  x.flush(start, out);
  BOOST_TEST(!x.wants_page());
  x.on_credit(2, 3);
  BOOST_TEST(x.wants_page());
  x.add_page({{write("a.k", 9'000).entry}, true}, start, out);
  x.on_credit(3, 4);
  x.flush(start, out);
  BOOST_TEST(words(out) == "1:snapshot_end 2:resync 3:snapshot(a.k@9000) 4:snapshot_end ");
}

BOOST_AUTO_TEST_CASE(a_listing_is_told_whole_and_is_over_once_it_was_seen) {
  mouth out;
  feed x{1, 9, 100, {3}, {write("a.k", 1).entry, write("a.l", 2).entry}};
  x.flush(start, out);
  x.offer(write("a.k", 4), false, start, out);
  BOOST_TEST(words(out) == "1:snapshot(a.k@1)(a.l@2) 2:snapshot_end ");
  BOOST_TEST(!x.is_over());
  x.on_credit(2, 9);
  BOOST_TEST(x.is_over());
}

BOOST_AUTO_TEST_CASE(an_unseen_part_is_sent_again_each_second_until_it_is_seen) {
  mouth out;
  auto x = live(out, 9);
  x.on_credit(1, 9);
  x.offer(write("a.k", 1), false, start, out);
  x.offer(write("a.l", 2), false, start + 500ms, out);
  BOOST_TEST((x.next_resend() == start + 1s));
  BOOST_TEST(x.resend_due(start + 999ms, out) == 0U);
  BOOST_TEST(x.resend_due(start + 1s, out) == 1U);
  BOOST_TEST((x.next_resend() == start + 1500ms));
  BOOST_TEST(x.resend_due(start + 2s, out) == 2U);
  x.on_credit(3, 9);
  BOOST_TEST(!x.next_resend());
  BOOST_TEST(x.resend_due(start + 9s, out) == 0U);
}

BOOST_AUTO_TEST_CASE(a_rewatch_counts_what_came_before_as_seen) {
  mouth out;
  auto x = live(out, 9);
  for (std::uint64_t i = 1; i <= 4; ++i)
    x.offer(write("a.k", i), false, start, out);
  out.sent.clear();
  BOOST_TEST(x.on_rewatch(4, {4}, start, out).resent == 2U);
  BOOST_TEST(words(out) == "4:change(a.k@3) 5:change(a.k@4) ");
  BOOST_TEST(x.unseen() == 2U);
}

BOOST_AUTO_TEST_CASE(a_rewatch_of_the_next_part_has_nothing_to_send) {
  mouth out;
  auto x = live(out, 9);
  out.sent.clear();
  const auto answer = x.on_rewatch(2, {}, start, out);
  BOOST_TEST(answer.kept);
  BOOST_TEST(answer.resent == 0U);
  BOOST_TEST(out.sent.empty());
}

BOOST_AUTO_TEST_CASE(a_rewatch_of_what_never_was_resyncs_from_that_number) {
  mouth out;
  auto x = live(out, 20);
  x.offer(write("a.k", 1), false, start, out);
  x.on_credit(2, 20);
  out.sent.clear();
  x.on_rewatch(9, {1}, start, out);
  x.flush(start, out);
  x.add_page({{}, true}, start, out);
  BOOST_TEST(words(out) == "9:resync 10:snapshot_end ");
}

BOOST_AUTO_TEST_CASE(a_rewatch_that_a_credit_has_overtaken_changes_nothing) {
  mouth out;
  auto x = live(out, 20);
  for (std::uint64_t i = 1; i <= 3; ++i)
    x.offer(write("a.k", i), false, start, out);
  x.on_credit(3, 20); // Part 3 came after all, sent again by the clock.
  out.sent.clear();
  const auto answer = x.on_rewatch(3, {3}, start, out);
  BOOST_TEST(answer.kept);
  x.flush(start, out);
  BOOST_TEST(out.sent.empty());
  BOOST_TEST(x.unseen() == 1U); // Part 4, under its number.
  x.offer(write("a.k", 4), false, start, out);
  BOOST_TEST(words(out) == "5:change(a.k@4) ");
}

BOOST_AUTO_TEST_CASE(a_listing_cannot_begin_again) {
  mouth out;
  feed x{1, 9, 100, {}, {write("a.k", 1).entry}};
  x.flush(start, out);
  x.on_credit(1, 9);
  BOOST_TEST(x.on_rewatch(1, {}, start, out).kept);
  BOOST_TEST(!x.on_rewatch(9, {}, start, out).kept);
}

BOOST_AUTO_TEST_CASE(credit_is_absolute_and_bounded) {
  mouth out;
  auto x = live(out, 1'000, 3);
  for (std::uint64_t i = 1; i <= 9; ++i)
    x.offer(write("a.k" + std::to_string(i), i), false, start, out);
  BOOST_TEST(x.unseen() == 3U);
  x.on_credit(1'000, 2); // More than was sent, and less than was granted: neither counts.
  BOOST_TEST(x.unseen() == 0U);
  x.flush(start, out);
  BOOST_TEST(x.pending() == 0U);
  BOOST_TEST(out.sent.back().entries.size() == 7U);
}

// -- consumers ----------------------------------------------------------------

namespace {

stream_message message(std::uint64_t at, std::string text = "v") {
  return {*subject::parse("a.s"), {at}, {}, payload{std::move(text)}};
}

stream_opening opened_at(std::uint64_t from, bool at_tail) {
  return {.place = {{from}, {}}, .at_tail = at_tail};
}

void remove(stream_fan_out<stream_part>& x, std::uint64_t at, std::uint64_t successor = 0) {
  const auto gone = message(at);
  x.on_removed({gone, {successor}});
}

} // namespace

BOOST_AUTO_TEST_CASE(a_consumer_that_stopped_reads_on_and_tells_what_retention_took) {
  recorder<stream_part> out;
  stream_fan_out<stream_part> x{1, 1, 100, opened_at(1, true)};
  x.offer(message(1), false, start, out);
  x.offer(message(2), false, start, out); // No credit: remembered.
  x.offer(message(3), false, start, out);
  BOOST_TEST(out.sent.size() == 1U);
  BOOST_TEST(x.place().from.value == 2U);
  remove(x, 1); // Long told.
  remove(x, 2);
  x.on_credit(1, 3);
  BOOST_TEST(x.wants_batch());
  x.add_batch({{message(3)}, {4}, true}, start, out);
  x.offer(message(4), false, start, out);
  BOOST_REQUIRE(out.sent.size() == 3U);
  BOOST_TEST(out.sent[1].skipped == 1U);
  BOOST_TEST(out.sent[1].messages.size() == 1U);
  BOOST_TEST(out.sent[2].skipped == 0U);
}

BOOST_AUTO_TEST_CASE(a_gap_with_nothing_behind_it_is_told_by_itself) {
  recorder<stream_part> out;
  stream_fan_out<stream_part> x{1, 0, 100, opened_at(1, false)};
  remove(x, 1);
  remove(x, 2);
  x.on_credit(0, 1);
  x.add_batch({{}, {3}, true}, start, out);
  BOOST_REQUIRE(out.sent.size() == 1U);
  BOOST_TEST(out.sent[0].messages.empty());
  BOOST_TEST(out.sent[0].skipped == 2U);
}

BOOST_AUTO_TEST_CASE(messages_that_come_together_are_told_together) {
  recorder<stream_part> out;
  stream_fan_out<stream_part> x{1, 1, 100, opened_at(1, true)};
  for (std::uint64_t i = 1; i <= 3; ++i)
    x.offer(message(i), true, start, out);
  remove(x, 1); // Held back, so that retention may take it.
  BOOST_TEST(out.sent.empty());
  x.flush(start, out);
  BOOST_REQUIRE(out.sent.size() == 1U);
  BOOST_TEST(out.sent[0].messages.size() == 3U);
  BOOST_TEST(out.sent[0].skipped == 0U);
  x.offer(message(4), true, start, out); // No credit for one more part.
  BOOST_TEST(x.place().from.value == 4U);
  BOOST_TEST(!x.wants_batch());
}

BOOST_AUTO_TEST_CASE(more_than_a_part_holds_is_told_in_the_next_one) {
  recorder<stream_part> out;
  stream_fan_out<stream_part> x{1, 100, 100, opened_at(1, true)};
  for (std::uint64_t i = 1; i <= max_part_entries + 1; ++i)
    x.offer(message(i), true, start, out);
  BOOST_REQUIRE(out.sent.size() == 1U);
  BOOST_TEST(out.sent[0].messages.size() == max_part_entries);
  BOOST_TEST(out.sent[0].pending == 1U);
  x.offer(message(max_part_entries + 2), false, start, out);
  BOOST_REQUIRE(out.sent.size() == 2U);
  BOOST_TEST(out.sent[1].messages.size() == 2U);
  BOOST_TEST(out.sent[1].pending == 0U);
}

BOOST_AUTO_TEST_CASE(what_lies_before_a_start_to_come_is_not_told) {
  recorder<stream_part> out;
  stream_fan_out<stream_part> x{1, 9, 100, opened_at(3, true)};
  x.offer(message(1), false, start, out);
  x.offer(message(2), true, start, out);
  remove(x, 1);
  x.flush(start, out);
  BOOST_TEST(out.sent.empty());
  x.offer(message(3), false, start, out);
  BOOST_REQUIRE(out.sent.size() == 1U);
  BOOST_TEST(out.sent[0].messages[0].sequence.value == 3U);
  BOOST_TEST(out.sent[0].skipped == 0U);
}

BOOST_AUTO_TEST_CASE(of_the_latest_only_what_was_the_newest_counts_as_skipped) {
  recorder<stream_part> out;
  stream_fan_out<stream_part> x{1, 0, 100, {.place = {{1}, {9}}}};
  remove(x, 1, 4);  // Not the newest of its subject when the consumer was opened.
  remove(x, 4, 12); // The newest then.
  remove(x, 5);     // The newest, with nothing behind it.
  x.on_credit(0, 1);
  x.add_batch({{}, {13}, true}, start, out);
  BOOST_REQUIRE(out.sent.size() == 1U);
  BOOST_TEST(out.sent[0].skipped == 2U);
}

BOOST_AUTO_TEST_CASE(a_consumer_resumes_behind_what_its_sink_has_seen) {
  recorder<stream_part> out;
  stream_fan_out<stream_part> x{1, 9, 100, opened_at(1, true)};
  for (std::uint64_t i = 1; i <= 3; ++i)
    x.offer(message(i), false, start, out);
  x.offer(message(4), true, start, out);
  x.on_credit(1, 9);
  x.resume({}, start, out);
  std::string told;
  for (const auto& part : out.sent)
    told += std::to_string(part.seq) + "=" + std::to_string(part.messages[0].sequence.value) + " ";
  BOOST_TEST(told == "1=1 2=2 3=3 4=4 2=2 3=3 4=4 ");
}

BOOST_AUTO_TEST_CASE(a_watch_resyncs_after_an_interruption_and_its_parts_have_no_gap) {
  mouth out;
  auto x = live(out, 9);
  x.on_credit(1, 9);
  x.offer(write("a.k", 5), false, start, out);
  out.sent.clear();
  x.resume({5}, start, out);
  x.flush(start, out);
  BOOST_REQUIRE(x.wants_page());
  x.add_page({{write("a.k", 5).entry}, true}, start, out);
  BOOST_TEST(words(out) == "2:change(a.k@5) 3:resync 4:snapshot(a.k@5) 5:snapshot_end ");
}

BOOST_AUTO_TEST_SUITE_END()
