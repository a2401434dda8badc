#include "trunnion/actors/lease_options.hpp"

#include "trunnion/messages/json.hpp"
#include "trunnion/messages/kv.hpp"

namespace trunnion {
namespace {

constexpr std::size_t room_for_the_rest = 4096; ///< Bytes of a lease's record beside the holder's.

} // namespace

outcome<void> check_record(const std::string& json) {
  if (json.size() > max_payload_size - room_for_the_rest)
    return fail(error_code::payload_too_large, "the lease's record is too large");
  return check_json(json);
}

outcome<void> check(const lease_options& x) {
  const auto& name = x.subject.text();
  if (!x.subject.is_name())
    return fail(error_code::invalid_subject, "a lease needs a single key: " + name, name);
  if (x.ttl < shortest_lease)
    return fail(error_code::invalid_argument, "the TTL of a lease is at least 200 ms", name);
  if (x.ttl > longest_ttl)
    return fail(error_code::invalid_argument, "a TTL is at most 365 days", name);
  if (x.grace < nanoseconds{} || x.grace > x.ttl / 3)
    return fail(error_code::invalid_argument, "the grace is at most a third of the TTL", name);
  if (x.guard && (*x.guard < x.ttl / 100 || *x.guard > x.ttl / 4))
    return fail(error_code::invalid_argument,
                "the guard is from a hundredth to a quarter of the TTL", name);
  if (x.wait < nanoseconds{} || x.wait > longest_ttl)
    return fail(error_code::invalid_argument, "a wait is from 0 to 365 days", name);
  if (x.owner.size() > room_for_the_rest / 4)
    return fail(error_code::invalid_argument, "the owner's name is too long", name);
  return check_record(x.record);
}

} // namespace trunnion
