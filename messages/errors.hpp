// What can go wrong, in words that cross nodes.
//
// There is one category of errors, `trunnion`, and one context, `failure`, which says what failed,
// on which subject, whether the operation may have happened all the same, and what a caller can do
// with it in a typed `detail`. Inside plain code a failure is a value, `outcome<T>`; actors answer
// with the `caf::error` that `to_error` makes of it.
//
// Enumerators are wire format: append only. CAF reads zero as success.

#pragma once

#include "trunnion/messages/runtime/inspect.hpp"

#include <caf/error.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

namespace trunnion {

enum class error_code : std::uint8_t {
  invalid_subject = 1,    ///< An address that our rules refuse; found before sending.
  invalid_argument,       ///< The caller's mistake; found before sending.
  payload_too_large,      ///< Over `max_payload_size`, or over what the backend takes.
  storage_damaged,        ///< What was stored cannot be read.
  key_not_found,          ///< `missing` says whether a tombstone stands there.
  revision_mismatch,      ///< Create on a live key; update or delete with a stale revision.
  lease_unavailable,      ///< Held by another: `held_lease`.
  lease_abandoned,        ///< Lost unexpectedly: `abandonment` says which and why.
  stale_token,            ///< A fence or a fenced submit refused an old token.
  unregistered_responder, ///< Nobody listens on that request subject.
  remote_request,         ///< The handler failed: `remote_failure`.
  timeout,                ///< No answer in time.
  backend_unavailable,    ///< The backend cannot be reached, or was lost.
  backend_protocol,       ///< The backend answered what it must not.
  storage_full,           ///< No room for what was to be written.
  overloaded,             ///< A bound is reached; nothing was changed.
  version_mismatch,       ///< The other side speaks another protocol number.
  shutting_down,          ///< The one who was asked is ending.
  cancelled,              ///< The caller gave up.
  permission_denied,      ///< Refused by the other side's rules.
  unsupported,            ///< Not possible here; the text says what it would need.
  internal,               ///< A mistake of ours.
  consumer_taken,         ///< Another session has taken the durable consumer over.
};

/// Whether an operation that failed may have happened all the same.
enum class certainty : std::uint8_t {
  not_applied, ///< It certainly did not happen.
  unknown,     ///< It may have happened, or may still happen.
};

/// Why a lease ended other than by its holder's release. Append only.
enum class loss_reason : std::uint8_t {
  expired = 1,   ///< The deadline passed without a refresh.
  paused,        ///< The process slept past the deadline.
  deleted,       ///< Somebody deleted the key.
  broken,        ///< An administrator broke it.
  superseded,    ///< Another holder's live entry stands there.
  store_changed, ///< The store is another one, or went back in time.
  backend_lost,  ///< The deadline passed while the backend did not answer.
  holder_died,   ///< The actor that held it died.
  no_progress,   ///< The work on top did not show signs of life.
  shutdown,      ///< The process is ending.
};

/// With `key_not_found`.
struct missing_key {
  bool deleted = false; ///< Whether a tombstone stands there.
  bool operator==(const missing_key&) const = default;
};

/// With `lease_unavailable`: who holds it, as far as known.
struct held_lease {
  std::string owner;                                 ///< For people; empty if the record has none.
  std::string record;                                ///< The holder's record as stored.
  std::uint64_t revision = 0;                        ///< Of the entry that was seen.
  std::optional<std::chrono::nanoseconds> time_left; ///< Until the store expires it, if it will.
  bool operator==(const held_lease&) const = default;
};

/// One lease that was lost, for an `abandonment`.
struct lost_lease {
  std::string subject;
  loss_reason reason{};
  std::string culprit; ///< Who caused it, for people; empty if nobody in particular.
  bool operator==(const lost_lease&) const = default;
};

/// With `lease_abandoned`.
struct abandonment {
  std::vector<lost_lease> leases;
  bool operator==(const abandonment&) const = default;
};

/// With `remote_request`: what the handler's side said.
struct remote_failure {
  std::string message;
  std::optional<std::string> details; ///< For people, such as a trace.
  bool operator==(const remote_failure&) const = default;
};

/// With `revision_mismatch`, where known: the revision that stands there; zero for none.
struct current_revision {
  std::uint64_t revision = 0;
  bool operator==(const current_revision&) const = default;
};

using failure_detail = std::variant<std::monostate, missing_key, held_lease, abandonment,
                                    remote_failure, current_revision>;

/// The context of every error of the category `trunnion`.
struct failure {
  error_code code = error_code::internal;
  trunnion::certainty certainty = trunnion::certainty::not_applied;
  std::string subject; ///< What it was about, as text: it may be one that our rules refuse.
  std::string text;    ///< One sentence for people, without the subject.
  failure_detail detail;
  bool operator==(const failure&) const = default;
};

/// A value, or why there is none.
template <class T> using outcome = tl::expected<T, failure>;

/// A failure as the alternative of an `outcome`.
tl::unexpected<failure> fail(error_code code, std::string text, std::string subject = {});

[[nodiscard]] std::string to_string(error_code x);
[[nodiscard]] std::string to_string(certainty x);
[[nodiscard]] std::string to_string(loss_reason x);

/// As a person reads it: `subject: text`, or the code's name where there is no text.
[[nodiscard]] std::string to_string(const failure& x);

/// The `failure` as an error for CAF.
[[nodiscard]] caf::error to_error(failure x);
[[nodiscard]] caf::error to_error(error_code code, std::string text, std::string subject = {});

/// What an error says in our words. Errors of CAF itself are translated: a request's timeout is
/// `timeout` with an unknown outcome, a receiver that was gone before it could read is
/// `backend_unavailable`.
[[nodiscard]] failure to_failure(const caf::error& x);

/// The process exit status that the tool gives for a code (`docs/tool.md`).
[[nodiscard]] int exit_status(error_code x);

template <class F> auto inspect(F& f, missing_key& x) {
  return fields(f, x, "missing_key", field{"deleted", x.deleted});
}

template <class F> auto inspect(F& f, held_lease& x) {
  return fields(f, x, "held_lease", field{"owner", x.owner}, field{"record", x.record},
                field{"revision", x.revision}, field{"time_left", x.time_left});
}

template <class F> auto inspect(F& f, lost_lease& x) {
  return fields(f, x, "lost_lease", field{"subject", x.subject}, field{"reason", x.reason},
                field{"culprit", x.culprit});
}

template <class F> auto inspect(F& f, abandonment& x) {
  return fields(f, x, "abandonment", field{"leases", x.leases});
}

template <class F> auto inspect(F& f, remote_failure& x) {
  return fields(f, x, "remote_failure", field{"message", x.message}, field{"details", x.details});
}

template <class F> auto inspect(F& f, current_revision& x) {
  return fields(f, x, "current_revision", field{"revision", x.revision});
}

template <class F> auto inspect(F& f, failure& x) {
  return fields(f, x, "failure", field{"code", x.code}, field{"certainty", x.certainty},
                field{"subject", x.subject}, field{"text", x.text}, field{"detail", x.detail});
}

} // namespace trunnion

CAF_ERROR_CODE_ENUM(trunnion::error_code, "trunnion")
