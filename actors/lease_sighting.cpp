#include "trunnion/actors/lease_sighting.hpp"

#include "trunnion/messages/lease_record.hpp"

namespace trunnion {
namespace {

/// How people know the one who wrote `x`.
std::string owner_of(const lease_record& x) {
  if (!x.owner.empty())
    return x.owner;
  return x.holder ? "holder " + *x.holder : "a holder without a name";
}

std::string breaker(const broken_marker& x) {
  auto result = "broken by " + x.by;
  return x.reason.empty() ? result : result + ": " + x.reason;
}

} // namespace

sighting look_at(const entry& x, epoch at, std::string_view holder) {
  sighting result{.epoch = at, .revision = x.revision, .unmarked = x.unmarked};
  if (!x.is_live()) {
    result.cause = x.tombstone;
    return result;
  }
  result.time_left = x.time_left;
  auto record = decode_lease_record(x.payload.bytes());
  if (!record) {
    result.who = standing::foreign;
    result.owner = "a value that is no lease record";
    return result;
  }
  result.renewal = record->renewal;
  result.record = std::move(record->record);
  if (record->broken) {
    result.who = standing::broken;
    result.owner = breaker(*record->broken);
  } else if (record->holder && *record->holder == holder) {
    result.who = standing::own;
    result.owner = record->owner;
  } else {
    result.who = standing::foreign;
    result.owner = owner_of(*record);
  }
  return result;
}

} // namespace trunnion
