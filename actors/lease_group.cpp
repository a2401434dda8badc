#include "trunnion/actors/lease_group.hpp"

#include "trunnion/actors/lease.hpp"
#include "trunnion/actors/refresh_schedule.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace trunnion {

/// Private: some lease is due for its refresh.
struct refresh_tick {
  trunnion::generation generation;
};

/// Private: orphaned members have had their grace.
struct orphan_tick {};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::refresh_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::orphan_tick)

namespace trunnion {
namespace {

/// One request for several leases, under way.
struct acquisition {
  acquisition(promise_guard<group_acquired> promise, std::vector<lease_options> wanted)
    : promise(std::move(promise)), wanted(std::move(wanted)) {}

  promise_guard<group_acquired> promise;
  std::vector<lease_options> wanted; // In the order of their subjects.
  std::vector<held_handle> held;     // The first of them.
  std::size_t granted = 0;           // Those, and the one whose view is asked for.
  lease_actor current;               // The one that is being acquired.
};

/// The guard that a lease with these options has.
nanoseconds guard_of(const lease_options& options, nanoseconds ttl) {
  return options.guard.value_or(std::max<nanoseconds>(milliseconds{20}, ttl / 50));
}

class lease_group_state {
public:
  using impl = lease_group_actor::extend<takes<refresh_tick>, takes<orphan_tick>>;
  static constexpr const char* name = "lease_group";

  lease_group_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                    const caf::strong_actor_ptr& holder)
    : self_(self),
      alive_(caf::actor_cast<caf::strong_actor_ptr>(self)),
      rt_(rt),
      backend_(backend),
      holder_(caf::actor_cast<caf::actor_addr>(holder)) {
    self_->monitor(holder);
  }

  /// What is being acquired is nobody's yet, and the holder may live on.
  ~lease_group_state() {
    for (const auto& [id, x] : acquisitions_)
      release(x);
  }

  lease_group_state(const lease_group_state&) = delete;
  lease_group_state& operator=(const lease_group_state&) = delete;

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](caf::down_msg& x) {
      if (x.source == holder_)
        on_holder_down();
      else if (guarded_.erase(x.source) == 0)
        on_lease_down(x.source);
      else if (is_orphaned_ && guarded_.empty())
        self_->quit();
    });
    return {
      [this](group_acquire& x) { return on_acquire(x); },
      [this](const group_use_records& x) { records_ = x.source; },
      [this](const group_guard& x) {
        self_->monitor(x.member);
        guarded_[x.member.address()] = x.grace;
      },
      [this](const get_refresh_figures&) { return figures(); },
      [this](const refresh_tick& x) { on_tick(x); },
      [this](const orphan_tick&) { end_orphans(caf::exit_reason::kill); },
    };
  }

private:
  /// A lease that is refreshed.
  struct member {
    lease_actor lease;
    subject key;
    lease_times times;
  };
  using member_id = std::uint64_t;

  // -- acquisition ------------------------------------------------------------

  caf::result<group_acquired> on_acquire(group_acquire& x) {
    if (members_.size() + pending_leases_ + x.leases.size() > max_group_leases)
      return to_error(error_code::overloaded, "a group has at most 200000 leases");
    std::ranges::sort(x.leases, {}, &lease_options::subject);
    const auto twice = std::ranges::adjacent_find(x.leases, {}, &lease_options::subject);
    if (twice != x.leases.end())
      return to_error(error_code::invalid_argument, "a group cannot take one key twice",
                      twice->subject.text());
    for (const auto& options : x.leases)
      if (auto checked = check(options); !checked)
        return to_error(checked.error());
    auto promise = self_->make_response_promise<group_acquired>();
    const auto id = ++acquisitions_begun_;
    pending_leases_ += x.leases.size();
    acquisitions_.try_emplace(
      id,
      promise_guard<group_acquired>{promise, to_error(error_code::cancelled, "the group ended")},
      std::move(x.leases));
    acquire_next(id);
    return promise;
  }

  void acquire_next(std::uint64_t id) {
    auto& a = acquisitions_.at(id);
    if (a.held.size() == a.wanted.size()) {
      a.promise.deliver({std::move(a.held)});
      acquisitions_.erase(id);
      return;
    }
    const auto& options = a.wanted[a.held.size()];
    const auto holder = caf::actor_cast<caf::strong_actor_ptr>(holder_);
    if (!holder)
      return give_up(id, to_error(error_code::cancelled, "the holder has ended"));
    auto lease = acquire(self_->system(), rt_, backend_, holder, options);
    if (!lease)
      return give_up(id, to_error(lease.error()));
    a.current = *lease;
    // No timeout of our own: the lease answers by its wait, and has its own timeouts.
    self_->request(*lease, caf::infinite, lease_await{})
      .then([this, id](const lease_grant& grant) { on_grant(id, grant); },
            [this, id](caf::error& error) { give_up(id, std::move(error)); });
  }

  void on_grant(std::uint64_t id, const lease_grant& grant) {
    auto& a = acquisitions_.at(id);
    const auto lease = a.current;
    refresh_from_now_on(lease, grant, a.wanted[a.held.size()]);
    ++a.granted;
    --pending_leases_;
    self_->request(lease, caf::infinite, lease_get_view{})
      .then(
        [this, id, grant, lease](const lease_view& view) {
          auto& then = acquisitions_.at(id);
          then.held.push_back({grant, lease, view});
          then.current = nullptr;
          acquire_next(id);
        },
        [this, id](caf::error& error) { give_up(id, std::move(error)); });
  }

  /// All or nothing: what was taken so far is released again.
  void give_up(std::uint64_t id, caf::error error) {
    auto node = acquisitions_.extract(id);
    pending_leases_ -= node.mapped().wanted.size() - node.mapped().granted;
    release(node.mapped());
    node.mapped().promise.fail(std::move(error));
  }

  static void release(const acquisition& a) {
    for (const auto& x : a.held)
      caf::anon_send_exit(x.lease, caf::exit_reason::user_shutdown);
    if (a.current)
      caf::anon_send_exit(a.current, caf::exit_reason::user_shutdown);
  }

  // -- refreshes --------------------------------------------------------------

  void refresh_from_now_on(const lease_actor& lease, const lease_grant& grant,
                           const lease_options& options) {
    const auto id = ++members_begun_;
    members_.try_emplace(
      id, member{lease, grant.subject, {grant.ttl, guard_of(options, grant.ttl), options.grace}});
    by_lease_.emplace(lease.address(), id);
    self_->monitor(lease);
    schedule(id, grant.time_left);
  }

  void schedule(member_id id, nanoseconds time_left) {
    const auto& m = members_.at(id);
    const auto now = rt_.time.now();
    const auto due = next_refresh(now, now + time_left, m.times, rt_.random.next());
    due_.add(shared_moment(due, m.times.ttl), id);
    arm();
  }

  void arm() {
    if (auto wake = alarm_.arm(rt_.time.now(), due_.next_due()))
      self_->delayed_send(self_, wake->after, refresh_tick{wake->generation});
  }

  void on_tick(const refresh_tick& tick) {
    if (!alarm_.heed(tick.generation))
      return;
    while (auto id = due_.pop_due(rt_.time.now()))
      if (members_.contains(*id))
        refresh(*id);
    arm();
  }

  void refresh(member_id id) {
    if (!records_)
      return refresh_with(id, keep_record{});
    const auto& m = members_.at(id);
    self_->request(records_, m.times.ttl / 10, record_wanted{m.key})
      .then([this, id](const record_text& x) { refresh_with(id, x.json); },
            [this, id](const caf::error&) {
              ++late_records_;
              refresh_with(id, keep_record{});
            });
  }

  void refresh_with(member_id id, record_change record) {
    const auto found = members_.find(id);
    if (found == members_.end())
      return;
    const auto& m = found->second;
    const bool is_own = std::holds_alternative<keep_record>(record);
    self_->request(m.lease, m.times.ttl, lease_refresh{std::move(record)})
      .then([this, id](const lease_refreshed& x) { on_refreshed(id, x); },
            [this, id, is_own](const caf::error& error) {
              on_refused(id, to_failure(error).code, is_own);
            });
  }

  void on_refreshed(member_id id, const lease_refreshed& x) {
    ++refreshes_;
    if (members_.contains(id))
      schedule(id, x.time_left);
  }

  /// A record that is not JSON must not cost the lease: it keeps its old one. Where even that is
  /// refused, as by a store that takes less than it did, it is tried again after a pause. Any other
  /// refusal means that the lease is over.
  void on_refused(member_id id, error_code why, bool was_own) {
    const auto found = members_.find(id);
    if (found == members_.end())
      return;
    if (why != error_code::invalid_argument && why != error_code::payload_too_large)
      return forget(id);
    if (was_own) {
      due_.add(rt_.time.now() + found->second.times.ttl / 20, id);
      return arm();
    }
    ++late_records_;
    refresh_with(id, keep_record{});
  }

  // -- the holder's death -----------------------------------------------------

  /// The leases monitor the holder themselves; its members do not.
  void on_holder_down() {
    is_orphaned_ = true;
    members_.clear();
    if (guarded_.empty())
      return self_->quit();
    const auto longest
      = std::ranges::max_element(guarded_, {}, [](const auto& guarded) { return guarded.second; });
    self_->delayed_send(self_, longest->second, orphan_tick{});
    end_orphans(caf::exit_reason::user_shutdown);
  }

  void end_orphans(caf::exit_reason reason) {
    for (const auto& [address, grace] : guarded_)
      if (const auto orphan = caf::actor_cast<caf::actor>(address))
        caf::anon_send_exit(orphan, reason);
  }

  void on_lease_down(const caf::actor_addr& who) {
    if (const auto found = by_lease_.find(who); found != by_lease_.end())
      forget(found->second);
  }

  void forget(member_id id) {
    if (const auto found = members_.find(id); found != members_.end()) {
      by_lease_.erase(found->second.lease.address());
      members_.erase(found);
    }
  }

  refresh_figures figures() const { return {members_.size(), refreshes_, late_records_}; }

  impl::pointer self_;
  caf::strong_actor_ptr alive_; // Itself: it must see its holder's end, when nobody knows it more.
  runtime rt_;
  backend_actor backend_;
  caf::actor_addr holder_; // Weak: a group keeps nobody else alive.
  record_source records_;
  std::map<caf::actor_addr, nanoseconds> guarded_; // Members of the holder, and their graces.
  bool is_orphaned_ = false;
  std::map<std::uint64_t, acquisition> acquisitions_;
  std::unordered_map<member_id, member> members_; // For look-up only.
  std::map<caf::actor_addr, member_id> by_lease_;
  timer_queue<member_id> due_;
  alarm alarm_;
  std::size_t pending_leases_ = 0; // Asked for, and not granted yet.
  std::uint64_t acquisitions_begun_ = 0;
  member_id members_begun_ = 0;
  std::uint64_t refreshes_ = 0;
  std::uint64_t late_records_ = 0;
};

} // namespace

lease_group_actor spawn_lease_group(caf::actor_system& sys, const runtime& rt,
                                    const backend_actor& backend,
                                    const caf::strong_actor_ptr& holder) {
  return spawn_state<lease_group_state>(sys, rt, backend, holder);
}

} // namespace trunnion
