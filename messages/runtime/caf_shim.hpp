// The spelling in which CAF 0.17 and later versions differ, in one place.
//
// Interfaces, registration of messages and the start of an actor read differently in CAF 0.18 and
// 1.x. The rest of the code uses the words below. Nothing here has state.

#pragma once

#include "trunnion/messages/runtime/inspect.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/skip.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <memory>

namespace trunnion {

static_assert(CAF_VERSION / 100 == 17, "written for CAF 0.17");

/// Clause of a typed interface: a `Request` is answered with an `Answer`, or with an error.
template <class Request, class Answer>
using answers = typename caf::replies_to<Request>::template with<Answer>;

/// Clause of a typed interface: a `Message` is taken without an answer.
template <class Message> using takes = caf::reacts_to<Message>;

/// Registers all messages of one type id block.
template <class Block> void register_block(caf::actor_system_config& cfg) {
  cfg.add_message_types<Block>();
}

/// Room for a `State` in an actor. CAF destroys it when the actor ends, in whatever way.
template <class State> struct state_holder {
  state_holder() = default; // CAF 0.17 initialises the first member of an aggregate with the actor.
  static inline const char* name = State::name;
  std::unique_ptr<State> state;
};

namespace detail {

/// What every actor of ours does before its first message: nothing unexpected ends it or is
/// printed.
template <class Pointer> void set_quiet_defaults(Pointer self) {
  self->set_default_handler(caf::drop); // CAF's own print on standard output.
  self->set_down_handler([](const caf::down_msg&) {});
  self->set_error_handler([](caf::error&) {});
}

template <class State, caf::spawn_options Options, class Spawner, class... Args>
typename State::impl spawn_state_with(Spawner& spawner, const Args&... args) {
  using pointer = typename State::impl::template stateful_pointer<state_holder<State>>;
  return spawner.template spawn<Options>(
    [args...](pointer self) -> typename State::impl::behavior_type {
      set_quiet_defaults(self);
      self->state.state = std::make_unique<State>(self, args...);
      return self->state.state->make_behavior();
    });
}

} // namespace detail

/// Starts an actor whose state is a `State(self, args...)` with a `make_behavior()` for
/// `State::impl`, its typed interface with all private messages.
template <class State, caf::spawn_options Options = caf::no_spawn_options, class... Args>
typename State::impl spawn_state(caf::actor_system& sys, const Args&... args) {
  return detail::spawn_state_with<State, Options>(sys, args...);
}

/// The actor that the current message came from, as a `Handle`; unchecked, as in every protocol
/// where the sender is the sink.
template <class Handle, class Self> Handle sender_as(Self self) {
  return caf::actor_cast<Handle>(self->current_sender());
}

} // namespace trunnion
