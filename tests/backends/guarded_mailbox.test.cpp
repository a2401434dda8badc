#include "trunnion/backends/common/guarded_mailbox.hpp"

#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

/// Takes texts, which may be refused, and numbers, which may not.
class taker : public guarded_mailbox<caf::event_based_actor> {
public:
  using base = guarded_mailbox<caf::event_based_actor>;

  explicit taker(caf::actor_config& cfg) : base(cfg) {
    guard({.long_mailbox = 4, .per_sender = 3, .must_pass = [](const caf::type_erased_tuple& x) {
             return x.match_elements<int>();
           }});
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string&) { take(); }, [this](int) { take(); }};
  }

  std::size_t taken = 0;

private:
  void take() {
    ++taken;
    on_handled(mailbox().size());
  }
};

struct guard_fixture : deterministic_fixture {
  void send(const caf::actor& from, auto what) {
    caf::actor_cast<caf::strong_actor_ptr>(to)->enqueue(
      caf::actor_cast<caf::strong_actor_ptr>(from), caf::make_message_id(),
      caf::make_message(std::move(what)), nullptr);
  }

  /// Counts what it is refused.
  caf::actor client(std::size_t& refusals) {
    return track(system.spawn([&refusals](caf::event_based_actor* me) -> caf::behavior {
      me->set_error_handler([&refusals](caf::error& x) {
        if (to_failure(x).code == error_code::overloaded)
          ++refusals;
      });
      return {[](caf::unit_t) {}};
    }));
  }

  std::size_t refused_to_one = 0, refused_to_other = 0;
  caf::actor one = client(refused_to_one), other = client(refused_to_other);
  caf::actor to = track(system.spawn<taker>());
  taker& it = *static_cast<taker*>(caf::actor_cast<caf::abstract_actor*>(to));
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(guarded_mailbox_test, guard_fixture)

BOOST_AUTO_TEST_CASE(what_one_sender_has_too_much_of_is_refused_before_it_is_in_the_mailbox) {
  for (int i = 0; i < 10; ++i)
    send(one, std::string{"x"});
  BOOST_TEST(it.refused() == 3U); // Four while it is short, three that are counted.
  send(other, std::string{"x"});
  BOOST_TEST(it.refused() == 3U); // Another sender is not concerned.
  run();
  BOOST_TEST(it.taken == 8U);
  BOOST_TEST(refused_to_one == 3U);
  BOOST_TEST(refused_to_other == 0U);
}

BOOST_AUTO_TEST_CASE(what_must_pass_does_and_so_do_messages_of_nobody) {
  for (int i = 0; i < 20; ++i)
    send(one, i);
  for (int i = 0; i < 20; ++i)
    caf::anon_send(to, i);
  run();
  BOOST_TEST(it.refused() == 0U);
  BOOST_TEST(it.taken == 40U);
}

BOOST_AUTO_TEST_CASE(once_the_mailbox_is_short_again_the_count_begins_anew) {
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < 7; ++i)
      send(one, std::string{"x"});
    BOOST_TEST(it.refused() == 0U);
    run();
    BOOST_TEST(it.taken == static_cast<std::size_t>(7 * round));
  }
}

BOOST_AUTO_TEST_SUITE_END()
