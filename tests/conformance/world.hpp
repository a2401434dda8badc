// Where a conformance check takes place: a backend, time, and clients.
//
// The checks are written once, for engines in virtual time (`virtual_world`) and for those with a
// server or a disk of their own (`real_world.hpp`). So they never say "run" or "sleep": they wait
// until something is so, let time pass, or let all that is under way arrive. What a client has been
// told is read through copies, since its actor may live on another thread.

#pragma once

#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

#include <functional>

namespace trunnion::test {
struct are_you_there;
} // namespace trunnion::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::test::are_you_there)

namespace trunnion::test {

/// Answered by a client once it has read all that was sent to it before.
struct are_you_there {};

/// How a check wants its backend.
struct setting {
  limits bounds{};
  std::size_t messages_kept = 0; ///< In streams, at most; zero is the engine's own bound.
};

class world {
public:
  virtual ~world() = default;

  virtual caf::actor_system& system() = 0;

  /// The backend itself.
  virtual backend_actor engine() = 0;

  /// The way in for one more client: the engine, unless something stands in between.
  virtual backend_actor backend() { return engine(); }

  [[nodiscard]] virtual limits bounds() const = 0;
  [[nodiscard]] virtual instant now() const = 0;
  [[nodiscard]] virtual wall_time wall() const = 0;

  /// How much later than promised something may be seen because the computer is busy: zero where
  /// time is virtual.
  [[nodiscard]] virtual nanoseconds slack() const { return nanoseconds{}; }

  /// A TTL that is short here.
  [[nodiscard]] virtual nanoseconds short_ttl() const { return std::chrono::seconds{2}; }

  /// Waits until it is so, for `at_most`; whether it became so.
  virtual bool wait_until(const std::function<bool()>& it_is_so, nanoseconds at_most) = 0;

  /// Lets time pass, and everything happen meanwhile.
  virtual void pass(nanoseconds span) = 0;

  /// Lets everything arrive that is under way.
  virtual void settle() = 0;

  /// Something has happened to a client: those who wait look again. Called from any thread.
  virtual void notify() {}

  /// Ends `actor` with the check, if it has not ended before.
  virtual void track(const caf::actor& actor) = 0;
};

/// One thread, virtual time, a seed.
class virtual_world : public world {
public:
  using maker = std::function<backend_actor(deterministic_fixture&, const setting&)>;

  /// Makes the way in for one client.
  using door = std::function<backend_actor(deterministic_fixture&, const backend_actor&)>;

  virtual_world(std::uint64_t seed, const maker& make, const setting& wanted, door way_in = {})
    : fixture_(seed),
      bounds_(wanted.bounds),
      engine_(fixture_.track(make(fixture_, wanted))),
      way_in_(std::move(way_in)) {}

  caf::actor_system& system() override { return fixture_.system; }
  backend_actor engine() override { return engine_; }
  backend_actor backend() override {
    return way_in_ ? fixture_.track(way_in_(fixture_, engine_)) : engine_;
  }
  limits bounds() const override { return bounds_; }
  instant now() const override { return fixture_.now(); }
  wall_time wall() const override { return fixture_.wall(); }

  bool wait_until(const std::function<bool()>& it_is_so, nanoseconds at_most) override {
    fixture_.run();
    for (const auto end = now() + at_most; !it_is_so() && now() < end;)
      fixture_.advance(std::min<nanoseconds>(milliseconds{1}, end - now()));
    return it_is_so();
  }

  void pass(nanoseconds span) override { fixture_.advance(span); }
  void settle() override { fixture_.run(); }
  void track(const caf::actor& actor) override { fixture_.track(actor); }

private:
  deterministic_fixture fixture_;
  limits bounds_;
  backend_actor engine_;
  door way_in_;
};

} // namespace trunnion::test
