// Where figures are taken: a real actor system with real clocks, and one memory backend.
//
// Everything is as in a service, but for the log, which takes no lines: what a terminal costs is
// not what is measured. Two workers, as CAF's threads are shared with this machine's two cores.
//
// Threads: the program's main thread starts actors, asks them, and waits for gates.

#pragma once

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/messages/registration.hpp"
#include "trunnion/runtime/real_runtime.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <latch>

namespace trunnion::bench {

/// How long and how often.
struct effort {
  bool is_quick = false; ///< For a look while working: a tenth, and no figure to keep.
  [[nodiscard]] std::size_t of(std::size_t full, std::size_t quick) const {
    return is_quick ? quick : full;
  }
};

/// Ends the program: what was to be measured did not work.
[[noreturn]] void die(std::string_view what, const caf::error& error);
[[noreturn]] void die(std::string_view what);

/// Waits for what actors count down, to a tenth of a millisecond; for too long ends the program.
void wait(const std::latch& what, std::string_view name);

/// `a.b.name`, which must be valid.
[[nodiscard]] subject at(std::string_view text);

class null_log final : public log_sink {
public:
  void write(log_level, std::string_view, std::string_view) override {}
};

/// All an actor system's settings, made before the system itself.
struct settings : caf::actor_system_config {
  settings() { configure(*this, 2); }
};

/// Its destructor waits for all actors: a figure ends those that it started.
class world {
public:
  explicit world(const limits& bounds = {});
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  [[nodiscard]] runtime rt() {
    return {.time = real_.time,
            .random = real_.random,
            .log = log_,
            .metrics = real_.metrics,
            .bounds = bounds_};
  }

  [[nodiscard]] instant now() const { return real_.time.now(); }

  /// Asks from the main thread and waits for the answer; an error ends the program.
  template <class Answer, class Handle, class Message> Answer ask(const Handle& to, Message x) {
    std::optional<Answer> result;
    caf::scoped_actor self{sys};
    self->request(to, std::chrono::minutes{5}, std::move(x))
      .receive([&](Answer& answer) { result.emplace(std::move(answer)); },
               [&](caf::error& error) { die("a request failed", error); });
    return std::move(*result);
  }

  /// An actor that holds leases, and does nothing else.
  caf::actor someone();

private:
  real_runtime real_;
  null_log log_;
  limits bounds_;
  settings config_;

public:
  caf::actor_system sys;
  backend_actor backend;
};

/// Seconds since the first.
[[nodiscard]] inline double seconds(nanoseconds x) {
  return std::chrono::duration<double>(x).count();
}

/// What this process uses by now.
[[nodiscard]] double resident_bytes();
[[nodiscard]] double cpu_seconds();

} // namespace trunnion::bench
