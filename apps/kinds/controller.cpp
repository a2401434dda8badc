#include "trunnion/kinds/controller.hpp"

#include "trunnion/kinds/publisher.hpp"
#include "trunnion/messages/json.hpp"

#include <algorithm>
#include <cmath>

namespace trunnion {

/// Private: time for the next target.
struct observe_next {};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::observe_next)

namespace trunnion {
namespace {

using controller_actor = caf::typed_actor<takes<member_lost>>;

class controller_state {
public:
  using impl = controller_actor::extend<takes<observe_next>>;
  static constexpr const char* name = "controller";

  controller_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                   const entity& owner, const device_directory* devices,
                   const controller_settings& settings)
    : self_(self),
      rt_(rt),
      entity_(owner),
      devices_(devices),
      settings_(settings),
      out_(self, rt, backend) {}

  impl::behavior_type make_behavior() {
    self_->set_exit_handler([this](const caf::exit_msg& x) { on_exit(x); });
    for (const auto* instrument : {&settings_.mount, &settings_.camera})
      if (*instrument)
        tell("control", **instrument, "has the right to command");
    self_->send(self_, observe_next{});
    return {
      [this](const member_lost& x) { on_lost(x); },
      [this](const observe_next&) { observe(); },
    };
  }

private:
  // -- one observation --------------------------------------------------------

  void observe() {
    target_ = next_target(target_, rt_.random.next(), rt_.random.next());
    if (!settings_.mount)
      return take_frame();
    const auto mount = devices_->find<mount_actor>(settings_.mount->entity);
    if (!mount || !settings_.mount->control.held())
      return pause(*settings_.mount, mount ? "its control lease is not held" : "is not there");
    self_->request(mount, command_timeout, slew_to{settings_.mount->control.token(), target_})
      .then(
        [this](const slewed&) { take_frame(); },
        [this](const caf::error& error) { pause(*settings_.mount, to_string(to_failure(error))); });
  }

  void take_frame() {
    if (!settings_.camera)
      return again(settings_.exposure);
    const auto camera = devices_->find<camera_actor>(settings_.camera->entity);
    if (!camera || !settings_.camera->control.held())
      return pause(*settings_.camera, camera ? "its control lease is not held" : "is not there");
    self_
      ->request(camera, command_timeout,
                expose{settings_.camera->control.token(), settings_.exposure})
      .then(
        [this](const frame& x) {
          tell_observed(x);
          again({});
        },
        [this](const caf::error& error) {
          pause(*settings_.camera, to_string(to_failure(error)));
        });
  }

  void again(nanoseconds after) { self_->delayed_send(self_, after, observe_next{}); }

  void pause(const controlled& instrument, const std::string& why) {
    tell("problem", instrument, why);
    again(controller_pause);
  }

  // -- its end ----------------------------------------------------------------

  void on_lost(const member_lost& x) {
    json_writer out;
    out.begin_object().key("event").text("warned").key("which").text(x.which);
    out.key("reason").text(to_string(x.reason)).key("culprit").text(x.culprit).end_object();
    out_.send(events_of(entity_), out.str());
  }

  /// The command under way is left to its instrument, which obeys the next owner's newer token.
  void on_exit(const caf::exit_msg& x) {
    json_writer out;
    out.begin_object().key("event").text("closed").key("observed").unsigned_number(observed_);
    out_.send(events_of(entity_), out.end_object().str());
    self_->quit(x.reason);
  }

  // -- events -----------------------------------------------------------------

  void tell(std::string_view event, const controlled& instrument, const std::string& text) {
    json_writer out;
    out.begin_object().key("event").text(event);
    out.key("instrument").text(instrument.entity.text());
    out.key("token").text(wire_text(instrument.control.token()));
    out.key("text").text(text).end_object();
    out_.send(events_of(entity_), out.str());
  }

  void tell_observed(const frame& x) {
    json_writer out;
    out.begin_object().key("event").text("observed");
    out.key("observation").unsigned_number(++observed_).key("frame").unsigned_number(x.number);
    out.key("alt_deg").real(target_.alt_deg).key("az_deg").real(target_.az_deg);
    out.key("mean_counts").real(x.mean_counts).end_object();
    out_.send(events_of(entity_), out.str());
  }

  impl::pointer self_;
  runtime rt_;
  entity entity_;
  const device_directory* devices_;
  controller_settings settings_;
  publisher<impl::pointer> out_;
  sky_position target_{.alt_deg = 50, .az_deg = 180};
  std::uint64_t observed_ = 0;
};

} // namespace

sky_position next_target(const sky_position& before, std::uint64_t alt_chance,
                         std::uint64_t az_chance) {
  const auto step = [](std::uint64_t chance) { // Tenths of a degree, either way.
    const auto span = static_cast<std::uint64_t>(longest_step_deg * 20) + 1;
    return static_cast<double>(chance % span) / 10 - longest_step_deg;
  };
  const auto alt
    = std::clamp(before.alt_deg + step(alt_chance), least_target_alt_deg, most_target_alt_deg);
  return {alt, std::fmod(before.az_deg + step(az_chance) + 360, 360)};
}

caf::actor spawn_controller(const member_context& context, const device_directory& devices,
                            const controller_settings& settings) {
  const auto controller = spawn_state<controller_state>(context.system, context.rt, context.backend,
                                                        context.entity, &devices, settings);
  return caf::actor_cast<caf::actor>(controller);
}

} // namespace trunnion
