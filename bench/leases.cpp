#include "trunnion/actors/lease.hpp"
#include "trunnion/bench/asker.hpp"
#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"

#include <ctime>
#include <fmt/format.h>

namespace trunnion::bench {
namespace {

constexpr std::size_t clients = 64;

lease_options options(const std::string& key) {
  return {.subject = at(key), .ttl = std::chrono::seconds{10}, .owner = "bench/1"};
}

lease_actor begin(world& w, const caf::strong_actor_ptr& holder, const std::string& key) {
  auto lease = acquire(w.sys, w.rt(), w.backend, holder, options(key));
  if (!lease)
    die(to_string(lease.error()));
  return *lease;
}

/// Each client takes a key of its own and gives it back, again and again.
throughput acquire_all(world& w, const caf::actor& holder, std::size_t rounds) {
  const auto held_by = caf::actor_cast<caf::strong_actor_ptr>(holder);
  return run_askers(w, clients, {.requests = rounds}, [&](std::size_t client) {
    return [&w, held_by, key = fmt::format("bench.c{}.L", client)](caf::event_based_actor* self,
                                                                   std::size_t, auto done) {
      const auto lease = begin(w, held_by, key);
      self->request(lease, caf::infinite, lease_await{})
        .then(
          [self, lease, done](const lease_grant&) {
            self->request(lease, caf::infinite, lease_release{})
              .then(
                [self, lease, done](const lease_released&) {
                  self->send_exit(lease, caf::exit_reason::user_shutdown);
                  done();
                },
                or_die("release"));
          },
          or_die("acquire"));
    };
  });
}

std::vector<lease_actor> hold(world& w, const caf::actor& holder, std::size_t count) {
  std::vector<lease_actor> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(
      begin(w, caf::actor_cast<caf::strong_actor_ptr>(holder), fmt::format("bench.held{}.L", i)));
    if (i % 256 == 0) // Not all at once: this measures refreshes.
      (void)w.ask<lease_grant>(result.back(), lease_await{});
  }
  for (const auto& x : result)
    (void)w.ask<lease_grant>(x, lease_await{});
  return result;
}

/// Every lease is refreshed once; each client has its share of them, some at a time.
throughput refresh_all(world& w, const std::vector<lease_actor>& leases) {
  const auto share = leases.size() / clients;
  return run_askers(w, clients, {.requests = share, .window = 8}, [&](std::size_t client) {
    return
      [&leases, first = client * share](caf::event_based_actor* self, std::size_t i, auto done) {
        self->request(leases[first + i], caf::infinite, lease_refresh{})
          .then([done](const lease_refreshed&) { done(); }, or_die("refresh"));
      };
  });
}

/// In portions, so that each release is confirmed in time.
void release(world& w, const std::vector<lease_actor>& leases) {
  run_askers(w, 1, {.requests = leases.size(), .window = 64}, [&](std::size_t) {
    return [&leases](caf::event_based_actor* self, std::size_t i, auto done) {
      self->request(leases[i], caf::infinite, lease_release{})
        .then([done](const lease_released&) { done(); }, or_die("release"));
    };
  });
}

/// What keeps the compiler from leaving out a loop.
template <class T> void use(const T& x) { asm volatile("" : : "g"(&x) : "memory"); }

/// Seconds for each call, of a million.
template <class Call> double cost(world& w, Call call) {
  constexpr int calls = 1'000'000;
  const auto began = w.now();
  for (int i = 0; i < calls; ++i)
    use(call());
  return seconds(w.now() - began) / calls;
}

bool measure_view(world& w, const lease_actor& lease, std::size_t rounds) {
  const auto view = w.ask<lease_view>(lease, lease_get_view{});
  std::vector<double> held, clock, factor;
  for (std::size_t i = 0; i < rounds; ++i) {
    clock.push_back(cost(w, [] {
      timespec t{};
      clock_gettime(CLOCK_BOOTTIME, &t);
      return t;
    }));
    held.push_back(cost(w, [&] { return view.held(); }));
    factor.push_back(held.back() / clock.back());
  }
  return print({.name = "lease_view::held()",
                .measured = fmt::format("{:.0f} ns", median(held) * 1e9),
                .reference = fmt::format("clock_gettime {:.0f} ns", median(clock) * 1e9),
                .ratio = times(median(factor)),
                .bar = "2",
                .is_met = median(factor) <= 2});
}

} // namespace

bool measure_leases(const effort& e) {
  world w;
  const auto holder = w.someone();
  std::vector<throughput> acquires, refreshes;
  (void)acquire_all(w, holder, 20);
  for (std::size_t i = 0; i < e.of(7, 3); ++i)
    acquires.push_back(acquire_all(w, holder, e.of(1'000, 200)));
  print({.name = fmt::format("leases acquired and released, {} at a time", clients),
         .measured = show(acquires),
         .bar = "60 k/s",
         .is_met = median(acquires, &throughput::rate) >= 60e3});
  const auto held = hold(w, holder, 10'000);
  (void)refresh_all(w, held);
  for (std::size_t i = 0; i < e.of(15, 5); ++i)
    refreshes.push_back(refresh_all(w, held));
  print({.name = fmt::format("refreshes over {} held leases", held.size()),
         .measured = show(refreshes),
         .bar = "150 k/s",
         .is_met = median(refreshes, &throughput::rate) >= 150e3});
  const bool ok = measure_view(w, held.front(), e.of(15, 5));
  release(w, held);
  caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
  return ok;
}

} // namespace trunnion::bench
