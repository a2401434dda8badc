#include "trunnion/backends/memory/durables.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <set>

using namespace trunnion;

namespace {

subject key(std::string_view text) { return *subject::parse(text); }

struct fixture {
  durable_table durables;

  outcome<stream_opening> open(const std::string& name, std::string_view pattern = "a.s",
                               std::uint64_t from = 1) {
    return durables.open(name, key(pattern), {{from}, {}});
  }

  std::uint64_t acknowledge(const std::string& name, std::uint64_t up_to) {
    return durables.acknowledge(name, {up_to}, {1'000'000})->value;
  }

  void remove(std::uint64_t at, std::string_view from = "a.s") {
    const stream_message gone{key(from), {at}, {}, {}};
    durables.on_removed({gone, {}});
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(durables_test, fixture)

BOOST_AUTO_TEST_CASE(a_new_name_begins_at_its_start_and_a_known_one_where_it_stopped) {
  const auto first = open("d", "a.s", 5);
  BOOST_TEST(!first->resumed);
  BOOST_TEST(first->place.from.value == 5U);
  BOOST_TEST(acknowledge("d", 7) == 7U);
  const auto again = open("d", "a.s", 1);
  BOOST_TEST(again->resumed);
  BOOST_TEST(again->place.from.value == 8U);
}

BOOST_AUTO_TEST_CASE(acknowledging_goes_only_forward_and_not_beyond_the_newest) {
  open("d");
  BOOST_TEST(acknowledge("d", 7) == 7U);
  BOOST_TEST(acknowledge("d", 3) == 7U);
  BOOST_TEST(acknowledge("d", 0) == 7U);
  BOOST_TEST(durables.acknowledge("d", {99}, {20})->value == 20U);
  BOOST_TEST(
    (durables.acknowledge("unknown", {1}, {20}).error().code == error_code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_start_that_is_yet_to_come_is_not_lost_by_acknowledging) {
  open("d", "a.s", 100);
  BOOST_TEST(durables.acknowledge("d", {50}, {20})->value == 99U);
  BOOST_TEST(open("d")->place.from.value == 100U);
}

BOOST_AUTO_TEST_CASE(another_pattern_under_a_known_name_is_refused) {
  open("d", "a.s");
  const auto refused = open("d", "a.*");
  BOOST_TEST((refused.error().code == error_code::invalid_argument));
  BOOST_TEST(durables.size() == 1U);
}

BOOST_AUTO_TEST_CASE(names_have_rules) {
  for (const auto* bad : {"", "has space", "dot.ted", "*", ">", "žluť", "a/b", "tab\t", "a="})
    BOOST_TEST((open(bad).error().code == error_code::invalid_argument), bad);
  BOOST_TEST((open(std::string(65, 'x')).error().code == error_code::invalid_argument));
  for (const std::string& good : {std::string{"ok-_1"}, std::string(64, 'x'), std::string{"A"}})
    BOOST_TEST(open(good).has_value(), good);
}

BOOST_AUTO_TEST_CASE(one_name_too_many_is_refused_and_counted) {
  for (std::size_t i = 0; i < max_durables; ++i)
    BOOST_REQUIRE(open("d" + std::to_string(i)));
  BOOST_TEST((open("more").error().code == error_code::overloaded));
  BOOST_TEST(durables.refused() == 1U);
  BOOST_TEST(open("d7")->resumed);
  BOOST_TEST(durables.drop("d7"));
  BOOST_TEST(!durables.drop("d7"));
  BOOST_TEST(!open("more")->resumed);
}

BOOST_AUTO_TEST_CASE(what_retention_took_behind_the_acknowledged_is_counted) {
  open("d", "a.*");
  open("other", "b.*");
  acknowledge("d", 3);
  remove(2); // Acknowledged.
  remove(4);
  remove(5, "b.s");
  remove(6);
  BOOST_TEST(open("d", "a.*")->skipped == 2U);
  acknowledge("d", 5);
  BOOST_TEST(open("d", "a.*")->skipped == 1U);
  acknowledge("d", 6);
  BOOST_TEST(open("d", "a.*")->skipped == 0U);
  BOOST_TEST(open("other", "b.*")->skipped == 1U);
}

// -- the count ----------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_count_is_exact_whatever_order_messages_go_in) {
  std::mt19937_64 random{5};
  for (int round = 0; round < 200; ++round) {
    removed_count count;
    std::set<std::uint64_t> plain;
    std::uint64_t cut = 0;
    for (int i = 0; i < 200; ++i) {
      if (random() % 20 == 0) {
        cut = std::max(cut, random() % 300);
        count.forget_up_to({cut});
        plain.erase(plain.begin(), plain.upper_bound(cut));
      }
      const auto at = cut + 1 + random() % 300;
      if (plain.insert(at).second)
        count.add({at});
      BOOST_REQUIRE(count.total() == plain.size());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_count_is_bounded_and_never_too_low) {
  std::mt19937_64 random{6};
  removed_count count;
  std::set<std::uint64_t> plain;
  for (std::uint64_t at = 1; at < 100'000; at += 1 + random() % 5) {
    count.add({at});
    plain.insert(at);
    BOOST_REQUIRE(count.runs() <= removed_count::max_runs);
  }
  BOOST_TEST(count.total() == plain.size());
  for (std::uint64_t cut = 0; cut < 110'000; cut += 1'777) {
    count.forget_up_to({cut});
    plain.erase(plain.begin(), plain.upper_bound(cut));
    BOOST_REQUIRE(count.total() >= plain.size());
  }
  BOOST_TEST(count.total() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
