// A part of the conformance suite, registered for all targets of this program. Its files share the
// work of compiling it.

#include "trunnion/tests/conformance/interruption_checks.hpp"
#include "trunnion/tests/conformance/request_checks.hpp"
#include "trunnion/tests/conformance/service_checks.hpp"
