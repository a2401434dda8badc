// All checks of the conformance suite, in the order in which they are run.

#pragma once

#include "trunnion/tests/conformance/admission_checks.hpp"
#include "trunnion/tests/conformance/flow_checks.hpp"
#include "trunnion/tests/conformance/kv_checks.hpp"
#include "trunnion/tests/conformance/list_checks.hpp"
#include "trunnion/tests/conformance/stream_checks.hpp"
#include "trunnion/tests/conformance/ttl_checks.hpp"
#include "trunnion/tests/conformance/watch_checks.hpp"
