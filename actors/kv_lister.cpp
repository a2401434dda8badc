#include "trunnion/actors/kv_lister.hpp"

#include "trunnion/messages/runtime/promise_guard.hpp"

#include <algorithm>

namespace trunnion {
namespace {

/// Private: the time for the listing is over.
struct listing_late {};

} // namespace
} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::listing_late)

namespace trunnion {
namespace {

constexpr watch_id only_id = 1;
constexpr std::uint64_t list_window = 16; ///< Parts of credit.

class kv_lister_state {
public:
  using impl = kv_lister_actor::extend<takes<watch_part>, takes<watch_lost>, takes<listing_late>>;
  static constexpr const char* name = "kv_lister";

  kv_lister_state(impl::pointer self, const backend_actor& backend, const subject& pattern,
                  nanoseconds timeout)
    : self_(self), backend_(backend), pattern_(pattern), timeout_(timeout) {}

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { end_with(to_failure(x.reason)); });
    self_->monitor(backend_);
    self_->delayed_send(self_, timeout_, listing_late{});
    self_->request(backend_, timeout_, kv_list{pattern_, only_id, list_window})
      .then([](const watch_opened&) {},
            [this](const caf::error& error) { end_with(to_failure(error)); });
    return {
      [this](const get_listing&) { return on_ask(); },
      [this](const watch_part& x) { on_part(x); },
      [this](const watch_lost& x) { end_with(x.error); },
      [this](const listing_late&) {
        self_->send(backend_, unwatch{only_id});
        end_with({error_code::timeout, certainty::not_applied, "", "no full listing in time", {}});
      },
    };
  }

private:
  caf::result<listing> on_ask() {
    auto promise = self_->make_response_promise<listing>();
    asker_.emplace(promise, to_error(error_code::cancelled, "the listing ended"));
    settle();
    return promise;
  }

  void on_part(const watch_part& x) {
    if (x.seq > next_seq_) {
      self_->send(backend_, rewatch{only_id, next_seq_});
      return;
    }
    if (x.seq == next_seq_ && !outcome_) {
      ++next_seq_;
      take(x);
    }
    if (!outcome_)
      self_->send(backend_, watch_credit{only_id, next_seq_ - 1, next_seq_ - 1 + list_window});
    settle();
  }

  void take(const watch_part& x) {
    found_.epoch = x.epoch;
    found_.revision = x.revision;
    if (x.kind == part_kind::resync) {
      found_.entries.clear();
      bytes_ = 0;
    }
    for (const auto& entry : x.entries)
      bytes_ += entry.payload.size();
    found_.entries.insert(found_.entries.end(), x.entries.begin(), x.entries.end());
    if (found_.entries.size() > max_listed_entries || bytes_ > max_listed_bytes) {
      self_->send(backend_, unwatch{only_id});
      end_with(
        {error_code::overloaded, certainty::not_applied, "", "too much for one listing", {}});
    } else if (x.kind == part_kind::snapshot_end) {
      std::ranges::sort(found_.entries, {}, &entry::subject);
      outcome_.emplace(std::move(found_));
    }
  }

  void end_with(failure why) {
    if (outcome_)
      return;
    why.subject = pattern_.text();
    outcome_.emplace(tl::unexpected{std::move(why)});
    settle();
  }

  /// Answers once there is who asked, and what to say.
  void settle() {
    if (!outcome_ || !asker_)
      return;
    if (*outcome_)
      asker_->deliver(std::move(**outcome_));
    else
      asker_->fail(to_error(outcome_->error()));
    self_->quit();
  }

  impl::pointer self_;
  backend_actor backend_;
  subject pattern_;
  nanoseconds timeout_;
  listing found_;
  std::size_t bytes_ = 0;
  std::uint64_t next_seq_ = 1;
  std::optional<outcome<listing>> outcome_;
  std::optional<promise_guard<listing>> asker_;
};

} // namespace

kv_lister_actor spawn_kv_lister(caf::actor_system& sys, const backend_actor& backend,
                                const subject& pattern, nanoseconds timeout) {
  return spawn_state<kv_lister_state>(sys, backend, pattern, timeout);
}

} // namespace trunnion
