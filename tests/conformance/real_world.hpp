// A world in real time, for engines with a disk or a server of their own.
//
// Nothing here polls blindly: clients say when they were told or answered something, and who waits
// looks again then, and now and then besides, for what no client is told. Patience is bounded. The
// clock is handed in, as everywhere.
//
// Threads: actors run on those of the actor system; the world is used by the test's own, but for
// `notify`.

#pragma once

#include "trunnion/tests/conformance/world.hpp"

#include <condition_variable>
#include <mutex>

namespace trunnion::test {

class real_world : public world {
public:
  using maker = std::function<backend_actor(caf::actor_system&, const runtime&, const setting&)>;

  /// What differs between engines.
  struct manner {
    nanoseconds slack = milliseconds{500};           ///< A busy computer is late by less.
    nanoseconds patience = std::chrono::seconds{10}; ///< For it, beyond what checks have.
    nanoseconds short_ttl = std::chrono::seconds{1}; ///< Checks wait for some of them.
    nanoseconds quiet{}; ///< For what is under way elsewhere: so long nothing more arrives.
  };

  real_world(const runtime& rt, const maker& make, const setting& wanted, const manner& how)
    : time_(rt.time), bounds_(wanted.bounds), how_(how) {
    engine_ = make(system_, {rt.time, rt.random, rt.log, rt.metrics, wanted.bounds}, wanted);
  }

  ~real_world() override {
    for (const auto& x : tracked_)
      caf::anon_send_exit(x, caf::exit_reason::kill);
    tracked_.clear();
    caf::anon_send_exit(engine_, caf::exit_reason::user_shutdown);
    engine_ = nullptr;
  }

  caf::actor_system& system() override { return system_; }
  backend_actor engine() override { return engine_; }
  limits bounds() const override { return bounds_; }
  instant now() const override { return time_.now(); }
  wall_time wall() const override { return time_.wall(); }
  nanoseconds slack() const override { return how_.slack; }
  nanoseconds short_ttl() const override { return how_.short_ttl; }

  bool wait_until(const std::function<bool()>& it_is_so, nanoseconds at_most) override {
    const auto end = now() + at_most + how_.patience;
    for (auto seen = events();; seen = wait_for_event(seen, look_again)) {
      if (it_is_so())
        return true;
      if (now() >= end)
        return it_is_so(); // The last wait may have been a long one.
    }
  }

  void pass(nanoseconds span) override {
    const auto end = now() + span;
    for (auto left = span; left > nanoseconds{}; left = end - now())
      wait_for_event(events(), left);
  }

  /// Asks the engine and the clients in turn until none of them has anything new.
  void settle() override {
    const auto end = now() + longest_settling;
    caf::scoped_actor asker{system_};
    for (auto seen = events(); now() < end;) {
      asker->request(engine_, longest_answer, get_capabilities{})
        .receive([](const capabilities&) {}, [](const caf::error&) {});
      for (const auto& x : tracked_)
        asker->request(x, longest_answer, are_you_there{})
          .receive([](bool) {}, [](const caf::error&) {});
      const auto then = wait_for_event(seen, how_.quiet);
      if (std::exchange(seen, then) == then)
        return;
    }
  }

  void notify() override {
    {
      const std::lock_guard lock{guard_};
      ++events_;
    }
    happened_.notify_all();
  }

  void track(const caf::actor& actor) override { tracked_.push_back(actor); }

private:
  static constexpr nanoseconds look_again = milliseconds{10};
  static constexpr nanoseconds longest_settling = std::chrono::seconds{10};
  static constexpr caf::duration longest_answer{caf::time_unit::seconds, 10};

  struct config : caf::actor_system_config {
    config() { configure(*this, 2); }
  };

  std::uint64_t events() {
    const std::lock_guard lock{guard_};
    return events_;
  }

  /// Waits until there are other events than `seen`; returns how many there are.
  std::uint64_t wait_for_event(std::uint64_t seen, nanoseconds at_most) {
    std::unique_lock lock{guard_};
    happened_.wait_for(lock, at_most, [&] { return events_ != seen; });
    return events_;
  }

  const clock& time_;
  limits bounds_;
  manner how_;
  std::mutex guard_;
  std::condition_variable happened_;
  std::uint64_t events_ = 0;
  config cfg_;
  caf::actor_system system_{cfg_}; // Ends before what its actors notify.
  backend_actor engine_;
  std::vector<caf::actor> tracked_;
};

} // namespace trunnion::test
