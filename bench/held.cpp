#include "trunnion/actors/group_supervisor.hpp"
#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <thread>

namespace trunnion::bench {
namespace {

constexpr std::size_t batch = 1'000;

/// Takes `count` leases into one group, some at a time, as services come up; returns one view.
lease_view acquire_many(world& w, const group_supervisor_actor& group, std::size_t count,
                        nanoseconds ttl) {
  lease_view one;
  for (std::size_t i = 0; i < count;) {
    group_acquire wanted;
    for (std::size_t n = 0; n < batch && i < count; ++n, ++i)
      wanted.leases.push_back({.subject = at(fmt::format("bench.site{}.device{}.L", i % 100, i)),
                               .ttl = ttl,
                               .owner = "bench/1"});
    one = w.ask<group_acquired>(group, std::move(wanted)).leases.front().view;
  }
  return one;
}

} // namespace

bool measure_held(const effort& e) {
  const auto count = e.of(100'000, 10'000);
  const auto ttl = std::chrono::seconds{e.of(60, 10)};
  world w;
  const auto group = make_group(w.sys, w.rt(), w.backend, nullptr, group_options{.name = "bench"});
  (void)w.ask<group_status>(group, group_inspect{});

  malloc_trim(0);
  const auto before = resident_bytes();
  const auto began = w.now();
  const auto one = acquire_many(w, group, count, ttl);
  const auto taken = seconds(w.now() - began);
  const auto kib = [&] { return (resident_bytes() - before) / static_cast<double>(count) / 1024; };
  const auto at_first = kib();
  print({.name = fmt::format("leases taken one after another by one group, {}", count),
         .measured = per_second(static_cast<double>(count) / taken),
         .bar = "none",
         .is_met = true});

  // The first refreshes are due between 30 and 55 % of the TTL; from then on they go on evenly.
  std::this_thread::sleep_for(ttl * 6 / 10);
  const auto cpu_before = cpu_seconds();
  const auto window_began = w.now();
  std::this_thread::sleep_for(ttl);
  const auto cpu = (cpu_seconds() - cpu_before) / seconds(w.now() - window_began);
  if (!one.held())
    die("a lease was lost while it was only held");
  const auto later = kib();
  const auto status = w.ask<backend_status>(w.backend, get_backend_status{});
  if (status.keys != count)
    die("keys were lost while they were only held");
  const auto done = w.ask<group_status>(group, group_inspect{}).refreshes;
  caf::anon_send_exit(group, caf::exit_reason::user_shutdown);

  print(
    {.name = fmt::format("memory (RSS) for each of {} held leases, key and watch included", count),
     .measured = fmt::format("{:.2f} KiB", at_first),
     .reference = fmt::format("{:.2f} KiB after {} refreshes", later, done),
     .ratio = times(later / at_first),
     .bar = "6 KiB",
     .is_met = at_first <= 6 && later <= 6});
  return print({.name = fmt::format("CPU for {} held leases, TTL {} s", count, ttl.count()),
                .measured = fmt::format("{} of a core", percent(cpu)),
                .reference = "",
                .bar = "50 %",
                .is_met = cpu < 0.5});
}

} // namespace trunnion::bench
