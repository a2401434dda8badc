#include "trunnion/tests/actors/monitor_fixture.hpp"

namespace trunnion::test {

caf::behavior shaky_link(caf::stateful_actor<link_state>* me, std::shared_ptr<link_manner> manner) {
  me->set_default_handler(caf::drop);
  me->set_error_handler([](caf::error&) {});
  const auto forward = [=](auto message, const auto& x) {
    const auto ours = me->state.id_at_store(me->current_sender(), x.id);
    if (ours == 0 || manner->is_deaf || manner->happens(manner->lost_percent))
      return;
    message.id = ours;
    me->send(manner->store, message);
  };
  return {
    [=](const watch& x) -> caf::result<watch_opened> {
      const auto client = caf::actor_cast<caf::actor>(me->current_sender());
      auto promise = me->make_response_promise<watch_opened>(); // Takes the sender away.
      if (manner->is_deaf)
        return promise;
      const auto id = ++me->state.last_id;
      me->state.routes[id] = {client, x.id};
      me->request(manner->store, caf::infinite, watch{x.pattern, id, x.credit})
        .then([=](const watch_opened& opened) mutable { promise.deliver(opened); },
              [=](caf::error& e) mutable { promise.deliver(std::move(e)); });
      return promise;
    },
    [=](const watch_part& x) {
      const auto route = me->state.routes.find(x.id);
      if (route == me->state.routes.end() || manner->is_deaf
          || manner->happens(manner->lost_percent))
        return;
      if (manner->lose_parts > 0) {
        --manner->lose_parts;
        return;
      }
      auto part = x;
      part.id = route->second.id;
      if (manner->happens(manner->delayed_percent))
        me->delayed_send(route->second.client, milliseconds{manner->random() % 300}, part);
      else
        me->send(route->second.client, part);
      if (manner->happens(manner->repeated_percent))
        me->send(route->second.client, part);
    },
    [=](const watch_lost& x) {
      const auto route = me->state.routes.find(x.id);
      if (route == me->state.routes.end())
        return;
      me->send(route->second.client, watch_lost{route->second.id, x.error});
      me->state.routes.erase(route);
    },
    [=](const watch_credit& x) { forward(x, x); },
    [=](const rewatch& x) {
      if (me->state.id_at_store(me->current_sender(), x.id) == 0 && !manner->is_deaf)
        me->send(caf::actor_cast<caf::actor>(me->current_sender()),
                 watch_lost{x.id, {.code = error_code::invalid_argument, .text = "not open here"}});
      else
        forward(x, x);
    },
    [=](const unwatch& x) {
      const auto ours = me->state.id_at_store(me->current_sender(), x.id);
      me->state.routes.erase(ours);
      me->send(manner->store, unwatch{ours});
    },
    [=](const get_capabilities& x) -> caf::result<caf::message> {
      if (manner->is_deaf)
        return me->make_response_promise();
      return me->delegate(manner->store, x);
    },
    [=](cut_link) {
      const failure why{.code = error_code::backend_unavailable, .text = "the link was cut"};
      for (const auto& [ours, route] : me->state.routes) {
        me->send(manner->store, unwatch{ours});
        if (!manner->cuts_silently)
          me->send(route.client, watch_lost{route.id, why});
      }
      me->state.routes.clear();
    },
  };
}

void subscriber_log::take(const monitor_part& x) {
  if (x.seq != next_seq)
    mistake = "part " + std::to_string(x.seq) + " in place of " + std::to_string(next_seq);
  ++next_seq;
  if (x.epoch != epoch)
    newest.clear();
  epoch = x.epoch;
  for (const auto& e : x.entries) {
    auto& last = newest[e.subject.text()];
    if (e.revision < last || (e.revision == last && !e.unmarked))
      mistake = e.subject.text() + " went back to " + to_string(e.revision);
    last = e.revision;
    if (e.is_live())
      known[e.subject.text()] = e;
    else if (known.erase(e.subject.text()) == 0)
      mistake = e.subject.text() + " was told as deleted, and never was there";
  }
  parts.push_back(x);
}

std::string subscriber_log::text() const {
  std::string result;
  for (const auto& x : parts) {
    result += result.empty() ? "" : "; ";
    result += to_string(x.kind);
    if (!x.entries.empty())
      result += ": " + test::text(x.entries);
  }
  return result;
}

monitor_fixture::monitor_fixture(std::uint64_t seed) : deterministic_fixture(seed) {
  store = new_store();
  manner->random.seed(seed);
}

backend_actor monitor_fixture::new_store() {
  auto result = track(spawn_memory_backend(system, rt()));
  manner->store = caf::actor_cast<caf::actor>(result);
  return result;
}

backend_actor monitor_fixture::link() {
  shaky = track(system.spawn(shaky_link, manner));
  return caf::actor_cast<backend_actor>(shaky); // Unchecked: it has what a monitor needs.
}

kv_monitor_actor monitor_fixture::start(const backend_actor& backend, std::string_view pattern) {
  return track(spawn_kv_monitor(system, rt(), backend, at(pattern), nullptr));
}

subscriber monitor_fixture::subscribe(const kv_monitor_actor& monitor, bool grants,
                                      std::uint64_t credit) {
  auto log = std::make_shared<subscriber_log>();
  const auto target = caf::actor_cast<caf::actor_addr>(monitor);
  auto actor = system.spawn([=](caf::event_based_actor* me) -> caf::behavior {
    me->set_default_handler(caf::drop);
    me->set_error_handler([](caf::error&) {});
    const auto join = [=](const caf::actor& to, const monitor_subscribe& x) {
      me->request(to, caf::infinite, x)
        .then([=](const monitor_status&) { log->next_seq = 1; },
              [=](const caf::error& e) { log->refused.push_back(to_failure(e)); });
    };
    join(caf::actor_cast<caf::actor>(target), {credit});
    return {
      [=](const monitor_part& x) {
        log->take(x);
        if (grants)
          me->send(caf::actor_cast<caf::actor>(me->current_sender()), monitor_credit{x.seq + 16});
      },
      [=](const monitor_health& x) { log->health.push_back(x); },
      [=](const caf::actor& to, const monitor_credit& x) { me->send(to, x); },
      [=](const caf::actor& to, const monitor_subscribe& x) { join(to, x); },
      [=](const caf::actor& to, const monitor_unsubscribe& x) { me->send(to, x); },
    };
  });
  return {track(actor), log};
}

void monitor_fixture::grant(const subscriber& who, const kv_monitor_actor& monitor,
                            std::uint64_t up_to) {
  caf::anon_send(who.actor, caf::actor_cast<caf::actor>(monitor), monitor_credit{up_to});
  run();
}

void monitor_fixture::put(std::string_view key, std::string bytes, std::optional<nanoseconds> ttl) {
  std::ignore
    = ask<kv_written>(store, kv_update{at(key), payload{std::move(bytes)}, {}, ttl}).value();
}

void monitor_fixture::remove(std::string_view key) {
  std::ignore = ask<kv_deleted>(store, kv_delete{at(key), {}}).value();
}

void monitor_fixture::cut() { tell(shaky, cut_link{}); }

monitor_status monitor_fixture::status(const kv_monitor_actor& monitor) {
  return ask<monitor_status>(monitor, monitor_inspect{}).value();
}

std::string monitor_fixture::listing(std::string_view pattern) {
  const auto lister = make_probe(*this);
  say(*this, lister, store, kv_list{at(pattern), 1, 16});
  BOOST_REQUIRE(lister.log->has(part_kind::snapshot_end));
  std::map<std::string, entry> sorted;
  for (const auto& x : lister.log->entries(part_kind::snapshot))
    sorted[x.subject.text()] = x;
  return test::text(sorted);
}

std::string text(const std::vector<entry>& entries) {
  std::string result;
  for (const auto& x : entries) {
    result += result.empty() ? "" : " ";
    result += x.is_live() ? x.subject.text() + "=" + std::string{x.payload.bytes()}
                          : x.subject.text() + " " + to_string(*x.tombstone);
    result += x.skipped_delete ? "+" : "";
  }
  return result;
}

std::string text(const std::map<std::string, entry>& entries) {
  std::vector<entry> all;
  for (const auto& [key, x] : entries) {
    all.push_back(x);
    all.back().skipped_delete = false;
  }
  return text(all);
}

} // namespace trunnion::test
