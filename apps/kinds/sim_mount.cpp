#include "trunnion/kinds/sim_mount.hpp"

#include "trunnion/kinds/publisher.hpp"
#include "trunnion/messages/json.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"

namespace trunnion {

/// Private: the slew of this generation should have ended.
struct slew_tick {
  trunnion::generation generation;
};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::slew_tick)

namespace trunnion {
namespace {

class sim_mount_state {
public:
  using impl = mount_actor::extend<takes<slew_tick>>;
  static constexpr const char* name = "mount";

  sim_mount_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                  const entity& owner, const mount_settings& settings,
                  const std::shared_ptr<fence>& guard)
    : self_(self),
      rt_(rt),
      entity_(owner),
      machine_(settings),
      fence_(guard),
      out_(self, rt, backend) {}

  impl::behavior_type make_behavior() {
    return {
      [this](const slew_to& x) { return on_slew(x); },
      [this](const get_mount_state&) { return state(); },
      [this](const slew_tick& x) { on_tick(x); },
    };
  }

private:
  caf::result<slewed> on_slew(const slew_to& x) {
    if (auto admitted = fence_->admit(x.token); !admitted) {
      ++refused_;
      tell("refused", x.token, x.target);
      return to_error(admitted.error());
    }
    const auto still_at = machine_.slew(now(), x.target);
    if (!still_at)
      return to_error(still_at.error());
    ++slews_;
    began_ = now();
    token_ = x.token;
    tell("slew", x.token, x.target);
    auto promise = self_->make_response_promise<slewed>();
    waiting_.emplace(promise, to_error(error_code::cancelled, "another slew took over, or the "
                                                              "mount ended"));
    self_->delayed_send(self_, *still_at - now(), slew_tick{{++generation_.value}});
    return promise;
  }

  void on_tick(const slew_tick& x) {
    if (x.generation != generation_ || !waiting_)
      return;
    tell("on_target", token_, machine_.position(now()));
    waiting_->deliver({machine_.position(now()), now() - began_});
    waiting_.reset();
  }

  mount_state state() const {
    return {machine_.position(now()), machine_.is_moving(now()), slews_, refused_};
  }

  void tell(std::string_view event, const fencing_token& token, const sky_position& where) {
    json_writer out;
    out.begin_object().key("event").text(event).key("token").text(wire_text(token));
    out.key("alt_deg").real(where.alt_deg).key("az_deg").real(where.az_deg).end_object();
    out_.send(events_of(entity_), out.str());
  }

  instant now() const { return rt_.time.now(); }

  impl::pointer self_;
  runtime rt_;
  entity entity_;
  mount_machine machine_;
  std::shared_ptr<fence> fence_;
  publisher<impl::pointer> out_;
  instant began_{};                              // Of the present slew,
  fencing_token token_;                          // under whose right,
  std::optional<promise_guard<slewed>> waiting_; // and who waits for its end.
  trunnion::generation generation_;
  std::uint64_t slews_ = 0;
  std::uint64_t refused_ = 0;
};

} // namespace

mount_actor spawn_sim_mount(const member_context& context, const mount_settings& settings,
                            const std::shared_ptr<fence>& guard) {
  return spawn_state<sim_mount_state>(context.system, context.rt, context.backend, context.entity,
                                      settings, guard);
}

} // namespace trunnion
