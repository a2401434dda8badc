#include "trunnion/backends/common/checks.hpp"

#include "trunnion/messages/stream.hpp"

#include <algorithm>

namespace trunnion {
namespace {

outcome<void> check(bool valid, const subject& x, const char* wanted) {
  if (valid)
    return {};
  return fail(error_code::invalid_subject,
              std::string{wanted} + ", and '" + x.text() + "' is not (" + to_string(x.kind()) + ")",
              x.text());
}

} // namespace

outcome<void> check_key(const subject& key) { return check(key.is_name(), key, "a key is a name"); }

outcome<void> check_watched(const subject& pattern) {
  return check(pattern.is_name() || pattern.is_pattern(), pattern,
               "keys are watched and listed by name or by pattern");
}

outcome<void> check_stream(const subject& address) {
  return check(address.is_name() || address.kind() == property_kind::events, address,
               "messages are published to a name or to events");
}

outcome<void> check_consumed(const subject& pattern) {
  return check(pattern.kind() != property_kind::none, pattern,
               "messages are consumed from a name, from events, or by pattern");
}

outcome<void> check_request(const subject& address) {
  return check(address.is_name(), address, "a request is made to a name");
}

outcome<void> check_durable(std::string_view name) {
  const auto fits = [](char x) {
    return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9') || x == '-'
           || x == '_';
  };
  if (!name.empty() && name.size() <= max_durable_name && std::ranges::all_of(name, fits))
    return {};
  return fail(error_code::invalid_argument, "the name of a durable consumer is 1 to "
                                              + std::to_string(max_durable_name)
                                              + " letters, digits, - and _");
}

outcome<void> check_payload(const subject& key, const payload& value) {
  if (value.size() <= max_payload_size)
    return {};
  return fail(error_code::payload_too_large,
              "a payload has at most " + std::to_string(max_payload_size) + " bytes, not "
                + std::to_string(value.size()),
              key.text());
}

outcome<std::optional<nanoseconds>>
ttl_in_force(const subject& key, std::optional<nanoseconds> asked, const ttl_rules& rules) {
  if (!asked)
    return std::nullopt;
  if (asked->count() <= 0)
    return fail(error_code::invalid_argument, "a TTL is positive", key.text());
  if (*asked > longest_ttl)
    return fail(error_code::invalid_argument, "a TTL is at most 365 days", key.text());
  const auto least = std::max(*asked, rules.least);
  const auto steps = (least + rules.resolution - nanoseconds{1}) / rules.resolution;
  return steps * rules.resolution;
}

} // namespace trunnion
