#include "trunnion/actors/scoped_lease.hpp"

#include "trunnion/actors/blocking_call.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

namespace trunnion {
namespace {

/// Owns the group of one lease, and hears of its loss.
class lease_keeper_state {
public:
  using impl = group_sink;
  static constexpr const char* name = "lease_keeper";

  lease_keeper_state(impl::pointer, const scoped_lease::on_loss& lost) : lost_(lost) {}

  impl::behavior_type make_behavior() {
    return {
      [this](const member_lost& x) {
        if (const auto lost = std::exchange(lost_, nullptr))
          lost({x.which, x.reason, x.culprit});
      },
      [](const group_report&) {},
    };
  }

private:
  scoped_lease::on_loss lost_;
};

scoped_lease taken_or_thrown(outcome<scoped_lease> x) {
  if (!x)
    throw lease_error{std::move(x.error())};
  return std::move(*x);
}

} // namespace

scoped_lease::scoped_lease(caf::actor_system& sys, const runtime& rt, const backend_actor& backend,
                           const lease_options& options, on_loss lost)
  : scoped_lease(taken_or_thrown(acquire(sys, rt, backend, options, std::move(lost)))) {}

outcome<scoped_lease> scoped_lease::acquire(caf::actor_system& sys, const runtime& rt,
                                            const backend_actor& backend,
                                            const lease_options& options, on_loss lost) {
  if (auto allowed = may_block(); !allowed)
    return tl::unexpected{std::move(allowed.error())};
  if (!backend)
    return fail(error_code::invalid_argument, "a lease needs a backend", options.subject.text());
  scoped_lease result;
  result.system_ = &sys;
  const group_sink keeper = spawn_state<lease_keeper_state>(sys, lost);
  result.keeper_ = caf::actor_cast<caf::actor>(keeper);
  result.group_ = make_group(sys, rt, backend, caf::actor_cast<caf::strong_actor_ptr>(keeper),
                             {.name = "holder of " + options.subject.text(), .watcher = keeper});
  // No timeout: the lease has those that its options say, and the group always answers.
  auto acquired
    = ask_blocking<group_acquired>(sys, result.group_, no_timeout, group_acquire{{options}});
  if (!acquired)
    return tl::unexpected{std::move(acquired.error())};
  result.grant_ = acquired->leases.front().grant;
  result.view_ = acquired->leases.front().view;
  return result;
}

scoped_lease::scoped_lease(scoped_lease&& other) noexcept
  : system_(std::exchange(other.system_, nullptr)),
    keeper_(std::exchange(other.keeper_, nullptr)),
    group_(std::exchange(other.group_, nullptr)),
    grant_(std::move(other.grant_)),
    view_(std::exchange(other.view_, {})) {}

scoped_lease& scoped_lease::operator=(scoped_lease&& other) noexcept {
  if (this != &other) {
    (void)release();
    system_ = std::exchange(other.system_, nullptr);
    keeper_ = std::exchange(other.keeper_, nullptr);
    group_ = std::exchange(other.group_, nullptr);
    grant_ = std::move(other.grant_);
    view_ = std::exchange(other.view_, {});
  }
  return *this;
}

scoped_lease::~scoped_lease() { (void)release(); }

outcome<group_report> scoped_lease::release(nanoseconds patience) {
  if (!keeper_)
    return group_report{};
  auto report = ask_blocking<group_report>(*system_, group_, patience, group_stop{});
  caf::anon_send_exit(keeper_, caf::exit_reason::user_shutdown); // Ends the group, too.
  keeper_ = nullptr;
  group_ = nullptr;
  return report;
}

} // namespace trunnion
