#include "trunnion/actors/service_members.hpp"

#include "trunnion/actors/kv_monitor.hpp"

namespace trunnion {
namespace {

constexpr std::uint64_t change_window = 16; ///< Parts of credit.

/// Hands what a monitor of its own tells to a function.
class change_watcher_state {
public:
  using impl = monitor_sink;
  static constexpr const char* name = "change_watcher";

  change_watcher_state(impl::pointer self, const runtime& rt, const backend_actor& backend,
                       const subject& pattern, const change_function& handle)
    : self_(self),
      monitor_(spawn_kv_monitor(self->system(), rt, backend, pattern,
                                caf::actor_cast<caf::strong_actor_ptr>(self))),
      handle_(handle) {
    self_->monitor(monitor_);
  }

  impl::behavior_type make_behavior() {
    self_->set_down_handler([this](const caf::down_msg& x) { self_->quit(x.reason); });
    self_->request(monitor_, std::chrono::seconds{5}, monitor_subscribe{change_window})
      .then([](const monitor_status&) {},
            [this](caf::error& error) { self_->quit(std::move(error)); });
    return {
      [this](const monitor_part& x) {
        handle_(x);
        self_->send(monitor_, monitor_credit{x.seq + change_window});
      },
      [](const monitor_health&) {},
    };
  }

private:
  impl::pointer self_;
  kv_monitor_actor monitor_;
  change_function handle_;
};

} // namespace

service_member serving(std::string request, made_for_member<any_request_handler> make_handler,
                       responder_options options) {
  const auto start = [=](const member_context& context) -> outcome<caf::actor> {
    auto then = options;
    const auto prop = property::named(request);
    if (!prop)
      return tl::unexpected{prop.error()};
    then.subject = subject{context.entity, *prop};
    then.handler = make_handler(context);
    then.owner = nullptr;
    return serve(context.system, context.rt, context.backend, std::move(then))
      .map([](const responder_actor& x) { return caf::actor_cast<caf::actor>(x); });
  };
  return {
    .name = request, .start = start, .grace = options.grace + unlisten_timeout, .request = request};
}

service_member reading(std::string name, subject pattern, made_for_member<any_read_sink> make_sink,
                       reader_options options) {
  const auto grace = options.grace;
  const auto start = [=](const member_context& context) -> outcome<caf::actor> {
    auto then = options;
    then.pattern = pattern;
    then.owner = nullptr;
    return read_stream(context.system, context.rt, context.backend, std::move(then),
                       make_sink(context))
      .map([](const stream_reader_actor& x) { return caf::actor_cast<caf::actor>(x); });
  };
  return {.name = std::move(name), .start = start, .grace = grace + std::chrono::seconds{1}};
}

service_member watching(std::string name, subject pattern,
                        made_for_member<change_function> make_function) {
  const auto start = [=](const member_context& context) -> outcome<caf::actor> {
    if (!pattern.is_name() && !pattern.is_pattern())
      return fail(error_code::invalid_subject, "neither a key nor a pattern of keys",
                  pattern.text());
    const monitor_sink made = spawn_state<change_watcher_state>(
      context.system, context.rt, context.backend, pattern, make_function(context));
    return caf::actor_cast<caf::actor>(made);
  };
  return {.name = std::move(name), .start = start};
}

} // namespace trunnion
