#include "trunnion/runner/site_control.hpp"

#include "trunnion/actors/responder.hpp"

namespace trunnion {
namespace {

constexpr nanoseconds runner_timeout = std::chrono::seconds{5};

class site_control_state {
public:
  using impl = request_handler;
  static constexpr const char* name = "control";

  site_control_state(impl::pointer self, const runtime& rt, std::string site, bool may_change,
                     const site_runner_actor& runner)
    : self_(self),
      rt_(rt),
      site_(std::move(site)),
      may_change_(may_change),
      runner_(runner.address()) {}

  impl::behavior_type make_behavior() {
    return {[this](const handle_request& x) { return on_request(x); }};
  }

private:
  using answer = decltype(control_answer::what);

  /// The instances of one service, or of all.
  static auto services_of(const std::string& service) {
    return [service](const site_status& x) -> outcome<answer> {
      control_services result;
      for (const auto& i : x.instances)
        if (service.empty() || i.service == service)
          result.instances.push_back(i);
      if (result.instances.empty() && !service.empty())
        return fail(error_code::key_not_found, "no such service in this site", service);
      return answer{std::move(result)};
    };
  }

  caf::result<handled> on_request(const handle_request& x) {
    const auto request = read_request(x.payload.bytes());
    if (!request)
      return refuse(request.error());
    switch (request->op) {
    case control_op::ls: return ask(site_inspect{}, services_of(""));
    case control_op::show: return ask(site_inspect{}, services_of(request->service));
    case control_op::restart: return change(*request, site_restart{request->service});
    case control_op::stop: return change(*request, site_stop_service{request->service});
    case control_op::events:
      return ask(site_read_events{request->after, request->at_most},
                 [](site_events& x) { return outcome<answer>{std::move(x.events)}; });
    }
    return refuse({error_code::invalid_argument, {}, "", "unknown operation", {}});
  }

  caf::result<handled> refuse(const failure& why) { return handled{payload{write_refusal(why)}}; }

  caf::result<handled> change(const control_request& x, auto message) {
    rt_.log.write(log_level::info, name, site_ + ": asked to " + to_string(x.op) + " " + x.service);
    if (!may_change_)
      return refuse({error_code::permission_denied,
                     certainty::not_applied,
                     x.service,
                     "this site does not take commands (site.control: true allows it)",
                     {}});
    return ask(std::move(message),
               [op = x.op](const site_done&) { return outcome<answer>{control_done{op}}; });
  }

  /// Asks the runner, and makes an answer of what it says.
  template <class Message, class Translate>
  caf::result<handled> ask(Message message, Translate translate) {
    const auto runner = caf::actor_cast<caf::strong_actor_ptr>(runner_);
    if (!runner)
      return refuse({error_code::shutting_down, {}, site_, "the site is over", {}});
    auto promise = self_->make_response_promise<handled>();
    self_->request(caf::actor_cast<site_runner_actor>(runner), runner_timeout, std::move(message))
      .then([this, promise,
             translate](answer_of<Message>& x) mutable { deliver(promise, translate(x)); },
            [this, promise](const caf::error& x) mutable {
              deliver(promise, tl::unexpected{to_failure(x)});
            });
    return promise;
  }

  template <class Message>
  using answer_of = std::conditional_t<
    std::is_same_v<Message, site_inspect>, site_status,
    std::conditional_t<std::is_same_v<Message, site_read_events>, site_events, site_done>>;

  void deliver(caf::typed_response_promise<handled>& promise, outcome<answer> x) {
    promise.deliver(
      handled{payload{x ? write_answer({site_, *std::move(x)}) : write_refusal(x.error())}});
  }

  impl::pointer self_;
  runtime rt_;
  std::string site_;
  bool may_change_;
  caf::actor_addr runner_; // Which owns the responder in front of us.
};

} // namespace

outcome<responder_actor> serve_control(caf::actor_system& sys, const runtime& rt,
                                       const backend_actor& backend, const std::string& site,
                                       bool may_change, const site_runner_actor& runner) {
  auto at = subject_at(entity::parse(site), control_property);
  if (!at)
    return tl::unexpected{at.error()};
  return serve(sys, rt, backend,
               {.subject = *std::move(at),
                .handler = spawn_state<site_control_state>(sys, rt, site, may_change, runner),
                .limit = control_limit,
                .owner = caf::actor_cast<caf::strong_actor_ptr>(runner)});
}

outcome<control_answer> ask_site(const blocking_client& root, std::string_view site,
                                 const control_request& request, nanoseconds timeout) {
  return root.at(site)
    .invoke(control_property, payload{write_request(request)}, timeout)
    .and_then([](const payload& x) { return read_answer(x.bytes()); });
}

} // namespace trunnion
