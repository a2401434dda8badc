#include "trunnion/actors/group_supervisor.hpp"
#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"

#include <fmt/format.h>

namespace trunnion::bench {
namespace {

constexpr std::size_t leases_of_group = 3;
constexpr std::size_t members_of_group = 5;

/// What the members of one group note down.
struct round {
  std::latch told{members_of_group};
  std::atomic<std::int64_t> last_told{0}; // Nanoseconds on the boot clock.
  std::atomic<int> too_early{0};          // Told while the view was still true.
  lease_view lost;
};

void note(round& r, instant now) {
  const auto at = now.time_since_epoch().count();
  auto last = r.last_told.load();
  while (last < at && !r.last_told.compare_exchange_weak(last, at))
    continue;
}

caf::actor member(world& w, const std::shared_ptr<round>& r) {
  return w.sys.spawn([&w, r](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(caf::drop);
    return {[&w, r](const member_lost&) {
      if (r->lost.held())
        ++r->too_early;
      note(*r, w.now());
      r->told.count_down();
    }};
  });
}

/// Seconds from handing over the deletion to the last member told.
double abandon_once(world& w) {
  const auto group = make_group(w.sys, w.rt(), w.backend, nullptr, group_options{.name = "bench"});
  group_acquire wanted;
  for (std::size_t i = 0; i < leases_of_group; ++i)
    wanted.leases.push_back({.subject = at(fmt::format("bench.group.L{}", i)),
                             .ttl = std::chrono::seconds{10},
                             .owner = "bench/1"});
  const auto acquired = w.ask<group_acquired>(group, wanted);
  const auto r = std::make_shared<round>();
  r->lost = acquired.leases[1].view;
  for (std::size_t i = 0; i < members_of_group; ++i)
    (void)w.ask<group_joined>(group,
                              group_join{.name = fmt::format("m{}", i), .member = member(w, r)});
  if (!r->lost.held())
    die("a lease is not held that was just acquired");

  const auto begin = w.now();
  (void)w.ask<kv_deleted>(w.backend, kv_delete{acquired.leases[1].grant.subject, std::nullopt});
  wait(r->told, "members to be told");
  if (r->too_early > 0)
    die("a member was told while the lost lease's view was true");
  (void)w.ask<group_report>(group, group_wait_ended{});
  caf::anon_send_exit(group, caf::exit_reason::user_shutdown);
  return seconds(instant{nanoseconds{r->last_told}} - begin);
}

} // namespace

bool measure_abandonment(const effort& e) {
  world w;
  for (int i = 0; i < 20; ++i) // Threads and heap as they are later.
    (void)abandon_once(w);
  std::vector<double> delays;
  for (std::size_t i = 0; i < e.of(1'000, 500); ++i)
    delays.push_back(abandon_once(w));
  const auto p99 = quantile(delays, 0.99);
  return print(
    {.name = fmt::format("deletion to {} members told, view false: p99 of {} rounds",
                         members_of_group, delays.size()),
     .measured = ms(p99),
     .reference = fmt::format("p50 {}, worst {}", ms(median(delays)), ms(quantile(delays, 1))),
     .bar = "5 ms",
     .is_met = p99 < 5e-3,
     .is_judged = true});
}

} // namespace trunnion::bench
