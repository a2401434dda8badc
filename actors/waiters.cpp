#include "trunnion/actors/waiters.hpp"

#include "trunnion/actors/turn_schedule.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

#include <caf/actor_registry.hpp>

#include <list>
#include <map>

namespace trunnion {
namespace {

/// Private: a try may be due.
struct room_tick {
  trunnion::generation generation;
};

} // namespace
} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::room_tick)

namespace trunnion {
namespace {

constexpr nanoseconds watch_patience = std::chrono::seconds{5}; ///< For the watch to open.
constexpr std::uint64_t watch_window = 8;                       ///< Parts of credit.

/// The waiters for one key of one backend.
struct turn_queue {
  backend_actor backend;
  trunnion::subject subject;
  turn_schedule schedule;
  std::list<caf::actor_addr> waiters; // Weak. First come, first served.
  bool is_trying = false;             // The first one has been told to.
  std::optional<instant> timer;       // The latest added for it.
  watch_id watched = 0;               // Zero: not watched.
  std::uint64_t next_seq = 1;
  bool is_in_picture = false; // The snapshot under way has shown the key.
};

using queue_key = std::tuple<caf::node_id, caf::actor_id, std::string>;

class waiting_room_state {
public:
  using impl = waiting_room_actor::extend<takes<watch_part>, takes<watch_lost>, takes<room_tick>>;
  static constexpr const char* name = "waiting_room";

  waiting_room_state(impl::pointer self, const runtime& rt) : self_(self), rt_(rt) {}

  ~waiting_room_state() {
    auto& registry = self_->system().registry();
    if (registry.get<caf::strong_actor_ptr>(waiting_room_name) == self_->ctrl())
      registry.erase(waiting_room_name);
  }

  waiting_room_state(const waiting_room_state&) = delete;
  waiting_room_state& operator=(const waiting_room_state&) = delete;

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { leave(x.source.id()); });
    return {
      [this](const wait_join& x) { return on_join(x); },
      [this](const wait_report& x) { on_report(x); },
      [this](const wait_leave&) {
        if (self_->current_sender())
          leave(self_->current_sender()->id());
      },
      [this](const watch_part& x) { on_part(x); },
      [this](const watch_lost& x) { on_watch_lost(x.id); },
      [this](const room_tick& x) { on_tick(x.generation); },
    };
  }

private:
  using queues = std::map<queue_key, turn_queue>;
  struct place {
    queues::iterator queue;
    std::list<caf::actor_addr>::iterator waiter;
  };

  // -- waiters ----------------------------------------------------------------

  caf::result<wait_joined> on_join(const wait_join& x) {
    const auto& sender = self_->current_sender();
    if (!sender || !x.backend || places_.contains(sender->id())) {
      if (queues_.empty())
        self_->quit();
      return to_error(error_code::invalid_argument, "cannot wait twice, nor as nobody");
    }
    const queue_key key{x.backend->node(), x.backend->id(), x.subject.text()};
    auto at = queues_.find(key);
    if (at == queues_.end())
      at = queues_.emplace(key, turn_queue{x.backend, x.subject, turn_schedule{now()}}).first;
    auto& queue = at->second;
    if (queue.waiters.size() >= rt_.bounds.waiters_per_key) {
      rt_.metrics.count("lease_waiters_refused_total");
      return to_error(error_code::overloaded, "too many wait for this key", x.subject.text());
    }
    queue.waiters.push_back(caf::actor_cast<caf::actor_addr>(sender));
    places_.emplace(sender->id(), place{at, std::prev(queue.waiters.end())});
    self_->monitor(sender);
    const auto ahead = queue.waiters.size() - 1;
    plan(queue);
    return wait_joined{ahead};
  }

  void on_report(const wait_report& x) {
    const auto found
      = self_->current_sender() ? places_.find(self_->current_sender()->id()) : places_.end();
    if (found == places_.end())
      return;
    const auto at = found->second.queue;
    auto& queue = at->second;
    queue.is_trying = false;
    if (x.result == turn_result::taken)
      queue.schedule.on_held(now(), x.ttl);
    else if (x.result == turn_result::missed)
      queue.schedule.on_missed(now());
    else
      queue.schedule.on_trouble(now());
    if (x.result == turn_result::taken)
      leave(found->first);
    else
      settle(at);
  }

  void leave(caf::actor_id who) {
    const auto found = places_.find(who);
    if (found == places_.end())
      return;
    const auto [at, waiter] = found->second;
    auto& queue = at->second;
    self_->demonitor(*waiter);
    if (queue.is_trying && waiter == queue.waiters.begin()) {
      queue.is_trying = false; // It left in the middle of its turn: what it did is not known.
      queue.schedule.on_missed(now());
    }
    queue.waiters.erase(waiter);
    places_.erase(found);
    settle(at);
  }

  /// After a change of a queue: watches its key, or closes it.
  void settle(queues::iterator at) {
    auto& queue = at->second;
    if (!queue.waiters.empty()) {
      if (queue.watched == 0)
        open_watch(queue, at);
      plan(queue);
      return;
    }
    close_watch(queue);
    queues_.erase(at);
    if (queues_.empty())
      self_->quit();
  }

  // -- turns ------------------------------------------------------------------

  void plan(turn_queue& queue) {
    const auto next = queue.schedule.next();
    if (queue.is_trying || queue.waiters.empty() || !next)
      return;
    if (*next <= now()) {
      queue.is_trying = true;
      queue.timer.reset();
      rt_.metrics.count("lease_turns_total");
      if (const auto first = caf::actor_cast<caf::strong_actor_ptr>(queue.waiters.front()))
        self_->send(caf::actor_cast<waiter_actor>(first), wait_turn{});
    } else if (queue.timer != next) {
      queue.timer = next;
      timers_.add(*next, {queue.backend->node(), queue.backend->id(), queue.subject.text()});
      arm();
    }
  }

  void on_tick(generation g) {
    if (!alarm_.heed(g))
      return;
    while (auto key = timers_.pop_due(now()))
      if (const auto found = queues_.find(*key); found != queues_.end())
        plan(found->second);
    arm();
  }

  void arm() {
    if (const auto next = alarm_.arm(now(), timers_.next_due()))
      self_->delayed_send(self_, next->after, room_tick{next->generation});
  }

  // -- the watch --------------------------------------------------------------

  void open_watch(turn_queue& queue, queues::iterator at) {
    const auto id = queue.watched = ++last_watch_;
    queue.next_seq = 1;
    queue.is_in_picture = false;
    watches_.emplace(id, at);
    self_->request(queue.backend, watch_patience, watch{queue.subject, id, watch_window})
      .then([](const watch_opened&) {}, [this, id](const caf::error&) { on_watch_lost(id); });
  }

  void close_watch(turn_queue& queue) {
    if (queue.watched == 0)
      return;
    self_->send(queue.backend, unwatch{queue.watched});
    watches_.erase(queue.watched);
    queue.watched = 0;
  }

  /// Without a watch the queue is tried once a second; each try that fails opens it again.
  void on_watch_lost(watch_id id) {
    const auto found = watches_.find(id);
    if (found == watches_.end())
      return;
    auto& queue = found->second->second;
    close_watch(queue);
    queue.schedule.on_trouble(now());
    plan(queue);
  }

  void on_part(const watch_part& x) {
    const auto found = watches_.find(x.id);
    if (found == watches_.end())
      return;
    auto& queue = found->second->second;
    if (x.seq > queue.next_seq) {
      self_->send(queue.backend, rewatch{x.id, queue.next_seq});
      return;
    }
    const bool is_new = x.seq == queue.next_seq;
    if (is_new)
      ++queue.next_seq;
    self_->send(queue.backend,
                watch_credit{x.id, queue.next_seq - 1, queue.next_seq - 1 + watch_window});
    if (!is_new)
      return;
    for (const auto& entry : x.entries) {
      queue.is_in_picture = entry.is_live();
      if (entry.is_live())
        queue.schedule.on_held(now(), entry.time_left);
      else if (!entry.unmarked)
        queue.schedule.on_free(now(), jitter());
    }
    if (x.kind == part_kind::snapshot_end && !queue.is_in_picture)
      queue.schedule.on_free(now(), jitter());
    if (x.kind == part_kind::resync)
      queue.is_in_picture = false;
    plan(queue);
  }

  // -- means ------------------------------------------------------------------

  instant now() const { return rt_.time.now(); }

  nanoseconds jitter() {
    return nanoseconds{below(rt_.random, static_cast<std::uint64_t>(longest_jitter.count()) + 1)};
  }

  impl::pointer self_;
  runtime rt_;
  queues queues_;
  std::map<caf::actor_id, place> places_;
  std::map<watch_id, queues::iterator> watches_;
  timer_queue<queue_key> timers_;
  alarm alarm_;
  watch_id last_watch_ = 0;
};

} // namespace

waiting_room_actor waiting_room(caf::actor_system& sys, const runtime& rt) {
  auto& registry = sys.registry();
  if (auto known = registry.get<waiting_room_actor>(waiting_room_name))
    return known;
  waiting_room_actor mine = spawn_state<waiting_room_state>(sys, rt);
  registry.put(waiting_room_name, mine); // Leaves one that another thread has put there meanwhile.
  auto result = registry.get<waiting_room_actor>(waiting_room_name);
  return result ? result : mine;
}

} // namespace trunnion
