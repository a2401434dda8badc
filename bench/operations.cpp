#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"
#include "trunnion/bench/plain.hpp"

#include <fmt/format.h>

namespace trunnion::bench {
namespace {

/// Answers a get with one entry, and does nothing else: what the messages themselves cost.
using echo_actor = caf::typed_actor<answers<kv_get, kv_entry>>;

echo_actor spawn_echo(caf::actor_system& sys, const entry& x) {
  return sys.spawn([x]() -> echo_actor::behavior_type {
    return {[x](const kv_get&) { return kv_entry{{}, x}; }};
  });
}

/// Updates and gets of a key of its own, in turn.
struct get_and_update {
  backend_actor backend;
  subject key;
  payload value;

  template <class Done> void operator()(caf::event_based_actor* self, std::size_t i, Done done) {
    if (i % 2 == 0)
      self->request(backend, caf::infinite, kv_update{key, value, std::nullopt, std::nullopt})
        .then([done](const kv_written&) { done(); }, or_die("update"));
    else
      self->request(backend, caf::infinite, kv_get{key})
        .then([done](const kv_entry&) { done(); }, or_die("get"));
  }
};

struct comparison {
  std::vector<throughput> measured, echoed, plain;
};

/// In alternation, so that what else the machine does falls on all alike.
comparison compare(world& w, std::size_t clients, const ask_plan& plan, std::size_t rounds) {
  const payload value{std::string(128, 'x')};
  const auto empty = spawn_empty(w.sys);
  const auto echo = spawn_echo(
    w.sys, {.subject = at("bench.echo.name"), .payload = value, .revision = revision{1}});
  comparison result;
  for (std::size_t round = 0; round < rounds; ++round) {
    result.plain.push_back(
      run_askers(w, clients, plan, [&](std::size_t) { return ask_empty(empty); }));
    result.echoed.push_back(run_askers(w, clients, plan, [&](std::size_t i) {
      return [echo, key = at(fmt::format("bench.c{}.name", i))](caf::event_based_actor* self,
                                                                std::size_t, auto done) {
        self->request(echo, caf::infinite, kv_get{key})
          .then([done](const kv_entry&) { done(); }, or_die("echo"));
      };
    }));
    result.measured.push_back(run_askers(w, clients, plan, [&](std::size_t i) {
      return get_and_update{w.backend, at(fmt::format("bench.c{}.name", i)), value};
    }));
  }
  caf::anon_send_exit(empty, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(echo, caf::exit_reason::user_shutdown);
  return result;
}

bool show(const std::string& name, const comparison& x) {
  const auto rate = median(x.measured, &throughput::rate);
  const auto share = ratio(x.measured, x.plain);
  print({.name = "gets of one entry from an actor that does nothing else, " + name,
         .measured = show(x.echoed),
         .reference = "plain request " + show(x.plain),
         .ratio = percent(ratio(x.echoed, x.plain)),
         .bar = "none",
         .is_met = true});
  return print({.name = "gets and updates through the backend actor, " + name,
                .measured = show(x.measured),
                .reference = "plain request " + show(x.plain),
                .ratio = percent(share),
                .bar = "60 %, and 300 k/s",
                .is_met = share >= 0.6 && rate >= 300e3});
}

} // namespace

bool measure_operations(const effort& e) {
  world w;
  const auto rounds = e.of(7, 3);
  (void)compare(w, 64, {.requests = 1'000}, 1);
  show("64 clients, 1 outstanding each", compare(w, 64, {.requests = e.of(6'000, 1'500)}, rounds));
  return show("64 clients, 8 outstanding each",
              compare(w, 64, {.requests = e.of(6'000, 1'500), .window = 8}, rounds));
}

} // namespace trunnion::bench
