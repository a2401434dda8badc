#include "trunnion/runtime/plain_metrics.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace trunnion;

BOOST_AUTO_TEST_SUITE(plain_metrics_test)

BOOST_AUTO_TEST_CASE(counts_add_up_by_name) {
  plain_metrics metrics;
  metrics.count("refreshes");
  metrics.count("refreshes", 41);
  metrics.count("losses", 0);
  const auto seen = metrics.snapshot();
  BOOST_TEST(seen.counters.size() == 2U);
  BOOST_TEST(seen.counters.at("refreshes") == 42U);
  BOOST_TEST(seen.counters.at("losses") == 0U);
  BOOST_TEST(seen.refused == 0U);
}

BOOST_AUTO_TEST_CASE(a_name_may_be_a_counter_and_a_distribution) {
  plain_metrics metrics;
  metrics.count("x");
  metrics.observe("x", 1.5);
  BOOST_TEST(metrics.snapshot().counters.at("x") == 1U);
  BOOST_TEST(metrics.snapshot().distributions.at("x").count == 1U);
}

BOOST_AUTO_TEST_CASE(quantiles_are_right_within_a_factor_of_two) {
  plain_metrics metrics;
  for (int i = 1; i <= 1'000; ++i)
    metrics.observe("margin", i * 0.001);
  const auto margin = metrics.snapshot().distributions.at("margin");
  BOOST_TEST(margin.count == 1'000U);
  BOOST_TEST(margin.sum == 500.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(margin.largest == 1.0);
  for (const auto q : {0.01, 0.1, 0.5, 0.9, 0.99, 1.0}) {
    BOOST_TEST(margin.quantile(q) >= q);
    BOOST_TEST(margin.quantile(q) <= 2 * q);
  }
}

BOOST_AUTO_TEST_CASE(a_power_of_two_is_the_upper_edge_of_its_bucket) {
  plain_metrics metrics;
  metrics.observe("x", 2.0);
  metrics.observe("x", 1000.0);
  BOOST_TEST(metrics.snapshot().distributions.at("x").quantile(0.5) == 2.0);
}

BOOST_AUTO_TEST_CASE(extremes_find_a_bucket_and_what_is_no_number_is_refused) {
  plain_metrics metrics;
  for (const auto x : {-1.0, 0.0, 1e-300, 1e300, std::numeric_limits<double>::infinity()})
    metrics.observe("x", x);
  metrics.observe("x", std::nan(""));
  const auto seen = metrics.snapshot();
  const auto& x = seen.distributions.at("x");
  BOOST_TEST(x.count == 5U);
  BOOST_TEST(x.buckets.front() == 3U);
  BOOST_TEST(x.buckets.back() == 2U);
  BOOST_TEST(std::isinf(x.quantile(1)));
  BOOST_TEST(seen.refused == 1U);
  BOOST_TEST(distribution{}.quantile(0.5) == 0.0);
}

BOOST_AUTO_TEST_CASE(a_full_table_refuses_new_names_and_keeps_the_old_ones) {
  plain_metrics metrics;
  for (std::size_t i = 0; i < max_metric_names + 10; ++i)
    metrics.count("name " + std::to_string(i));
  metrics.count("name 0");
  const auto seen = metrics.snapshot();
  BOOST_TEST(seen.counters.size() == max_metric_names);
  BOOST_TEST(seen.refused == 10U);
  BOOST_TEST(seen.counters.at("name 0") == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
