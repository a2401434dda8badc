#include "trunnion/bench/asker.hpp"
#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"

#include <fmt/format.h>

namespace trunnion::bench {
namespace {

constexpr std::size_t backlog = 100'000;
constexpr std::size_t clients = 64; // Each publishes to a subject of its own.

std::string stream_of(std::size_t i) { return fmt::format("bench.s{}.name", i); }

const payload& value() {
  static const payload result{std::string(128, 'x')};
  return result;
}

throughput publish_all(world& w, const ask_plan& plan) {
  return run_askers(w, clients, plan, [&](std::size_t i) {
    return [to = w.backend, name = at(stream_of(i))](caf::event_based_actor* self, std::size_t,
                                                     auto done) {
      self->request(to, caf::infinite, publish{name, value()})
        .then([done](const published&) { done(); }, or_die("publish"));
    };
  });
}

throughput update_all(world& w, const ask_plan& plan) {
  return run_askers(w, clients, plan, [&](std::size_t i) {
    return [to = w.backend, key = at(stream_of(i))](caf::event_based_actor* self, std::size_t,
                                                    auto done) {
      self->request(to, caf::infinite, kv_update{key, value(), std::nullopt, std::nullopt})
        .then([done](const kv_written&) { done(); }, or_die("update"));
    };
  });
}

/// Reads `count` messages, and ends; one that is told twice, or a gap, ends the program.
void spawn_consumer(world& w, std::string_view pattern, std::size_t count, std::latch& done) {
  w.sys.spawn([to = w.backend, pattern = at(pattern), count,
               &done](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(caf::drop);
    self
      ->request(to, caf::infinite,
                consume{.pattern = pattern, .id = 1, .start = stream_start::all, .credit = 16})
      .then([](const consuming&) {}, or_die("consume"));
    auto read = std::make_shared<std::size_t>(0);
    auto last = std::make_shared<sequence>();
    return {[self, to, count, read, last, &done](const stream_part& x) {
      self->send(to, stream_credit{x.id, x.seq, x.seq + 16});
      if (x.skipped > 0)
        die("a consumer missed messages that were kept");
      for (const auto& message : x.messages) {
        if (message.sequence <= *last)
          die("a message was told twice, or out of order");
        *last = message.sequence;
      }
      *read += x.messages.size();
      if (*read == count) {
        done.count_down();
        self->quit();
      }
    }};
  });
}

double consume_rate(world& w, std::string_view pattern, std::size_t count) {
  std::latch done{1};
  const auto began = w.now();
  spawn_consumer(w, pattern, count, done);
  wait(done, "the backlog to be read");
  return static_cast<double>(count) / seconds(w.now() - began);
}

void measure_publishing(const effort& e) {
  world w;
  const ask_plan plan{.requests = e.of(6'000, 1'500), .window = 8};
  std::vector<throughput> published, updated;
  std::vector<double> ratios;
  for (std::size_t round = 0; round < e.of(7, 3); ++round) {
    updated.push_back(update_all(w, plan));
    published.push_back(publish_all(w, plan));
    ratios.push_back(published.back().rate / updated.back().rate);
  }
  print({.name = "messages published, 64 clients, 8 outstanding each, retention at work",
         .measured = show(published),
         .reference = "updates " + show(updated),
         .ratio = percent(median(std::move(ratios))),
         .bar = "none",
         .is_met = true});
}

void measure_backlog(const effort& e) {
  world w;
  publish_all(w, {.requests = backlog / clients, .window = 8});
  constexpr auto each = backlog / clients;
  std::vector<double> all, one;
  for (std::size_t round = 0; round < e.of(15, 3); ++round) {
    all.push_back(consume_rate(w, "bench.>", each * clients));
    one.push_back(consume_rate(w, stream_of(7), each));
  }
  print({.name = "a backlog of 100,000 messages read by one consumer of all subjects",
         .measured = per_second(median(std::move(all))),
         .bar = "none",
         .is_met = true});
  print({.name = "of the same backlog, the messages of one subject in 64",
         .measured = per_second(median(std::move(one))),
         .bar = "none",
         .is_met = true});
}

} // namespace

bool measure_streams(const effort& e) {
  measure_publishing(e);
  measure_backlog(e);
  return true;
}

} // namespace trunnion::bench
