#include "trunnion/kinds/sim_camera.hpp"

#include "trunnion/kinds/publisher.hpp"
#include "trunnion/messages/json.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"

namespace trunnion {

/// Private: the frame under way has been read out.
struct readout_tick {};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::readout_tick)

namespace trunnion {
namespace {

/// Counts that the simulated sky adds in a second, and those of an empty frame.
constexpr double sky_counts_per_s = 24.0;
constexpr double bias_counts = 400.0;

double seconds(nanoseconds x) { return std::chrono::duration<double>{x}.count(); }

class sim_camera_state {
public:
  using impl = camera_actor::extend<takes<readout_tick>>;
  static constexpr const char* name = "camera";

  sim_camera_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                   const entity& owner, const camera_settings& settings,
                   const std::shared_ptr<fence>& guard)
    : self_(self),
      rt_(rt),
      entity_(owner),
      settings_(settings),
      fence_(guard),
      out_(self, rt, backend) {}

  impl::behavior_type make_behavior() {
    return {
      [this](const expose& x) { return on_expose(x); },
      [this](const get_camera_state&) {
        return camera_state{waiting_.has_value(), frames_, refused_};
      },
      [this](const readout_tick&) { on_readout(); },
    };
  }

private:
  caf::result<frame> on_expose(const expose& x) {
    if (auto admitted = fence_->admit(x.token); !admitted) {
      ++refused_;
      tell("refused", x.token, x.exposure);
      return to_error(admitted.error());
    }
    if (waiting_)
      return to_error(error_code::overloaded, "the camera is taking a frame", entity_.text());
    if (x.exposure <= nanoseconds{} || x.exposure > longest_exposure)
      return to_error(error_code::invalid_argument, "an exposure takes over 0 s and at most 1 h",
                      entity_.text());
    exposure_ = x.exposure;
    tell("exposure", x.token, x.exposure);
    auto promise = self_->make_response_promise<frame>();
    waiting_.emplace(promise, to_error(error_code::cancelled, "the camera ended"));
    self_->delayed_send(self_, x.exposure + settings_.readout, readout_tick{});
    return promise;
  }

  void on_readout() {
    const double noise = static_cast<double>(below(rt_.random, 1'000)) / 100.0 - 5.0;
    const frame taken{++frames_, settings_.width, settings_.height, exposure_,
                      bias_counts + sky_counts_per_s * seconds(exposure_) + noise};
    if (settings_.frames)
      publish_header(taken);
    waiting_->deliver(taken);
    waiting_.reset();
  }

  void publish_header(const frame& x) {
    json_writer out;
    out.begin_object().key("frame").unsigned_number(x.number);
    out.key("width").unsigned_number(x.width).key("height").unsigned_number(x.height);
    out.key("exposure_s").real(seconds(x.exposure));
    out.key("mean_counts").real(x.mean_counts).end_object();
    out_.send(*settings_.frames, out.str());
  }

  void tell(std::string_view event, const fencing_token& token, nanoseconds exposure) {
    json_writer out;
    out.begin_object().key("event").text(event).key("token").text(wire_text(token));
    out.key("exposure_s").real(seconds(exposure)).end_object();
    out_.send(events_of(entity_), out.str());
  }

  impl::pointer self_;
  runtime rt_;
  entity entity_;
  camera_settings settings_;
  std::shared_ptr<fence> fence_;
  publisher<impl::pointer> out_;
  nanoseconds exposure_{};                      // Of the frame under way,
  std::optional<promise_guard<frame>> waiting_; // for whom it is.
  std::uint64_t frames_ = 0;
  std::uint64_t refused_ = 0;
};

} // namespace

camera_actor spawn_sim_camera(const member_context& context, const camera_settings& settings,
                              const std::shared_ptr<fence>& guard) {
  return spawn_state<sim_camera_state>(context.system, context.rt, context.backend, context.entity,
                                       settings, guard);
}

} // namespace trunnion
