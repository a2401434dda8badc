// Those who wait until a service runs.
//
// Bound: `max_service_waiters`; one more is refused with `overloaded`. Each is answered: with the
// service, or that the site is over.
//
// Threads: used by the actor that owns it.

#pragma once

#include "trunnion/actors/service.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"

#include <map>
#include <string>
#include <vector>

namespace trunnion {

inline constexpr std::size_t max_service_waiters = 10'000;

class service_waiters {
public:
  /// The answer to `self`'s present request, as soon as `service` runs.
  template <class Self> caf::result<running_service> wait(Self self, const std::string& service) {
    if (count_ >= max_service_waiters)
      return to_error(error_code::overloaded, "too many wait for services", service);
    ++count_;
    auto promise = self->template make_response_promise<running_service>();
    waiting_[service].emplace_back(promise,
                                   to_error(error_code::shutting_down, "the site is over"));
    return promise;
  }

  void answer(const std::string& service, const service_actor& actor) {
    auto node = waiting_.extract(service);
    if (node.empty())
      return;
    count_ -= node.mapped().size();
    for (auto& waiter : node.mapped())
      waiter.deliver(running_service{caf::actor_cast<caf::actor>(actor)});
  }

  /// Tells all that the site is over.
  void dismiss() {
    waiting_.clear();
    count_ = 0;
  }

private:
  std::map<std::string, std::vector<promise_guard<running_service>>> waiting_;
  std::size_t count_ = 0;
};

} // namespace trunnion
