// A part of the conformance suite, registered for all targets of this program. Its files share the
// work of compiling it.

#include "trunnion/tests/conformance/kv_checks.hpp"
#include "trunnion/tests/conformance/list_checks.hpp"
#include "trunnion/tests/conformance/ttl_checks.hpp"
