#include "trunnion/actors/stream_reader.hpp"

#include "trunnion/actors/back_off.hpp"
#include "trunnion/actors/kv_monitor.hpp"
#include "trunnion/actors/reader_machine.hpp"
#include "trunnion/actors/thrown.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

#include <algorithm>
#include <utility>

namespace trunnion {

/// Private: something is due.
struct reader_tick {
  trunnion::generation generation;
};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::reader_tick)

namespace trunnion {
namespace {

constexpr nanoseconds consume_timeout = std::chrono::seconds{5};
constexpr nanoseconds ack_timeout = std::chrono::seconds{2};
constexpr nanoseconds ack_again = std::chrono::seconds{1}; // After a failure.

/// Whether opening it again cannot help.
bool is_refused_for_good(error_code x) {
  return x == error_code::invalid_subject || x == error_code::invalid_argument
         || x == error_code::permission_denied || x == error_code::unsupported;
}

/// Whether it is not for the reader to open it again.
bool is_taken_away(error_code x) {
  return x == error_code::consumer_taken || x == error_code::cancelled;
}

class stream_reader_state {
public:
  using impl = stream_reader_actor::extend<takes<stream_part>, takes<stream_lost>,
                                           takes<watch_lost>, takes<reader_tick>>;
  static constexpr const char* name = "stream_reader";

  stream_reader_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                      const reader_options& options, const any_read_sink& sink)
    : self_(self),
      alive_(caf::actor_cast<caf::strong_actor_ptr>(self)),
      rt_(rt),
      backend_(backend),
      options_(options),
      owner_(caf::actor_cast<caf::actor_addr>(options.owner)),
      machine_({.pattern = options.pattern,
                .start = options.start,
                .from = options.from,
                .since = options.since,
                .durable = options.durable,
                .batch = options.batch,
                .window = options.window}) {
    if (options_.owner)
      self_->monitor(options_.owner);
    options_.owner = nullptr; // Weak, as the sink: a reader keeps nobody alive.
    if (const auto* function = std::get_if<read_function>(&sink)) {
      function_ = *function;
    } else {
      sink_ = std::get<read_sink>(sink).address();
      self_->monitor(sink_);
    }
  }

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x); });
    self_->set_exit_handler([this](caf::exit_msg& x) {
      end_with_ = std::move(x.reason);
      begin_stop();
    });
    open();
    return {
      [this](stream_part& x) { apply(machine_.on_part(std::move(x), now())); },
      [this](const stream_lost& x) { on_lost(x.id, x.error); },
      [this](const watch_lost& x) { on_lost(x.id, x.error); }, // In answer to a `rewatch`.
      [this](const reader_stop&) { return on_stop(); },
      [this](const reader_inspect&) { return status(); },
      [this](const reader_tick& x) { on_tick(x); },
    };
  }

private:
  // -- the consumer -----------------------------------------------------------

  void open() {
    open_at_.reset();
    is_checking_ = false;
    seen_at_check_ = 0;
    if (!backend_is_monitored_)
      self_->monitor(backend_);
    backend_is_monitored_ = true;
    const auto id = ++last_id_;
    self_->request(backend_, consume_timeout, machine_.open(id, now()))
      .then([this, id](const consuming& x) { on_opened(id, x); },
            [this, id](const caf::error& x) { on_refused(id, to_failure(x)); });
    arm();
  }

  void on_opened(watch_id id, const consuming& x) {
    if (!machine_.is_open(id))
      return;
    is_opened_ = true;
    retry_.reset();
    check_at_ = now() + health_check_every; // Each reader at a moment of its own.
    *check_at_ -= nanoseconds{below(rt_.random, health_check_every.count())};
    set_health(true, {});
    const auto step = machine_.on_opened(id, x);
    if (step.is_other_store && !x.resumed && !options_.durable.empty())
      forget_durable();
    apply(step);
    acknowledge(x.resumed); // Of a known one, the answer says up to where it is.
  }

  /// We have made it just now in another store, to begin at a place of the old one.
  void forget_durable() {
    self_->request(backend_, ack_timeout, drop_durable{options_.durable})
      .then([](const durable_dropped&) {}, [](const caf::error&) {});
  }

  void on_refused(watch_id id, const failure& why) {
    if (!machine_.is_open(id))
      return;
    if (is_refused_for_good(why.code))
      return fail(why);
    interrupted(to_string(why)); // Its parts, too: without the answer nobody knows its place.
  }

  void on_lost(watch_id id, const failure& why) {
    if (!machine_.is_open(id))
      return; // Such as an earlier one of ours, which the present one has taken over.
    if (is_taken_away(why.code))
      return fail(why);
    interrupted(to_string(why));
  }

  void apply(const reader_step& step) {
    if (step.ask)
      self_->send(backend_, *step.ask);
    if (step.credit)
      owes_credit_ = true;
    if (step.is_other_store) {
      ++stores_;
      acknowledged_ = {};
    }
    if (step.may_have_missed)
      log(log_level::warn, "messages were removed while it was cut off");
    if (!step.broken.empty())
      return interrupted(step.broken);
    feed();
    arm();
  }

  /// Opens another consumer after a while.
  void interrupted(const std::string& why) {
    self_->send(backend_, unconsume{last_id_});
    machine_.close();
    is_opened_ = false;
    check_at_.reset();
    if (is_stopping_ && !owes_acknowledgement())
      return end_if_done();
    open_at_ = now() + retry_.next(rt_.random);
    set_health(false, why);
    arm();
  }

  // -- the sink ---------------------------------------------------------------

  void feed() {
    while (!is_stopping_ && !has_failed_) {
      auto batch = machine_.next_batch();
      if (!batch)
        break;
      owes_credit_ = true;
      if (function_) {
        on_answer(call(*batch));
        continue;
      }
      const auto sink = caf::actor_cast<read_sink>(sink_);
      if (!sink) // Its end is about to be told.
        break;
      is_asking_ = true;
      self_->request(sink, options_.patience, *std::move(batch))
        .then([this](const batch_read&) { on_sink_answered({}); },
              [this](const caf::error& x) { on_sink_answered(fail_as(to_failure(x))); });
    }
    if (std::exchange(owes_credit_, false) && machine_.is_open(last_id_))
      self_->send(backend_, machine_.credit());
  }

  [[nodiscard]] outcome<void> call(const read_batch& batch) const {
    try {
      return function_(batch);
    } catch (...) {
      const auto what = describe_thrown();
      return fail_as({error_code::internal,
                      certainty::unknown,
                      options_.pattern.text(),
                      "the sink threw " + what.message,
                      {}});
    }
  }

  static tl::unexpected<failure> fail_as(failure x) { return tl::unexpected{std::move(x)}; }

  void on_sink_answered(const outcome<void>& x) {
    is_asking_ = false;
    on_answer(x);
    feed();
    end_if_done();
    arm();
  }

  void on_answer(const outcome<void>& x) {
    if (!x) {
      auto why = x.error();
      if (why.code == error_code::timeout && !function_)
        why.text = "the sink did not answer in time";
      if (why.subject.empty())
        why.subject = options_.pattern.text();
      return fail(why);
    }
    machine_.on_read();
    acknowledge();
  }

  // -- acknowledgement --------------------------------------------------------

  [[nodiscard]] bool owes_acknowledgement() const {
    return !options_.durable.empty() && machine_.to_acknowledge() > acknowledged_;
  }

  /// Only the live consumer may, so while there is none it must wait.
  void acknowledge(bool in_any_case = false) {
    if (!is_opened_ || is_acknowledging_ || !(owes_acknowledgement() || in_any_case))
      return;
    is_acknowledging_ = true; // What is read meanwhile goes with the next one.
    acknowledge_at_.reset();
    self_->request(backend_, ack_timeout, stream_ack{options_.durable, machine_.to_acknowledge()})
      .then(
        [this, store = stores_](const stream_acked& x) {
          is_acknowledging_ = false;
          if (store == stores_)
            acknowledged_ = std::max(acknowledged_, x.up_to);
          acknowledge();
          end_if_done();
        },
        [this, id = last_id_](const caf::error& x) {
          is_acknowledging_ = false;
          const auto why = to_failure(x);
          if (why.code == error_code::consumer_taken && machine_.is_open(id))
            return fail(why);
          acknowledge_at_ = now() + ack_again;
          arm();
        });
  }

  // -- health -----------------------------------------------------------------

  void check() {
    check_at_.reset();
    if (is_checking_)
      return;
    is_checking_ = true;
    const auto credit = machine_.credit();
    self_->send(backend_, credit); // Makes good a grant that was lost.
    if (credit.seen == std::exchange(seen_at_check_, credit.seen))
      self_->send(backend_, machine_.probe()); // Quiet, or forgotten without our hearing of it.
    self_->request(backend_, health_check_timeout, get_capabilities{})
      .then([this, id = last_id_](const capabilities&) { on_checked(id, health_check_every, {}); },
            [this, id = last_id_](const caf::error& x) {
              on_checked(id, health_check_again, to_string(to_failure(x)));
            });
  }

  void on_checked(watch_id id, nanoseconds next, const std::string& problem) {
    if (!machine_.is_open(id))
      return;
    is_checking_ = false;
    check_at_ = now() + next;
    set_health(problem.empty(), problem);
    arm();
  }

  void set_health(bool healthy, const std::string& why) {
    if (healthy == is_healthy_ && told_health_)
      return;
    is_healthy_ = healthy;
    told_health_ = true;
    if (healthy)
      log(log_level::info, last_id_ == 1 ? "reading" : "reading on");
    else
      log(log_level::warn, "interrupted: " + why);
    rt_.metrics.count(healthy ? "reader_recovered" : "reader_interrupted");
  }

  // -- the end ----------------------------------------------------------------

  caf::result<reader_stopped> on_stop() {
    if (waiters_.size() >= rt_.bounds.subscribers)
      return to_error(error_code::overloaded, "too many wait for the end", options_.pattern.text());
    auto promise = self_->make_response_promise<reader_stopped>();
    waiters_.emplace_back(
      promise, to_error(error_code::cancelled, "the reader was killed", options_.pattern.text()));
    begin_stop();
    return promise;
  }

  void begin_stop() {
    if (is_stopping_ || has_failed_)
      return;
    is_stopping_ = true;
    stop_by_ = now() + options_.grace;
    if (!is_asking_ && !owes_acknowledgement()) // Else it takes a consumer to acknowledge.
      open_at_.reset();
    acknowledge();
    end_if_done();
    arm();
  }

  void end_if_done() {
    if (is_stopping_ && !is_asking_ && !owes_acknowledgement())
      end();
  }

  void fail(const failure& why) {
    if (std::exchange(has_failed_, true))
      return;
    log(log_level::error, "fails: " + to_string(why));
    failure_ = why;
    // Of a consumer whose opening was not answered yet, too: its parts may come before that. As
    // well as can be: nobody waits for the answer.
    if (machine_.is_open(last_id_) && owes_acknowledgement())
      self_->request(backend_, ack_timeout, stream_ack{options_.durable, machine_.to_acknowledge()})
        .then([](const stream_acked&) {}, [](const caf::error&) {});
    end();
  }

  void end() {
    if (std::exchange(is_over_, true))
      return;
    if (machine_.is_open(last_id_))
      self_->send(backend_, unconsume{last_id_});
    machine_.close();
    log(log_level::info, "ended after " + std::to_string(machine_.messages()) + " messages");
    if (!failure_ && (is_asking_ || owes_acknowledgement())) // The grace is over.
      failure_ = failure{error_code::timeout,
                         certainty::unknown,
                         options_.pattern.text(),
                         is_asking_ ? "the sink did not answer within the grace"
                                    : "what was read could not be acknowledged",
                         {}};
    for (auto& waiter : waiters_)
      if (failure_)
        waiter.fail(to_error(*failure_));
      else
        waiter.deliver({machine_.read()});
    waiters_.clear();
    alive_ = nullptr;
    self_->quit(failure_ ? to_error(*failure_) : std::move(end_with_));
  }

  void on_down(const caf::down_msg& x) {
    if (x.source == backend_.address()) {
      backend_is_monitored_ = false;
      if (machine_.is_open(last_id_))
        interrupted("the backend has ended");
    } else if (sink_ && x.source == sink_) {
      fail({error_code::cancelled,
            certainty::unknown,
            options_.pattern.text(),
            "the sink has ended",
            {}});
    } else if (x.source == owner_) {
      end_with_ = x.reason;
      begin_stop();
    }
  }

  // -- means ------------------------------------------------------------------

  void on_tick(reader_tick tick) {
    if (!alarm_.heed(tick.generation))
      return;
    const auto at = now();
    if (stop_by_ && *stop_by_ <= at)
      return end();
    if (open_at_ && *open_at_ <= at)
      open();
    if (acknowledge_at_ && *acknowledge_at_ <= at) {
      acknowledge_at_.reset();
      acknowledge();
    }
    if (check_at_ && *check_at_ <= at)
      check();
    apply(machine_.on_time(at));
  }

  void arm() {
    if (is_over_)
      return;
    auto due = machine_.next_due();
    for (const auto& other : {open_at_, check_at_, acknowledge_at_, stop_by_})
      if (other && (!due || *other < *due))
        due = other;
    if (const auto wake = alarm_.arm(now(), due))
      self_->delayed_send(self_, wake->after, reader_tick{wake->generation});
  }

  [[nodiscard]] instant now() const { return rt_.time.now(); }

  void log(log_level level, const std::string& line) {
    rt_.log.write(level, name, options_.pattern.text() + ": " + line);
  }

  [[nodiscard]] reader_status status() const {
    return {.pattern = options_.pattern,
            .durable = options_.durable,
            .healthy = is_healthy_,
            .read = machine_.read(),
            .acknowledged = acknowledged_,
            .messages = machine_.messages(),
            .skipped = machine_.skipped(),
            .buffered = machine_.buffered(),
            .lag = machine_.lag(),
            .reopened = last_id_ - 1};
  }

  impl::pointer self_;
  caf::strong_actor_ptr alive_; // Itself, until its end: a backend keeps nobody alive.
  runtime rt_;
  backend_actor backend_;
  reader_options options_;
  caf::actor_addr owner_;
  read_function function_; // Null: the sink is an actor.
  caf::actor_addr sink_;
  reader_machine machine_;
  alarm alarm_;

  watch_id last_id_ = 0; // Of the present consumer, or the last one.
  bool backend_is_monitored_ = false;
  bool is_opened_ = false; // The backend has confirmed the present consumer.
  bool owes_credit_ = false;
  std::optional<instant> open_at_; // When to open the next consumer, if there is none.
  back_off retry_{first_reopen_after, longest_reopen_after};

  bool is_asking_ = false; // The sink has a batch.
  bool is_acknowledging_ = false;
  std::optional<instant> acknowledge_at_; // When to try again.
  trunnion::sequence acknowledged_;
  std::uint64_t stores_ = 0; // How often the store has become another one.

  bool is_healthy_ = false;
  bool told_health_ = false;
  bool is_checking_ = false;
  std::uint64_t seen_at_check_ = 0; // Parts of the present consumer, at the last check.
  std::optional<instant> check_at_;

  bool is_stopping_ = false;
  bool has_failed_ = false;
  bool is_over_ = false;
  std::optional<instant> stop_by_; // Set while stopping.
  std::optional<failure> failure_;
  caf::error end_with_;
  std::vector<promise_guard<reader_stopped>> waiters_;
};

bool is_durable_name(std::string_view x) {
  const auto is_allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'
           || c == '_';
  };
  return x.size() <= max_durable_name && std::ranges::all_of(x, is_allowed);
}

} // namespace

outcome<stream_reader_actor> read_stream(caf::actor_system& sys, const runtime& rt,
                                         const backend_actor& backend, reader_options options,
                                         any_read_sink sink) {
  const auto refuse = [&](const char* why) {
    return fail(error_code::invalid_argument, why, options.pattern.text());
  };
  if (options.pattern.kind() == property_kind::none)
    return fail(error_code::invalid_subject, "an entity as such has no stream",
                options.pattern.text());
  if (!std::visit([](const auto& x) { return static_cast<bool>(x); }, sink))
    return refuse("a reader needs a sink");
  if (!is_durable_name(options.durable))
    return refuse("a durable consumer's name is 1 to 64 letters, digits, - and _");
  if (options.batch == 0 || options.batch > most_batch || options.window == 0
      || options.window > most_reader_window)
    return refuse("a reader's batch and window are from 1 on, up to 10000 and 1024");
  if (options.patience <= nanoseconds{} || options.grace < nanoseconds{})
    return refuse("a reader's patience is positive, and its grace not negative");
  return spawn_state<stream_reader_state>(sys, rt, backend, options, sink);
}

} // namespace trunnion
