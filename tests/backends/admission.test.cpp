#include "trunnion/backends/common/admission.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>

using namespace trunnion;

BOOST_AUTO_TEST_SUITE(admission_test)

BOOST_AUTO_TEST_CASE(clients_take_turns_and_each_keeps_its_order) {
  admission<std::string, int> lines{10};
  for (int i = 1; i <= 4; ++i)
    lines.add("greedy", i);
  lines.add("modest", 11);
  lines.add("modest", 12);
  std::string order;
  while (const auto next = lines.next())
    order += next->first.substr(0, 1) + std::to_string(next->second) + " ";
  BOOST_TEST(order == "g1 m11 g2 m12 g3 g4 ");
  BOOST_TEST(lines.size() == 0U);
}

BOOST_AUTO_TEST_CASE(a_line_at_its_bound_refuses_and_counts) {
  admission<std::string, int> lines{2};
  BOOST_TEST(lines.admits("a"));
  lines.add("a", 1);
  BOOST_TEST(lines.admits("a"));
  lines.add("a", 2);
  BOOST_TEST(!lines.admits("a"));
  BOOST_TEST(!lines.admits("a"));
  BOOST_TEST(lines.admits("b")); // Others are not concerned.
  BOOST_TEST(lines.refused() == 2U);
  std::ignore = lines.next();
  BOOST_TEST(lines.admits("a"));
}

BOOST_AUTO_TEST_CASE(what_is_in_flight_elsewhere_counts_towards_the_bound) {
  admission<std::string, int> lines{3};
  BOOST_TEST(lines.admits("a", 2));
  lines.add("a", 1);
  BOOST_TEST(!lines.admits("a", 2));
  BOOST_TEST(lines.admits("a", 1));
  BOOST_TEST(!lines.admits("b", 3)); // One without a line, too.
  BOOST_TEST(lines.refused() == 2U);
}

BOOST_AUTO_TEST_CASE(after_clearing_nobody_waits) {
  admission<std::string, int> lines{3};
  lines.add("a", 1);
  lines.add("b", 2);
  lines.clear();
  BOOST_TEST(lines.size() == 0U);
  BOOST_TEST(!lines.waits("a"));
  BOOST_TEST(!lines.next());
}

BOOST_AUTO_TEST_CASE(a_client_waits_as_long_as_it_has_a_line) {
  admission<std::string, std::unique_ptr<int>> lines{2}; // Operations may be move-only.
  BOOST_TEST(!lines.waits("a"));
  lines.add("a", std::make_unique<int>(1));
  BOOST_TEST(lines.waits("a"));
  std::size_t clients = 0;
  lines.for_each_client([&](const auto&) { ++clients; });
  BOOST_TEST(clients == 1U);
  BOOST_TEST(*lines.next()->second == 1);
  BOOST_TEST(!lines.waits("a"));
  BOOST_TEST(!lines.next());
}

BOOST_AUTO_TEST_SUITE_END()
