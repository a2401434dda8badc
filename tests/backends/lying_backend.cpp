#include "trunnion/tests/backends/lying_backend.hpp"

#include "trunnion/tests/backends/memory_target.hpp"

namespace trunnion::test {

class lying_way_in;

/// Something that one way in does for another, or for itself later.
struct errand {
  std::function<void(lying_way_in&)> run;
};

} // namespace trunnion::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::test::errand)

namespace trunnion::test {

/// What the ways into one backend know of each other.
struct accomplices {
  std::map<std::string, std::set<caf::actor>> listening; // By subject.
  std::map<std::uint64_t, caf::actor> handed;            // By the request's number.
  bool was_interrupted = false;
};

/// One client's way in. The backend sees it as the session.
class lying_way_in : public std::enable_shared_from_this<lying_way_in> {
public:
  lying_way_in(caf::event_based_actor* me, lie what, backend_actor backend,
               std::shared_ptr<accomplices> others)
    : me_(me), lie_(what), backend_(std::move(backend)), others_(std::move(others)) {}

  caf::behavior make_behavior() {
    me_->set_default_handler(caf::drop);
    me_->set_error_handler([](caf::error&) {});
    me_->set_down_handler([me = me_, stays = tells(lie::a_dead_session_stays)](const auto&) {
      if (!stays)
        me->quit();
    });
    return keys().or_else(parts()).or_else(streams()).or_else(requests()).or_else(others());
  }

private:
  // -- keys -------------------------------------------------------------------

  caf::message_handler keys() {
    const auto self = shared_from_this();
    return {
      [self](const kv_get& x) { return self->on(x); },
      [self](const kv_create& x) { return self->on(x); },
      [self](const kv_update& x) { return self->on(x); },
      [self](const kv_delete& x) { return self->on(x); },
      [self](const kv_list& x) { return self->on(x); },
      [self](const watch& x) { return self->on(x); },
    };
  }

  caf::result<kv_entry> on(const kv_get& x) {
    return relay<kv_entry>(x, [this](kv_entry& y) -> std::optional<failure> {
      if (tells(lie::reads_are_of_another_epoch))
        ++y.epoch.value;
      if (tells(lie::a_value_is_taken_for_a_tombstone) && y.entry.payload.bytes() == "DELETED")
        return failure{error_code::key_not_found, certainty::not_applied, y.entry.subject.text(),
                       "deleted", missing_key{true}};
      return std::nullopt;
    });
  }

  caf::result<kv_written> on(kv_create x) {
    cut(x.payload);
    const auto asked = x.ttl;
    bend(x.ttl);
    note_ttl(x.subject, x.ttl);
    const auto key = x.subject;
    const auto change = [=, this](kv_written& y) {
      if (tells(lie::a_ttl_ends_early) && y.ttl)
        y.ttl = asked;
      revisions_[key] = y.revision;
    };
    if (tells(lie::create_ignores_a_live_key))
      return relay<kv_written>(kv_update{x.subject, x.payload, {}, x.ttl}, change);
    return relay<kv_written>(x, change);
  }

  caf::result<kv_written> on(kv_update x) {
    cut(x.payload);
    const auto asked = x.ttl;
    bend(x.ttl);
    if (tells(lie::an_update_keeps_the_old_ttl) && !x.ttl && ttls_.contains(x.subject))
      x.ttl = ttls_[x.subject];
    else
      note_ttl(x.subject, x.ttl);
    if (tells(lie::the_epoch_of_a_write_is_ignored))
      x.in_epoch.reset();
    if (tells(lie::update_ignores_a_stale_revision) && x.expected && x.expected->value > 0)
      x.expected.reset();
    return relay<kv_written>(x, [=, this, key = x.subject](kv_written& y) {
      if (y.ttl)
        y.ttl = asked;
      if (tells(lie::a_revision_does_not_grow) && revisions_.contains(key))
        y.revision = revisions_[key];
      revisions_[key] = y.revision;
    });
  }

  caf::result<kv_deleted> on(kv_delete x) {
    if (tells(lie::delete_ignores_a_stale_revision))
      x.expected.reset();
    if (tells(lie::the_epoch_of_a_write_is_ignored))
      x.in_epoch.reset();
    deleted_.insert(x.subject);
    return relay<kv_deleted>(x);
  }

  void cut(payload& x) const {
    if (tells(lie::a_large_value_is_cut) && x.size() > max_payload_size)
      x = payload{std::string{x.bytes().substr(0, max_payload_size)}};
  }

  void bend(std::optional<nanoseconds>& ttl) const {
    if (!ttl || *ttl <= 100ms)
      return;
    if (tells(lie::a_ttl_ends_early))
      *ttl -= 20ms;
    if (tells(lie::a_ttl_is_rounded_down))
      *ttl = std::chrono::floor<milliseconds>(*ttl);
    if (tells(lie::an_endless_ttl_is_cut))
      *ttl = std::min(*ttl, longest_ttl);
  }

  void note_ttl(const subject& key, std::optional<nanoseconds> ttl) {
    if (ttl)
      ttls_[key] = *ttl;
    else
      ttls_.erase(key);
  }

  // -- watches ----------------------------------------------------------------

  /// What the client has open under one id.
  struct sink {
    subject pattern;
    bool is_listing = false;
    stream_start start{};
    std::string durable;
    std::uint64_t added = 0;   // Parts of our own so far.
    std::uint64_t granted = 0; // By the client, in the backend's numbers.
    bool is_quiet = false;
    bool has_repeated = false;
    std::optional<stream_part> latest; // As the client got it.
  };

  caf::result<watch_opened> on(const kv_list& x) {
    if (!sinks_.contains(x.id))
      sinks_[x.id] = sink{.pattern = x.pattern, .is_listing = true, .granted = x.credit};
    return relay<watch_opened>(x);
  }

  caf::result<watch_opened> on(watch x) {
    if (!sinks_.contains(x.id))
      sinks_[x.id] = sink{.pattern = x.pattern, .granted = x.credit};
    if (tells(lie::a_shallow_watch_tells_of_grandchildren)
        && x.pattern.kind() == property_kind::all_properties)
      x.pattern = subject{x.pattern.owner(), property::all_descendants()};
    x.credit = bent_credit(x.credit);
    return relay<watch_opened>(x);
  }

  std::uint64_t bent_credit(std::uint64_t x) const {
    return tells(lie::credit_is_ignored) ? std::max<std::uint64_t>(x, 1'000) : x;
  }

  caf::message_handler parts() {
    const auto self = shared_from_this();
    return {
      [self](const watch_part& x) { self->on(x); },
      [self](const watch_lost& x) { self->on_lost(x); },
      [self](const stream_part& x) { self->on(x); },
      [self](const stream_lost& x) { self->on_lost(x); },
      [self](const watch_credit& x) { self->on_credit(x); },
      [self](const stream_credit& x) { self->on_credit(x); },
      [self](const rewatch& x) {
        if (!self->tells(lie::a_rewatch_is_ignored))
          self->pass_on(x);
      },
      [self](const unwatch& x) {
        if (!self->tells(lie::an_unwatch_is_ignored))
          self->end(x);
      },
      [self](const unconsume& x) {
        if (!self->tells(lie::an_unwatch_is_ignored))
          self->end(x);
      },
    };
  }

  void end(const auto& x) {
    sinks_.erase(x.id);
    pass_on(x);
  }

  void on_credit(auto x) {
    auto& to = sinks_[x.id];
    x.seen -= std::min(x.seen, to.added);
    x.up_to = bent_credit(x.up_to - std::min(x.up_to, to.added));
    to.granted = std::max(to.granted, x.up_to);
    pass_on(x);
  }

  void on_lost(const auto& x) {
    const bool is_left_out
      = (tells(lie::closing_is_not_told) && x.error.code == error_code::shutting_down)
        || (tells(lie::a_takeover_is_not_told) && x.error.code == error_code::consumer_taken);
    if (!is_left_out)
      to_client(x);
  }

  void on(watch_part x) {
    auto& to = sinks_[x.id];
    const auto drop = [&](auto which) { std::erase_if(x.entries, which); };
    const auto is = [](tombstone_cause cause) {
      return [cause](const entry& y) { return y.tombstone == cause; };
    };
    if (tells(lie::a_watch_skips_a_deletion))
      drop(is(tombstone_cause::deleted));
    if (tells(lie::an_expiry_leaves_no_tombstone))
      drop(is(tombstone_cause::expired));
    if (tells(lie::a_shallow_watch_tells_of_grandchildren) && x.kind == part_kind::snapshot)
      drop([&](const entry& y) { return !to.pattern.covers(y.subject); });
    if (tells(lie::a_snapshot_misses_a_key) && x.kind == part_kind::snapshot && !to.is_listing
        && x.entries.size() > 1)
      x.entries.pop_back();
    if (tells(lie::a_coalesced_deletion_is_not_marked))
      for (auto& y : x.entries)
        y.skipped_delete = false;
    if (tells(lie::an_interrupted_watch_goes_quiet) && x.kind == part_kind::resync)
      to.is_quiet = true;
    if (to.is_quiet)
      return;
    if (tells(lie::a_change_comes_before_the_end_of_the_snapshot) && !to.is_listing
        && x.kind == part_kind::snapshot)
      add(to, watch_part{x.id, x.seq, part_kind::change, x.epoch, x.revision, {x.entries.back()}});
    if (tells(lie::a_listing_shows_a_tombstone) && to.is_listing
        && x.kind == part_kind::snapshot_end)
      for (const auto& key : deleted_)
        if (to.pattern.covers(key))
          add(to, watch_part{x.id,
                             x.seq,
                             part_kind::snapshot,
                             x.epoch,
                             x.revision,
                             {entry{.subject = key,
                                    .revision = x.revision,
                                    .tombstone = tombstone_cause::deleted}}});
    forward(to, x);
    if (tells(lie::a_watch_repeats_a_change) && x.kind == part_kind::change) {
      ++x.seq;
      add(to, x);
    }
    if (tells(lie::unseen_parts_are_never_sent_again))
      tell_backend(watch_credit{x.id, x.seq, to.granted});
  }

  /// A part of the backend's, behind those of ours.
  void forward(sink& to, auto x) {
    x.seq += to.added;
    to_client(x);
  }

  /// A part of ours, in the place of the backend's next.
  void add(sink& to, auto x) {
    x.seq += to.added++;
    to_client(x);
  }

  // -- streams ----------------------------------------------------------------

  caf::message_handler streams() {
    const auto self = shared_from_this();
    return {
      [self](publish x) {
        if (self->tells(lie::a_published_message_is_dropped) && ++self->published_ % 3 == 0)
          x.subject = client::at("lost.message");
        return self->relay<published>(x);
      },
      [self](const consume& x) { return self->on(x); },
      [self](const stream_ack& x) { return self->on(x); },
      [self](const drop_durable& x) -> caf::result<durable_dropped> {
        if (self->tells(lie::a_dropped_durable_stays))
          return durable_dropped{true};
        return self->relay<durable_dropped>(x);
      },
      [self](list_streams x) {
        x.deep = x.deep || self->tells(lie::a_shallow_stream_list_is_deep);
        return self->relay<stream_subjects>(x);
      },
    };
  }

  caf::result<consuming> on(consume x) {
    if (!sinks_.contains(x.id))
      sinks_[x.id]
        = sink{.pattern = x.pattern, .start = x.start, .durable = x.durable, .granted = x.credit};
    if (tells(lie::a_start_at_a_sequence_is_one_off) && x.start == stream_start::sequence
        && x.from.value > 0)
      ++x.from.value;
    if (tells(lie::a_start_at_a_time_is_all) && x.start == stream_start::time)
      x.start = stream_start::all;
    x.credit = bent_credit(x.credit);
    return relay<consuming>(x);
  }

  caf::result<stream_acked> on(const stream_ack& x) {
    if (tells(lie::a_durable_forgets_its_acknowledgement))
      return stream_acked{x.up_to};
    return relay<stream_acked>(
      x,
      [this, x](stream_acked&) {
        if (tells(lie::a_consumer_repeats_after_acknowledgement))
          for (auto& [id, to] : sinks_)
            if (to.durable == x.durable && to.latest)
              repeat_last(to);
      },
      [this, x](const failure& error) -> std::optional<stream_acked> {
        if (tells(lie::a_stranger_may_acknowledge) && error.code == error_code::consumer_taken)
          return stream_acked{x.up_to};
        return std::nullopt;
      });
  }

  void repeat_last(sink& to) {
    if (to.latest->messages.empty())
      return;
    auto again = *to.latest;
    again.messages.erase(again.messages.begin(), std::prev(again.messages.end()));
    to.latest->seq = ++again.seq;
    again.seq -= to.added;
    add(to, again);
  }

  void on(stream_part x) {
    auto& to = sinks_[x.id];
    if (tells(lie::a_consumer_is_out_of_order))
      std::ranges::reverse(x.messages);
    if (tells(lie::a_gap_is_not_announced))
      x.skipped = 0;
    if (tells(lie::what_follows_is_not_counted))
      x.pending = 0;
    if (tells(lie::an_interrupted_consumer_goes_quiet) && others_->was_interrupted)
      return;
    forward(to, x);
    to.latest = x;
    to.latest->seq += to.added;
    if (tells(lie::latest_tells_one_twice) && to.start == stream_start::latest
        && !x.messages.empty() && !std::exchange(to.has_repeated, true))
      repeat_last(to);
    if (tells(lie::unseen_parts_are_never_sent_again))
      tell_backend(stream_credit{x.id, x.seq, to.granted});
  }

  // -- requests ---------------------------------------------------------------

  caf::message_handler requests() {
    const auto self = shared_from_this();
    return {
      [self](const invoke& x) { return self->on(x); },
      [self](const listen& x) { return self->on(x); },
      [self](const unlisten& x) -> caf::result<unlistened> {
        if (self->tells(lie::unlisten_does_not))
          return unlistened{true};
        return self->relay<unlistened>(x);
      },
      [self](const purge_listeners& x) -> caf::result<listeners_purged> {
        if (self->tells(lie::purging_does_not))
          return listeners_purged{self->listens_.size()};
        return self->relay<listeners_purged>(x);
      },
      [self](const incoming_request& x) { self->on(x); },
      [self](const request_withdrawn& x) {
        if (!self->tells(lie::a_withdrawal_is_not_told))
          self->to_client(x);
      },
      [self](const request_reply& x) { self->on(x); },
      [self](const register_service& x) { return self->relay<service_registered>(x); },
      [self](const unregister_service& x) -> caf::result<service_unregistered> {
        if (self->tells(lie::an_unregistered_service_stays))
          return service_unregistered{true};
        return self->relay<service_unregistered>(x);
      },
    };
  }

  caf::result<invoked> on(const invoke& x) {
    return relay<invoked>(
      x, [](invoked&) {},
      [this](failure& error) -> std::optional<invoked> {
        if (tells(lie::a_timeout_is_told_as_unregistered) && error.code == error_code::timeout)
          error
            = {error_code::unregistered_responder, certainty::not_applied, error.subject, "", {}};
        if (tells(lie::the_end_of_a_listener_is_told_as_a_timeout)
            && error.code == error_code::remote_request)
          error.code = error_code::timeout;
        return std::nullopt;
      });
  }

  caf::result<listening> on(listen x) {
    ++listens_[x.subject];
    others_->listening[x.subject.text()].insert(caf::actor{me_});
    if (tells(lie::a_listener_gets_more_than_it_takes))
      x.at_most = default_requests_in_hand;
    return relay<listening>(x);
  }

  void on(const incoming_request& x) {
    others_->handed[x.number] = caf::actor{me_};
    to_client(x);
    if (tells(lie::a_replaced_listener_still_gets_requests) && listens_[x.subject] > 1)
      to_client(x);
    if (!tells(lie::a_request_goes_to_two_listeners))
      return;
    for (const auto& other : others_->listening[x.subject.text()])
      if (other != caf::actor{me_}) {
        me_->send(other, errand{[x](lying_way_in& self) { self.to_client(x); }});
        break;
      }
  }

  void on(request_reply x) {
    if (tells(lie::a_refusal_is_reworded) && x.error)
      x.error->code = error_code::internal;
    const auto handed = others_->handed.find(x.number);
    if (!tells(lie::a_stranger_may_reply) || handed == others_->handed.end()
        || handed->second == caf::actor{me_})
      return pass_on(x);
    me_->send(handed->second, errand{[x](lying_way_in& self) { self.pass_on(x); }});
  }

  // -- the rest ---------------------------------------------------------------

  caf::message_handler others() {
    const auto self = shared_from_this();
    return {
      [self](const get_capabilities& x) { return self->relay<capabilities>(x); },
      [self](const get_backend_status& x) {
        return self->relay<backend_status>(x, [self](backend_status& y) {
          if (self->tells(lie::refusals_are_not_counted))
            y.refused = 0;
        });
      },
      [self](const close_backend& x) -> caf::result<backend_closed> {
        if (self->tells(lie::closing_does_nothing))
          return backend_closed{};
        return self->relay<backend_closed>(x);
      },
      [self](const errand& x) { x.run(*self); },
    };
  }

  // -- passing on -------------------------------------------------------------

  bool tells(lie x) const { return lie_ == x; }

  /// What came together goes on together, so that bursts stay bursts.
  void later(std::function<void()> what) {
    queue_.push_back(std::move(what));
    if (queue_.size() > 1)
      return;
    me_->send(me_, errand{[](lying_way_in& self) {
                for (const auto& x : std::exchange(self.queue_, {}))
                  x();
              }});
  }

  void remember_client() {
    const auto& sender = me_->current_sender();
    if (client_ || !sender)
      return;
    client_ = caf::actor_cast<caf::actor_addr>(sender);
    me_->monitor(client_);
  }

  void pass_on(const auto& x) {
    remember_client();
    later([self = shared_from_this(), x] { self->tell_backend(x); });
  }

  void tell_backend(const auto& x) { me_->send(caf::actor_cast<caf::actor>(backend_), x); }

  void to_client(const auto& x) {
    if (const auto to = caf::actor_cast<caf::strong_actor_ptr>(client_))
      me_->send(caf::actor_cast<caf::actor>(to), x);
  }

  /// Asks the backend in the client's place. `change` may twist the answer, or give an error in its
  /// place; `rescue` may twist the error, or give an answer in its place.
  template <class Answer, class Request, class Change, class Rescue>
  caf::result<Answer> relay(const Request& x, Change change, Rescue rescue) {
    remember_client();
    auto promise = me_->make_response_promise<Answer>();
    later([self = shared_from_this(), x, promise, change, rescue] {
      self->me_->request(self->backend_, caf::infinite, x)
        .then(
          [promise, change, self](Answer& y) mutable {
            if constexpr (std::is_void_v<decltype(change(y))>) {
              change(y);
            } else if (auto error = change(y)) {
              promise.deliver(to_error(*std::move(error)));
              return;
            }
            promise.deliver(std::move(y));
          },
          [promise, rescue, self](const caf::error& x) mutable {
            auto error = to_failure(x);
            if (auto answer = rescue(error))
              promise.deliver(*std::move(answer));
            else
              promise.deliver(to_error(std::move(error)));
          });
    });
    return promise;
  }

  template <class Answer, class Request, class Change>
  caf::result<Answer> relay(const Request& x, Change change) {
    return relay<Answer>(x, change, [](const failure&) { return std::optional<Answer>{}; });
  }

  template <class Answer, class Request> caf::result<Answer> relay(const Request& x) {
    return relay<Answer>(x, [](Answer&) {});
  }

  caf::event_based_actor* me_;
  lie lie_;
  backend_actor backend_;
  std::shared_ptr<accomplices> others_;
  caf::actor_addr client_;
  std::vector<std::function<void()>> queue_;
  std::map<watch_id, sink> sinks_;
  std::map<subject, nanoseconds> ttls_;
  std::map<subject, revision> revisions_;
  std::set<subject> deleted_;
  std::map<subject, std::size_t> listens_;
  std::size_t published_ = 0;
};

conformance_target lying_target(lie what, std::uint64_t seed) {
  auto result = memory_target(seed);
  result.name = "lying";
  const auto present = std::make_shared<std::weak_ptr<accomplices>>();
  result.make_world = [what, seed, present](setting wanted) {
    if (what == lie::admission_has_no_bound)
      wanted.bounds.operations_per_client = 1'000'000;
    const auto others = std::make_shared<accomplices>();
    *present = others;
    const auto way_in = [what, others](deterministic_fixture& fixture, const backend_actor& to) {
      return caf::actor_cast<backend_actor>(
        fixture.system.spawn([=](caf::event_based_actor* me) -> caf::behavior {
          return std::make_shared<lying_way_in>(me, what, to, others)->make_behavior();
        }));
    };
    return std::make_unique<virtual_world>(seed, make_memory, wanted, way_in);
  };
  result.interrupt = [interrupt = result.interrupt, present](world& where) {
    if (const auto others = present->lock())
      others->was_interrupted = true;
    interrupt(where);
  };
  return result;
}

} // namespace trunnion::test
