// A part of the conformance suite, registered for all targets of this program. Its files share the
// work of compiling it.

#include "trunnion/tests/conformance/admission_checks.hpp"
#include "trunnion/tests/conformance/flow_checks.hpp"
#include "trunnion/tests/conformance/watch_checks.hpp"
