#include "trunnion/actors/responder.hpp"

#include "trunnion/actors/back_off.hpp"
#include "trunnion/actors/handler_answer.hpp"
#include "trunnion/actors/kv_monitor.hpp"
#include "trunnion/actors/responder_machine.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

#include <utility>

namespace trunnion {

/// Private: something is due.
struct responder_tick {
  trunnion::generation generation;
};

/// Private: goes on with what waits, after the messages that have come in between.
struct responder_proceed {};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::responder_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::responder_proceed)

namespace trunnion {
namespace {

constexpr nanoseconds listen_timeout = std::chrono::seconds{5};

/// How long functions run before the mailbox is looked at: what has come since must be stamped.
constexpr nanoseconds work_slice = milliseconds{1};

/// Whether trying again cannot help.
bool is_final(error_code x) {
  return x == error_code::invalid_subject || x == error_code::invalid_argument
         || x == error_code::permission_denied || x == error_code::unsupported;
}

class responder_state {
public:
  using impl
    = responder_actor::extend<takes<incoming_request>, takes<request_withdrawn>, takes<member_lost>,
                              takes<responder_tick>, takes<responder_proceed>>;
  static constexpr const char* name = "responder";

  responder_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                  const responder_options& options)
    : self_(self),
      alive_(caf::actor_cast<caf::strong_actor_ptr>(self)),
      rt_(rt),
      backend_(backend),
      options_(options),
      owner_(caf::actor_cast<caf::actor_addr>(options.owner)),
      machine_(options.limit, options.queue) {
    if (options_.owner)
      self_->monitor(options_.owner);
    options_.owner = nullptr; // Weak: a responder keeps nobody alive but its handler.
    if (const auto* handler = std::get_if<request_handler>(&options_.handler))
      self_->monitor(*handler);
  }

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { on_down(x); });
    self_->set_exit_handler([this](caf::exit_msg& x) {
      end_with_ = std::move(x.reason);
      begin_stop();
    });
    open();
    return {
      [this](incoming_request& x) { on_request(x); },
      [this](const request_withdrawn& x) { machine_.withdraw(x.number); },
      [this](const responder_proceed&) {
        is_proceeding_ = false;
        work();
      },
      [this](const responder_stop&) { return on_stop(); },
      [this](const responder_inspect&) { return status(); },
      [this](const member_lost& x) { close_by_ = std::min(close_by_, now() + x.close_within); },
      [this](const responder_tick& x) { on_tick(x); },
    };
  }

private:
  // -- requests ---------------------------------------------------------------

  void on_request(incoming_request& x) {
    if (machine_.is_stuck(now(), options_.grace))
      on_handler_lost("the handler's actor does not answer");
    if (!is_proceeding_ && x.time_left > nanoseconds{} && machine_.may_pass())
      if (const auto* handler = std::get_if<request_function>(&options_.handler))
        return pass(*handler, x);
    switch (machine_.on_request(x, now())) {
    case admission_verdict::taken:
      if (!is_proceeding_)
        work();
      break;
    case admission_verdict::full: refuse_as_full(x.number); break;
    case admission_verdict::stopping: refuse(x.number, stopping()); break;
    case admission_verdict::known: break;
    case admission_verdict::late: rt_.metrics.count("responder_late"); break;
    }
  }

  /// Nothing is in its way: no need to keep it.
  void pass(const request_function& handler, incoming_request& x) {
    const auto begun = now();
    const auto number = x.number;
    auto answer = run_handler(handler, {std::move(x.subject), std::move(x.payload), x.time_left});
    machine_.on_passed(answer.failed);
    reply(number, std::move(answer));
    if (now() - begun >= work_slice)
      proceed();
  }

  void work() {
    const auto begun = now();
    for (auto at = begun; auto x = machine_.next(at);) {
      if (const auto* handler = std::get_if<request_function>(&options_.handler))
        finish(x->ticket, run_handler(*handler, to_handle(*x)));
      else
        ask(std::get<request_handler>(options_.handler), *x);
      at = now();
      if (at - begun >= work_slice)
        return proceed();
    }
    if (machine_.waiting(begun) == 0)
      is_overloaded_ = false;
  }

  void proceed() {
    if (!std::exchange(is_proceeding_, true))
      self_->send(self_, responder_proceed{});
  }

  /// Without a timeout: a request keeps its place until the handler is done with it, or its mailbox
  /// would be a queue without a bound. The caller hears of the timeout from the backend.
  void ask(const request_handler& handler, const begun_request& x) {
    self_->request(handler, caf::infinite, to_handle(x))
      .then(
        [this, ticket = x.ticket](handled& answer) {
          finish(ticket, answer_of(std::move(answer.payload)));
          go_on();
        },
        [this, ticket = x.ticket](const caf::error& error) {
          if (error == caf::sec::request_receiver_down)
            return on_handler_down(error); // Before it begins anything more there.
          finish(ticket, answer_of(to_failure(error)));
          go_on();
        });
  }

  void go_on() {
    if (!is_proceeding_)
      work();
    end_if_done();
  }

  void finish(std::uint64_t ticket, handler_answer answer) {
    const bool failed = answer.failed;
    if (const auto number = machine_.on_done(ticket, now(), failed))
      reply(*number, std::move(answer));
  }

  void reply(std::uint64_t number, handler_answer answer) {
    if (answer.failed)
      rt_.metrics.count("responder_failed");
    self_->send(backend_, request_reply{number, std::move(answer.payload), std::nullopt});
  }

  void refuse(std::uint64_t number, failure why) {
    self_->send(backend_, request_reply{number, {}, std::move(why)});
  }

  void refuse_as_full(std::uint64_t number) {
    rt_.metrics.count("responder_refused");
    refuse(number, about(error_code::overloaded, certainty::not_applied,
                         "too many requests wait for the handler"));
    if (!std::exchange(is_overloaded_, true)) // One line for each time that the queue fills.
      log(log_level::warn, "overloaded: " + std::to_string(machine_.running()) + " running, "
                             + std::to_string(machine_.waiting(now())) + " waiting");
  }

  void on_handler_down(const caf::error& reason) {
    on_handler_lost("the handler's actor has ended"
                    + (reason && reason != caf::sec::request_receiver_down
                         ? ": " + to_string(to_failure(reason))
                         : std::string{}));
  }

  void on_handler_lost(const std::string& why) {
    if (std::exchange(handler_is_gone_, true))
      return;
    const auto answer = answer_of(about(error_code::remote_request, certainty::unknown, why));
    for (const auto number : machine_.cut_off(now()))
      reply(number, answer);
    fail(about(error_code::remote_request, certainty::not_applied, why));
    end_if_done();
  }

  // -- listening --------------------------------------------------------------

  void open() {
    open_at_.reset();
    if (!backend_is_monitored_)
      self_->monitor(backend_);
    backend_is_monitored_ = true;
    const auto at_most
      = std::min<std::size_t>(options_.limit + options_.queue, most_requests_in_hand);
    self_
      ->request(backend_, listen_timeout,
                listen{options_.subject, static_cast<std::uint32_t>(at_most)})
      .then([this](const listening&) { on_listening(); },
            [this](const caf::error& x) { on_refused(to_failure(x)); });
    arm();
  }

  void on_listening() {
    if (machine_.is_stopping())
      return;
    retry_.reset();
    check_at_ = now() + health_check_every; // Each responder at a moment of its own.
    *check_at_ -= nanoseconds{below(rt_.random, health_check_every.count())};
    if (!std::exchange(is_listening_, true))
      log(log_level::info, "serving");
    told_interrupted_ = false;
    arm();
  }

  void on_refused(const failure& why) {
    if (machine_.is_stopping())
      return;
    if (is_final(why.code))
      return fail(why);
    interrupted(to_string(why));
  }

  /// Listens anew after a while.
  void interrupted(const std::string& why) {
    is_listening_ = false;
    check_at_.reset();
    if (machine_.is_stopping())
      return;
    open_at_ = now() + retry_.next(rt_.random);
    rt_.metrics.count("responder_interrupted");
    if (!std::exchange(told_interrupted_, true))
      log(log_level::warn, "interrupted: " + why);
    arm();
  }

  void check() {
    check_at_.reset();
    self_->request(backend_, health_check_timeout, get_capabilities{})
      .then(
        [this](const capabilities&) {
          if (is_listening_)
            check_at_ = now() + health_check_every;
          arm();
        },
        [this](const caf::error& x) {
          if (is_listening_) // What is not answered may have forgotten us.
            interrupted(to_string(to_failure(x)));
        });
  }

  // -- the end ----------------------------------------------------------------

  caf::result<responder_stopped> on_stop() {
    if (waiters_.size() >= rt_.bounds.subscribers)
      return to_error(
        about(error_code::overloaded, certainty::not_applied, "too many wait for the end"));
    auto promise = self_->make_response_promise<responder_stopped>();
    waiters_.emplace_back(promise, to_error(about(error_code::cancelled, certainty::unknown,
                                                  "the responder was killed")));
    begin_stop();
    return promise;
  }

  void fail(failure why) {
    if (machine_.is_stopping())
      return;
    log(log_level::error, "fails: " + to_string(why));
    failure_ = std::move(why);
    begin_stop();
  }

  void begin_stop() {
    if (machine_.is_stopping())
      return;
    const auto refused = machine_.stop();
    for (const auto number : refused)
      refuse(number, stopping());
    is_listening_ = false;
    open_at_.reset();
    check_at_.reset();
    stop_by_ = std::min(now() + options_.grace, close_by_);
    log(log_level::info, "stopping: " + std::to_string(machine_.running()) + " running, "
                           + std::to_string(refused.size()) + " refused");
    const auto unlistened = [this] {
      is_unlistened_ = true;
      end_if_done();
    };
    self_->request(backend_, unlisten_timeout, unlisten{options_.subject})
      .then([unlistened](const trunnion::unlistened&) { unlistened(); },
            [unlistened](const caf::error&) { unlistened(); }); // It will notice our end.
    arm();
  }

  void end_if_done() {
    if (machine_.is_stopping() && is_unlistened_ && machine_.running() == 0)
      end(0);
  }

  void cut_off() {
    const auto running = machine_.running();
    for (const auto number : machine_.cut_off(now()))
      refuse(number, about(error_code::shutting_down, certainty::unknown,
                           "the responder stopped before the handler was done"));
    end(running);
  }

  void end(std::uint64_t cut_off) {
    log(cut_off == 0 ? log_level::info : log_level::warn,
        "ended: " + std::to_string(machine_.served()) + " served, "
          + std::to_string(machine_.failed()) + " failed, " + std::to_string(cut_off) + " cut off");
    for (auto& waiter : waiters_)
      waiter.deliver({cut_off});
    waiters_.clear();
    alive_ = nullptr;
    self_->quit(failure_ ? to_error(*failure_) : std::move(end_with_));
  }

  void on_down(const caf::down_msg& x) {
    const auto* handler = std::get_if<request_handler>(&options_.handler);
    if (x.source == backend_.address()) {
      backend_is_monitored_ = false;
      machine_.withdraw_all();
      interrupted("the backend has ended");
      if (!machine_.is_stopping())
        return;
      is_unlistened_ = true;
      end_if_done();
    } else if (handler && x.source == handler->address()) {
      on_handler_down(x.reason);
    } else if (x.source == owner_) {
      end_with_ = x.reason;
      begin_stop();
    }
  }

  // -- means ------------------------------------------------------------------

  void on_tick(responder_tick tick) {
    if (!alarm_.heed(tick.generation))
      return;
    const auto at = now();
    if (stop_by_ && *stop_by_ <= at)
      return cut_off();
    if (open_at_ && *open_at_ <= at)
      open();
    if (check_at_ && *check_at_ <= at)
      check();
    arm();
  }

  void arm() {
    std::optional<instant> due;
    for (const auto& other : {open_at_, check_at_, stop_by_})
      if (other && (!due || *other < *due))
        due = other;
    if (const auto wake = alarm_.arm(now(), due))
      self_->delayed_send(self_, wake->after, responder_tick{wake->generation});
  }

  [[nodiscard]] instant now() const { return rt_.time.now(); }

  [[nodiscard]] handle_request to_handle(const begun_request& x) const {
    return {options_.subject, x.payload, x.time_left};
  }

  [[nodiscard]] failure about(error_code code, trunnion::certainty certainty,
                              std::string text) const {
    return {code, certainty, options_.subject.text(), std::move(text), {}};
  }

  [[nodiscard]] failure stopping() const {
    return about(error_code::shutting_down, certainty::not_applied, "the responder is stopping");
  }

  void log(log_level level, const std::string& line) {
    rt_.log.write(level, name, options_.subject.text() + ": " + line);
  }

  [[nodiscard]] responder_status status() {
    return {.subject = options_.subject,
            .phase = machine_.is_stopping() ? responder_phase::stopping
                     : is_listening_        ? responder_phase::serving
                                            : responder_phase::starting,
            .running = machine_.running(),
            .queued = machine_.waiting(now()),
            .served = machine_.served(),
            .failed = machine_.failed(),
            .refused = machine_.refused(),
            .withdrawn = machine_.withdrawn()};
  }

  impl::pointer self_;
  caf::strong_actor_ptr alive_; // Itself, until its end: a backend keeps nobody alive.
  runtime rt_;
  backend_actor backend_;
  responder_options options_;
  caf::actor_addr owner_;
  responder_machine machine_;
  alarm alarm_;

  bool backend_is_monitored_ = false;
  bool is_listening_ = false;
  bool told_interrupted_ = false;
  std::optional<instant> open_at_; // When to listen anew.
  std::optional<instant> check_at_;
  back_off retry_{first_reopen_after, longest_reopen_after};

  bool is_proceeding_ = false; // A `responder_proceed` is under way.
  bool is_overloaded_ = false; // Told, and the queue has not been empty since.
  bool handler_is_gone_ = false;

  bool is_unlistened_ = false;
  std::optional<instant> stop_by_;    // Set while stopping.
  instant close_by_ = instant::max(); // When its group ends at the latest.
  std::optional<failure> failure_;
  caf::error end_with_;
  std::vector<promise_guard<responder_stopped>> waiters_;
};

} // namespace

outcome<responder_actor> serve(caf::actor_system& sys, const runtime& rt,
                               const backend_actor& backend, responder_options options) {
  const auto& subject = options.subject;
  if (!subject.is_name())
    return fail(error_code::invalid_subject, "a request's subject is a name", subject.text());
  const bool has_handler
    = std::visit([](const auto& x) { return static_cast<bool>(x); }, options.handler);
  if (!has_handler)
    return fail(error_code::invalid_argument, "a responder needs a handler", subject.text());
  if (options.limit == 0 || options.limit + options.queue > most_requests_in_hand)
    return fail(error_code::invalid_argument,
                "a responder's limit is from 1 on, and with its queue at most "
                  + std::to_string(most_requests_in_hand),
                subject.text());
  if (options.grace < nanoseconds{})
    return fail(error_code::invalid_argument, "a grace is not negative", subject.text());
  return spawn_state<responder_state>(sys, rt, backend, options);
}

} // namespace trunnion
