#include "trunnion/messages/errors.hpp"

#include <caf/message.hpp>
#include <caf/sec.hpp>

namespace trunnion {
namespace {

failure from_caf(const caf::error& x) {
  // Such as an actor's end in the middle of a request: what it did before is not known.
  failure result{.certainty = certainty::unknown, .text = caf::to_string(x)};
  if (x.category() != caf::atom("system"))
    return result;
  switch (static_cast<caf::sec>(x.code())) {
  case caf::sec::request_timeout:
    return {error_code::timeout, certainty::unknown, "", "no answer in time", {}};
  case caf::sec::request_receiver_down:
    // Also given to a request that was still queued when its receiver ended, so it did not run.
    return {
      error_code::backend_unavailable, certainty::not_applied, "", "the other side has ended", {}};
  case caf::sec::unexpected_message:
  case caf::sec::unexpected_response: result.code = error_code::backend_protocol; return result;
  default: return result;
  }
}

} // namespace

tl::unexpected<failure> fail(error_code code, std::string text, std::string subject) {
  return tl::unexpected{
    failure{code, certainty::not_applied, std::move(subject), std::move(text), {}}};
}

std::string to_string(error_code x) {
  switch (x) {
  case error_code::invalid_subject: return "invalid_subject";
  case error_code::invalid_argument: return "invalid_argument";
  case error_code::payload_too_large: return "payload_too_large";
  case error_code::storage_damaged: return "storage_damaged";
  case error_code::key_not_found: return "key_not_found";
  case error_code::revision_mismatch: return "revision_mismatch";
  case error_code::lease_unavailable: return "lease_unavailable";
  case error_code::lease_abandoned: return "lease_abandoned";
  case error_code::stale_token: return "stale_token";
  case error_code::unregistered_responder: return "unregistered_responder";
  case error_code::remote_request: return "remote_request";
  case error_code::timeout: return "timeout";
  case error_code::backend_unavailable: return "backend_unavailable";
  case error_code::backend_protocol: return "backend_protocol";
  case error_code::storage_full: return "storage_full";
  case error_code::overloaded: return "overloaded";
  case error_code::version_mismatch: return "version_mismatch";
  case error_code::shutting_down: return "shutting_down";
  case error_code::cancelled: return "cancelled";
  case error_code::permission_denied: return "permission_denied";
  case error_code::unsupported: return "unsupported";
  case error_code::internal: return "internal";
  case error_code::consumer_taken: return "consumer_taken";
  }
  return "unknown_error"; // Of a newer peer.
}

std::string to_string(certainty x) {
  return x == certainty::not_applied ? "not applied" : "outcome unknown";
}

std::string to_string(loss_reason x) {
  switch (x) {
  case loss_reason::expired: return "expired";
  case loss_reason::paused: return "paused";
  case loss_reason::deleted: return "deleted";
  case loss_reason::broken: return "broken";
  case loss_reason::superseded: return "superseded";
  case loss_reason::store_changed: return "store_changed";
  case loss_reason::backend_lost: return "backend_lost";
  case loss_reason::holder_died: return "holder_died";
  case loss_reason::no_progress: return "no_progress";
  case loss_reason::shutdown: return "shutdown";
  }
  return "unknown_reason"; // Of a newer peer.
}

std::string to_string(const failure& x) {
  auto text = x.text.empty() ? to_string(x.code) : x.text;
  // An invalid subject is quoted in its own text.
  if (x.subject.empty() || x.code == error_code::invalid_subject)
    return text;
  return x.subject + ": " + text;
}

caf::error to_error(failure x) {
  const auto code = x.code;
  return caf::make_error(code, std::move(x));
}

caf::error to_error(error_code code, std::string text, std::string subject) {
  return to_error(failure{code, certainty::not_applied, std::move(subject), std::move(text), {}});
}

failure to_failure(const caf::error& x) {
  if (x.category() != caf::atom("trunnion"))
    return from_caf(x);
  if (x.context().match_elements<failure>())
    return x.context().get_as<failure>(0);
  return failure{.code = static_cast<error_code>(x.code())};
}

int exit_status(error_code x) {
  switch (x) {
  case error_code::invalid_subject:
  case error_code::invalid_argument: return 2;
  case error_code::key_not_found:
  case error_code::unregistered_responder: return 3;
  case error_code::revision_mismatch:
  case error_code::lease_unavailable:
  case error_code::stale_token:
  case error_code::consumer_taken: return 4;
  case error_code::timeout: return 5;
  case error_code::lease_abandoned:
  case error_code::backend_unavailable:
  case error_code::backend_protocol:
  case error_code::storage_full:
  case error_code::overloaded:
  case error_code::version_mismatch:
  case error_code::shutting_down:
  case error_code::cancelled: return 6;
  case error_code::permission_denied: return 7;
  case error_code::payload_too_large:
  case error_code::storage_damaged: return 8;
  case error_code::remote_request:
  case error_code::unsupported:
  case error_code::internal: return 1;
  }
  return 1;
}

} // namespace trunnion
