// Responders in a test: callers, and a handler that answers when the test says so.

#pragma once

#include "trunnion/actors/responder.hpp"
#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/messages/remote_error.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

#include <deque>

namespace trunnion::test {

/// To a `patient_handler`: answers the oldest request in hand.
struct release_oldest {
  caf::expected<handled> answer;
};

} // namespace trunnion::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::test::release_oldest)

namespace trunnion::test {

struct handler_log {
  std::vector<std::string> begun; ///< Payloads, in the order in which they came.
  std::deque<caf::typed_response_promise<handled>> in_hand;
  std::size_t most_in_hand = 0;
};

struct patient_handler {
  request_handler actor;
  std::shared_ptr<handler_log> log;
};

struct responder_fixture : deterministic_fixture {
  backend_actor backend = track(spawn_memory_backend(system, rt()));

  patient_handler make_handler() {
    auto log = std::make_shared<handler_log>();
    auto actor = system.spawn([log](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler(caf::drop);
      return {
        [=](const handle_request& x) -> caf::result<handled> {
          log->begun.emplace_back(x.payload.bytes());
          auto promise = me->make_response_promise<handled>();
          log->in_hand.push_back(promise);
          log->most_in_hand = std::max(log->most_in_hand, log->in_hand.size());
          return promise;
        },
        [=](const release_oldest& x) {
          auto promise = std::move(log->in_hand.front());
          log->in_hand.pop_front();
          if (x.answer)
            promise.deliver(*x.answer);
          else
            promise.deliver(x.answer.error());
        },
      };
    });
    return {caf::actor_cast<request_handler>(track(actor)), log};
  }

  void answer_oldest(const patient_handler& x, caf::expected<handled> answer) {
    caf::anon_send(caf::actor_cast<caf::actor>(x.actor), release_oldest{std::move(answer)});
    run();
  }
  void answer_oldest(const patient_handler& x, std::string text) {
    answer_oldest(x, handled{payload{std::move(text)}});
  }

  responder_options options(any_request_handler handler) {
    return {.subject = at("ridge.mount.slew"), .handler = std::move(handler)};
  }

  responder_actor start(responder_options options, const backend_actor& at_backend) {
    auto started = serve(system, rt(), at_backend, std::move(options));
    if (!started)
      BOOST_FAIL("no responder: " << to_string(started.error()));
    return track(*started);
  }
  responder_actor start(responder_options options) { return start(std::move(options), backend); }
  responder_actor start(request_function handler) { return start(options(std::move(handler))); }
  responder_actor start(const patient_handler& x) { return start(options(x.actor)); }

  pending<invoked> call(std::string text, nanoseconds timeout = 1min) {
    return ask<invoked>(backend, invoke{at("ridge.mount.slew"), payload{std::move(text)}, timeout});
  }

  static std::string text(const pending<invoked>& x) {
    return std::string{x.value().payload.bytes()};
  }

  static remote_failure remote_error(const pending<invoked>& x) {
    const auto decoded = decode_remote_error(x.value().payload.bytes());
    BOOST_REQUIRE_MESSAGE(decoded.has_value(), "no encoded error: " << text(x));
    return *decoded;
  }

  responder_status status(const responder_actor& x) {
    return ask<responder_status>(x, responder_inspect{}).value();
  }

  /// Why an actor ended; nothing while it lives.
  std::shared_ptr<std::optional<failure>> end_of(const auto& handle) {
    auto result = std::make_shared<std::optional<failure>>();
    const auto target = caf::actor_cast<caf::strong_actor_ptr>(handle);
    track(system.spawn([=](caf::event_based_actor* me) -> caf::behavior {
      me->set_down_handler([=](const caf::down_msg& x) {
        *result = x.reason ? to_failure(x.reason) : failure{.text = "by itself"};
      });
      me->monitor(target);
      return {[](caf::unit_t) {}};
    }));
    return result;
  }
};

} // namespace trunnion::test
