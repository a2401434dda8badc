#include "trunnion/bench/observation.hpp"

#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/prober.hpp"

#include <malloc.h>
#include <thread>

namespace trunnion::bench {
namespace {

constexpr nanoseconds idle_time = std::chrono::seconds{2};
constexpr nanoseconds longest = std::chrono::minutes{2};

void raise(backend_status& most, const backend_status& now) {
  for (const auto part :
       {&backend_status::messages, &backend_status::requests, &backend_status::unseen_parts,
        &backend_status::pending_changes, &backend_status::queued, &backend_status::operations,
        &backend_status::refused})
    most.*part = std::max(most.*part, now.*part);
}

latency latency_of(const prober& x, instant from, instant to) {
  std::vector<double> took;
  for (const auto& s : x.samples)
    if (s.begin >= from && s.begin < to)
      took.push_back(s.took);
  return {quantile(took, 0.5), quantile(took, 0.99)};
}

} // namespace

observation observe(world& w, const std::function<void()>& start, const std::latch& done) {
  const auto key = at("bench.bystander.name");
  (void)w.ask<kv_written>(w.backend, kv_update{key, payload{"x"}, std::nullopt, std::nullopt});
  const auto bystander = std::make_shared<prober>();
  const auto actor = spawn_prober(w, bystander, key);
  const auto began = w.now();
  std::this_thread::sleep_for(idle_time);
  malloc_trim(0);

  const auto before = resident_bytes();
  auto highest = before;
  observation result;
  const auto loaded = w.now();
  {
    std::jthread sampler{[&highest](const std::stop_token& stop) {
      for (; !stop.stop_requested(); std::this_thread::sleep_for(milliseconds{1}))
        highest = std::max(highest, resident_bytes());
    }};
    start();
    for (; !done.try_wait(); std::this_thread::sleep_for(milliseconds{5})) {
      raise(result.most, status_of(w));
      if (w.now() - loaded > longest)
        die("a load was not done in time");
    }
    raise(result.most, status_of(w));
  }
  const auto ended = w.now();
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  wait(bystander->ended, "the bystander to end");
  result.growth = highest - before;
  result.idle = latency_of(*bystander, began, loaded);
  result.busy = latency_of(*bystander, loaded, ended);
  return result;
}

} // namespace trunnion::bench
