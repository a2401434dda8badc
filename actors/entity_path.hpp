// What the contexts inside and outside actors have in common: where they are, and how responses
// read.
//
// Threads: plain values and pure functions.

#pragma once

#include "trunnion/messages/request.hpp"

#include <string_view>
#include <vector>

namespace trunnion {

/// How a write is meant; see `kv_update`.
struct write_terms {
  std::optional<revision> expected = {};
  std::optional<nanoseconds> ttl = {};
  std::optional<epoch> in_epoch = {};
};

/// The entity further down. A failure stays what it is.
[[nodiscard]] outcome<entity> descend(const outcome<entity>& from,
                                      const std::vector<std::string_view>& segments);

/// The subject of `prop` there: a name, or `*`, `>` and `_EVENTS` for what they stand for.
[[nodiscard]] outcome<subject> subject_at(const outcome<entity>& where, std::string_view prop);

/// The bytes of a response, or `remote_request` if they are the encoded error of a handler. The
/// outcome is then unknown: the handler may have done a part of it.
[[nodiscard]] outcome<payload> response_in(const subject& asked, const invoked& x);

} // namespace trunnion
