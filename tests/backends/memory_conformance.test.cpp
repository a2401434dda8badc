// The conformance suite against the memory backend, in virtual time.

#include "trunnion/tests/backends/memory_target.hpp"
#include "trunnion/tests/conformance/all_checks.hpp"

namespace trunnion::test {
namespace {

const std::size_t added = add_conformance_suite(memory_target());

} // namespace
} // namespace trunnion::test

BOOST_AUTO_TEST_CASE(the_conformance_suite_has_not_shrunk) {
  BOOST_TEST(trunnion::test::added >= 100U);
}
