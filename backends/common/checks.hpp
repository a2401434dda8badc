// What a request must be, on every engine, before an engine looks at it.
//
// Threads: none; plain functions.

#pragma once

#include "trunnion/messages/address.hpp"
#include "trunnion/messages/kv.hpp"
#include "trunnion/messages/payload.hpp"

namespace trunnion {

/// A key is a name; patterns, entities and event streams are `invalid_subject`.
[[nodiscard]] outcome<void> check_key(const subject& key);

/// A watch or listing covers names: it is a name or a pattern, else `invalid_subject`.
[[nodiscard]] outcome<void> check_watched(const subject& pattern);

/// A stream's address is a name or `events`, else `invalid_subject`.
[[nodiscard]] outcome<void> check_stream(const subject& address);

/// A consumer's pattern is a name, `events`, or a pattern, else `invalid_subject`.
[[nodiscard]] outcome<void> check_consumed(const subject& pattern);

/// Requests are listened to and made under a name, else `invalid_subject`.
[[nodiscard]] outcome<void> check_request(const subject& address);

/// The name of a durable consumer is 1 to `max_durable_name` letters, digits, `-` and `_`, else
/// `invalid_argument`.
[[nodiscard]] outcome<void> check_durable(std::string_view name);

/// `payload_too_large` over `max_payload_size`.
[[nodiscard]] outcome<void> check_payload(const subject& key, const payload& value);

/// How exactly an engine keeps TTLs.
struct ttl_rules {
  nanoseconds least;      ///< Shorter ones become this long.
  nanoseconds resolution; ///< TTLs are rounded up to a multiple of it; not zero.
};

/// The TTL in force: rounded up, never down. `invalid_argument` if it is not positive or over
/// `longest_ttl`.
[[nodiscard]] outcome<std::optional<nanoseconds>>
ttl_in_force(const subject& key, std::optional<nanoseconds> asked, const ttl_rules& rules);

} // namespace trunnion
