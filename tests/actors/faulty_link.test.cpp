// Leases and monitors over a link that misbehaves by seed: short nights in virtual time.

#include "trunnion/actors/kv_monitor.hpp"
#include "trunnion/actors/lease.hpp"
#include "trunnion/backends/faulty/faulty_backend.hpp"
#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct faulty_world : deterministic_fixture {
  faulty_world(std::uint64_t seed, std::string_view text) : deterministic_fixture(seed) {
    const auto plan = parse_plan(text);
    BOOST_REQUIRE(plan);
    link = track(spawn_faulty_backend(system, rt(), store, {seed, *plan}));
  }

  caf::actor someone() {
    return track(system.spawn([](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler(caf::drop);
      return {[](caf::unit_t) {}};
    }));
  }

  faulty_report report() { return ask<faulty_report>(link, get_faulty_report{}).value(); }

  backend_actor store = track(spawn_memory_backend(system, rt()));
  faulty_backend_actor link;
};

/// Wants one key again and again, refreshes it, and lets it go after a while.
class contender {
public:
  contender(faulty_world& where, std::string name)
    : world_(where), name_(std::move(name)), holder_(where.someone()) {}

  bool held() const { return view_ && view_->held(); }
  int grants() const { return grants_; }
  fencing_token token() const { return view_->token(); }

  void step(int now) {
    if (!lease_)
      begin();
    else if (ended_->ready())
      lease_.reset();
    else if (held())
      hold(now);
  }

private:
  void begin() {
    auto lease = acquire(world_.system, world_.rt(), world_.link,
                         caf::actor_cast<caf::strong_actor_ptr>(holder_),
                         {.subject = world_.at("ridge.mount.EntityLease"),
                          .ttl = 1s,
                          .owner = "host/" + name_,
                          .wait = 5s});
    BOOST_REQUIRE(lease);
    lease_ = world_.track(*lease);
    view_ = world_.ask<lease_view>(*lease_, lease_get_view{}).value();
    ended_ = world_.ask_later<lease_ended>(*lease_, lease_wait_ended{});
    held_since_.reset();
  }

  void hold(int now) {
    if (!held_since_) {
      held_since_ = now;
      ++grants_;
    }
    if (now - *held_since_ > 200)
      (void)world_.ask_later<lease_released>(*lease_, lease_release{});
    else if (now % 20 == 0)
      (void)world_.ask_later<lease_refreshed>(*lease_, lease_refresh{});
  }

  faulty_world& world_;
  std::string name_;
  caf::actor holder_;
  std::optional<lease_actor> lease_;
  std::optional<lease_view> view_;
  std::optional<deterministic_fixture::pending<lease_ended>> ended_;
  std::optional<int> held_since_;
  int grants_ = 0;
};

void keep_one_holder(std::uint64_t seed, std::string_view plan) {
  faulty_world world{seed, plan};
  std::vector<std::unique_ptr<contender>> all;
  for (const auto* name : {"a", "b", "c"})
    all.push_back(std::make_unique<contender>(world, name));
  fencing_token newest;
  for (int now = 0; now < 3'000; ++now) { // 30 s.
    int holders = 0;
    for (auto& x : all) {
      x->step(now);
      if (!x->held())
        continue;
      ++holders;
      BOOST_REQUIRE_MESSAGE(x->token() >= newest, "seed " << seed << ": tokens go back");
      newest = x->token();
    }
    BOOST_REQUIRE_MESSAGE(holders <= 1, "seed " << seed << ": " << holders << " holders, "
                                                << world.elapsed_ms() << " ms\n"
                                                << world.trace);
    world.advance(10ms);
  }
  int grants = 0;
  for (const auto& x : all)
    grants += x->grants();
  BOOST_TEST(grants >= 3, "seed " << seed);
  BOOST_TEST(world.report().of(fault_kind::drop) > 0U);
}

} // namespace

BOOST_AUTO_TEST_SUITE(faulty_link_test)

BOOST_AUTO_TEST_CASE(a_lease_over_a_bad_link_never_has_two_holders) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    keep_one_holder(seed, "drop:0.05+delay:20ms");
}

BOOST_AUTO_TEST_CASE(nor_over_one_that_repeats_stalls_and_is_cut) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    keep_one_holder(seed, "drop:0.05+repeat:0.2+delay:50ms+stall:0.005:700ms+cut:0.005:500ms");
}

BOOST_AUTO_TEST_CASE(a_monitor_over_a_bad_link_sees_in_the_end_what_is_there) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    faulty_world world{seed, "drop:0.2+repeat:0.1+delay:50ms+cut:0.02:500ms"};
    const auto monitor
      = world.track(spawn_kv_monitor(world.system, world.rt(), world.link, world.at("o.>"), {}));
    std::map<std::string, std::string> there;
    for (int i = 0; i < 300; ++i) {
      const auto key = "o.k" + std::to_string(below(world.random, 20));
      if (below(world.random, 4) == 0) {
        (void)world.ask<kv_deleted>(world.store, kv_delete{world.at(key), {}, {}});
        there.erase(key);
      } else {
        (void)world.ask<kv_written>(
          world.store, kv_update{world.at(key), payload{std::to_string(i)}, {}, {}, {}});
        there[key] = std::to_string(i);
      }
      world.advance(20ms);
    }
    world.advance(1min);
    std::map<std::string, std::string> seen;
    const auto entries = world.ask<monitor_entries>(monitor, monitor_get_all{}).value().entries;
    for (const auto& x : entries)
      seen[x.subject.text()] = x.payload.bytes();
    BOOST_TEST((seen == there), "seed " << seed);
    BOOST_TEST(world.report().of(fault_kind::drop) > 20U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
