// What the tool says when it fails, and the exit status that goes with it.
//
// Scripts need to tell a held lease from a missing server, so each failure has a status of its own
// and, under `--json`, a code. Standard output then stays empty.
//
//   0 done   1 failed, no better code   2 usage, bad site or configuration file   3 not found
//   4 conflict   5 timed out   6 backend not reachable or lost   7 denied   8 data not valid
//
// Threads: plain values.

#pragma once

#include "trunnion/messages/errors.hpp"
#include "trunnion/site/config_value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

enum class exit_code : std::uint8_t {
  done = 0,
  failed = 1,
  usage = 2,
  not_found = 3,
  conflict = 4,
  timed_out = 5,
  unreachable = 6,
  denied = 7,
  invalid_data = 8,
};

/// What an exit status means, in a few words.
[[nodiscard]] std::string_view meaning(exit_code x);

struct tool_error {
  std::string code = "usage"; ///< For programs: `usage`, `not_built`, `lease_unavailable`.
  std::string message;        ///< For people, without `trunnion:`.
  exit_code exit = exit_code::usage;
  std::string hint; ///< What to try; may be empty.

  // Of a file with several problems:
  std::string file;
  site_problems problems;

  bool operator==(const tool_error&) const = default;
};

[[nodiscard]] tool_error usage_error(std::string message, std::string hint = {});

/// A failure of our protocol in the tool's words.
[[nodiscard]] tool_error to_tool_error(const failure& x);

/// For people: each problem as `file:line:column: text`, then `trunnion: message`. Escaped, and
/// with a line break at the end of each line.
[[nodiscard]] std::string to_text(const tool_error& error, bool colour);

/// For programs: one JSON object, `{"error":{"code","message","exit","hint"}}`, and `problems`
/// where there are some.
[[nodiscard]] std::string to_json(const tool_error& error);

} // namespace trunnion
