#include "trunnion/kinds/exec_sensor.hpp"

#include "trunnion/kinds/publisher.hpp"
#include "trunnion/kinds/rate_cap.hpp"
#include "trunnion/messages/json.hpp"

#include <caf/send.hpp>

namespace trunnion {
namespace {

class exec_sensor_state {
public:
  using impl = exec_actor;
  static constexpr const char* name = "exec";

  exec_sensor_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                    const entity& owner, const exec_settings& settings,
                    const child_command& command)
    : self_(self),
      rt_(rt),
      backend_(backend),
      entity_(owner),
      settings_(settings),
      rate_(settings.lines_per_s),
      out_(self, rt, backend) {
    // The handle keeps the actor until its end, which destroys the source first of all.
    const auto me = caf::actor_cast<caf::strong_actor_ptr>(self);
    source_ = settings_.start(command, max_exec_line, [me](child_news x) {
      caf::anon_send(caf::actor_cast<caf::actor>(me), std::move(x));
    });
  }

  impl::behavior_type make_behavior() {
    self_->set_exit_handler([this](caf::exit_msg& x) { on_exit(x); });
    tell("started", settings_.command.front());
    return {
      [this](const get_exec_state&) { return counts_; },
      [this](const child_news& x) { on_news(x); },
    };
  }

private:
  void on_news(const child_news& x) {
    for (const auto& line : x.complaints) {
      complain(line);
      source_->used(1, line.size());
    }
    if (x.overlong > 0)
      leave_out(counts_.overlong, overlong_, x.overlong,
                "a line is over " + std::to_string(max_exec_line) + " bytes");
    for (const auto& line : x.lines)
      if (!take(line))
        source_->used(1, line.size());
    if (x.end)
      on_end(*x.end);
  }

  /// Publishes a line, which is used once the backend has answered; false if it is left out.
  bool take(const std::string& line) {
    if (!rate_.admit(now())) {
      leave_out(counts_.over_rate, over_rate_, 1, "more lines come than the rate lets through");
      return false;
    }
    if (const auto checked = check_json(line); !checked) {
      leave_out(counts_.invalid, invalid_, 1, "a line is no JSON: " + checked.error().text);
      return false;
    }
    ++counts_.published;
    self_->request(backend_, publish_timeout, publish{settings_.stream, payload{line}})
      .then([this, size = line.size()](const published&) { source_->used(1, size); },
            [this, size = line.size()](const caf::error& error) {
              source_->used(1, size);
              if (unpublished_.note(now()))
                rt_.log.write(log_level::warn, name,
                              settings_.stream.text() + ": " + to_string(to_failure(error)));
              ++counts_.unpublished;
            });
    return true;
  }

  void leave_out(std::uint64_t& count, episode& which, std::uint64_t times,
                 const std::string& why) {
    count += times;
    rt_.metrics.count("exec_lines_left_out", times);
    if (which.note(now()))
      tell("left_out", why + "; " + std::to_string(count) + " so far");
  }

  void complain(const std::string& line) {
    if (complaints_.admit(now()))
      rt_.log.write(log_level::warn, name, entity_.text() + ": " + line);
    else if (unlogged_.note(now()))
      rt_.log.write(log_level::warn, name, entity_.text() + ": complains too often to be logged");
  }

  // -- the end ----------------------------------------------------------------

  void on_exit(const caf::exit_msg& x) {
    if (!ending_)
      source_->stop(settings_.grace);
    ending_ = x.reason;
  }

  void on_end(const failure& how) {
    tell("ended", how.text);
    rt_.log.write(ending_ ? log_level::info : log_level::error, name,
                  entity_.text() + ": " + how.text);
    self_->quit(ending_ ? *ending_ : to_error(how.code, how.text, entity_.text()));
  }

  void tell(std::string_view event, const std::string& text) {
    json_writer out;
    out.begin_object().key("event").text(event).key("text").text(text).end_object();
    out_.send(events_of(entity_), out.str());
  }

  instant now() const { return rt_.time.now(); }

  impl::pointer self_;
  runtime rt_;
  backend_actor backend_;
  entity entity_;
  exec_settings settings_;
  rate_cap rate_;
  rate_cap complaints_{max_complaints_per_s};
  episode over_rate_, invalid_, overlong_, unpublished_, unlogged_;
  exec_state counts_;
  publisher<impl::pointer> out_;
  std::optional<caf::error> ending_; // The reason for which it was asked to end.
  std::unique_ptr<news_source> source_;
};

/// What the program may know. All of it is text of ours, checked when it was made.
std::vector<std::string> environment_for(const member_context& context,
                                         const exec_settings& settings) {
  std::vector<std::string> result{"TRUNNION_ENTITY=" + context.entity.text(),
                                  "TRUNNION_STREAM=" + settings.stream.text()};
  if (!context.leases.empty())
    result.push_back("TRUNNION_LEASE_TOKEN=" + wire_text(context.leases.front().grant.token));
  if (settings.every)
    result.push_back(
      "TRUNNION_EVERY_MS="
      + std::to_string(std::chrono::duration_cast<milliseconds>(*settings.every).count()));
  return result;
}

} // namespace

exec_actor spawn_exec_sensor(const member_context& context, const exec_settings& settings) {
  const child_command command{settings.command, environment_for(context, settings)};
  const auto spawn = [&]<caf::spawn_options Options>() -> exec_actor {
    return spawn_state<exec_sensor_state, Options>(context.system, context.rt, context.backend,
                                                   context.entity, settings, command);
  };
  return settings.own_thread ? spawn.operator()<caf::detached>()
                             : spawn.operator()<caf::no_spawn_options>();
}

} // namespace trunnion
