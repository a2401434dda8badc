// The kind `exec.sensor`: runs a program and publishes the JSON lines that it prints.
//
// The way to attach real hardware in any language. The program is started without a shell
// (`child_process.hpp`) and read no faster than its lines are published (`child_reader.hpp`). What
// is no JSON, too long, or beyond the rate is left out, counted, and told once per episode as a
// `left_out` event. Its errors go to the log, line by line, at most `max_complaints_per_s`.
//
// The service and the program share one fate: a program that ends, however, fails the service,
// whose restart policy then applies; when the service ends, the program is asked to (TERM to its
// group) and killed after the grace, and the service's member lives until it has been reaped.
//
// Publishes `started`, `left_out` and `ended` events. Threads: an actor that waits for the
// program's death when it is itself killed, and so has a thread of its own.

#pragma once

#include "trunnion/actors/service.hpp"
#include "trunnion/kinds/child_reader.hpp"
#include "trunnion/messages/payload.hpp"

#include <string>
#include <vector>

namespace trunnion {

/// A line must fit a message: 1 MiB less what engines need for themselves.
inline constexpr std::size_t max_exec_line = max_payload_size;

inline constexpr double max_complaints_per_s = 10;

struct exec_settings {
  std::vector<std::string> command;                       ///< Program and arguments.
  double lines_per_s = 10;                                ///< Beyond it lines are left out.
  nanoseconds grace = milliseconds{1'500};                ///< From TERM to KILL.
  subject stream;                                         ///< Where lines go.
  std::optional<nanoseconds> every;                       ///< Told to the program.
  std::function<decltype(read_child)> start = read_child; ///< A test may have another.
  bool own_thread = true;                                 ///< False in virtual time.
};

struct get_exec_state {};

struct exec_state {
  std::uint64_t published = 0; ///< Lines handed to the backend.
  std::uint64_t over_rate = 0; ///< Lines left out, by reason.
  std::uint64_t invalid = 0;
  std::uint64_t overlong = 0;
  std::uint64_t unpublished = 0; ///< Lines that the backend did not take.
};

using exec_actor = caf::typed_actor<answers<get_exec_state, exec_state>, takes<child_news>>;

exec_actor spawn_exec_sensor(const member_context& context, const exec_settings& settings);

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::child_news)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::get_exec_state)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::exec_state)
