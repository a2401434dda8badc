#include "trunnion/actors/janitor.hpp"

#include "trunnion/actors/lease_sighting.hpp"

#include <algorithm>
#include <array>

namespace trunnion {
namespace {

/// Private: the time of a look, or past the last one the end.
struct look_tick {
  std::uint32_t look = 0;
};

} // namespace
} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::look_tick)

namespace trunnion {
namespace {

class janitor_state {
public:
  using impl = caf::typed_actor<takes<look_tick>>;
  static constexpr const char* name = "janitor";
  static constexpr std::uint32_t looks = 3;

  janitor_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                const sweep_job& job)
    : self_(self), rt_(rt), backend_(backend), job_(job) {}

  impl::behavior_type make_behavior() {
    const auto last = std::max(job_.ttl, job_.timeout);
    const std::array<nanoseconds, looks + 1> times{nanoseconds{}, job_.timeout, last,
                                                   last + 3 * job_.timeout};
    for (std::uint32_t i = 1; i < times.size(); ++i) // They keep it alive till the end.
      self_->delayed_send(self_, times[i], look_tick{i});
    on_tick({});
    return {[this](look_tick x) { on_tick(x); }};
  }

private:
  void on_tick(look_tick x) {
    if (x.look == looks)
      self_->quit();
    else if (job_.revision)
      remove(*job_.revision);
    else if (!job_.holder.empty())
      look();
  }

  void look() {
    self_->request(backend_, job_.timeout, kv_get{job_.subject, true})
      .then(
        [this](const kv_entry& x) {
          if (look_at(x.entry, x.epoch, job_.holder).who == standing::own)
            remove(x.entry.revision);
        },
        [](const caf::error&) {}); // Nothing there, or the next look will see.
  }

  void remove(revision at) {
    self_->request(backend_, job_.timeout, kv_delete{job_.subject, at})
      .then(
        [this, at](const kv_deleted&) {
          rt_.metrics.count("lease_keys_swept_total");
          rt_.log.write(log_level::info, name,
                        job_.subject.text() + ": removed what a lease left behind at revision "
                          + to_string(at));
          known_is_done();
        },
        [this](const caf::error& error) {
          const auto code = to_failure(error).code;
          if (code == error_code::revision_mismatch || code == error_code::key_not_found)
            known_is_done();
        });
  }

  /// Nothing stands at the revision that was known: only what the holder's name tells is left.
  void known_is_done() {
    if (!job_.revision)
      return;
    job_.revision.reset();
    if (!job_.holder.empty())
      look();
  }

  impl::pointer self_;
  runtime rt_;
  backend_actor backend_;
  sweep_job job_;
};

} // namespace

void sweep(caf::actor_system& sys, const runtime& rt, const backend_actor& backend,
           const sweep_job& job) {
  detail::spawn_state_with<janitor_state, caf::hidden>(sys, rt, backend, job);
}

} // namespace trunnion
