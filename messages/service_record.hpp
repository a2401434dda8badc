// The entry by which an entity says which service it is: `<entity>.ServiceRecord`.
//
// SensorKit's form, `{"info":{"name":…,"version":…},"last_registered":…}`, so that each side lists
// the services of the other. It says who was last started there, and when; whether that service
// still runs is said by the entity's lease.
//
// Readers ignore members that they do not know. The time is read as in lease records, and written
// in UTC with `Z` and six digits.
//
// Threads: plain values and pure functions.

#pragma once

#include "trunnion/messages/lease_record.hpp"
#include "trunnion/messages/service.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace trunnion {

inline constexpr std::string_view service_record_property = "ServiceRecord";

struct service_record {
  service_info info;
  record_time last_registered;
  bool operator==(const service_record&) const = default;
};

/// Writes a record as JSON, without white space.
[[nodiscard]] std::string encode(const service_record& x);

/// Reads what we or the peer wrote. Fails with `storage_damaged`.
[[nodiscard]] outcome<service_record> decode_service_record(std::string_view json);

/// `{"name":…,"version":…}`, the record of an entity's lease.
[[nodiscard]] std::string encode(const service_info& x);

/// `{"name":…}`, the record of a leader's lease.
[[nodiscard]] std::string encode_name(std::string_view name);

/// The member `name` of a JSON object; nothing if there is none that is a text.
[[nodiscard]] std::optional<std::string> name_in(std::string_view json);

} // namespace trunnion
