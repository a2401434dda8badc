// Our addresses on NATS, in SensorKit's form: `PREFIX.METHOD.path.prop`.
//
// The way out is for every address, patterns included, which become NATS wildcards. The way back is
// for what a message can stand under, so a wildcard is refused, as are names of other programs that
// our rules do not allow, and `_EVENTS` outside streams.
//
// Threads: pure functions.

#pragma once

#include "trunnion/messages/address.hpp"

#include <string>
#include <string_view>

namespace trunnion {

enum class nats_method : std::uint8_t { request, stream, kv };
[[nodiscard]] std::string_view to_string(nats_method x);

inline constexpr std::string_view default_nats_prefix = "sensorkit";

/// The NATS subject of an address. `none` is the entity alone, as a filter for nothing but itself.
[[nodiscard]] std::string to_nats(const subject& x, nats_method method,
                                  std::string_view prefix = default_nats_prefix);

/// Back from the NATS subject of a message: a name, or `events` of a stream. `invalid_subject` for
/// another prefix or method, and for names that our rules refuse, as other programs may have
/// written them.
[[nodiscard]] outcome<subject> from_nats(std::string_view nats_subject, nats_method method,
                                         std::string_view prefix = default_nats_prefix);

} // namespace trunnion
