#include "trunnion/actors/kv_monitor.hpp"
#include "trunnion/bench/asker.hpp"
#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"

#include <fmt/format.h>

namespace trunnion::bench {
namespace {

constexpr std::size_t subscribers = 100;
constexpr std::uint64_t credit = 256; // Parts.

/// All subscribers' deliveries of one round.
struct deliveries {
  explicit deliveries(std::size_t expected) : expected(expected) {}

  const std::size_t expected; ///< Of each subscriber, and each of them once.
  std::latch ready{subscribers};
  std::latch complete{subscribers};
};

/// A subscriber that counts changes; a revision told twice, or out of order, ends the program.
caf::actor spawn_subscriber(world& w, const kv_monitor_actor& monitor,
                            const std::shared_ptr<deliveries>& all) {
  return w.sys.spawn([&w, monitor, all](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(caf::drop);
    self->request(monitor, caf::infinite, monitor_subscribe{credit})
      .then([](const monitor_status&) {}, or_die("subscribe"));
    auto seen = std::make_shared<std::size_t>(0);
    auto last = std::make_shared<revision>();
    return {[self, monitor, all, seen, last](const monitor_part& x) {
      self->send(monitor, monitor_credit{x.seq + credit});
      if (x.kind == part_kind::snapshot_end)
        all->ready.count_down();
      if (x.kind != part_kind::change)
        return;
      for (const auto& entry : x.entries) {
        if (entry.revision <= *last)
          die("a change was told twice, or out of order");
        *last = entry.revision;
      }
      const auto before = std::exchange(*seen, *seen + x.entries.size());
      if (before < all->expected && *seen >= all->expected)
        all->complete.count_down();
    }};
  });
}

/// One writer, whose keys each change once, so that no change may be left out.
double delivery_rate(world& w, std::size_t writes, int round) {
  const auto monitor
    = spawn_kv_monitor(w.sys, w.rt(), w.backend, at(fmt::format("bench.r{}.>", round)), nullptr);
  const auto all = std::make_shared<deliveries>(writes);
  std::vector<caf::actor> sinks;
  for (std::size_t i = 0; i < subscribers; ++i)
    sinks.push_back(spawn_subscriber(w, monitor, all));
  wait(all->ready, "snapshots");
  const auto began = w.now();
  run_askers(w, 1, {.requests = writes, .window = 64}, [&](std::size_t) {
    return [&w, round, value = payload{std::string(128, 'x')}](caf::event_based_actor* self,
                                                               std::size_t i, auto done) {
      self
        ->request(w.backend, caf::infinite,
                  kv_create{at(fmt::format("bench.r{}.k{}.name", round, i)), value, std::nullopt})
        .then([done](const kv_written&) { done(); }, or_die("create"));
    };
  });
  wait(all->complete, "every change to be told");
  const auto took = seconds(w.now() - began);
  for (const auto& x : sinks)
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(monitor, caf::exit_reason::user_shutdown);
  return static_cast<double>(writes * subscribers) / took;
}

// -- many monitors ------------------------------------------------------------

std::string key_of(std::size_t i) { return fmt::format("bench.many{}.name", i); }

std::vector<kv_monitor_actor> spawn_monitors(world& w, std::size_t from, std::size_t to) {
  std::vector<kv_monitor_actor> result;
  for (auto i = from; i < to; ++i)
    result.push_back(spawn_kv_monitor(w.sys, w.rt(), w.backend, at(key_of(i)), nullptr));
  for (const auto& x : result) // Its first snapshot is complete.
    (void)w.ask<monitor_entries>(x, monitor_get_all{});
  return result;
}

/// Writes a second to ten keys that are monitored.
throughput write_all(world& w, std::size_t writes) {
  return run_askers(w, 10, {.requests = writes / 10, .window = 8}, [&](std::size_t client) {
    return [&w, key = at(key_of(client)), value = payload{std::string(128, 'x')}](
             caf::event_based_actor* self, std::size_t, auto done) {
      self->request(w.backend, caf::infinite, kv_update{key, value, std::nullopt, std::nullopt})
        .then([done](const kv_written&) { done(); }, or_die("update"));
    };
  });
}

std::vector<double> write_rates(world& w, std::size_t rounds, std::size_t writes) {
  std::vector<double> result;
  (void)write_all(w, writes / 10);
  for (std::size_t i = 0; i < rounds; ++i)
    result.push_back(write_all(w, writes).rate);
  return result;
}

bool measure_many(const effort& e) {
  const auto many = e.of(10'000, 2'000);
  const auto rounds = e.of(7, 3), writes = e.of(50'000, 20'000);
  world w;
  const auto few = spawn_monitors(w, 0, 10);
  const auto with_few = median(write_rates(w, rounds, writes));
  const auto rest = spawn_monitors(w, 10, many);
  const auto with_many = median(write_rates(w, rounds, writes));
  for (const auto* part : {&few, &rest})
    for (const auto& x : *part)
      caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  const auto factor = with_few / with_many;
  return print({.name = fmt::format("a write with {} monitors on distinct keys", many),
                .measured = us(1 / with_many),
                .reference = "with 10 " + us(1 / with_few),
                .ratio = times(factor),
                .bar = "1 (1.25 with the noise)",
                .is_met = factor <= 1.25});
}

} // namespace

bool measure_monitors(const effort& e) {
  {
    world w;
    std::vector<double> rates;
    const auto writes = e.of(10'000, 2'000);
    (void)delivery_rate(w, writes / 10, 0);
    for (int i = 1; i <= static_cast<int>(e.of(7, 3)); ++i)
      rates.push_back(delivery_rate(w, writes, i));
    print({.name = fmt::format("changes told: 1 writer, {} subscribers of a pattern, none lost",
                               subscribers),
           .measured = per_second(median(rates)),
           .bar = "1 M/s",
           .is_met = median(rates) >= 1e6});
  }
  return measure_many(e);
}

} // namespace trunnion::bench
