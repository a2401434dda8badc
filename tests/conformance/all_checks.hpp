// All checks of the conformance suite. A test program includes them in one or several of its files;
// each check is registered once.

#pragma once

#include "trunnion/tests/conformance/admission_checks.hpp"
#include "trunnion/tests/conformance/consumer_checks.hpp"
#include "trunnion/tests/conformance/durable_checks.hpp"
#include "trunnion/tests/conformance/flow_checks.hpp"
#include "trunnion/tests/conformance/interruption_checks.hpp"
#include "trunnion/tests/conformance/kv_checks.hpp"
#include "trunnion/tests/conformance/list_checks.hpp"
#include "trunnion/tests/conformance/request_checks.hpp"
#include "trunnion/tests/conformance/service_checks.hpp"
#include "trunnion/tests/conformance/stream_checks.hpp"
#include "trunnion/tests/conformance/ttl_checks.hpp"
#include "trunnion/tests/conformance/watch_checks.hpp"
