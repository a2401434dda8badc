#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"
#include "trunnion/bench/plain.hpp"

namespace trunnion::bench {
namespace {

/// Listens on `on`, and answers at once with what it was asked.
caf::actor spawn_listener(world& w, const subject& on) {
  const auto backend = w.backend;
  auto result = w.sys.spawn([=](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(caf::drop);
    return {[=](int) {
              auto promise = self->make_response_promise();
              self->request(backend, caf::infinite, listen{on, most_requests_in_hand})
                .then([=](const listening&) mutable { promise.deliver(true); }, or_die("listen"));
              return promise;
            },
            [=](incoming_request& x) {
              self->send(caf::actor_cast<caf::actor>(backend),
                         request_reply{x.number, std::move(x.payload), {}});
            }};
  });
  w.ask<bool>(result, 0);
  return result;
}

/// Asks `next`, and answers what it says: the least with somebody in between who keeps nothing.
empty_actor spawn_relay(caf::actor_system& sys, const empty_actor& next) {
  return sys.spawn([next](empty_actor::pointer self) -> empty_actor::behavior_type {
    return {[=](const nothing_asked& x) -> caf::result<nothing_answered> {
      auto promise = self->make_response_promise<nothing_answered>();
      self->request(next, caf::infinite, x)
        .then([=](const nothing_answered& y) mutable { promise.deliver(y); }, or_die("relay"));
      return promise;
    }};
  });
}

struct comparison {
  std::vector<throughput> measured, relayed, plain;
};

comparison compare(world& w, std::size_t clients, const ask_plan& plan, std::size_t rounds) {
  const payload value{std::string(128, 'x')};
  const auto on = at("bench.server.echo");
  const auto listener = spawn_listener(w, on);
  const auto empty = spawn_empty(w.sys);
  const auto relay = spawn_relay(w.sys, empty);
  comparison result;
  for (std::size_t round = 0; round < rounds; ++round) { // In alternation.
    result.plain.push_back(
      run_askers(w, clients, plan, [&](std::size_t) { return ask_empty(empty); }));
    result.relayed.push_back(
      run_askers(w, clients, plan, [&](std::size_t) { return ask_empty(relay); }));
    result.measured.push_back(run_askers(w, clients, plan, [&](std::size_t) {
      return
        [on, value, backend = w.backend](caf::event_based_actor* self, std::size_t, auto done) {
          self->request(backend, caf::infinite, invoke{on, value})
            .then([done](const invoked&) { done(); }, or_die("invoke"));
        };
    }));
  }
  for (const auto& x :
       {caf::actor_cast<caf::actor>(empty), caf::actor_cast<caf::actor>(relay), listener})
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  return result;
}

bool show(const std::string& name, const comparison& x) {
  const auto share = ratio(x.measured, x.plain);
  print({.name = "plain requests through an actor that passes them on, " + name,
         .measured = show(x.relayed),
         .reference = "plain request " + show(x.plain),
         .ratio = percent(ratio(x.relayed, x.plain)),
         .bar = "none",
         .is_met = true});
  return print({.name = "requests through the backend to a listener and back, " + name,
                .measured = show(x.measured),
                .reference = "plain request " + show(x.plain),
                .ratio = percent(share),
                .bar = "50 %",
                .is_met = share >= 0.5});
}

} // namespace

bool measure_listeners(const effort& e) {
  world w;
  const auto rounds = e.of(7, 3);
  (void)compare(w, 64, {.requests = 1'000}, 1);
  show("64 clients, 1 outstanding each", compare(w, 64, {.requests = e.of(4'000, 1'500)}, rounds));
  return show("64 clients, 8 outstanding each",
              compare(w, 64, {.requests = e.of(4'000, 1'500), .window = 8}, rounds));
}

} // namespace trunnion::bench
