#include "trunnion/kinds/sim_weather.hpp"

#include "trunnion/kinds/publisher.hpp"

namespace trunnion {

/// Private: time for the next sample.
struct weather_tick {};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::weather_tick)

namespace trunnion {
namespace {

class sim_weather_state {
public:
  using impl = caf::typed_actor<takes<weather_tick>>;
  static constexpr const char* name = "weather";

  sim_weather_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                    nanoseconds every, const std::optional<subject>& stream,
                    const std::shared_ptr<weather_machine>& weather)
    : self_(self),
      rt_(rt),
      every_(every),
      stream_(stream),
      weather_(weather),
      out_(self, rt, backend) {}

  impl::behavior_type make_behavior() {
    due_ = rt_.time.now();
    self_->send(self_, weather_tick{});
    return {[this](const weather_tick&) { take(); }};
  }

private:
  void take() {
    const auto sample = weather_->next();
    if (stream_)
      out_.send(*stream_, to_json(sample));
    const auto now = rt_.time.now();
    due_ += every_ * (1 + (now - due_) / every_); // What was missed is left out.
    self_->delayed_send(self_, due_ - now, weather_tick{});
  }

  impl::pointer self_;
  runtime rt_;
  nanoseconds every_;
  std::optional<subject> stream_;
  std::shared_ptr<weather_machine> weather_;
  publisher<impl::pointer> out_;
  instant due_{}; // Of the present sample.
};

} // namespace

caf::actor spawn_sim_weather(const member_context& context, nanoseconds every,
                             const std::optional<subject>& stream,
                             const std::shared_ptr<weather_machine>& weather) {
  return caf::actor_cast<caf::actor>(spawn_state<sim_weather_state>(
    context.system, context.rt, context.backend, every, stream, weather));
}

} // namespace trunnion
