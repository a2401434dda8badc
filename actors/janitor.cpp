#include "trunnion/actors/janitor.hpp"

#include "trunnion/actors/lease_sighting.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

#include <caf/actor_registry.hpp>

#include <algorithm>
#include <deque>
#include <map>

namespace trunnion {
namespace {

/// Private: what `sweep` says.
struct sweep_request {
  backend_actor backend;
  sweep_job job;
};

/// Private: looks may be due.
struct look_tick {
  trunnion::generation generation;
};

/// Private: all that was sent before has been read.
struct closing_time {};

} // namespace
} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::sweep_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::look_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::closing_time)

namespace trunnion {
namespace {

using janitor_actor = caf::typed_actor<takes<sweep_request>>;

class janitor_state {
public:
  using impl = janitor_actor::extend<takes<look_tick>, takes<closing_time>>;
  static constexpr const char* name = "janitor";

  janitor_state(impl::pointer self, const runtime& rt) : self_(self), rt_(rt) {}

  ~janitor_state() { leave_registry(); }

  janitor_state(const janitor_state&) = delete;
  janitor_state& operator=(const janitor_state&) = delete;

  impl::behavior_type make_behavior() {
    return {
      [this](const sweep_request& x) { on_sweep(x); },
      [this](const look_tick& x) { on_tick(x.generation); },
      [this](const closing_time&) {
        if (tasks_.empty())
          self_->quit();
      },
    };
  }

private:
  using task_id = std::uint64_t;

  struct task {
    backend_actor backend;
    sweep_job job;
    int looks_left = 3;
    int looks_under_way = 0; // After a pause several may be due at once.
  };

  void on_sweep(const sweep_request& x) {
    if (tasks_.size() >= max_sweeps) {
      rt_.metrics.count("lease_sweeps_refused_total");
      return;
    }
    const auto id = ++last_task_;
    tasks_.emplace(id, task{x.backend, x.job});
    const auto at = rt_.time.now();
    timers_.add(at + x.job.timeout, id);
    timers_.add(at + std::max(x.job.ttl, x.job.timeout), id);
    ready_.push_back(id);
    work();
    arm();
  }

  void on_tick(generation g) {
    if (!alarm_.heed(g))
      return;
    while (const auto id = timers_.pop_due(rt_.time.now()))
      if (tasks_.contains(*id))
        ready_.push_back(*id);
    work();
    arm();
  }

  void arm() {
    if (const auto next = alarm_.arm(rt_.time.now(), timers_.next_due()))
      self_->delayed_send(self_, next->after, look_tick{next->generation});
  }

  // -- a look -----------------------------------------------------------------

  void work() {
    while (!ready_.empty() && under_way_ < max_sweeps_under_way) {
      const auto found = tasks_.find(ready_.front());
      ready_.pop_front();
      if (found == tasks_.end() || found->second.looks_left == 0)
        continue;
      ++under_way_;
      ++found->second.looks_under_way;
      --found->second.looks_left;
      step(found->first, found->second);
    }
  }

  void step(task_id id, task& x) {
    if (x.job.revision)
      remove(id, x, *x.job.revision, x.job.in_epoch);
    else if (!x.job.holder.empty())
      look(id, x);
    else
      finish(id, true);
  }

  void look(task_id id, const task& x) {
    self_->request(x.backend, x.job.timeout, kv_get{x.job.subject, true})
      .then(
        [this, id](const kv_entry& seen) {
          auto& x = tasks_.at(id);
          if (look_at(seen.entry, seen.epoch, x.job.holder).who == standing::own)
            remove(id, x, seen.entry.revision, seen.epoch);
          else
            finish(id, false);
        },
        [this, id](const caf::error&) { finish(id, false); });
  }

  void remove(task_id id, const task& x, revision at, std::optional<epoch> in) {
    self_->request(x.backend, x.job.timeout, kv_delete{x.job.subject, at, in})
      .then(
        [this, id, at](const kv_deleted&) {
          rt_.metrics.count("lease_keys_swept_total");
          rt_.log.write(log_level::info, name,
                        tasks_.at(id).job.subject.text()
                          + ": removed what a lease left behind at revision " + to_string(at));
          after_removal(id);
        },
        [this, id](const caf::error& error) {
          const auto code = to_failure(error).code;
          if (code == error_code::revision_mismatch || code == error_code::key_not_found)
            after_removal(id);
          else
            finish(id, false);
        });
  }

  /// Nothing stands at that revision any more. Under the holder's name there may be a later one.
  void after_removal(task_id id) {
    auto& x = tasks_.at(id);
    const bool was_known = x.job.revision.has_value();
    x.job.revision.reset();
    if (was_known)
      step(id, x);
    else
      finish(id, false);
  }

  void finish(task_id id, bool is_done) {
    --under_way_;
    const auto found = tasks_.find(id);
    auto& x = found->second;
    --x.looks_under_way;
    if (is_done)
      x.looks_left = 0;
    if (x.looks_left == 0 && x.looks_under_way == 0)
      tasks_.erase(found);
    work();
    if (!tasks_.empty())
      return;
    leave_registry(); // What comes from now on goes to the next one.
    self_->send(self_, closing_time{});
  }

  void leave_registry() {
    auto& registry = self_->system().registry();
    if (registry.get<caf::strong_actor_ptr>(janitor_name) == self_->ctrl())
      registry.erase(janitor_name);
  }

  impl::pointer self_;
  runtime rt_;
  std::map<task_id, task> tasks_;
  timer_queue<task_id> timers_;
  std::deque<task_id> ready_; // Looks that are due.
  alarm alarm_;
  std::size_t under_way_ = 0;
  task_id last_task_ = 0;
};

} // namespace

void sweep(caf::actor_system& sys, const runtime& rt, const backend_actor& backend,
           const sweep_job& job) {
  auto& registry = sys.registry();
  auto janitor = registry.get<janitor_actor>(janitor_name);
  if (!janitor) {
    const janitor_actor mine = spawn_state<janitor_state>(sys, rt);
    registry.put(janitor_name, mine); // Leaves one that another thread has put there meanwhile.
    janitor = registry.get<janitor_actor>(janitor_name);
    if (!janitor)
      janitor = mine;
  }
  caf::anon_send(janitor, sweep_request{backend, job});
}

void dismiss_janitor(caf::actor_system& sys) {
  if (const auto janitor = sys.registry().get<caf::strong_actor_ptr>(janitor_name))
    caf::anon_send_exit(janitor, caf::exit_reason::user_shutdown);
}

} // namespace trunnion
