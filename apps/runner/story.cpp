#include "trunnion/runner/story.hpp"

#include "trunnion/messages/lease_record.hpp"
#include "trunnion/runner/published.hpp"

#include <map>

namespace trunnion {
namespace {

constexpr watch_id stream_id = 1;
constexpr watch_id keys_id = 2;
constexpr std::uint64_t window = 64; // Parts that may be under way.
constexpr nanoseconds open_timeout = std::chrono::seconds{5};
constexpr nanoseconds reopen_after = std::chrono::seconds{1};

} // namespace

/// Private: open again what was lost.
struct story_reopen {
  watch_id id;
};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::story_reopen)

namespace trunnion {
namespace {

class story_state {
public:
  using impl
    = story_actor::extend_with<watch_sink>::extend_with<stream_sink>::extend<takes<story_reopen>>;
  static constexpr const char* name = "story";

  story_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
              const entity& site, const story_sink& sink)
    : self_(self), rt_(rt), backend_(backend), site_(site), sink_(sink) {}

  impl::behavior_type make_behavior() {
    open(stream_id);
    open(keys_id);
    return {
      [this](const member_lost& x) { on_lost(x); },
      [this](const group_report& x) { on_report(x); },
      [this](const service_event& x) { on_service(x); },
      [this](const story_flush&) { return on_flush(); },
      [this](const watch_part& x) { on_keys(x); },
      [this](const watch_lost& x) { reopen(x.id); },
      [this](const stream_part& x) { on_messages(x); },
      [this](const stream_lost& x) { reopen(x.id); },
      [this](const story_reopen& x) { open(x.id); },
    };
  }

private:
  // -- subscriptions ----------------------------------------------------------

  void open(watch_id id) {
    const subject all{site_, property::all_descendants()};
    const auto failed = [this, id](const caf::error& error) {
      rt_.log.write(log_level::warn, name, to_string(to_failure(error)));
      reopen(id);
    };
    if (id == stream_id) {
      stream_seen_ = 0;
      self_->request(backend_, open_timeout, consume{all, id, stream_start::only_new, window})
        .then([](const consuming&) {}, failed);
    } else {
      keys_seen_ = 0;
      self_->request(backend_, open_timeout, watch{all, id, window})
        .then([](const watch_opened&) {}, failed);
    }
  }

  void reopen(watch_id id) { self_->delayed_send(self_, reopen_after, story_reopen{id}); }

  /// Whether a part is the next one; asks again for what is missing.
  bool is_next(std::uint64_t& seen, std::uint64_t seq) {
    if (seq != seen + 1)
      return false; // Known, or ahead of a part that the backend will send again.
    seen = seq;
    return true;
  }

  // -- keys -------------------------------------------------------------------

  void on_keys(const watch_part& x) {
    if (is_next(keys_seen_, x.seq))
      for (const auto& entry : x.entries)
        on_key(entry);
    self_->send(backend_, watch_credit{keys_id, keys_seen_, keys_seen_ + window});
  }

  void on_key(const entry& x) {
    const auto known = held_.find(x.subject);
    if (!x.is_live()) {
      if (known != held_.end())
        gone(known, to_string(*x.tombstone));
      return;
    }
    const auto record = decode_lease_record(x.payload.bytes());
    if (!record)
      return; // Another kind of key.
    const auto holder = record->holder.value_or("");
    if (known != held_.end()) {
      if (known->second.holder == holder)
        return; // A refresh.
      gone(known, "replaced");
    }
    const auto token = record->token ? record->token->revision : x.revision;
    held_[x.subject] = {holder, token};
    tell(x.subject.text(), "taken",
         "token " + to_string(token) + (record->owner.empty() ? "" : " by " + record->owner));
  }

  struct holding {
    std::string holder;
    revision token;
  };

  void gone(std::map<subject, holding>::iterator which, const std::string& how) {
    tell(which->first.text(), "gone", "token " + to_string(which->second.token) + " " + how);
    held_.erase(which);
  }

  // -- messages ---------------------------------------------------------------

  void on_messages(const stream_part& x) {
    if (is_next(stream_seen_, x.seq)) {
      if (x.skipped > 0)
        tell(site_.text(), "missed", std::to_string(x.skipped) + " messages");
      for (const auto& message : x.messages)
        on_message(message);
    }
    self_->send(backend_, stream_credit{stream_id, stream_seen_, stream_seen_ + window});
  }

  void on_message(const stream_message& x) {
    const auto said = read_published(x.payload.bytes());
    const bool is_event = x.subject.kind() == property_kind::events && !said.event.empty();
    tell(std::string{x.subject.owner_text()},
         is_event ? said.event : std::string{x.subject.prop().text()}, said.text,
         std::string{x.payload.bytes()});
  }

  // -- services ---------------------------------------------------------------

  void on_service(const service_event& x) {
    const auto who = x.entity.text() + (x.instance == 0 ? "" : "#" + std::to_string(x.instance));
    tell(who, to_string(x.phase), x.text);
  }

  void on_lost(const member_lost& x) {
    const auto left = std::chrono::duration_cast<milliseconds>(x.close_within).count();
    tell(x.group, "lost",
         x.which + ": " + to_string(x.reason) + ", culprit "
           + (x.culprit.empty() ? "unknown" : x.culprit) + "; closes within " + std::to_string(left)
           + " ms");
  }

  void on_report(const group_report& x) { tell(x.group, "ended", to_string(x)); }

  // -- means ------------------------------------------------------------------

  /// Publishing and keys come through the backend: one round trip there, and all is told.
  caf::result<story_flushed> on_flush() {
    auto promise = self_->make_response_promise<story_flushed>();
    self_->request(backend_, open_timeout, get_capabilities{})
      .then([promise](const capabilities&) mutable { promise.deliver(story_flushed{}); },
            [promise](caf::error& error) mutable { promise.deliver(std::move(error)); });
    return promise;
  }

  void tell(std::string who, std::string what, std::string text, std::string data = {}) {
    sink_({rt_.time.wall(), std::move(who), std::move(what), std::move(text), std::move(data)});
  }

  impl::pointer self_;
  runtime rt_;
  backend_actor backend_;
  entity site_;
  story_sink sink_;
  std::uint64_t stream_seen_ = 0;
  std::uint64_t keys_seen_ = 0;
  std::map<subject, holding> held_; // Lease keys that are there.
};

} // namespace

story_actor spawn_story(caf::actor_system& sys, const runtime& rt, const backend_actor& backend,
                        const entity& site, story_sink sink) {
  return spawn_state<story_state>(sys, rt, backend, site, sink);
}

} // namespace trunnion
