// A backend behind a link that misbehaves by a seeded plan.
//
// Whoever uses a store must bear lost answers, late parts and dead connections; this shows whether
// it does. It wraps the handle of any backend, and answers with the same meaning: what it does to
// messages a network could do as well, and no answer lies about what has happened. With the plan
// `none` it changes nothing, not even an order. `docs/faulty-backend.md` says all that may happen.
//
// Every client has a session of its own behind the link, an actor that speaks with the backend in
// the client's place; so the backend's watches, listeners and limits are those of that client.
//
// Chance: the plan's dice only, by (seed, kind, link, n). The link 0 is that of all clients
// together, where cuts and stalls strike messages to the backend; the s-th session has the links
// 3s (to the backend), 3s + 1 (from it) and 3s + 2 (when a second copy arrives). Sessions are
// counted as they come, so the same run needs the same order of events: virtual time.
// Clock: the runtime's decides; CAF's only wakes the actors. Threads: ordinary actors.
// Bounds: a client of which the link holds `operations_per_client` messages, or answers that got
// lost, gets `overloaded`. Of what goes to a client, parts beyond that many come again later, and
// requests to it as a listener are refused as `overloaded`; answers are bounded by the requests.
// Every request ends: one whose message was lost with `timeout`, outcome unknown, after
// `lost_answer_after` (an `invoke` after its own timeout), any other after `longest_answer`.
// End: when the wrapped backend ends. An exit message is passed on to one that is owned, and ends
// the link; `close_backend` closes the wrapped one. Neither is ever disturbed.

#pragma once

#include "trunnion/backends/faulty/plan.hpp"
#include "trunnion/messages/interfaces.hpp"

namespace trunnion {

inline constexpr nanoseconds lost_answer_after = std::chrono::seconds{10};
inline constexpr nanoseconds longest_answer = std::chrono::minutes{2};

/// What a link has done so far. Local: for tests and reports of one process.
struct get_faulty_report {
  bool operator==(const get_faulty_report&) const = default;
};

struct faulty_report {
  std::array<std::uint64_t, fault_kinds> fired{}; ///< Faults of each kind.
  std::uint64_t messages = 0;                     ///< That the dice were asked about.
  std::uint64_t sessions = 0;                     ///< Opened so far.

  [[nodiscard]] std::uint64_t of(fault_kind x) const { return fired[static_cast<std::size_t>(x)]; }
  bool operator==(const faulty_report&) const = default;
};

/// Such as `1,000 messages, 3 sessions; drop 11, delay 989`, without the separators.
[[nodiscard]] std::string to_string(const faulty_report& x);

using faulty_backend_actor = backend_actor::extend<answers<get_faulty_report, faulty_report>>;

/// Puts `backend` behind a link with these dice. If it is owned, it ends with the link.
[[nodiscard]] faulty_backend_actor spawn_faulty_backend(caf::actor_system& sys, const runtime& rt,
                                                        const backend_actor& backend,
                                                        const fault_dice& dice,
                                                        bool is_owned = false);

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::get_faulty_report)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::faulty_report)
