#include "trunnion/actors/kv_monitor.hpp"
#include "trunnion/bench/asker.hpp"
#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"
#include "trunnion/bench/observation.hpp"

#include <atomic>
#include <fmt/format.h>
#include <thread>

namespace trunnion::bench {
namespace {

// What a bound in items is in memory. Of an item's 128 bytes of payload the heap makes 208 (a
// string that is shared), its subject takes 32 more, and its entry, message or operation with its
// place in a container the rest. The slack is what the threads' heaps keep, and what is under way.
constexpr double mebibyte = 1U << 20U;
constexpr double item_bytes = 512;
constexpr double slack = 16 * mebibyte;

/// Not shared by several items, each of which is to cost its own.
payload fresh() { return payload{std::string(128, 'x')}; }

/// Asks `to` for something, and takes no notice of what it is sent.
template <class Answer> caf::actor spawn_idler(world& w, const auto& to, const auto& question) {
  const auto result = w.sys.spawn([=](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(caf::drop);
    return {[=](int) {
      auto promise = self->make_response_promise();
      self->request(to, caf::infinite, question)
        .then([promise](const Answer&) mutable { promise.deliver(true); }, or_die("an idler"));
      return promise;
    }};
  });
  (void)w.ask<bool>(result, 0);
  return result;
}

void end(const auto& actor) { caf::anon_send_exit(actor, caf::exit_reason::user_shutdown); }

std::string mib(double bytes) { return fmt::format("{:.1f} MiB", bytes / mebibyte); }

struct verdict {
  std::string name;
  std::string counted;   ///< How many were refused, and how much waited.
  double items = 0;      ///< That may be kept by the limits.
  std::string items_are; ///< Which limits.
  bool is_right = false; ///< All that was counted.
};

bool judge(const observation& x, const verdict& v) {
  const auto bound = v.items * item_bytes + slack;
  const auto show = [](const latency& l) { return fmt::format("{} / {}", ms(l.p50), ms(l.p99)); };
  return print(
    {.name = v.name,
     .measured = fmt::format("RSS +{}; {}", mib(x.growth), v.counted),
     .reference = fmt::format("gets of a bystander meanwhile, p50 / p99: {}, idle {}", show(x.busy),
                              show(x.idle)),
     .ratio = fmt::format("p99 {}", times(x.busy.p99 / x.idle.p99)),
     .bar = fmt::format("{} ({} of {} B, and {})", mib(bound), v.items_are, item_bytes, mib(slack)),
     .is_met = v.is_right && x.growth <= bound,
     .is_judged = true});
}

// -- a subscriber and a watch without credit ----------------------------------

bool measure_slow_subscriber(const effort& e) {
  constexpr std::size_t keys = 1'000;
  constexpr std::uint64_t credit = 5; // The snapshot's parts.
  const auto writes = e.of(200'000, 50'000);
  world w;
  const auto write = [&w](caf::event_based_actor* self, std::size_t i, auto done) {
    const auto key = at(fmt::format("bench.slow.k{}.name", i % keys));
    self->request(w.backend, caf::infinite, kv_update{key, fresh(), std::nullopt, std::nullopt})
      .then([done](const kv_written&) { done(); }, or_die("update"));
  };
  (void)run_askers(w, 1, {.requests = keys, .window = 64}, [&](std::size_t) { return write; });
  const auto pattern = at("bench.slow.>");
  const auto monitor = spawn_kv_monitor(w.sys, w.rt(), w.backend, pattern, nullptr);
  (void)w.ask<monitor_entries>(monitor, monitor_get_all{}); // Its snapshot is complete.
  const auto subscriber = spawn_idler<monitor_status>(w, monitor, monitor_subscribe{credit});
  const auto watcher = spawn_idler<watch_opened>(w, w.backend, watch{pattern, 1, credit});

  std::latch done{1};
  const auto seen = observe(
    w, [&] { spawn_asker(w.sys, {.requests = writes, .window = 64}, done, write); }, done);
  const auto newest = status_of(w).revision;
  auto at_end = w.ask<monitor_status>(monitor, monitor_inspect{});
  for (; at_end.revision < newest; at_end = w.ask<monitor_status>(monitor, monitor_inspect{}))
    std::this_thread::sleep_for(milliseconds{1});
  const auto status = status_of(w);
  for (const auto& x : {subscriber, watcher, caf::actor_cast<caf::actor>(monitor)})
    end(x);
  return judge(
    seen, {.name = fmt::format("a monitor's subscriber and a watch that grant no credit any more, "
                               "{} changes of {} keys by 1 writer",
                               writes, keys),
           .counted = fmt::format(
             "refused {}; waiting at the end: {} changes in the monitor, {} in "
             "the backend; unseen parts {}",
             status.refused, at_end.pending, status.pending_changes, status.unseen_parts),
           .items = 2 * keys,
           .items_are = fmt::format("{} coalesced changes", 2 * keys),
           .is_right = status.refused == 0 && at_end.pending == keys
                       && status.pending_changes == keys && status.unseen_parts == credit});
}

// -- a consumer that never says what it has seen ------------------------------

bool measure_slow_consumer(const effort& e) {
  constexpr std::size_t publishers = 4;
  const auto messages = e.of(1'000'000, 300'000);
  world w;
  const auto window = w.rt().bounds.credit_per_watch;
  const auto kept = retention{}.max_messages;
  const auto consumer = spawn_idler<consuming>(
    w, w.backend, consume{.pattern = at("bench.>"), .id = 1, .credit = 1'000'000});
  std::latch done{publishers};
  const auto seen = observe(
    w,
    [&] {
      for (std::size_t i = 0; i < publishers; ++i)
        spawn_asker(w.sys, {.requests = messages / publishers, .window = 64}, done,
                    [to = w.backend, name = at(fmt::format("bench.stream{}.name", i))](
                      caf::event_based_actor* self, std::size_t, auto answered) {
                      self->request(to, caf::infinite, publish{name, fresh()})
                        .then([answered](const published&) { answered(); }, or_die("publish"));
                    });
    },
    done);
  end(consumer);
  const auto& most = seen.most;
  return judge(
    seen,
    {.name = fmt::format("a consumer that never says what it has seen, {} messages", messages),
     .counted = fmt::format("refused {}; unseen parts {}, messages kept {}", most.refused,
                            most.unseen_parts, most.messages),
     .items = static_cast<double>(window * max_part_entries + kept),
     .items_are
     = fmt::format("{} parts of {} messages, and {} messages", window, max_part_entries, kept),
     .is_right = most.refused == 0 && most.unseen_parts == window && most.messages == kept});
}

// -- a publisher that does not wait -------------------------------------------

/// What became of what was asked for.
struct outcomes {
  std::atomic<std::size_t> done = 0;
  std::atomic<std::size_t> overloaded = 0;
  std::atomic<std::size_t> late = 0;  ///< `timeout`.
  std::atomic<std::size_t> other = 0; ///< Any other error.

  [[nodiscard]] std::size_t answered() const { return done + overloaded + late + other; }

  void add(const caf::error& error) {
    const auto code = to_failure(error).code;
    ++(code == error_code::overloaded ? overloaded : code == error_code::timeout ? late : other);
  }
};

/// Takes the answers of the flood before they are in a mailbox, so that what is measured is the
/// backend's: what a client does not look at is kept by the client.
class answer_counter : public caf::event_based_actor {
public:
  answer_counter(caf::actor_config& cfg, outcomes* all) : caf::event_based_actor(cfg), all_(*all) {}

  caf::behavior make_behavior() override {
    return {[](const published&) {}};
  }

  using caf::event_based_actor::enqueue;
  void enqueue(caf::mailbox_element_ptr x, caf::execution_unit* unit) override {
    if (x->content().match_elements<published>())
      ++all_.done;
    else if (x->content().match_elements<caf::error>())
      all_.add(x->content().get_as<caf::error>(0));
    else
      caf::event_based_actor::enqueue(std::move(x), unit);
  }

private:
  outcomes& all_;
};

bool measure_flood(const effort& e) {
  const auto messages = e.of(1'000'000, 300'000);
  world w;
  const auto line = w.rt().bounds.operations_per_client;
  const auto kept = retention{}.max_messages;
  outcomes all;
  const auto counter = w.sys.spawn<answer_counter>(&all);
  std::latch done{1};
  std::size_t most_under_way = 0;
  // A thread of its own sends in the counter's name, so that no answer slows the flood.
  std::jthread flood;
  const auto send_all = [&] {
    const auto from = caf::actor_cast<caf::strong_actor_ptr>(counter);
    const auto to = caf::actor_cast<caf::strong_actor_ptr>(w.backend);
    const auto name = at("bench.flood.name");
    for (std::size_t sent = 1; sent <= messages; ++sent) {
      to->enqueue(from, caf::make_message_id(), caf::make_message(publish{name, fresh()}), nullptr);
      most_under_way = std::max(most_under_way, sent - std::min(sent, all.answered()));
    }
    while (all.answered() < messages)
      std::this_thread::sleep_for(milliseconds{1});
    done.count_down();
  };
  const auto seen = observe(
    w, [&] { flood = std::jthread{send_all}; }, done);
  end(counter);
  return judge(
    seen, {.name = fmt::format("a publisher that never waits, {} messages", messages),
           .counted
           = fmt::format("refused {} (`overloaded` {}, other errors {}); queued {}, under way {}",
                         seen.most.refused, all.overloaded, all.late + all.other, seen.most.queued,
                         most_under_way),
           .items = static_cast<double>(line + kept),
           .items_are = fmt::format("{} operations, and {} messages", line, kept),
           .is_right = all.done + all.overloaded == messages && all.overloaded == seen.most.refused
                       && seen.most.queued <= 2 * line}); // The bystander has a line, too.
}

// -- a caller of many ---------------------------------------------------------

/// Asks `requests` times at once.
void spawn_caller(world& w, std::size_t requests, const invoke& question, outcomes& all,
                  std::latch& done) {
  w.sys.spawn([=, &w, &all, &done](caf::event_based_actor* self) {
    const auto on_end = [=, &all, &done] {
      if (all.answered() == requests)
        done.count_down();
    };
    for (std::size_t i = 0; i < requests; ++i)
      self->request(w.backend, caf::infinite, invoke{question.subject, fresh(), question.timeout})
        .then(
          [=, &all](const invoked&) {
            ++all.done;
            on_end();
          },
          [=, &all](const caf::error& error) {
            all.add(error);
            on_end();
          });
  });
}

bool measure_caller(const effort&) {
  constexpr std::size_t requests = 20'000;
  constexpr nanoseconds patience = std::chrono::seconds{5};
  world w;
  const auto most = w.rt().bounds.operations_per_client;
  const auto on = at("bench.silent.name");
  const auto listener = spawn_idler<listening>(w, w.backend, listen{on, most_requests_in_hand});
  outcomes all;
  std::latch done{1};
  instant began{};
  const auto seen = observe(
    w,
    [&] {
      began = w.now();
      spawn_caller(w, requests, {on, {}, patience}, all, done);
    },
    done);
  const auto took = seconds(w.now() - began);
  const auto left = status_of(w).requests;
  end(listener);
  return judge(
    seen, {.name = fmt::format("a caller of {} at once, deadline {}, nobody answers", requests,
                               ms(seconds(patience))),
           .counted
           = fmt::format("refused {} (`overloaded`), `timeout` {}, all ended {} after the first; "
                         "requests {}, queued {}",
                         all.overloaded, all.late, ms(took), seen.most.requests, seen.most.queued),
           .items = static_cast<double>(requests),
           .items_are = fmt::format("{} requests and {} refusals", most, requests - most),
           .is_right = all.late == most && all.overloaded == requests - most
                       && seen.most.refused == requests - most && seen.most.requests == most
                       && left == 0});
}

} // namespace

bool measure_pressure(const effort& e) {
  bool ok = true;
  for (const auto measure :
       {measure_slow_subscriber, measure_slow_consumer, measure_flood, measure_caller})
    ok = measure(e) && ok;
  return ok;
}

} // namespace trunnion::bench
