// The conformance suite against the memory backend behind a link without a fault.

#include "trunnion/tests/backends/faulty_target.hpp"

namespace trunnion::test {
namespace {

const bool added = add_conformance_suite(faulty_memory_target());

} // namespace
} // namespace trunnion::test
