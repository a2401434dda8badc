// A part of the conformance suite, registered for all targets of this program. Its files share the
// work of compiling it.

#include "trunnion/tests/conformance/consumer_checks.hpp"
#include "trunnion/tests/conformance/durable_checks.hpp"
#include "trunnion/tests/conformance/stream_checks.hpp"
