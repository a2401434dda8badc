#include "trunnion/backends/common/sink_table.hpp"

#include <caf/actor_cast.hpp>

namespace trunnion {

/// Makes messages of parts, and sends them to one session.
class sink_table::mouth {
public:
  mouth(sink_table& table, const session& to) : table_(table), to_(to) {}

  [[nodiscard]] caf::message pack(auto part) const {
    part.epoch = table_.epoch_;
    return caf::make_message(std::move(part));
  }

  void send(const caf::message& x) const {
    auto* self = table_.self_;
    if (const auto to = caf::actor_cast<caf::strong_actor_ptr>(to_.address))
      to->enqueue(self->ctrl(), caf::make_message_id(), x, self->context());
  }

private:
  sink_table& table_;
  const session& to_;
};

sink_table::sink_table(caf::scheduled_actor* self, session_table& monitored, const runtime& rt,
                       epoch life, sink_source& source)
  : self_(self), monitored_(monitored), rt_(rt), epoch_(life), source_(source) {}

// -- doing something with a sink ----------------------------------------------

template <class Feed, class Act> void sink_table::with(sink& x, Feed& feed, Act act) {
  const auto pending = [&] {
    if constexpr (std::is_same_v<Feed, watch_fan_out<caf::message>>)
      return feed.pending();
    else
      return std::size_t{0};
  };
  const auto unseen_before = feed.unseen(), pending_before = pending();
  act(feed, mouth{*this, *x.owner});
  unseen_ += feed.unseen() - unseen_before;
  pending_ += pending() - pending_before;
  if (!x.timed && feed.unseen() > 0) {
    x.timed = true;
    resends_.add(*feed.next_resend(), x.owner->sinks.find(x.id)->second);
  }
}

template <class Act> void sink_table::with(sink& x, Act act) {
  std::visit([&](auto& feed) { with(x, feed, act); }, x.feed);
}

/// Sends what credit allows; long snapshots and histories in slices.
void sink_table::pump(sink& x) {
  const auto now = rt_.time.now();
  bool wants_more = false;
  if (auto* feed = as_watch(x)) {
    with(x, *feed, [&](auto& feed, mouth out) {
      feed.flush(now, out);
      for (auto i = work_slice; i > 0 && feed.wants_page(); --i)
        feed.add_page(source_.page(watches_.pattern_of(x.place), feed.position()), now, out);
      wants_more = feed.wants_page();
    });
    if (feed->is_over())
      return remove(x);
  } else {
    constexpr std::size_t steps = 1'024;
    auto& consumer = std::get<stream_fan_out<caf::message>>(x.feed);
    with(x, consumer, [&](auto& feed, mouth out) {
      feed.flush(now, out);
      for (auto i = work_slice; i > 0 && feed.wants_batch(); --i)
        feed.add_batch(source_.read(consumers_.pattern_of(x.place), feed.place(), steps), now, out);
      wants_more = feed.wants_batch();
    });
  }
  if (wants_more && !x.queued) {
    x.queued = true;
    work_.push_back(x.owner->sinks.find(x.id)->second);
  }
}

void sink_table::work() {
  for (const auto& x : std::exchange(batched_, {})) {
    x->batched = false;
    if (x->owner)
      pump(*x);
  }
  auto slice = work_slice;
  for (auto i = work_.size(); i > 0 && slice > 0; --i) {
    const auto next = work_.front().lock();
    work_.pop_front();
    if (!next || !next->owner)
      continue; // Closed meanwhile: costs nothing of the slice, or such would pile up.
    --slice;
    next->queued = false;
    pump(*next);
  }
}

void sink_table::run_timers(std::size_t steps) {
  const auto now = rt_.time.now();
  for (; steps > 0; --steps) {
    const auto due = resends_.pop_due(now);
    if (!due)
      return;
    const auto x = due->lock();
    if (!x || !x->owner)
      continue;
    x->timed = false;
    with(*x, [&](auto& feed, mouth out) { resent_ += feed.resend_due(now, out); });
  }
}

// -- opening and closing ------------------------------------------------------

outcome<void> sink_table::admit(const caf::strong_actor_ptr& who, watch_id id, bool as_listing) {
  if (!who)
    return fail(error_code::invalid_argument, "sent by nobody, so there is nobody to tell");
  const auto known = sessions_.find(caf::actor_cast<caf::actor_addr>(who));
  if (known == sessions_.end())
    return {};
  const auto& open = known->second;
  if (open.sinks.contains(id))
    return fail(error_code::invalid_argument,
                "the id " + std::to_string(id) + " is in use by this session");
  if (open.sinks.size() < rt_.bounds.watches_per_client
      && !(as_listing && open.listings >= max_listings))
    return {};
  ++refused_;
  return fail(error_code::overloaded, "this session has too many watches, listings or consumers");
}

sink_table::sink& sink_table::add(const caf::strong_actor_ptr& who, watch_id id, auto feed) {
  const auto address = caf::actor_cast<caf::actor_addr>(who);
  auto [known, is_new] = sessions_.try_emplace(address);
  if (is_new) {
    known->second.address = address;
    known->second.serial = ++serial_;
    known->second.id = monitored_.hold(who);
  }
  const auto x = std::make_shared<sink>(sink{&known->second, id, std::move(feed), {}});
  known->second.sinks.emplace(id, x);
  known->second.listings += is_listing(*x) ? 1 : 0;
  ++sinks_;
  return *x;
}

outcome<watch_opened> sink_table::open_watch(const caf::strong_actor_ptr& session, const watch& x) {
  if (auto admitted = admit(session, x.id, false); !admitted)
    return tl::unexpected{admitted.error()};
  auto& opened = add(
    session, x.id,
    watch_fan_out<caf::message>{x.id, x.credit, rt_.bounds.credit_per_watch, source_.newest()});
  opened.place = watches_.add(x.pattern, opened);
  pump(opened);
  return watch_opened{epoch_};
}

outcome<watch_opened> sink_table::open_listing(const caf::strong_actor_ptr& session,
                                               const kv_list& x,
                                               const std::function<std::vector<entry>()>& picture) {
  if (auto admitted = admit(session, x.id, true); !admitted)
    return tl::unexpected{admitted.error()};
  auto entries = picture();
  pump(add(session, x.id,
           watch_fan_out<caf::message>{x.id, x.credit, rt_.bounds.credit_per_watch,
                                       source_.newest(), std::move(entries)}));
  return watch_opened{epoch_};
}

outcome<consuming>
sink_table::open_consumer(const caf::strong_actor_ptr& session, const consume& x,
                          const std::function<outcome<stream_opening>()>& begin) {
  if (auto admitted = admit(session, x.id, false); !admitted)
    return tl::unexpected{admitted.error()};
  const auto begun = begin();
  if (!begun)
    return tl::unexpected{begun.error()};
  auto& opened
    = add(session, x.id,
          stream_fan_out<caf::message>{x.id, x.credit, rt_.bounds.credit_per_watch, *begun});
  opened.place = consumers_.add(x.pattern, opened);
  if (!x.durable.empty()) {
    auto& known = readers_[x.durable];
    if (known.live)
      lose(*known.live, {error_code::consumer_taken,
                         certainty::not_applied,
                         x.pattern.text(),
                         "the durable consumer '" + x.durable + "' was opened again",
                         {}});
    known = {opened.owner->address, &opened};
    opened.is_durable = true;
  }
  pump(opened);
  return consuming{epoch_, begun->after, begun->resumed};
}

bool sink_table::reads(const caf::actor_addr& session, const std::string& name) const {
  const auto known = readers_.find(name);
  return known != readers_.end() && known->second.session == session;
}

void sink_table::end_durable(const std::string& name, const failure& why) {
  const auto known = readers_.find(name);
  if (known == readers_.end())
    return;
  if (auto* live = known->second.live)
    lose(*live, why);
  readers_.erase(known);
}

sink_table::sink* sink_table::find(const caf::actor_addr& who, watch_id id) {
  const auto known = sessions_.find(who);
  if (known == sessions_.end())
    return nullptr;
  const auto found = known->second.sinks.find(id);
  return found == known->second.sinks.end() ? nullptr : found->second.get();
}

/// Tells a consumer's sink that nothing follows, and ends it.
void sink_table::lose(sink& x, const failure& why) {
  mouth{*this, *x.owner}.send(caf::make_message(stream_lost{x.id, why}));
  remove(x);
}

/// Ends one sink, and its session if it was the last; timers and queues find no owner then.
void sink_table::remove(sink& x) {
  auto& owner = *x.owner;
  with(x, [](auto& feed, mouth) { feed.forget(); });
  if (is_listing(x))
    --owner.listings;
  else
    trie_of(x).remove(x.place);
  --sinks_;
  if (x.is_durable)
    for (auto& [name, reader] : readers_)
      if (reader.live == &x)
        reader.live = nullptr;
  x.owner = nullptr;
  owner.sinks.erase(x.id);
  if (owner.sinks.empty()) {
    const auto address = owner.address;
    monitored_.release(owner.id);
    sessions_.erase(address);
  }
}

void sink_table::close(const caf::actor_addr& session, watch_id id) {
  if (auto* x = find(session, id))
    remove(*x);
}

void sink_table::end_session(const caf::actor_addr& session) {
  for (auto known = sessions_.find(session); known != sessions_.end();
       known = sessions_.find(session)) // The last one takes the session with it.
    remove(*known->second.sinks.begin()->second);
}

void sink_table::end_all(const failure& why) {
  std::map<std::uint64_t, const session*> by_age;
  for (const auto& [address, open] : sessions_)
    by_age.emplace(open.serial, &open);
  for (const auto& [serial, open] : by_age) {
    const mouth out{*this, *open};
    for (const auto& [id, x] : open->sinks)
      out.send(as_watch(*x) ? caf::make_message(watch_lost{id, why})
                            : caf::make_message(stream_lost{id, why}));
    end_session(caf::actor_addr{open->address});
  }
}

// -- what sinks say -----------------------------------------------------------

void sink_table::on_credit(const caf::actor_addr& session, watch_id id, std::uint64_t seen,
                           std::uint64_t up_to) {
  auto* x = find(session, id);
  if (!x)
    return; // A credit may cross the end of what it is for.
  with(*x, [&](auto& feed, mouth) { feed.on_credit(seen, up_to); });
  pump(*x);
}

void sink_table::on_rewatch(const caf::strong_actor_ptr& session, const rewatch& x) {
  if (!session)
    return;
  const auto lost = [&](const auto& message) {
    session->enqueue(self_->ctrl(), caf::make_message_id(), caf::make_message(message),
                     self_->context());
  };
  auto* found = find(caf::actor_cast<caf::actor_addr>(session), x.id);
  if (!found)
    return lost(watch_lost{
      x.id, {error_code::invalid_argument, certainty::not_applied, "", "not open here", {}}});
  const auto now = rt_.time.now();
  bool kept = true;
  with(*found, [&](auto& feed, mouth out) {
    const auto answer = feed.on_rewatch(x.from_seq, source_.newest(), now, out);
    resent_ += answer.resent;
    kept = answer.kept;
  });
  if (kept)
    return pump(*found);
  const failure why{
    error_code::invalid_argument, certainty::not_applied, "", "no such part was sent", {}};
  if (as_watch(*found))
    lost(watch_lost{x.id, why});
  else
    lost(stream_lost{x.id, why});
  remove(*found);
}

// -- what the engine says -----------------------------------------------------

void sink_table::on_change(const subject& key, bool more_to_come,
                           const std::function<change()>& describe) {
  std::optional<change> described;
  instant now;
  watches_.match(key, [&](sink& x) {
    if (!described) {
      described = describe();
      now = rt_.time.now();
    }
    with(x, *as_watch(x),
         [&](auto& feed, mouth out) { feed.offer(*described, more_to_come, now, out); });
    if (more_to_come && !std::exchange(x.batched, true))
      batched_.push_back(x.owner->sinks.find(x.id)->second);
  });
}

void sink_table::on_published(const stream_message& published, bool more_to_come) {
  if (consumers_.size() == 0)
    return;
  const auto now = rt_.time.now();
  consumers_.match(published.subject, [&](sink& x) {
    with(x, std::get<stream_fan_out<caf::message>>(x.feed),
         [&](auto& feed, mouth out) { feed.offer(published, more_to_come, now, out); });
    if (more_to_come && !std::exchange(x.batched, true))
      batched_.push_back(x.owner->sinks.find(x.id)->second);
  });
}

void sink_table::on_removed(const removed_message& removed) {
  if (consumers_.size() > 0)
    consumers_.match(removed.message.subject, [&](sink& x) {
      std::get<stream_fan_out<caf::message>>(x.feed).on_removed(removed);
    });
}

void sink_table::on_interrupted() {
  const auto now = rt_.time.now();
  const auto newest = source_.newest();
  for (const auto& x : all_in_order()) {
    with(*x, [&](auto& feed, mouth out) {
      resent_ += feed.unseen();
      feed.resume(newest, now, out);
    });
    pump(*x);
  }
}

std::vector<sink_table::sink_ptr> sink_table::all_in_order() const {
  std::map<std::uint64_t, const session*> by_age;
  for (const auto& [address, open] : sessions_)
    by_age.emplace(open.serial, &open);
  std::vector<sink_ptr> result;
  for (const auto& [serial, open] : by_age)
    for (const auto& [id, x] : open->sinks)
      result.push_back(x);
  return result;
}

} // namespace trunnion
