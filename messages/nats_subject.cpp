#include "trunnion/messages/nats_subject.hpp"

namespace trunnion {
namespace {

std::string beginning(nats_method method, std::string_view prefix) {
  return std::string{prefix}.append(".").append(to_string(method));
}

} // namespace

std::string_view to_string(nats_method x) {
  switch (x) {
  case nats_method::request: return "request";
  case nats_method::stream: return "stream";
  case nats_method::kv: return "kv";
  }
  return "unknown";
}

std::string to_nats(const subject& x, nats_method method, std::string_view prefix) {
  auto result = beginning(method, prefix);
  if (!x.text().empty()) // The root as such.
    result.append(".").append(x.text());
  return result;
}

outcome<subject> from_nats(std::string_view nats_subject, nats_method method,
                           std::string_view prefix) {
  const auto expected = beginning(method, prefix) + '.';
  if (!nats_subject.starts_with(expected))
    return fail(error_code::invalid_subject,
                "a NATS subject that does not begin with '" + expected + "'");
  auto result = subject::parse(nats_subject.substr(expected.size()));
  if (!result || result->is_name())
    return result;
  if (result->kind() == property_kind::events && method == nats_method::stream)
    return result;
  return fail(error_code::invalid_subject,
              result->is_pattern() ? "a wildcard is not the subject of a message"
                                   : "'_EVENTS' is an address of streams alone",
              result->text());
}

} // namespace trunnion
