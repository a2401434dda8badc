#include "trunnion/kinds/sim_dome.hpp"

#include "trunnion/kinds/publisher.hpp"
#include "trunnion/messages/json.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

namespace trunnion {

/// Private: time to look at the shutter, the lease and the mount.
struct dome_look {
  trunnion::generation generation;
};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::dome_look)

namespace trunnion {
namespace {

constexpr nanoseconds follow_timeout = std::chrono::seconds{1};

class sim_dome_state {
public:
  using impl = dome_actor::extend<takes<dome_look>, takes<member_lost>>;
  static constexpr const char* name = "dome";

  sim_dome_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                 const entity& owner, const dome_parts& parts)
    : self_(self),
      rt_(rt),
      entity_(owner),
      parts_(parts),
      dome_(*parts_.hardware),
      told_(shutter_phase::closed),
      out_(self, rt, backend) {}

  impl::behavior_type make_behavior() {
    self_->set_exit_handler([this](const caf::exit_msg& x) { on_exit(x); });
    if (permit() && dome_.shutter(now()) != shutter_phase::closed)
      close("it was not closed at the start");
    look_again();
    return {
      [this](const open_dome& x) { return on_open(x); },
      [this](const close_dome& x) { return on_close(x); },
      [this](const power_dome& x) { return on_power(x); },
      [this](const get_dome_state&) { return state(); },
      [this](const dome_look& x) {
        if (alarm_.heed(x.generation))
          look();
      },
      [this](const member_lost& x) { on_lost(x); },
    };
  }

private:
  // -- commands ---------------------------------------------------------------

  caf::result<dome_state> on_open(const open_dome& x) {
    if (const auto may = admit(x.token, "open"); !may)
      return to_error(may.error());
    if (must_close_)
      return to_error(error_code::shutting_down, "the dome is about to end", entity_.text());
    return after(dome_.open(now()), "by token " + wire_text(x.token));
  }

  caf::result<dome_state> on_close(const close_dome& x) {
    if (const auto may = admit(x.token, "close"); !may)
      return to_error(may.error());
    return after(dome_.close(now()), x.why);
  }

  caf::result<dome_state> on_power(const power_dome& x) {
    if (const auto may = admit(x.token, "power"); !may)
      return to_error(may.error());
    const bool was_on = dome_.has_power();
    const auto done = dome_.set_power(now(), x.on);
    if (done && was_on != x.on)
      tell("power", x.on ? "on" : "off");
    return after(done, "");
  }

  /// Whether a command may be obeyed: by the fence, and by our own right to move.
  outcome<void> admit(const fencing_token& token, const std::string& command) {
    auto admitted = parts_.guard->admit(token);
    if (!admitted) {
      ++refused_;
      tell("refused", command + " by token " + wire_text(token));
    } else if (!permit()) {
      return fail(error_code::lease_abandoned, "the dome has lost its lease and may not move",
                  entity_.text());
    }
    return admitted;
  }

  caf::result<dome_state> after(const outcome<void>& done, const std::string& why) {
    if (!done)
      return to_error(done.error());
    tell_shutter(why);
    look_again();
    return state();
  }

  // -- looking after itself ---------------------------------------------------

  /// The motor may run for as long as our lease allows; false if it does not.
  bool permit() {
    const bool may = parts_.right.held();
    dome_.permit(now(), now() + (may ? parts_.right.time_left() : nanoseconds{}));
    return may;
  }

  void look() {
    const bool may = permit();
    if (may && dome_.is_forsaken(now()))
      close("nobody has commanded it for a while");
    tell_shutter("");
    if (ending_ && (!may || is_closed()))
      return end();
    if (may)
      follow_mount();
    look_again();
  }

  void look_again() {
    if (is_closed())
      return;
    const auto next = alarm_.arm(now(), now() + dome_look_every);
    if (next)
      self_->delayed_send(self_, next->after, dome_look{next->generation});
  }

  void close(const std::string& why) {
    if (const auto done = dome_.close(now()); done)
      tell_shutter(why);
  }

  void follow_mount() {
    if (!parts_.mount || is_asking_)
      return;
    const auto mount = parts_.devices->find<mount_actor>(*parts_.mount);
    if (!mount)
      return;
    is_asking_ = true;
    self_->request(mount, follow_timeout, get_mount_state{})
      .then(
        [this](const mount_state& x) {
          is_asking_ = false;
          if (permit())
            dome_.turn_to(now(), x.position.az_deg);
        },
        [this](const caf::error&) { is_asking_ = false; }); // It is asked again, or is gone.
  }

  // -- its end ----------------------------------------------------------------

  void on_lost(const member_lost& x) { close_for_good(x.which + " lost"); }

  void on_exit(const caf::exit_msg& x) {
    ending_ = x.reason;
    close_for_good("it is to end");
    if (is_closed() || !parts_.right.held())
      end();
  }

  void close_for_good(const std::string& why) {
    must_close_ = true;
    if (!permit())
      return;
    close(why);
    look_again();
  }

  void end() {
    if (!is_closed())
      tell("left_open", "its lease is lost, and it may not move any more");
    dome_.permit(now(), now()); // What still turns stops before the lease is released.
    self_->quit(*ending_);
  }

  // -- how it stands ----------------------------------------------------------

  bool is_closed() const { return dome_.shutter(now()) == shutter_phase::closed; }

  dome_state state() const {
    return {dome_.shutter(now()), dome_.open_ratio(now()), dome_.az_deg(now()), dome_.has_power(),
            refused_};
  }

  void tell_shutter(const std::string& why) {
    const auto phase = dome_.shutter(now());
    if (std::exchange(told_, phase) != phase)
      tell(to_string(phase), why);
  }

  void tell(std::string_view event, const std::string& why) {
    json_writer out;
    out.begin_object().key("event").text(event);
    out.key("open_ratio").real(dome_.open_ratio(now())).key("az_deg").real(dome_.az_deg(now()));
    if (!why.empty())
      out.key("why").text(why);
    out_.send(events_of(entity_), out.end_object().str());
  }

  instant now() const { return rt_.time.now(); }

  impl::pointer self_;
  runtime rt_;
  entity entity_;
  dome_parts parts_;
  dome_machine& dome_;
  shutter_phase told_; // As events have it.
  publisher<impl::pointer> out_;
  alarm alarm_;
  bool must_close_ = false; // Its group is ending.
  bool is_asking_ = false;  // The mount, where it points.
  std::uint64_t refused_ = 0;
  std::optional<caf::error> ending_; // The reason for which it was asked to end.
};

} // namespace

dome_actor spawn_sim_dome(const member_context& context, const dome_parts& parts) {
  return spawn_state<sim_dome_state>(context.system, context.rt, context.backend, context.entity,
                                     parts);
}

} // namespace trunnion
