// What one asks a running site on `<site>._ctl`, and what it answers: JSON, in both directions.
//
//     {"v":1,"op":"ls"}                          {"v":1,"site":"ridge","services":[...]}
//     {"v":1,"op":"show","service":"camera"}     the same, with the instances of that service only
//     {"v":1,"op":"restart","service":"camera"}  {"v":1,"site":"ridge","done":"restart"}
//     {"v":1,"op":"stop","service":"camera"}     {"v":1,"site":"ridge","done":"stop"}
//     {"v":1,"op":"events","after":7}            {"v":1,"site":"ridge","events":[...],"next":9}
//
// What a site refuses is an answer, too: {"v":1,"error":{"code":"key_not_found","message":"..."}}.
// Readers ignore members that they do not know, and refuse another `v`.
//
// Threads: plain values and functions.

#pragma once

#include "trunnion/messages/service.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trunnion {

inline constexpr std::string_view control_property = "_ctl";
inline constexpr std::uint32_t most_control_events = 1'000; ///< In one answer, and kept by a site.

enum class control_op : std::uint8_t { ls, show, restart, stop, events };

struct control_request {
  control_op op{};
  std::string service;                         ///< Of `show`, `restart` and `stop`.
  std::uint64_t after = 0;                     ///< Of `events`: the newest one that is known.
  std::uint32_t at_most = most_control_events; ///< Of `events`.
  bool operator==(const control_request&) const = default;
};

/// One instance of a service, as a site sees it.
struct instance_state {
  std::string service;
  std::string kind;
  std::uint32_t instance = 0;
  std::string phase;          ///< A `service_phase`, or `down` for one that stays so.
  std::string token;          ///< Of its entity's lease, `E:R`; empty while there is none.
  std::uint64_t restarts = 0; ///< Since the site began.
  std::string text;           ///< Its latest event, for people.
  bool operator==(const instance_state&) const = default;
};

/// Something that happened in a site.
struct control_event {
  std::uint64_t number = 0; ///< From 1 on, without gaps.
  wall_time time{};
  std::string who;
  std::string what; ///< One word.
  std::string text;
  bool operator==(const control_event&) const = default;
};

struct control_services {
  std::vector<instance_state> instances; ///< In order of start.
  bool operator==(const control_services&) const = default;
};

struct control_events {
  std::vector<control_event> events;
  std::uint64_t next = 0;      ///< To ask `after` this.
  std::uint64_t forgotten = 0; ///< Events after the one asked for that are no longer kept.
  bool operator==(const control_events&) const = default;
};

struct control_done {
  control_op op{};
  bool operator==(const control_done&) const = default;
};

struct control_answer {
  std::string site;
  std::variant<control_services, control_events, control_done> what;
  bool operator==(const control_answer&) const = default;
};

[[nodiscard]] std::string to_string(control_op x);

[[nodiscard]] std::string write_request(const control_request& x);

/// `invalid_argument` for what is no request; the text says what would be one.
[[nodiscard]] outcome<control_request> read_request(std::string_view json);

[[nodiscard]] std::string write_answer(const control_answer& x);
[[nodiscard]] std::string write_refusal(const failure& x);

/// The answer, or the failure that the site told; `backend_protocol` for what is neither.
[[nodiscard]] outcome<control_answer> read_answer(std::string_view json);

} // namespace trunnion
