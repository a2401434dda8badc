// One request from a plain thread: makes an actor, asks, waits. Part of `client` and
// `scoped_lease`.

#pragma once

#include "trunnion/actors/plain_thread.hpp"
#include "trunnion/messages/interfaces.hpp"

#include <caf/scoped_actor.hpp>

namespace trunnion {

/// No timeout: for those who always answer, after as long as they were told.
inline constexpr nanoseconds no_timeout = nanoseconds::max();

/// Takes the answer of what `self`, a blocking actor, asks.
template <class Answer, class Self, class Handle, class Request>
outcome<Answer> ask_with(Self& self, const Handle& to, nanoseconds timeout, Request request) {
  outcome<Answer> result = fail(error_code::internal, "nobody answered");
  const auto patience = timeout == no_timeout ? caf::infinite : caf::duration{timeout};
  self->request(to, patience, std::move(request))
    .receive([&](Answer& x) { result = std::move(x); },
             [&](const caf::error& x) { result = tl::unexpected{to_failure(x)}; });
  return result;
}

template <class Answer, class Handle, class Request>
outcome<Answer> ask_blocking(caf::actor_system& sys, const Handle& to, nanoseconds timeout,
                             Request request) {
  if (auto allowed = may_block(); !allowed)
    return tl::unexpected{std::move(allowed.error())};
  caf::scoped_actor self{sys};
  return ask_with<Answer>(self, to, timeout, std::move(request));
}

} // namespace trunnion
