// Reads streams for one sink, a function or an actor: in order, none lost, none twice.
//
// A consumer alone leaves much to its user: lost parts, interruptions, backends that die. A reader
// deals with all of it. It hands messages over in batches, one at a time, and goes on when the sink
// has answered; what a durable consumer was answered for is acknowledged then. It knows the newest
// message that it has received, and resumes after it, with the back-off of a monitor, when the
// consumer was lost, the backend went down, or parts stay away. So within a reader's life nothing
// is lost or repeated, as far as the store still keeps it: what retention removed is told by
// `skipped`, but for what went while a consumer that is not durable was cut off. Across lives a
// durable consumer repeats what was not acknowledged, and nothing else.
//
// After an interruption that comes before anything was read, a reader of `latest` may also get
// older messages of a subject. In another epoch of the store sequences begin anew, so the reader
// goes on with the first message that is not older than the last one it received, or as it was told
// to start if it had none.
//
// End: `reader_stop`, an exit message, or its owner's end: no further batch, the one in hand is
// answered and acknowledged, all within `grace`. Failures end it as well, and are the error that it
// quits with: the sink's own error, its silence for `patience` (`timeout`), its end (`cancelled`);
// `consumer_taken` when another session took the durable consumer over, `cancelled` when somebody
// dropped it; and what the backend refuses for good.
// It lives until then, whether or not anybody holds its handle.
//
// Bounds: `window` parts received and not handed over, and one batch. The backend must answer a
// cheap request every `health_check_every`, or the reader is unhealthy; a consumer that is quiet
// that long is asked whether it still is one.
// Clock: the runtime's. Threads: an ordinary actor that never blocks.

#pragma once

#include "trunnion/messages/interfaces.hpp"

#include <functional>
#include <variant>

namespace trunnion {

inline constexpr std::uint64_t default_reader_window = 16; ///< Parts.
inline constexpr std::uint64_t most_reader_window = 1'024;
inline constexpr std::size_t most_batch = 10'000; ///< Messages.

/// Called in the reader: must not block. May throw, which is an error, too.
using read_function = std::function<outcome<void>(const read_batch&)>;

/// An actor is watched, and not kept alive.
using any_read_sink = std::variant<read_function, read_sink>;

struct reader_options {
  trunnion::subject pattern; ///< A name, `events`, `*` or `>`.
  stream_start start = stream_start::only_new;
  trunnion::sequence from = {};         ///< With `stream_start::sequence`.
  wall_time since = {};                 ///< With `stream_start::time`; by the store's clock.
  std::string durable = {};             ///< Name of a durable consumer; empty: none.
  std::size_t batch = max_part_entries; ///< Messages in one batch at most; from 1 to `most_batch`.
  std::uint64_t window = default_reader_window;    ///< From 1 to `most_reader_window`.
  nanoseconds patience = std::chrono::seconds{30}; ///< How long a sink may take for a batch.
  nanoseconds grace = std::chrono::seconds{2};     ///< For what is in hand, at the end.
  caf::strong_actor_ptr owner = {};                ///< The reader ends with it; may be null.
};

/// Starts a reader. `invalid_subject` for what is no pattern, `invalid_argument` for a null sink, a
/// durable name that is none, or bounds that make no sense.
outcome<stream_reader_actor> read_stream(caf::actor_system& sys, const runtime& rt,
                                         const backend_actor& backend, reader_options options,
                                         any_read_sink sink);

} // namespace trunnion
