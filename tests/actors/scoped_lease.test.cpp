#include "trunnion/actors/scoped_lease.hpp"

#include "trunnion/actors/client.hpp"
#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/threaded_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct scoped_lease_fixture : threaded_fixture {
  backend_actor backend = track(spawn_memory_backend(system, rt()));
  blocking_client root{system, rt(), backend};
  lease_options options{.subject = at("ridge.mount.ControlLease"), .ttl = 10s, .owner = "test/1"};

  outcome<scoped_lease> acquire() { return scoped_lease::acquire(system, rt(), backend, options); }

  bool has_key() { return root.at("ridge", "mount").get("ControlLease").has_value(); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(scoped_lease_test, scoped_lease_fixture)

BOOST_AUTO_TEST_CASE(a_lease_is_held_from_the_constructor_to_the_destructor) {
  fencing_token first;
  {
    const scoped_lease mine{system, rt(), backend, options};
    first = mine.token();
    BOOST_TEST(mine.held());
    BOOST_TEST((mine.time_left() > 9s));
    BOOST_TEST((mine.grant().ttl == 10s));
    BOOST_TEST(has_key());
  }
  BOOST_TEST(!has_key());
  const scoped_lease again{system, rt(), backend, options};
  BOOST_TEST((again.token() > first));
}

BOOST_AUTO_TEST_CASE(what_another_holds_is_told_as_a_failure_or_an_exception) {
  const auto mine = acquire();
  BOOST_REQUIRE(mine.has_value());
  const auto other = acquire();
  BOOST_REQUIRE(!other.has_value());
  BOOST_TEST((other.error().code == error_code::lease_unavailable));
  try {
    const scoped_lease never{system, rt(), backend, options};
    BOOST_FAIL("acquired what is held");
  } catch (const lease_error& error) {
    BOOST_TEST((error.why().code == error_code::lease_unavailable));
    BOOST_TEST(std::string{error.what()}.find("test/1") != std::string::npos);
  }
  BOOST_TEST(mine->held());
}

BOOST_AUTO_TEST_CASE(senseless_options_are_refused) {
  options.ttl = 1ms;
  BOOST_TEST((acquire().error().code == error_code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_moved_lease_has_one_holder) {
  auto mine = acquire();
  BOOST_REQUIRE(mine.has_value());
  auto taken = std::move(*mine);
  BOOST_TEST(!mine->held());
  BOOST_TEST(taken.held());
  options.subject = at("ridge.dome.ControlLease");
  auto dome = acquire();
  BOOST_REQUIRE(dome.has_value());
  taken = std::move(*dome); // Releases the mount.
  BOOST_TEST(!has_key());
  BOOST_TEST(taken.held());
}

BOOST_AUTO_TEST_CASE(a_release_says_how_it_ended_and_is_harmless_again) {
  auto mine = acquire();
  BOOST_REQUIRE(mine.has_value());
  const auto report = mine->release();
  BOOST_REQUIRE(report.has_value());
  BOOST_TEST(report->is_orderly());
  BOOST_TEST(!mine->held());
  BOOST_TEST(!has_key());
  BOOST_TEST(mine->release().has_value());
}

BOOST_AUTO_TEST_CASE(a_loss_is_told_and_ends_the_right_to_act) {
  caf::scoped_actor self{system};
  const auto me = caf::actor_cast<caf::actor>(self.ptr());
  auto mine = scoped_lease::acquire(system, rt(), backend, options, [me](const lost_lease& x) {
    caf::anon_send(me, x.subject + " " + to_string(x.reason));
  });
  BOOST_REQUIRE(mine.has_value());
  BOOST_TEST(root.at("ridge", "mount").remove("ControlLease").has_value());
  std::string told;
  self->receive([&](std::string& x) { told = std::move(x); }, caf::after(10s) >> [] {});
  BOOST_TEST(told == "ridge.mount.ControlLease deleted");
  BOOST_TEST(!mine->held());
  const auto report = mine->release();
  BOOST_REQUIRE(report.has_value());
  BOOST_TEST(report->abandoned.size() == 1u);
}

BOOST_AUTO_TEST_CASE(time_alone_ends_a_lease_that_cannot_be_refreshed) {
  const auto mine = acquire();
  BOOST_REQUIRE(mine.has_value());
  time.move(11s);
  BOOST_TEST(!mine->held()); // Without any message.
  BOOST_TEST((mine->time_left() == 0s));
}

BOOST_AUTO_TEST_CASE(it_cannot_be_acquired_on_a_worker_of_caf) {
  std::atomic<bool> is_refused{false};
  auto actor = system.spawn([&](caf::event_based_actor*) {
    const auto mine = acquire();
    is_refused = !mine && mine.error().code == error_code::invalid_argument;
  });
  caf::scoped_actor self{system};
  self->wait_for(actor);
  BOOST_TEST(is_refused);
}

BOOST_AUTO_TEST_SUITE_END()
