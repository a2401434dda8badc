#include "trunnion/actors/responder.hpp"
#include "trunnion/bench/asker.hpp"
#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"

#include <fmt/format.h>

namespace trunnion::bench {

/// The least that a request and its answer can be.
struct plain_question {};
struct plain_answer {};

} // namespace trunnion::bench

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::bench::plain_question)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::bench::plain_answer)

namespace trunnion::bench {
namespace {

using plain_actor = caf::typed_actor<answers<plain_question, plain_answer>>;

plain_actor spawn_plain(caf::actor_system& sys) {
  return sys.spawn([]() -> plain_actor::behavior_type {
    return {[](const plain_question&) { return plain_answer{}; }};
  });
}

responder_actor start_responder(world& w, const subject& where) {
  auto started
    = serve(w.sys, w.rt(), w.backend,
            {.subject = where,
             .handler = [](const handle_request& x) -> outcome<payload> { return x.payload; }});
  if (!started)
    die(to_string(started.error()));
  while (w.ask<responder_status>(*started, responder_inspect{}).phase != responder_phase::serving) {
  }
  return *started;
}

/// Through a responder, and without anything, in alternation, so that what else the machine does
/// falls on both alike.
bool measure(world& w, std::size_t window, const effort& e) {
  const auto where = at("bench.responder.echo");
  const payload value{std::string(128, 'x')};
  const auto plain = spawn_plain(w.sys);
  const auto responder = start_responder(w, where);
  const ask_plan plan{.requests = e.of(6'000, 1'500), .window = window};
  const auto ask_plain = [&](std::size_t) {
    return [plain](caf::event_based_actor* self, std::size_t, auto done) {
      self->request(plain, caf::infinite, plain_question{})
        .then([done](const plain_answer&) { done(); }, or_die("plain request"));
    };
  };
  const auto ask_responder = [&](std::size_t) {
    return
      [backend = w.backend, where, value](caf::event_based_actor* self, std::size_t, auto done) {
        self->request(backend, caf::infinite, invoke{where, value, default_request_timeout})
          .then([done](const invoked&) { done(); }, or_die("request"));
      };
  };
  constexpr std::size_t clients = 64;
  (void)run_askers(w, clients, {.requests = 1'000}, ask_responder);
  std::vector<throughput> measured, reference;
  std::vector<double> shares;
  for (std::size_t round = 0; round < e.of(7, 3); ++round) {
    reference.push_back(run_askers(w, clients, plan, ask_plain));
    measured.push_back(run_askers(w, clients, plan, ask_responder));
    shares.push_back(measured.back().rate / reference.back().rate);
  }
  caf::anon_send_exit(plain, caf::exit_reason::user_shutdown);
  (void)w.ask<responder_stopped>(responder, responder_stop{});
  const auto share = median(shares);
  return print({.name = fmt::format("requests through a responder, {} clients, {} outstanding each",
                                    clients, window),
                .measured = show(measured),
                .reference = "plain request " + show(reference),
                .ratio = percent(share),
                .bar = "50 %",
                .is_met = share >= 0.5});
}

} // namespace

bool measure_requests(const effort& e) {
  world w;
  const bool ok = measure(w, 1, e);
  return measure(w, 8, e) && ok;
}

} // namespace trunnion::bench
