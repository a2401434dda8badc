#include "trunnion/actors/client.hpp"

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/threaded_fixture.hpp"

#include <caf/blocking_actor.hpp>

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct client_fixture : threaded_fixture {
  backend_actor backend = track(spawn_memory_backend(system, rt()));
  blocking_client root{system, rt(), backend};

  std::string bytes(const outcome<kv_entry>& x) {
    BOOST_REQUIRE_MESSAGE(x.has_value(), (x ? "" : to_string(x.error())));
    return std::string{x->entry.payload.bytes()};
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(client_test, client_fixture)

BOOST_AUTO_TEST_CASE(keys_are_written_read_listed_and_removed) {
  const auto mount = root.at("ridge", "mount");
  const auto created = mount.create("state", payload{"parked"}, 1min);
  BOOST_REQUIRE(created.has_value());
  BOOST_TEST(
    (mount.create("state", payload{"again"}).error().code == error_code::revision_mismatch));
  BOOST_TEST(
    mount.update("state", payload{"slewing"}, {.expected = created->revision}).has_value());
  BOOST_TEST(bytes(mount.get("state")) == "slewing");
  BOOST_TEST(root.at("ridge").update("name", payload{"ridge"}).has_value());
  const auto all = root.list(">");
  BOOST_REQUIRE(all.has_value());
  BOOST_TEST(all->entries.size() == 2u);
  BOOST_TEST(mount.remove("state").has_value());
  BOOST_TEST((mount.get("state").error().code == error_code::key_not_found));
}

BOOST_AUTO_TEST_CASE(wrong_addresses_and_timeouts_are_failures) {
  BOOST_TEST((root.at("two words").get("x").error().code == error_code::invalid_subject));
  BOOST_TEST((root.at("a").list("_EVENTS").error().code == error_code::invalid_subject));
  BOOST_TEST((root.at("a").invoke("x", {}, 0s).error().code == error_code::invalid_argument));
  BOOST_TEST((root.within(-1s).at("a").get("x").error().code == error_code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_silent_backend_ends_a_call_by_its_timeout) {
  const auto silent = caf::actor_cast<backend_actor>(
    track(system.spawn([](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler([](caf::scheduled_actor*, caf::message_view&) {
        return caf::result<caf::message>{caf::delegated<caf::message>{}};
      });
      return {[](caf::unit_t) {}};
    })));
  const auto got = blocking_client{system, rt(), silent}.at("a").within(20ms).get("x");
  BOOST_TEST((got.error().code == error_code::timeout));
  BOOST_TEST((got.error().certainty == certainty::unknown));
}

BOOST_AUTO_TEST_CASE(several_threads_use_one_client_at_once) {
  constexpr int threads = 4, calls = 100;
  std::atomic<int> failed{0};
  std::vector<caf::actor> callers;
  for (int t = 0; t < threads; ++t) // Blocking actors are the threads that may be had here.
    callers.push_back(system.spawn([&, t](caf::blocking_actor*) {
      const auto mine = root.at("t" + std::to_string(t));
      for (int i = 0; i < calls; ++i) {
        const auto value = std::to_string(i);
        const auto written = mine.update("k", payload{value});
        const auto read = mine.get("k");
        if (!written || !read || read->entry.payload.bytes() != value)
          ++failed;
      }
    }));
  caf::scoped_actor self{system};
  self->wait_for(callers);
  BOOST_TEST(failed == 0);
  BOOST_TEST(root.list(">")->entries.size() == static_cast<std::size_t>(threads));
}

BOOST_AUTO_TEST_CASE(a_call_on_a_worker_of_caf_is_refused) {
  std::atomic<int> refused{0};
  auto actor = system.spawn([&](caf::event_based_actor*) {
    refused += root.at("a").get("x").error().code == error_code::invalid_argument;
    refused += root.at("a").watch("*").error().code == error_code::invalid_argument;
    refused += root.at("a").consume(">").error().code == error_code::invalid_argument;
  });
  caf::scoped_actor self{system};
  self->wait_for(actor);
  BOOST_TEST(refused == 3);
}

BOOST_AUTO_TEST_CASE(changes_are_pulled_one_part_at_a_time) {
  const auto mount = root.at("ridge", "mount");
  BOOST_TEST(mount.update("state", payload{"parked"}).has_value());
  auto changes = mount.watch("*");
  BOOST_REQUIRE(changes.has_value());
  std::vector<std::string> told;
  const auto pull = [&] {
    auto part = changes->next(10s);
    BOOST_REQUIRE(part.has_value());
    for (const auto& x : part->entries)
      told.push_back(x.is_live() ? std::string{x.payload.bytes()} : "gone");
    return part->kind;
  };
  while (pull() != part_kind::snapshot_end) {
  }
  BOOST_TEST((changes->next(10ms).error().code == error_code::timeout));
  for (int i = 0; i < 50; ++i) // More than the feed has room for.
    BOOST_TEST(mount.update("state", payload{std::to_string(i)}).has_value());
  while (told.back() != "49")
    pull();
  BOOST_TEST(mount.remove("state").has_value());
  pull();
  BOOST_TEST(told.front() == "parked");
  BOOST_TEST(told.back() == "gone");
  BOOST_TEST(changes->is_healthy());
}

BOOST_AUTO_TEST_CASE(a_feed_that_lost_its_consumer_says_so_from_then_on) {
  BOOST_TEST((root.watch("_EVENTS").error().code == error_code::invalid_subject));
  BOOST_TEST(root.at("a").publish("x", payload{"y"}).has_value());
  auto first = root.at("a").consume(">", {.start = stream_start::all, .durable = "reader"});
  BOOST_REQUIRE(first.has_value());
  BOOST_TEST(first->next(10s).has_value());
  BOOST_TEST((first->next(10ms).error().code == error_code::timeout));
  auto second = root.at("a").consume(">", {.durable = "reader"});
  BOOST_REQUIRE(second.has_value());
  BOOST_TEST((first->next(10s).error().code == error_code::consumer_taken));
  BOOST_TEST((first->next(10s).error().code == error_code::consumer_taken));
  BOOST_TEST(root.at("a").publish("x", payload{"y"}).has_value());
  BOOST_TEST(second->next(10s).has_value());
}

BOOST_AUTO_TEST_CASE(messages_are_pulled_in_order_and_acknowledged_by_the_next_pull) {
  const auto mount = root.at("ridge", "mount");
  for (int i = 0; i < 10; ++i)
    BOOST_TEST(mount.publish("angle", payload{std::to_string(i)}).has_value());
  const reader_options durable{.start = stream_start::all, .durable = "reader", .batch = 4};
  const auto pull = [](message_feed& feed) {
    const auto batch = feed.next(10s);
    BOOST_REQUIRE(batch.has_value());
    std::string result;
    for (const auto& x : batch->messages)
      result += x.payload.bytes();
    return result;
  };
  {
    auto feed = mount.consume(">", durable);
    BOOST_REQUIRE(feed.has_value());
    std::string read;
    while (read.size() < 4)
      read += pull(*feed);
    BOOST_TEST(read.substr(0, 4) == "0123");
    BOOST_TEST(mount.publish_event(payload{"e"}).has_value());
    while (read.size() < 11)
      read += pull(*feed);
    BOOST_TEST(read == "0123456789e");
    feed->acknowledge();
  }
  BOOST_TEST(mount.publish("angle", payload{"x"}).has_value());
  auto feed = mount.consume(">", durable);
  BOOST_REQUIRE(feed.has_value());
  std::string again;
  while (!again.ends_with('x'))
    again += pull(*feed);
  BOOST_TEST(again.front() >= '4'); // At least once, but not what was acknowledged long ago.
}

BOOST_AUTO_TEST_CASE(requests_are_served_as_long_as_the_service_lives) {
  const auto mount = root.at("ridge", "mount");
  {
    auto served = mount.handle("slew", [](const handle_request& x) -> outcome<payload> {
      if (x.payload.size() == 0)
        return fail(error_code::invalid_argument, "nothing to slew to");
      return payload{"at " + std::string{x.payload.bytes()}};
    });
    BOOST_REQUIRE(served.has_value());
    auto answer = mount.invoke("slew", payload{"12"});
    for (int i = 0; !answer && i < 1'000; ++i) // It may not listen yet.
      answer = mount.invoke("slew", payload{"12"});
    BOOST_REQUIRE(answer.has_value());
    BOOST_TEST(answer->bytes() == "at 12");
    const auto bad = mount.invoke("slew", payload{});
    BOOST_TEST((bad.error().code == error_code::remote_request));
    BOOST_TEST(served->inspect().value().failed == 1u);
    auto moved = std::move(*served);
    BOOST_TEST(moved.stop().has_value());
  }
  BOOST_TEST(
    (mount.invoke("slew", payload{"12"}).error().code == error_code::unregistered_responder));
}

BOOST_AUTO_TEST_SUITE_END()
