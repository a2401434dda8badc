#include "trunnion/runner/alarm_watch.hpp"

#include "trunnion/kinds/publisher.hpp"
#include "trunnion/messages/json.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"
#include "trunnion/runner/alarm_machine.hpp"
#include "trunnion/site/duration_text.hpp"
#include "trunnion/site/readings.hpp"

namespace trunnion {

/// Private: time to ask the conditions again.
struct alarm_tick {
  trunnion::generation generation;
};

/// Private: open the subscription again.
struct alarm_reopen {};

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::alarm_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::alarm_reopen)

namespace trunnion {
namespace {

constexpr std::uint64_t window = 16; // Parts that may be under way.
constexpr nanoseconds open_timeout = std::chrono::seconds{5};
constexpr nanoseconds reopen_after = std::chrono::seconds{1};
constexpr std::string_view own = "own"; // The name of the one source of readings.

log_level level_of(alarm_level x) {
  switch (x) {
  case alarm_level::info: return log_level::info;
  case alarm_level::warn: return log_level::warn;
  case alarm_level::error: return log_level::error;
  }
  return log_level::error;
}

class alarm_watch_state {
public:
  using impl = stream_sink::extend<takes<alarm_tick>, takes<alarm_reopen>>;
  static constexpr const char* name = "alarms";

  alarm_watch_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                    const entity& owner, const alarm_watch_settings& settings)
    : self_(self),
      rt_(rt),
      backend_(backend),
      entity_(owner),
      settings_(settings),
      out_(self, rt, backend) {
    for (const auto& spec : settings_.alarms)
      machines_.emplace_back(spec.lasting);
  }

  impl::behavior_type make_behavior() {
    open();
    return {
      [this](const stream_part& x) { on_part(x); },
      [this](const stream_lost& x) { reopen(x.id, to_string(x.error)); },
      [this](const alarm_tick& x) {
        if (wake_.heed(x.generation))
          look();
      },
      [this](const alarm_reopen&) { open(); },
    };
  }

private:
  // -- samples ----------------------------------------------------------------

  /// Each time under another number: the backend may still have an earlier subscription.
  void open() {
    seen_ = 0;
    const auto id = ++id_;
    self_
      ->request(backend_, open_timeout,
                consume{settings_.samples, id, stream_start::only_new, window})
      .then([](const consuming&) {},
            [this, id](const caf::error& error) {
              self_->send(backend_, unconsume{id}); // It may have been opened all the same.
              reopen(id, to_string(to_failure(error)));
            });
  }

  void reopen(watch_id id, const std::string& why) {
    if (id != id_)
      return; // Told already.
    ++id_;
    log(log_level::warn, "no samples come: " + why);
    self_->delayed_send(self_, reopen_after, alarm_reopen{});
  }

  void on_part(const stream_part& x) {
    if (x.id != id_) // Left of an earlier subscription.
      return;
    if (x.seq == seen_ + 1) { // Else known, or ahead of one that the backend will send again.
      seen_ = x.seq;
      for (const auto& message : x.messages)
        take(message.payload.bytes());
    }
    self_->send(backend_, stream_credit{id_, seen_, seen_ + window});
  }

  void take(std::string_view sample) {
    look(); // The readings before may have grown too old meanwhile.
    const auto taken = readings_.take(own, sample, rt_.time.now(), settings_.period);
    const bool is_bad = !taken;
    if (is_bad && !was_bad_)
      log(log_level::warn, "a sample cannot be read: " + to_string(taken.error()));
    was_bad_ = is_bad;
    look();
  }

  // -- alarms -----------------------------------------------------------------

  void look() {
    const auto now = rt_.time.now();
    const auto look_up = readings_.lookup(now, std::string{own});
    std::optional<instant> due;
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      const auto& spec = settings_.alarms[i];
      auto& machine = machines_[i];
      const auto change = machine.on_answer(now, spec.when.evaluate(look_up));
      if (change != alarm_change::none)
        tell(spec, machine, change);
      if (const auto next = machine.next_due(); next && (!due || *next < *due))
        due = next;
    }
    if (const auto wake = wake_.arm(now, due))
      self_->delayed_send(self_, wake->after, alarm_tick{wake->generation});
  }

  void tell(const alarm_spec& spec, const alarm_machine& machine, alarm_change change) {
    const bool raised = change == alarm_change::raised;
    const auto held = std::chrono::duration_cast<milliseconds>(machine.held());
    json_writer json;
    json.begin_object().key("event").text(raised ? "alarm" : "alarm_over");
    json.key("when").text(spec.when.text()).key("level").text(to_string(spec.level));
    json.key("held_ms").number(held.count()).end_object();
    out_.send(events_of(entity_), json.str());
    log(level_of(spec.level), (raised ? "alarm: " : "alarm over: ") + spec.when.text() + ", held "
                                + print_duration(held));
  }

  void log(log_level level, const std::string& line) {
    rt_.log.write(level, name, entity_.text() + ": " + line);
  }

  impl::pointer self_;
  runtime rt_;
  backend_actor backend_;
  entity entity_;
  alarm_watch_settings settings_;
  publisher<impl::pointer> out_;
  readings readings_;
  std::vector<alarm_machine> machines_; // One for each of the settings'.
  alarm wake_;
  watch_id id_ = 0;        // Of the present subscription.
  std::uint64_t seen_ = 0; // Its newest part.
  bool was_bad_ = false;   // The last sample could not be read.
};

} // namespace

caf::actor spawn_alarm_watch(const member_context& context, const alarm_watch_settings& settings) {
  return caf::actor_cast<caf::actor>(spawn_state<alarm_watch_state>(
    context.system, context.rt, context.backend, context.entity, settings));
}

} // namespace trunnion
