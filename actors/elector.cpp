#include "trunnion/actors/elector.hpp"

#include "trunnion/actors/election_sight.hpp"
#include "trunnion/actors/group_supervisor.hpp"
#include "trunnion/actors/kv_monitor.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"
#include "trunnion/messages/service_record.hpp"

#include <algorithm>
#include <iterator>

namespace trunnion {
namespace {

/// Private: a campaign's wait may be over, or the monitor due.
struct elector_tick {
  trunnion::generation generation;
};

} // namespace
} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::elector_tick)

namespace trunnion {
namespace {

constexpr std::uint64_t monitor_window = 8; ///< Parts of credit.
constexpr nanoseconds monitor_again_after = std::chrono::seconds{5};

class elector_state {
public:
  using impl
    = local_elector_actor::extend<takes<elector_tick>, takes<member_lost>, takes<group_report>,
                                  takes<monitor_part>, takes<monitor_health>>;
  static constexpr const char* name = "elector";

  elector_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                const elector_options& options, const caf::strong_actor_ptr& owner)
    : self_(self),
      alive_(caf::actor_cast<caf::strong_actor_ptr>(self)),
      rt_(rt),
      backend_(backend),
      options_(options) {
    if (owner) {
      owner_ = caf::actor_cast<caf::actor_addr>(owner);
      self_->monitor(owner);
    }
  }

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x); });
    self_->set_exit_handler([this](caf::exit_msg& x) {
      if (x.source != group_.address())
        wind_up(std::move(x.reason));
    });
    told_ = status();
    open_monitor();
    return {
      [this](const elector_campaign& x) { return on_campaign(x); },
      [this](const elector_resign&) { return on_resign(); },
      [this](const elector_observe&) { return on_observe(); },
      [this](const elector_inspect&) { return status(); },
      [this](const lease_get_view&) { return view_; },
      [this](const elector_tick& x) {
        if (alarm_.heed(x.generation))
          on_time();
      },
      [this](const member_lost& x) {
        if (is_from(group_))
          on_lost(x.reason, x.culprit);
      },
      [this](const group_report&) {
        if (is_from(group_))
          on_group_over();
      },
      [this](const monitor_part& x) { on_part(x); },
      [](const monitor_health&) {},
    };
  }

private:
  enum class stage : std::uint8_t {
    idle,
    campaigning, // Its group acquires the lease.
    leading,     // Its group holds it.
    ending,      // Its group ends.
  };

  struct campaigner {
    caf::actor_addr who;
    std::optional<instant> deadline;
    promise_guard<elector_elected> promise;
  };

  // -- requests ---------------------------------------------------------------

  caf::result<elector_elected> on_campaign(const elector_campaign& x) {
    if (is_quitting_)
      return ending();
    if (x.wait && (*x.wait < nanoseconds{} || *x.wait > longest_ttl))
      return refuse(error_code::invalid_argument, "a wait is from 0 to 365 days");
    if (stage_ == stage::leading)
      return elected();
    if (campaigners_.size() >= rt_.bounds.pending_requests)
      return refuse(error_code::overloaded, "too many campaigns at once");
    caf::actor_addr who;
    if (const auto& sender = self_->current_sender()) { // A promise takes it along.
      who = caf::actor_cast<caf::actor_addr>(sender);
      if (!is_watched(who))
        self_->monitor(sender);
    }
    auto promise = self_->make_response_promise<elector_elected>();
    campaigners_.push_back({.who = who,
                            .deadline = x.wait ? std::optional{now() + *x.wait} : std::nullopt,
                            .promise = {promise, ending()}});
    if (stage_ == stage::idle)
      begin();
    on_time(); // What does not wait is over while another campaign runs.
    tell_changes();
    return promise;
  }

  caf::result<elector_resigned> on_resign() {
    const bool was_leader = stage_ == stage::leading;
    drop_campaigners(error_code::cancelled, "given up by a resignation");
    if (stage_ == stage::idle || (stage_ == stage::ending && !is_resigning_))
      return elector_resigned{false};
    if (was_leader)
      log(log_level::info, "resigns");
    if (stage_ != stage::ending) {
      is_resigning_ = was_leader;
      end_group(std::nullopt);
    }
    if (!is_resigning_)
      return elector_resigned{false};
    if (resigning_.size() >= rt_.bounds.pending_requests)
      return refuse(error_code::overloaded, "too many resignations at once");
    auto promise = self_->make_response_promise<elector_resigned>();
    resigning_.emplace_back(promise, ending());
    return promise;
  }

  caf::result<elector_status> on_observe() {
    if (!self_->current_sender())
      return refuse(error_code::invalid_argument, "sent anonymously: nobody to tell");
    const auto sink = sender_as<elector_sink>(self_);
    if (std::ranges::find(observers_, sink.address()) == observers_.end()) {
      if (observers_.size() >= rt_.bounds.subscribers)
        return refuse(error_code::overloaded, "too many observers");
      if (!is_watched(sink.address()))
        self_->monitor(sink);
      observers_.push_back(sink.address());
    }
    self_->send(sink, told_);
    return told_;
  }

  caf::error refuse(error_code code, std::string text) const {
    if (code == error_code::overloaded)
      rt_.metrics.count("elector_refused_total");
    return to_error(code, std::move(text), options_.subject.text());
  }

  caf::error ending() const {
    return to_error(error_code::shutting_down, "the elector is ending", options_.subject.text());
  }

  // -- a campaign -------------------------------------------------------------

  void begin() {
    stage_ = stage::campaigning;
    const auto serial = ++campaign_;
    const auto at = now();
    campaign_end_ = at;
    for (const auto& x : campaigners_)
      if (campaign_end_)
        campaign_end_
          = x.deadline ? std::optional{std::max(*campaign_end_, *x.deadline)} : std::nullopt;
    const lease_options wanted{.subject = options_.subject,
                               .ttl = options_.ttl,
                               .record = encode_name(options_.name),
                               .owner = options_.owner,
                               .wait = campaign_end_ ? *campaign_end_ - at : nanoseconds{},
                               .wait_forever = !campaign_end_,
                               .grace = options_.grace};
    group_
      = make_group(self_->system(), rt_, backend_, caf::actor_cast<caf::strong_actor_ptr>(self_),
                   {.name = "election of " + options_.subject.text(),
                    .watcher = caf::actor_cast<group_sink>(self_)});
    self_->monitor(group_);
    // No timeout of our own: the lease has its wait, and the group always answers.
    self_->request(group_, caf::infinite, group_acquire{{wanted}})
      .then([this, serial](const group_acquired& x) { on_acquired(serial, x); },
            [this, serial](const caf::error& x) { on_not_acquired(serial, to_failure(x)); });
  }

  void on_acquired(std::uint64_t serial, const group_acquired& x) {
    if (serial != campaign_ || stage_ != stage::campaigning)
      return;
    stage_ = stage::leading;
    const auto& held = x.leases.front();
    view_ = held.view;
    token_ = held.grant.token;
    lost_.reset();
    rt_.metrics.count("elector_elected_total");
    log(log_level::info, options_.name + " is elected, token " + to_string(token_));
    tell_changes();
    settle([](const campaigner&) { return true; },
           [this](auto& promise) { promise.deliver(elected()); });
  }

  void on_not_acquired(std::uint64_t serial, const failure& why) {
    if (serial != campaign_ || stage_ != stage::campaigning)
      return;
    const bool may_go_on
      = why.code == error_code::lease_unavailable || why.code == error_code::timeout;
    if (!may_go_on)
      drop_campaigners(why.code, why.text);
    end_group(std::nullopt);
    expire(now(), "not elected in time: " + why.text);
    tell_changes();
  }

  elector_elected elected() const { return {token_, view_.time_left()}; }

  void on_time() {
    const auto at = now();
    expire(at, "not elected in time");
    if (stage_ == stage::campaigning && campaigners_.empty())
      end_group(std::nullopt);
    if (monitor_at_ && *monitor_at_ <= at)
      open_monitor();
    arm();
  }

  void expire(instant at, const std::string& text) {
    settle(
      [&](const campaigner& x) { return x.deadline && *x.deadline <= at && !is_told_by_lease(x); },
      [&](auto& promise) { promise.fail(refuse(error_code::timeout, text)); });
  }

  /// The campaigner that waits longest is answered by the lease, which never gives up before it
  /// has tried.
  bool is_told_by_lease(const campaigner& x) const {
    return stage_ == stage::campaigning && campaign_end_ && *x.deadline >= *campaign_end_;
  }

  void drop_campaigners(error_code code, const std::string& text) {
    settle([](const campaigner&) { return true; },
           [&](auto& promise) { promise.fail(refuse(code, text)); });
  }

  /// Answers some campaigns, which then are over.
  void settle(const auto& is_over, const auto& answer) {
    const auto rest = std::stable_partition(campaigners_.begin(), campaigners_.end(),
                                            [&](const campaigner& x) { return !is_over(x); });
    std::vector<campaigner> over{std::make_move_iterator(rest),
                                 std::make_move_iterator(campaigners_.end())};
    campaigners_.erase(rest, campaigners_.end());
    for (auto& x : over) {
      answer(x.promise);
      if (x.who && !is_watched(x.who))
        self_->demonitor(x.who);
    }
  }

  /// Whether its end matters. CAF takes back all calls of `monitor` with one `demonitor`, so an
  /// actor is monitored once, for as long as it is anything to us.
  bool is_watched(const caf::actor_addr& who) const {
    return who == owner_ || std::ranges::find(observers_, who) != observers_.end()
           || std::ranges::find(campaigners_, who, &campaigner::who) != campaigners_.end();
  }

  void arm() {
    auto due = monitor_at_;
    for (const auto& x : campaigners_)
      if (x.deadline && !is_told_by_lease(x))
        due = due ? std::min(*due, *x.deadline) : *x.deadline;
    if (const auto next = alarm_.arm(now(), due))
      self_->delayed_send(self_, next->after, elector_tick{next->generation});
  }

  // -- the end of a leadership, or of a campaign --------------------------------

  void on_lost(loss_reason reason, const std::string& culprit) {
    if (stage_ != stage::leading)
      return;
    rt_.metrics.count("elector_lost_total");
    log(log_level::warn, options_.name + " lost the leadership: " + to_string(reason)
                           + (culprit.empty() ? "" : ", culprit " + culprit));
    end_group(reason);
  }

  void end_group(std::optional<loss_reason> lost) {
    const bool was_leader = stage_ == stage::leading;
    stage_ = stage::ending;
    ++campaign_;
    if (was_leader) {
      lost_ = lost;
      auto end = status();
      end.leader.reset();
      end.token = {};
      tell(end); // Before who leads next, whom the monitor may know already.
    }
    caf::anon_send_exit(group_, caf::exit_reason::user_shutdown);
    tell_changes();
  }

  void on_group_over() {
    if (stage_ == stage::leading) // Ended in order, by whoever released its lease.
      end_group(std::nullopt);
    if (stage_ != stage::ending)
      return;
    self_->demonitor(group_.address());
    group_ = nullptr;
    stage_ = stage::idle;
    is_resigning_ = false;
    for (auto& x : resigning_)
      x.deliver({true});
    resigning_.clear();
    if (is_quitting_)
      return quit();
    if (!campaigners_.empty())
      begin();
    on_time();
    tell_changes();
  }

  void on_down(const caf::down_msg& x) {
    std::erase(observers_, x.source);
    if (x.source == owner_)
      return wind_up(caf::exit_reason::user_shutdown);
    if (group_ && x.source == group_.address()) {
      on_lost(loss_reason::holder_died, "the lease's group has ended");
      if (stage_ == stage::campaigning)
        on_not_acquired(campaign_, to_failure(x.reason));
      return on_group_over();
    }
    if (monitor_ && x.source == monitor_.address()) {
      monitor_ = nullptr;
      seen_.reset();
      log(log_level::warn, "cannot see who leads: " + to_string(to_failure(x.reason)));
      monitor_at_ = now() + monitor_again_after;
    }
    if (std::erase_if(campaigners_, [&](const auto& y) { return y.who == x.source; }) > 0
        && campaigners_.empty() && stage_ == stage::campaigning)
      end_group(std::nullopt);
    arm();
    tell_changes();
  }

  void wind_up(caf::error reason) {
    if (std::exchange(is_quitting_, true))
      return;
    quit_reason_ = std::move(reason);
    drop_campaigners(error_code::shutting_down, "the elector is ending");
    if (stage_ == stage::idle)
      return quit();
    if (stage_ != stage::ending)
      end_group(std::nullopt);
  }

  void quit() {
    alive_ = nullptr;
    self_->quit(quit_reason_);
  }

  // -- who leads ----------------------------------------------------------------

  void open_monitor() {
    monitor_at_.reset();
    monitor_ = spawn_kv_monitor(self_->system(), rt_, backend_, options_.subject,
                                caf::actor_cast<caf::strong_actor_ptr>(self_));
    self_->monitor(monitor_);
    self_->request(monitor_, monitor_again_after, monitor_subscribe{monitor_window})
      .then([](const monitor_status&) {}, [](const caf::error&) {}); // Its end is told by itself.
  }

  void on_part(const monitor_part& x) {
    if (!is_from(monitor_))
      return;
    self_->send(monitor_, monitor_credit{x.seq + monitor_window});
    for (const auto& entry : x.entries)
      seen_ = see_leader(entry, x.epoch, seen_);
    tell_changes();
  }

  elector_status status() const {
    elector_status result{.subject = options_.subject,
                          .name = options_.name,
                          .is_leader = stage_ == stage::leading,
                          .is_candidate = stage_ == stage::leading || !campaigners_.empty(),
                          .lost = lost_};
    if (result.is_leader) {
      result.leader = options_.name;
      result.token = token_;
    } else if (seen_ && !is_own(*seen_)) {
      result.leader = seen_->name;
      result.token = seen_->token;
    }
    return result;
  }

  /// The entry is what a leadership of ours has left behind, or of one that is about to be known.
  bool is_own(const seen_leader& x) const {
    return x.token == token_
           || (!campaigners_.empty() && x.name == options_.name && x.owner == options_.owner);
  }

  void tell_changes() {
    if (auto current = status(); current != told_)
      tell(std::move(current));
  }

  void tell(elector_status x) {
    told_ = std::move(x);
    for (const auto& observer : observers_)
      self_->send(caf::actor_cast<elector_sink>(observer), told_);
  }

  // -- means --------------------------------------------------------------------

  instant now() const { return rt_.time.now(); }

  bool is_from(const auto& handle) const {
    return handle && self_->current_sender() == caf::actor_cast<caf::strong_actor_ptr>(handle);
  }

  void log(log_level level, const std::string& line) const {
    rt_.log.write(level, name, options_.subject.text() + ": " + line);
  }

  impl::pointer self_;
  caf::strong_actor_ptr alive_; // Itself, until its end.
  runtime rt_;
  backend_actor backend_;
  elector_options options_;
  caf::actor_addr owner_;

  stage stage_ = stage::idle;
  group_supervisor_actor group_;        // Unless idle.
  std::uint64_t campaign_ = 0;          // Tells the answer to the latest from older ones.
  std::optional<instant> campaign_end_; // When its lease gives up waiting; nothing: never.
  std::vector<campaigner> campaigners_;
  std::vector<promise_guard<elector_resigned>> resigning_;
  bool is_resigning_ = false; // What ends is a leadership that was given up.
  lease_view view_;           // Of the latest leadership.
  fencing_token token_;       // Likewise.
  std::optional<loss_reason> lost_;

  kv_monitor_actor monitor_;
  std::optional<instant> monitor_at_; // When to start another, after its end.
  std::optional<seen_leader> seen_;
  std::vector<caf::actor_addr> observers_; // Weak.
  elector_status told_;                    // The latest.

  alarm alarm_;
  caf::error quit_reason_;
  bool is_quitting_ = false;
};

} // namespace

outcome<local_elector_actor> spawn_elector(caf::actor_system& sys, const runtime& rt,
                                           const backend_actor& backend,
                                           const elector_options& options,
                                           const caf::strong_actor_ptr& owner) {
  const auto& key = options.subject.text();
  if (options.name.empty() || !backend)
    return fail(error_code::invalid_argument, "an elector needs a name and a backend", key);
  auto checked = check(lease_options{.subject = options.subject,
                                     .ttl = options.ttl,
                                     .record = encode_name(options.name),
                                     .owner = options.owner,
                                     .grace = options.grace});
  if (!checked)
    return tl::unexpected{std::move(checked.error())};
  return local_elector_actor{spawn_state<elector_state>(sys, rt, backend, options, owner)};
}

} // namespace trunnion
