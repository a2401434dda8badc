#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"
#include "trunnion/bench/prober.hpp"

#include <fmt/format.h>
#include <thread>
#include <unordered_set>

namespace trunnion::bench {
namespace {

constexpr std::size_t loaders = 16;
constexpr std::size_t probers = 4;
constexpr nanoseconds lead = std::chrono::seconds{5}; // From the first write to the expiry.
constexpr nanoseconds least_idle = std::chrono::seconds{1};

/// Watches all keys of the test, and knows when it was told of the last expiry.
struct expiry_watch {
  std::latch is_open{1};
  std::latch all_told{1};
  std::unordered_set<subject> live; // As far as told.
  bool was_open = false;
  bool is_full = false; // All had been told of before they expired.
  instant last{};
};

/// A watch that falls behind is told by a fresh snapshot, so what is not named in it is gone.
void take(expiry_watch& x, const watch_part& part, std::size_t keys, instant now) {
  if (part.kind == part_kind::resync)
    x.live.clear();
  for (const auto& entry : part.entries)
    if (entry.is_live())
      x.live.insert(entry.subject);
    else
      x.live.erase(entry.subject);
  if (part.kind == part_kind::snapshot_end && !std::exchange(x.was_open, true))
    x.is_open.count_down();
  x.is_full = x.is_full || x.live.size() == keys;
  const bool is_whole = part.kind == part_kind::change || part.kind == part_kind::snapshot_end;
  if (x.is_full && is_whole && x.live.empty() && x.last == instant{}) {
    x.last = now;
    x.all_told.count_down();
  }
}

caf::actor spawn_watch(world& w, const std::shared_ptr<expiry_watch>& state, std::size_t keys) {
  return w.sys.spawn([&w, state, keys](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(caf::drop);
    self->request(w.backend, caf::infinite, watch{at("bench.expiring.>"), 1, 64})
      .then([](const watch_opened&) {}, or_die("watch"));
    return {[&w, self, state, keys](const watch_part& x) {
      self->send(w.backend, watch_credit{x.id, x.seq, x.seq + 64});
      take(*state, x, keys, w.now());
    }};
  });
}

/// Writes keys that all expire at `due`.
void load(world& w, std::size_t keys, instant due) {
  const payload value{std::string(128, 'x')};
  run_askers(w, loaders, {.requests = keys / loaders, .window = 16}, [&](std::size_t client) {
    return [&w, due, value, client](caf::event_based_actor* self, std::size_t i, auto done) {
      const auto key = at(fmt::format("bench.expiring.c{}.k{}", client, i));
      self->request(w.backend, caf::infinite, kv_update{key, value, std::nullopt, due - w.now()})
        .then([done](const kv_written&) { done(); }, or_die("update"));
    };
  });
}

struct expiry_result {
  double gone = 0; ///< Seconds from the moment until all were gone, or a watch was told of all.
  double idle = 0; ///< p99 of a get, seconds.
  double busy = 0;
};

/// When nothing but one key is left; asked for once a millisecond.
instant wait_until_gone(world& w) {
  while (w.ask<backend_status>(w.backend, get_backend_status{}).keys > 1)
    std::this_thread::sleep_for(milliseconds{1});
  return w.now();
}

expiry_result expire_once(std::size_t keys, bool is_watched) {
  world w;
  const auto other = at("bench.other.name");
  (void)w.ask<kv_written>(w.backend, kv_create{other, payload{"x"}, std::nullopt});
  const auto told = std::make_shared<expiry_watch>();
  caf::actor watching;
  if (is_watched) {
    watching = spawn_watch(w, told, keys);
    wait(told->is_open, "a snapshot");
  }

  const auto due = w.now() + lead;
  load(w, keys, due);
  std::this_thread::sleep_for(milliseconds{200}); // The watch may still be told of writes.
  const auto idle_from = w.now();
  if (due - idle_from < least_idle)
    die("writing the keys took too long to measure anything before they expire");
  std::vector<std::shared_ptr<prober>> states;
  std::vector<caf::actor> actors;
  for (std::size_t i = 0; i < probers; ++i) {
    states.push_back(std::make_shared<prober>());
    actors.push_back(spawn_prober(w, states.back(), other));
  }
  auto last = wait_until_gone(w);
  if (is_watched) {
    wait(told->all_told, "expiries to be told");
    last = told->last;
  }
  for (std::size_t i = 0; i < probers; ++i) {
    caf::anon_send_exit(actors[i], caf::exit_reason::user_shutdown);
    wait(states[i]->ended, "a prober to end");
  }
  if (watching)
    caf::anon_send_exit(watching, caf::exit_reason::user_shutdown);

  std::vector<double> idle, busy;
  for (const auto& x : states)
    for (const auto& s : x->samples)
      if (s.begin < due - milliseconds{50})
        idle.push_back(s.took);
      else if (s.begin >= due && s.begin <= last)
        busy.push_back(s.took);
  return {seconds(last - due), quantile(idle, 0.99), quantile(busy, 0.99)};
}

} // namespace

bool measure_expiry(const effort& e) {
  const std::size_t keys = e.of(100'000, 16'000) / loaders * loaders;
  bool ok = true;
  for (const bool is_watched : {false, true}) {
    std::vector<double> gone, idle, busy, factor;
    for (std::size_t i = 0; i < e.of(5, 1); ++i) {
      const auto x = expire_once(keys, is_watched);
      gone.push_back(x.gone);
      idle.push_back(x.idle);
      busy.push_back(x.busy);
      factor.push_back(x.busy / x.idle);
    }
    const auto* what = is_watched ? "a watch told of all" : "all gone";
    ok = print({.name = fmt::format("{} keys expire at one moment: {}", keys, what),
                .measured = ms(median(gone)),
                .reference = "worst " + ms(quantile(gone, 1)),
                .bar = "1 s",
                .is_met = median(gone) < 1})
         && ok;
    ok = print({.name = "p99 of unrelated gets meanwhile",
                .measured = us(median(busy)),
                .reference = "idle " + us(median(idle)),
                .ratio = times(median(factor)),
                .bar = "5",
                .is_met = median(factor) < 5})
         && ok;
  }
  return ok;
}

} // namespace trunnion::bench
