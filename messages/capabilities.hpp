// What a backend can do, and how exactly.
//
// The protocol is the same everywhere; engines differ in their clocks and limits. A caller that
// depends on one of these asks first, and a test suite checks each backend against what it says.

#pragma once

#include "trunnion/messages/runtime/inspect.hpp"
#include "trunnion/messages/runtime/runtime.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace trunnion {

/// What survives what, once a write is acknowledged.
enum class durability : std::uint8_t {
  process, ///< Gone with the process.
  host,    ///< Survives the process, not a loss of power.
  disk,    ///< Survives a loss of power.
};

/// How the end of a TTL becomes known to watches.
enum class expiry_events : std::uint8_t {
  marked,       ///< By a tombstone with a revision of its own.
  by_own_clock, ///< The backend counts by itself, and confirms by a read.
};

struct get_capabilities {
  bool operator==(const get_capabilities&) const = default;
};

struct capabilities {
  std::string engine;                 ///< Such as `memory`.
  nanoseconds least_ttl{};            ///< Shorter ones are rounded up to it.
  nanoseconds ttl_resolution{};       ///< TTLs are rounded up to a multiple of it.
  nanoseconds expiry_slack{};         ///< How late an expiry may be for a reader. Never early.
  nanoseconds expiry_told_within{};   ///< How late at most a watch learns of an expiry.
  nanoseconds min_safe_ttl{};         ///< Shorter leases may be lost to ordinary interruptions.
  std::optional<nanoseconds> max_ttl; ///< Longer ones are refused as `unsupported`.
  std::uint64_t max_payload = 0;      ///< Bytes.
  bool consistent_list = false;       ///< A listing is one picture of one moment.
  std::uint32_t history = 1;          ///< Values kept for each key.
  trunnion::durability durability{};
  trunnion::expiry_events expiry_events{};
  bool operator==(const capabilities&) const = default;
};

[[nodiscard]] std::string to_string(durability x);
[[nodiscard]] std::string to_string(expiry_events x);

template <class F> auto inspect(F& f, get_capabilities& x) {
  return fields(f, x, "get_capabilities");
}

template <class F> auto inspect(F& f, capabilities& x) {
  return fields(f, x, "capabilities", field{"engine", x.engine}, field{"least_ttl", x.least_ttl},
                field{"ttl_resolution", x.ttl_resolution}, field{"expiry_slack", x.expiry_slack},
                field{"expiry_told_within", x.expiry_told_within},
                field{"min_safe_ttl", x.min_safe_ttl}, field{"max_ttl", x.max_ttl},
                field{"max_payload", x.max_payload}, field{"consistent_list", x.consistent_list},
                field{"history", x.history}, field{"durability", x.durability},
                field{"expiry_events", x.expiry_events});
}

} // namespace trunnion
