// The kind `observatory.controller`: holds the instruments of its lease group, and observes.
//
// It holds `<instrument>.ControlLease` for each, and goes round: pick a target, slew the mount,
// expose, read out. Right before each command it looks at the instrument's lease view, and the
// command carries its fencing token. What an instrument refuses or does not answer is told as an
// event, and tried again after a pause.
//
// It observes while its dome is open, which it is while `close_when` has been false for a while
// (`condition_watch.hpp`). When that turns true or unknown it closes the dome in the same turn, and
// gives up the frame under way. It says again and again that the dome shall be open, since a dome
// that hears nothing closes. Without a dome the condition just stops the observing.
//
// When a lease or a member is lost, or its service ends, it closes the dome, and at its end it
// quits at once: a command under way is left to its instrument, which stops obeying this token as
// soon as the next owner gives a command. If the right to command the dome is what was lost, the
// dome's own silence closes it.
//
// Publishes `control`, `opening`, `closing`, `observed`, `problem`, `warned` and `closed` events.

#pragma once

#include "trunnion/actors/service.hpp"
#include "trunnion/kinds/condition_watch.hpp"
#include "trunnion/kinds/devices.hpp"
#include "trunnion/kinds/directory.hpp"

#include <optional>

namespace trunnion {

/// An instrument under control: which, and what stands for the right to command it.
struct controlled {
  trunnion::entity entity;
  lease_view control;
};

struct controller_settings {
  nanoseconds exposure = std::chrono::seconds{5};
  std::optional<controlled> mount;
  std::optional<controlled> camera;
  std::optional<controlled> dome;
  condition_settings condition; ///< When it must be closed.
};

/// Lowest and highest altitude of the targets, and how far a target is from the one before, at
/// most.
inline constexpr double least_target_alt_deg = 30;
inline constexpr double most_target_alt_deg = 80;
inline constexpr double longest_step_deg = 40;

/// How often the dome is told that it shall be open or closed.
inline constexpr nanoseconds dome_told_every = milliseconds{500};

/// After a command that failed.
inline constexpr nanoseconds controller_pause = milliseconds{500};

/// How long a command may take before it is given up: mounts and cameras answer long before.
inline constexpr nanoseconds command_timeout = std::chrono::minutes{10};

caf::actor spawn_controller(const member_context& context, const device_directory& devices,
                            const controller_settings& settings);

/// The next target, near the one before: a number from each `chance`.
[[nodiscard]] sky_position next_target(const sky_position& before, std::uint64_t alt_chance,
                                       std::uint64_t az_chance);

} // namespace trunnion
