#include "trunnion/kinds/controller.hpp"

#include "trunnion/kinds/publisher.hpp"
#include "trunnion/messages/json.hpp"

#include <algorithm>
#include <cmath>

namespace trunnion {

/// Private: time for the next target.
struct observe_next {};

/// Private: time to look at the condition, and to tell the dome.
struct roof_tick {};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::observe_next)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::roof_tick)

namespace trunnion {
namespace {

using controller_actor = stream_sink::extend<takes<member_lost>>;

constexpr nanoseconds dome_timeout = std::chrono::seconds{2};

class controller_state {
public:
  using impl
    = controller_actor::extend<takes<observe_next>, takes<roof_tick>, takes<condition_reopen>>;
  static constexpr const char* name = "controller";

  controller_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                   const entity& owner, const device_directory* devices,
                   const controller_settings& settings)
    : self_(self),
      rt_(rt),
      entity_(owner),
      devices_(devices),
      settings_(settings),
      condition_(self, rt, backend, settings.condition),
      out_(self, rt, backend) {}

  impl::behavior_type make_behavior() {
    self_->set_exit_handler([this](const caf::exit_msg& x) { on_exit(x); });
    for (const auto* instrument : {&settings_.mount, &settings_.camera, &settings_.dome})
      if (*instrument)
        tell("control", **instrument, "has the right to command");
    condition_.begin();
    on_roof_tick();
    return {
      [this](const stream_part& x) {
        condition_.on_part(x);
        look_at_condition();
      },
      [this](const stream_lost& x) { condition_.on_lost(x); },
      [this](const member_lost& x) { on_lost(x); },
      [this](const observe_next&) { observe(); },
      [this](const roof_tick&) { on_roof_tick(); },
      [this](const condition_reopen& x) { condition_.open(x.stream); },
    };
  }

private:
  // -- open and closed --------------------------------------------------------

  void on_roof_tick() {
    if (!look_at_condition())
      command_roof();
    if (settings_.dome || condition_.is_needed())
      self_->delayed_send(self_, dome_told_every, roof_tick{});
  }

  /// Turns to open or closed as the condition says; whether that is a turn.
  bool look_at_condition() {
    const bool wants_open = condition_.is_fair() && !is_ending_;
    if (wants_open == wants_open_)
      return false;
    wants_open_ = wants_open;
    if (condition_.is_needed() && !is_ending_)
      tell_turn(wants_open ? "opening" : "closing", condition_.text());
    command_roof();
    return true;
  }

  void command_roof() {
    if (!settings_.dome)
      return set_open(wants_open_);
    if (!wants_open_)
      set_open(false);
    const auto dome = devices_->find<dome_actor>(settings_.dome->entity);
    if (!dome || !settings_.dome->control.held())
      return lose_dome(dome ? "its control lease is not held" : "is not there");
    const auto token = settings_.dome->control.token();
    const auto answered = [this](const dome_state& x) { on_dome(x); };
    const auto failed = [this](const caf::error& error) { on_dome_failed(to_failure(error)); };
    if (wants_open_) {
      shutter_.reset(); // Not what it was, from here on: a close must follow, whatever it answers.
      self_->request(dome, dome_timeout, open_dome{token}).then(answered, failed);
    } else if (shutter_ != shutter_phase::closed) {
      self_
        ->request(dome, dome_timeout,
                  close_dome{token, is_ending_ ? "its controller ends" : "told by its controller"})
        .then(answered, failed);
    }
  }

  void on_dome(const dome_state& x) {
    shutter_ = x.shutter;
    dome_trouble_ = false;
    set_open(wants_open_ && x.shutter == shutter_phase::open);
  }

  void on_dome_failed(const failure& why) {
    lose_dome(to_string(why));
    const auto dome = devices_->find<dome_actor>(settings_.dome->entity);
    if (why.code == error_code::unsupported && wants_open_ && dome) // It has no power.
      self_->request(dome, dome_timeout, power_dome{settings_.dome->control.token(), true})
        .then([](const dome_state&) {}, [](const caf::error&) {}); // The next tick tries again.
  }

  void lose_dome(const std::string& why) {
    shutter_.reset();
    set_open(false);
    if (!std::exchange(dome_trouble_, true))
      tell("problem", *settings_.dome, why);
  }

  void set_open(bool open) {
    if (!open && std::exchange(is_open_, false))
      ++closings_;
    if (!open || std::exchange(is_open_, true))
      return;
    if (std::exchange(is_idle_, false))
      self_->send(self_, observe_next{});
  }

  // -- one observation --------------------------------------------------------

  void observe() {
    if (!is_open_) {
      is_idle_ = true; // Until it opens.
      return;
    }
    closings_before_ = closings_;
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
    if (closings_ != closings_before_)
      return again({}); // Closed meanwhile: there is nothing to see.
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
          if (closings_ == closings_before_)
            tell_observed(x);
          else
            tell("problem", *settings_.camera, "the dome was closed during the frame");
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
    close_for_good();
  }

  void close_for_good() {
    is_ending_ = true;
    if (!look_at_condition())
      command_roof();
  }

  /// The command under way is left to its instrument, which obeys the next owner's newer token.
  void on_exit(const caf::exit_msg& x) {
    close_for_good(); // The dome has the command before it can have one of the next controller.
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

  void tell_turn(std::string_view event, const std::string& why) {
    json_writer out;
    out.begin_object().key("event").text(event).key("why").text(why).end_object();
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
  condition_watch<impl::pointer> condition_;
  publisher<impl::pointer> out_;
  sky_position target_{.alt_deg = 50, .az_deg = 180};
  std::uint64_t observed_ = 0;
  std::optional<shutter_phase> shutter_; // As the dome has said; nothing: not known.
  std::uint64_t closings_ = 0;
  std::uint64_t closings_before_ = 0; // When the observation under way began.
  bool wants_open_ = false;
  bool is_open_ = false;
  bool is_idle_ = true; // No observation is under way.
  bool dome_trouble_ = false;
  bool is_ending_ = false;
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
