#include "trunnion/actors/lease.hpp"
#include "trunnion/bench/asker.hpp"
#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"

#include <fmt/format.h>
#include <thread>

namespace trunnion::bench {
namespace {

lease_actor begin(world& w, const caf::actor& holder, nanoseconds wait) {
  auto lease = acquire(w.sys, w.rt(), w.backend, caf::actor_cast<caf::strong_actor_ptr>(holder),
                       {.subject = at("bench.handed.L"),
                        .ttl = std::chrono::seconds{10},
                        .owner = "bench/1",
                        .wait = wait});
  if (!lease)
    die(to_string(lease.error()));
  return *lease;
}

/// Notes when a lease is granted.
struct grant_watch {
  std::latch granted{1};
  instant when{};
};

void watch_grant(world& w, const lease_actor& lease, const std::shared_ptr<grant_watch>& state) {
  w.sys.spawn([&w, lease, state](caf::event_based_actor* self) -> caf::behavior {
    self->request(lease, caf::infinite, lease_await{})
      .then(
        [&w, state, self](const lease_grant&) {
          state->when = w.now();
          state->granted.count_down();
          self->quit();
        },
        or_die("acquire"));
    return {[](caf::unit_t) {}};
  });
}

} // namespace

bool measure_handover(const effort& e) {
  world w;
  const auto holder = w.someone();
  auto current = begin(w, holder, {});
  (void)w.ask<lease_grant>(current, lease_await{});
  std::vector<double> delays;
  for (std::size_t i = 0; i < e.of(300, 50); ++i) {
    auto next = begin(w, holder, std::chrono::seconds{10});
    const auto state = std::make_shared<grant_watch>();
    watch_grant(w, next, state);
    std::this_thread::sleep_for(milliseconds{5}); // It stands in the queue by then.
    const auto began = w.now();
    (void)w.ask<lease_released>(current, lease_release{});
    wait(state->granted, "a grant");
    delays.push_back(seconds(state->when - began));
    caf::anon_send_exit(current, caf::exit_reason::user_shutdown);
    current = std::move(next);
  }
  caf::anon_send_exit(current, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
  const auto p50 = median(delays), p99 = quantile(delays, 0.99);
  return print({.name = fmt::format("release to the waiter's grant: median of {}", delays.size()),
                .measured = ms(p50),
                .reference = "p99 " + ms(p99),
                .bar = "30 ms, p99 50 ms",
                .is_met = p50 < 30e-3 && p99 < 50e-3});
}

} // namespace trunnion::bench
