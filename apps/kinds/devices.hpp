// How one speaks with the instruments: typed local messages, each command with its fencing token.
//
// A command says under which acquisition of the instrument's `ControlLease` it is given. The
// instrument's fence refuses a token older than the newest it has seen, so that a commander who has
// lost the lease without knowing cannot move anything.
//
// Local: instruments and their commanders share a process until requests carry commands.

#pragma once

#include "trunnion/messages/entry.hpp"
#include "trunnion/messages/runtime/caf_shim.hpp"

#include <string>
#include <string_view>

namespace trunnion {

/// The property of an instrument whose lease is the right to command it.
inline constexpr std::string_view control_lease_property = "ControlLease";

/// Degrees above the horizon, and from north over east.
struct sky_position {
  double alt_deg = 0;
  double az_deg = 0;
  bool operator==(const sky_position&) const = default;
};

/// Is answered when the mount stands still at the target; `cancelled` if another slew took over.
struct slew_to {
  fencing_token token;
  sky_position target;
};

struct slewed {
  sky_position position;
  nanoseconds took{};
};

struct get_mount_state {};

struct mount_state {
  sky_position position;
  bool is_moving = false;
  std::uint64_t slews = 0;
  std::uint64_t refused = 0; ///< Commands that the fence refused.
};

using mount_actor
  = caf::typed_actor<answers<slew_to, slewed>, answers<get_mount_state, mount_state>>;

/// Is answered when the frame has been read out.
struct expose {
  fencing_token token;
  nanoseconds exposure{};
};

struct frame {
  std::uint64_t number = 0; ///< Counts from 1 in the life of the camera's service.
  std::uint32_t width = 0;  ///< Pixels.
  std::uint32_t height = 0;
  nanoseconds exposure{};
  double mean_counts = 0; ///< Simulated sky background.
};

struct get_camera_state {};

struct camera_state {
  bool is_busy = false;
  std::uint64_t frames = 0;
  std::uint64_t refused = 0; ///< Commands that the fence refused.
};

using camera_actor
  = caf::typed_actor<answers<expose, frame>, answers<get_camera_state, camera_state>>;

/// `halted`: on its way, but its motor may not run.
enum class shutter_phase : std::uint8_t { closed, opening, open, closing, halted };

struct dome_state {
  shutter_phase shutter{};
  double open_ratio = 0; ///< 0 closed, 1 open.
  double az_deg = 0;     ///< Of the slit.
  bool has_power = false;
  std::uint64_t refused = 0; ///< Commands that the fence refused.
};

/// A wish, answered with the state at once: the shutter takes its time. It must be repeated, since
/// a dome that nobody commands closes after a while.
struct open_dome {
  fencing_token token;
};

struct close_dome {
  fencing_token token;
  std::string why; ///< For people.
};

struct power_dome {
  fencing_token token;
  bool on = false;
};

struct get_dome_state {};

using dome_actor
  = caf::typed_actor<answers<open_dome, dome_state>, answers<close_dome, dome_state>,
                     answers<power_dome, dome_state>, answers<get_dome_state, dome_state>>;

[[nodiscard]] inline std::string_view to_string(shutter_phase x) {
  constexpr std::string_view names[]{"closed", "opening", "open", "closing", "halted"};
  return names[static_cast<std::size_t>(x)];
}

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::slew_to)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::slewed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::get_mount_state)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::mount_state)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::expose)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::frame)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::get_camera_state)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::camera_state)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::dome_state)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::open_dome)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::close_dome)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::power_dome)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::get_dome_state)
