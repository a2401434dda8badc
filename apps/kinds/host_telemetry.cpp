#include "trunnion/kinds/host_telemetry.hpp"

#include "trunnion/kinds/host_telemetry_reader.hpp"
#include "trunnion/kinds/publisher.hpp"

namespace trunnion {

/// Private: time for the next sample.
struct sample_tick {};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::sample_tick)

namespace trunnion {
namespace {

using telemetry_actor = caf::typed_actor<takes<sample_tick>>;

class telemetry_state {
public:
  using impl = telemetry_actor;
  static constexpr const char* name = "telemetry";

  telemetry_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                  const telemetry_settings& settings)
    : self_(self),
      rt_(rt),
      settings_(settings),
      reader_({.sources = settings.sources,
               .mounts = settings.mounts,
               .proc_root = settings.proc_root,
               .sys_root = settings.sys_root}),
      out_(self, rt, backend) {}

  impl::behavior_type make_behavior() {
    due_ = rt_.time.now();
    self_->send(self_, sample_tick{});
    return {[this](const sample_tick&) { take(); }};
  }

private:
  void take() {
    const auto now = rt_.time.now();
    const auto sample = reader_.sample(now - taken_);
    taken_ = now;
    if (settings_.stream)
      out_.send(*settings_.stream, to_json(sample));
    // Without drift; what was missed, as while the machine slept, is left out.
    do
      due_ += settings_.every;
    while (due_ <= now);
    self_->delayed_send(self_, due_ - now, sample_tick{});
  }

  impl::pointer self_;
  runtime rt_;
  telemetry_settings settings_;
  host_telemetry_reader reader_;
  publisher<impl::pointer> out_;
  instant due_{};   // Of the present sample.
  instant taken_{}; // The one before.
};

} // namespace

caf::actor spawn_host_telemetry(const member_context& context, const telemetry_settings& settings) {
  const auto spawn = [&]<caf::spawn_options Options>() {
    return caf::actor_cast<caf::actor>(
      spawn_state<telemetry_state, Options>(context.system, context.rt, context.backend, settings));
  };
  return settings.own_thread ? spawn.operator()<caf::detached>()
                             : spawn.operator()<caf::no_spawn_options>();
}

} // namespace trunnion
