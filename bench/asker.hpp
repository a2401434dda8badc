// A client that asks again and again, with so many requests outstanding.
//
// Throughput is measured with several of them. Each is an actor of its own, for a backend bounds
// and orders what each client asks.

#pragma once

#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/world.hpp"

#include <latch>

namespace trunnion::bench {

struct ask_plan {
  std::size_t requests = 0; ///< In all.
  std::size_t window = 1;   ///< Outstanding.
};

/// Counts what comes back, and asks anew. `Issue` is called with the actor, a number from 0, and
/// what to call once the answer is there.
template <class Issue> class asker {
public:
  asker(caf::event_based_actor* self, const ask_plan& plan, Issue issue, std::latch& done)
    : self_(self), plan_(plan), issue_(std::move(issue)), done_(done) {}

  void start() {
    for (std::size_t i = 0; i < std::min(plan_.window, plan_.requests); ++i)
      next();
  }

private:
  void next() {
    issue_(self_, begun_++, [this] { on_answer(); });
  }

  void on_answer() {
    ++answered_;
    if (begun_ < plan_.requests)
      return next();
    if (answered_ == plan_.requests) {
      done_.count_down();
      self_->quit();
    }
  }

  caf::event_based_actor* self_;
  ask_plan plan_;
  Issue issue_;
  std::latch& done_;
  std::size_t begun_ = 0;
  std::size_t answered_ = 0;
};

/// Starts an asker, which counts `done` down once all is answered, and ends.
template <class Issue>
void spawn_asker(caf::actor_system& sys, const ask_plan& plan, std::latch& done, Issue issue) {
  sys.spawn([plan, &done, issue](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(caf::drop);
    auto state = std::make_shared<asker<Issue>>(self, plan, issue, done);
    self->attach_functor([state] {}); // Lives as long as the actor.
    state->start();
    return {[](caf::unit_t) {}};
  });
}

struct throughput {
  double rate = 0; ///< Requests a second.
  double cpu = 0;  ///< Seconds for each, of all threads: it depends less on what else runs.
};

/// Lets `clients` askers ask until all is answered; `make(i)` is the i-th one's `Issue`.
template <class Make>
throughput run_askers(world& w, std::size_t clients, const ask_plan& plan, Make make) {
  std::latch done{static_cast<std::ptrdiff_t>(clients)};
  const auto cpu_before = cpu_seconds();
  const auto begin = w.now();
  for (std::size_t i = 0; i < clients; ++i)
    spawn_asker(w.sys, plan, done, make(i));
  wait(done, "requests");
  const auto requests = static_cast<double>(clients * plan.requests);
  return {requests / seconds(w.now() - begin), (cpu_seconds() - cpu_before) / requests};
}

/// The median of one member.
[[nodiscard]] inline double median(const std::vector<throughput>& all, double throughput::*part) {
  std::vector<double> values;
  for (const auto& x : all)
    values.push_back(x.*part);
  return median(std::move(values));
}

/// `120 k/s, 8.1 us of CPU`: medians.
[[nodiscard]] inline std::string show(const std::vector<throughput>& all) {
  return per_second(median(all, &throughput::rate)) + ", " + us(median(all, &throughput::cpu))
         + " of CPU";
}

/// For the errors that no measured request may have.
inline auto or_die(std::string_view what) {
  return [what](const caf::error& error) { die(what, error); };
}

} // namespace trunnion::bench
