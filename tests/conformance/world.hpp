// Where a conformance check takes place: a backend, time, and clients.
//
// The checks are written once, for engines in virtual time and for those with a server of their
// own. So they never say "run" or "sleep": they wait until something is so, let time pass, or let
// all that is under way arrive. What a client has been told is read through copies, since its actor
// may live on another thread.

#pragma once

#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

#include <functional>

namespace trunnion::test {

class world {
public:
  virtual ~world() = default;

  virtual caf::actor_system& system() = 0;
  virtual backend_actor backend() = 0;
  [[nodiscard]] virtual limits bounds() const = 0;
  [[nodiscard]] virtual instant now() const = 0;
  [[nodiscard]] virtual wall_time wall() const = 0;

  /// Waits until it is so, for `at_most`; whether it became so.
  virtual bool wait_until(const std::function<bool()>& it_is_so, nanoseconds at_most) = 0;

  /// Lets time pass, and everything happen meanwhile.
  virtual void pass(nanoseconds span) = 0;

  /// Lets everything arrive that is under way.
  virtual void settle() = 0;

  /// Ends `actor` with the check, if it has not ended before.
  virtual void track(const caf::actor& actor) = 0;
};

/// One thread, virtual time, a seed.
class virtual_world : public world {
public:
  using maker = std::function<backend_actor(deterministic_fixture&, const limits&)>;

  virtual_world(std::uint64_t seed, const maker& make, const limits& bounds)
    : fixture_(seed), bounds_(bounds), backend_(fixture_.track(make(fixture_, bounds))) {}

  caf::actor_system& system() override { return fixture_.system; }
  backend_actor backend() override { return backend_; }
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
  backend_actor backend_;
};

} // namespace trunnion::test
