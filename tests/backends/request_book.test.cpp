#include "trunnion/backends/common/request_book.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1h};
constexpr session_id caller{0}, one{1}, two{2}, three{3};

subject at(std::string_view text) { return *subject::parse(text); }

struct fixture {
  request_book book{{.requests_per_caller = 100, .subjects_per_session = 4}};

  request_book::handed ask(std::string_view on, nanoseconds timeout = 1s, session_id by = caller) {
    auto result = book.hand_over(at(on), by, start + timeout);
    BOOST_REQUIRE(result.has_value());
    return *result;
  }
  error_code refusal(std::string_view on, session_id by = caller) {
    auto result = book.hand_over(at(on), by, start + 1s);
    BOOST_REQUIRE(!result.has_value());
    BOOST_TEST(result.error().subject == on);
    return result.error().code;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(request_book_test, fixture)

BOOST_AUTO_TEST_CASE(those_with_equally_many_in_hand_take_turns) {
  for (const auto x : {one, two, three})
    book.listen(x, at("r.q"), 10);
  std::vector<std::uint32_t> turns;
  for (int i = 0; i < 6; ++i) {
    const auto handed = ask("r.q");
    turns.push_back(handed.to.value);
    book.close(handed.number);
  }
  BOOST_TEST(turns == (std::vector<std::uint32_t>{1, 2, 3, 1, 2, 3}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_one_with_the_fewest_in_hand_is_next_and_the_full_one_never) {
  book.listen(one, at("r.q"), 1);
  book.listen(two, at("r.q"), 3);
  BOOST_TEST((ask("r.q").to == one));
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    const auto handed = ask("r.q");
    BOOST_TEST((handed.to == two));
    last = handed.number;
  }
  BOOST_TEST((refusal("r.q") == error_code::overloaded));
  book.close(last);
  BOOST_TEST((ask("r.q").to == two));
}

BOOST_AUTO_TEST_CASE(a_new_bound_counts_for_what_is_in_hand_already) {
  book.listen(one, at("r.q"), 2);
  ask("r.q");
  BOOST_TEST(book.listen(one, at("r.q"), 1)->replaced);
  BOOST_TEST((refusal("r.q") == error_code::overloaded));
  book.listen(one, at("r.q"), 2);
  ask("r.q");
  book.unlisten(one, at("r.q"));
  book.listen(one, at("r.q"), 2); // It begins anew, but its hands are as full as before.
  BOOST_TEST((refusal("r.q") == error_code::overloaded));
}

BOOST_AUTO_TEST_CASE(a_number_is_never_another_requests) {
  book.listen(one, at("r.q"), 10);
  const auto first = ask("r.q");
  book.close(first.number);
  const auto second = ask("r.q");
  BOOST_TEST(request_book::place_of(first.number) == request_book::place_of(second.number));
  BOOST_TEST(!book.find(first.number));
  BOOST_TEST(book.find(second.number)->subject.text() == "r.q");
  BOOST_TEST(!book.find(second.number + 1));
  BOOST_TEST(!book.find(0));
}

BOOST_AUTO_TEST_CASE(what_is_in_hand_outlives_the_listening) {
  book.listen(one, at("r.q"), 10);
  const auto handed = ask("r.q");
  BOOST_TEST(book.unlisten(one, at("r.q")));
  BOOST_TEST(!book.unlisten(one, at("r.q")));
  BOOST_TEST((refusal("r.q") == error_code::unregistered_responder));
  BOOST_TEST((book.find(handed.number)->listener == one));
  BOOST_TEST((book.oldest_in_hand(one) == handed.number));
  book.close(handed.number);
  BOOST_TEST(!book.oldest_in_hand(one));
  BOOST_TEST(book.open() == 0U);
}

BOOST_AUTO_TEST_CASE(purging_ends_what_is_listened_on_and_nothing_in_hand) {
  for (const auto* x : {"r.a", "r.b", "r.c"})
    book.listen(one, at(x), 10);
  book.listen(two, at("r.a"), 10);
  const auto handed = ask("r.b");
  BOOST_TEST(book.purge(one) == 3U);
  BOOST_TEST(book.purge(one) == 0U);
  BOOST_TEST(book.listeners() == 1U);
  BOOST_TEST((ask("r.a").to == two));
  BOOST_TEST(book.find(handed.number).has_value());
}

BOOST_AUTO_TEST_CASE(deadlines_come_up_in_order_and_leave_with_their_requests) {
  book.listen(one, at("r.q"), 10);
  const auto slow = ask("r.q", 9s), fast = ask("r.q", 1s), same = ask("r.q", 1s);
  BOOST_TEST((book.next_due() == start + 1s));
  BOOST_TEST(!book.due(start + 999ms));
  BOOST_TEST((book.due(start + 1s) == fast.number));
  book.close(fast.number);
  BOOST_TEST((book.due(start + 1s) == same.number));
  book.close(same.number);
  BOOST_TEST(!book.due(start + 1s));
  book.close(slow.number);
  BOOST_TEST(!book.next_due());
}

BOOST_AUTO_TEST_CASE(one_caller_or_session_cannot_have_more_than_its_share) {
  book.listen(one, at("r.q"), 1'000);
  for (int i = 0; i < 100; ++i)
    ask("r.q");
  BOOST_TEST((refusal("r.q") == error_code::overloaded));
  ask("r.q", 1s, three); // Another one may.
  for (const auto* x : {"r.a", "r.b", "r.c"})
    BOOST_TEST(book.listen(one, at(x), 1).has_value());
  BOOST_TEST((book.listen(one, at("r.d"), 1).error().code == error_code::overloaded));
  BOOST_TEST(book.listen(one, at("r.q"), 1'000)->replaced); // No more than before.
}

BOOST_AUTO_TEST_CASE(whatever_is_done_it_agrees_with_a_plain_list) {
  struct open_request {
    std::uint64_t number;
    std::uint32_t caller, listener;
    instant deadline;
    std::string on;
  };
  std::vector<open_request> open;                               // In order of opening.
  std::map<std::pair<std::uint32_t, std::string>, int> at_most; // By session and subject.
  std::mt19937_64 random{5};
  const auto in_hand = [&](std::uint32_t session, const std::string& on) {
    return std::ranges::count_if(
      open, [&](const auto& x) { return x.listener == session && x.on == on; });
  };
  for (int step = 0; step < 20'000; ++step) {
    const auto session = static_cast<std::uint32_t>(random() % 5);
    const auto on = "r.q" + std::to_string(random() % 3);
    switch (random() % 8) {
    case 0: {
      const int most = 1 + static_cast<int>(random() % 6);
      const auto replaced = at_most.contains({session, on});
      BOOST_REQUIRE(book.listen({session}, at(on), static_cast<std::uint32_t>(most))->replaced
                    == replaced);
      at_most[{session, on}] = most;
      break;
    }
    case 1:
      if (random() % 4 == 0)
        BOOST_REQUIRE(book.unlisten({session}, at(on)) == (at_most.erase({session, on}) > 0));
      break;
    case 2:
      if (!open.empty()) {
        const auto i = static_cast<std::ptrdiff_t>(random() % open.size());
        book.close(open[static_cast<std::size_t>(i)].number);
        open.erase(open.begin() + i);
      }
      break;
    default: {
      std::ptrdiff_t fewest = -1;
      for (const auto& [listener, most] : at_most)
        if (const auto n = in_hand(listener.first, on);
            listener.second == on && n < most && (fewest < 0 || n < fewest))
          fewest = n;
      const auto deadline = start + milliseconds{random() % 1'000};
      const auto handed = book.hand_over(at(on), {session}, deadline);
      BOOST_REQUIRE(handed.has_value() == (fewest >= 0));
      if (!handed)
        break;
      BOOST_REQUIRE(at_most.contains({handed->to.value, on}));
      BOOST_REQUIRE(in_hand(handed->to.value, on) == fewest);
      open.push_back({handed->number, session, handed->to.value, deadline, on});
    }
    }
    BOOST_REQUIRE(book.open() == open.size());
    BOOST_REQUIRE(book.listeners() == at_most.size());
    const auto next = std::ranges::min_element(open, {}, &open_request::deadline);
    BOOST_REQUIRE(
      (book.next_due() == (open.empty() ? std::nullopt : std::optional{next->deadline})));
    const auto mine = std::ranges::find(open, session, &open_request::caller);
    BOOST_REQUIRE((book.oldest_asked({session})
                   == (mine == open.end() ? std::nullopt : std::optional{mine->number})));
    const auto held = std::ranges::find(open, session, &open_request::listener);
    BOOST_REQUIRE((book.oldest_in_hand({session})
                   == (held == open.end() ? std::nullopt : std::optional{held->number})));
  }
}

BOOST_AUTO_TEST_SUITE_END()
