// The conformance suite against the memory backend, in virtual time.

#include "trunnion/tests/backends/memory_target.hpp"

namespace trunnion::test {
namespace {

const bool added = add_conformance_suite(memory_target());

} // namespace
} // namespace trunnion::test
