#include "trunnion/messages/elector.hpp"
#include "trunnion/messages/responder.hpp"
#include "trunnion/messages/service_registration.hpp"
#include "trunnion/messages/stream_reader.hpp"
#include "trunnion/tests/messages/wire.hpp"

namespace trunnion::test {
namespace {

using namespace std::string_literals;

/// Not UTF-8, with a NUL.
const payload bytes{"v\0\xff\n"s};
const wall_time written{1'700'000'000'123'456'789ns};
const failure why{error_code::overloaded, certainty::not_applied, "a.b", "full", {}};

} // namespace

wire_samples request_samples() {
  return {
    sample(invoke{at("a.b"), bytes, 2s}),
    sample(invoked{bytes}),
    sample(listen{at("a.b"), 7}),
    sample(listening{true}),
    sample(unlisten{at("a.b")}),
    sample(unlistened{true}),
    sample(purge_listeners{}),
    sample(listeners_purged{3}),
    sample(incoming_request{1, at("a.b"), bytes, 2s}),
    sample(request_reply{1, bytes, {}}),
    sample(request_reply{1, {}, why}),
    sample(request_withdrawn{4}),
    sample(register_service{{"mount", "1.2.3"}, {{"slew", at("a.slew")}, {"park", at("a.park")}}}),
    sample(service_registered{true}),
    sample(unregister_service{"mount"}),
    sample(service_unregistered{true}),
    sample(handle_request{at("a.b"), bytes, 2s}),
    sample(handled{bytes}),
    sample(responder_stop{}),
    sample(responder_stopped{2}),
    sample(responder_inspect{}),
    sample(responder_status{at("a.b"), responder_phase::serving, 1, 2, 3, 4, 5, 6}),
    sample(read_batch{{{at("a.b"), {4}, written, bytes}, {at("c"), {5}, {}, {}}}, 6}),
    sample(batch_read{}),
    sample(reader_stop{}),
    sample(reader_stopped{{8}}),
    sample(reader_inspect{}),
    sample(reader_status{at("a.>"), "night", true, {1}, {2}, 3, 4, 5, 6, 7}),
    sample(elector_campaign{2s}),
    sample(elector_campaign{}),
    sample(elector_elected{{{1}, {2}}, 3s}),
    sample(elector_resign{}),
    sample(elector_resigned{true}),
    sample(elector_observe{}),
    sample(elector_inspect{}),
    sample(
      elector_status{at("a.Leader"), "me", "you", {{1}, {2}}, true, false, loss_reason::paused}),
    sample(elector_status{at("a.Leader"), "me", {}, {}, false, true, {}}),
  };
}

} // namespace trunnion::test
