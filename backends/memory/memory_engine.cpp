#include "trunnion/backends/memory/memory_engine.hpp"

namespace trunnion {
namespace {

constexpr std::size_t timer_steps = 16; // Expiries, and the like, of one turn.

caf::actor_addr address_of(const caf::strong_actor_ptr& x) {
  return caf::actor_cast<caf::actor_addr>(x);
}

} // namespace

memory_engine::memory_engine(caf::scheduled_actor* self, const runtime& rt,
                             const memory_options& options, std::function<bool()> is_busy)
  : rt_(rt),
    epoch_{static_cast<std::uint64_t>(rt.time.wall().time_since_epoch().count())},
    is_busy_(std::move(is_busy)),
    store_(epoch_, options),
    sessions_(self),
    sinks_(self, sessions_, rt, epoch_, *this),
    requests_(self, sessions_, rt.bounds),
    services_(sessions_) {
  store_.keys.listen([this](const subject& key, const key_store::record& x) {
    sinks_.on_change(key, is_busy_(), [&] { return key_store::to_change(key, x); });
  });
  store_.on_removed([this](const removed_message& x) { sinks_.on_removed(x); });
}

// -- keys and streams ---------------------------------------------------------

outcome<kv_entry> memory_engine::run(kv_get& x, session) {
  ++operations_;
  return store_.keys.get(x, at_);
}

outcome<kv_written> memory_engine::run(kv_create& x, session) {
  ++operations_;
  return store_.keys.create(std::move(x), at_);
}

outcome<kv_written> memory_engine::run(kv_update& x, session) {
  ++operations_;
  return store_.keys.update(std::move(x), at_);
}

outcome<kv_deleted> memory_engine::run(kv_delete& x, session) {
  ++operations_;
  return store_.keys.remove(x, at_);
}

outcome<watch_opened> memory_engine::run(const watch& x, session from) {
  ++operations_;
  return check_watched(x.pattern).and_then([&] { return sinks_.open_watch(from, x); });
}

outcome<watch_opened> memory_engine::run(const kv_list& x, session from) {
  ++operations_;
  const auto picture = [&] { return store_.keys.picture(x.pattern, at_.now); };
  return check_watched(x.pattern).and_then([&] { return sinks_.open_listing(from, x, picture); });
}

outcome<published> memory_engine::run(publish& x, session) {
  ++operations_;
  auto result = store_.publish(std::move(x), at_);
  if (result)
    sinks_.on_published(store_.log.latest(), is_busy_());
  return result;
}

outcome<consuming> memory_engine::run(const consume& x, session from) {
  ++operations_;
  return sinks_.open_consumer(from, x, [&] { return store_.open_consumer(x); });
}

outcome<stream_acked> memory_engine::run(const stream_ack& x, session from) {
  ++operations_;
  if (store_.durables.knows(x.durable) && !sinks_.reads(address_of(from), x.durable))
    return fail(error_code::consumer_taken,
                "another session has the durable consumer '" + x.durable + "'");
  return store_.acknowledge(x);
}

outcome<durable_dropped> memory_engine::run(const drop_durable& x, session) {
  ++operations_;
  sinks_.end_durable(x.durable, {error_code::cancelled,
                                 certainty::not_applied,
                                 "",
                                 "the durable consumer '" + x.durable + "' was dropped",
                                 {}});
  return durable_dropped{store_.durables.drop(x.durable)};
}

outcome<stream_subjects> memory_engine::run(const list_streams& x, session) {
  ++operations_;
  return store_.list(x);
}

// -- requests and services ----------------------------------------------------

outcome<listening> memory_engine::run(const listen& x, session from) {
  ++operations_;
  return requests_.listen(from, x);
}

outcome<unlistened> memory_engine::run(const unlisten& x, session from) {
  ++operations_;
  return requests_.unlisten(from, x);
}

outcome<listeners_purged> memory_engine::run(const purge_listeners&, session from) {
  ++operations_;
  return requests_.purge(from);
}

outcome<service_registered> memory_engine::run(register_service& x, session from) {
  ++operations_;
  return services_.add(from, std::move(x));
}

outcome<service_unregistered> memory_engine::run(const unregister_service& x, session from) {
  ++operations_;
  return services_.remove(from, x);
}

void memory_engine::run(invocation& x, session caller) {
  ++operations_;
  requests_.invoke(caller, std::move(x), at_.now);
}

// -- what sinks say -----------------------------------------------------------

void memory_engine::run(const watch_credit& x, session from) {
  sinks_.on_credit(address_of(from), x.id, x.seen, x.up_to);
}

void memory_engine::run(const stream_credit& x, session from) {
  sinks_.on_credit(address_of(from), x.id, x.seen, x.up_to);
}

void memory_engine::run(const rewatch& x, session from) { sinks_.on_rewatch(from, x); }

void memory_engine::run(const unwatch& x, session from) { sinks_.close(address_of(from), x.id); }

void memory_engine::run(const unconsume& x, session from) { sinks_.close(address_of(from), x.id); }

// -- ends ---------------------------------------------------------------------

void memory_engine::end_session(const caf::actor_addr& who) {
  sessions_.end(who, [&](session_id id) {
    sinks_.end_session(who);
    requests_.end_session(id);
    services_.end_session(id);
  });
}

void memory_engine::end_all(const failure& why) {
  sinks_.end_all(why);
  requests_.end_all(why);
  services_.end_all();
}

// -- time ---------------------------------------------------------------------

void memory_engine::run_timers(std::size_t at_least) {
  const auto steps = std::max(timer_steps, at_least);
  store_.run_timers(at_, steps);
  sinks_.run_timers(steps);
  requests_.run_timers(at_.now, steps);
}

std::optional<instant> memory_engine::next_due() const {
  auto result = store_.next_due();
  for (const auto& other : {sinks_.next_due(), requests_.next_due()})
    if (other && (!result || *other < *result))
      result = other;
  return result;
}

// -- figures ------------------------------------------------------------------

capabilities memory_engine::can() {
  capabilities result;
  result.engine = "memory";
  result.least_ttl = key_store::ttls.least;
  result.ttl_resolution = key_store::ttls.resolution;
  result.expiry_told_within = milliseconds{100};
  result.min_safe_ttl = milliseconds{100};
  result.max_payload = max_payload_size;
  result.consistent_list = true;
  result.durability = durability::process;
  result.expiry_events = expiry_events::marked;
  return result;
}

backend_status memory_engine::status() const {
  backend_status result;
  result.location = "memory:";
  result.epoch = epoch_;
  result.revision = store_.keys.newest();
  result.keys = store_.keys.live();
  result.tombstones = store_.keys.tombstones();
  result.messages = store_.log.size();
  result.sessions = sessions_.size();
  result.watches = sinks_.sinks();
  result.durables = store_.durables.size();
  result.listeners = requests_.listeners();
  result.requests = requests_.requests();
  result.services = services_.size();
  result.unseen_parts = sinks_.unseen();
  result.pending_changes = sinks_.pending();
  result.operations = operations_;
  result.refused
    = sinks_.refused() + requests_.refused() + services_.refused() + store_.durables.refused();
  result.expired = store_.keys.expired();
  result.resent = sinks_.resent();
  return result;
}

// -- what sinks read ----------------------------------------------------------

entry_page memory_engine::page(const subject& pattern, const page_position& position) {
  return store_.keys.page(pattern, position, rt_.time.now());
}

message_batch memory_engine::read(const subject& pattern, const stream_place& from,
                                  std::size_t steps) {
  return store_.log.read(pattern, from, steps);
}

} // namespace trunnion
