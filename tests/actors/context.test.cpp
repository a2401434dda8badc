#include "trunnion/actors/context.hpp"

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct context_fixture : deterministic_fixture {
  backend_actor backend = track(spawn_memory_backend(system, rt()));

  /// Lets an actor use a context at the root; it lives on.
  caf::actor speak(std::function<void(entity_context)> use) {
    return track(system.spawn([=, this](caf::event_based_actor* me) -> caf::behavior {
      use(entity_context{me, rt(), backend});
      return {[](caf::unit_t) {}};
    }));
  }

  template <class T> static on_outcome<T> into(std::optional<outcome<T>>& slot) {
    return [&slot](const outcome<T>& x) { slot = x; };
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(context_test, context_fixture)

BOOST_AUTO_TEST_CASE(keys_are_written_read_and_removed_where_the_context_stands) {
  std::optional<outcome<kv_written>> created, updated, stale;
  std::optional<outcome<kv_entry>> got;
  std::optional<outcome<kv_deleted>> removed;
  speak([&](const entity_context& here) {
    const auto mount = here.at("ridge", "mount");
    BOOST_TEST(mount.where()->text() == "ridge.mount");
    mount.create("state", payload{"parked"}, into(created), 1min);
    mount.update("state", payload{"slewing"}, into(updated));
    mount.update("state", payload{"lost"}, into(stale), {.expected = revision{99}});
    here.at("ridge").at("mount").get("state", into(got));
    mount.remove("state", into(removed));
  });
  BOOST_TEST((created.value()->ttl == 1min));
  BOOST_TEST((updated.value()->revision > created.value()->revision));
  BOOST_TEST((stale.value().error().code == error_code::revision_mismatch));
  BOOST_TEST(got.value()->entry.payload.bytes() == "slewing");
  BOOST_TEST((*got)->entry.subject.text() == "ridge.mount.state");
  BOOST_TEST(removed.value()->tombstone.has_value());
}

BOOST_AUTO_TEST_CASE(a_wrong_address_is_told_like_any_other_failure) {
  std::optional<outcome<kv_entry>> entity_fails, property_fails, pattern_fails;
  std::optional<outcome<payload>> late;
  speak([&](const entity_context& here) {
    here.at("two words").get("state", into(entity_fails));
    here.at("a").get("two words", into(property_fails));
    here.at("a").get("*", into(pattern_fails));
    here.at("a").invoke("b", {}, into(late), 0s);
    BOOST_TEST(!here.at("a", "").where().has_value());
    BOOST_TEST(!here.at("a").monitor("_EVENTS").has_value());
    BOOST_TEST((here.within(0s).where().error().code == error_code::invalid_argument));
  });
  for (const auto& x : {entity_fails, property_fails, pattern_fails})
    BOOST_TEST((x.value().error().code == error_code::invalid_subject));
  BOOST_TEST((late.value().error().code == error_code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_listing_is_one_answer_in_the_order_of_subjects) {
  std::optional<outcome<listing>> own, all, none;
  for (int i = 0; i < 1'000; ++i)
    (void)ask<kv_written>(backend,
                          kv_update{at("a.k" + std::to_string(1'000 + i)), payload{"x"}, {}, {}});
  (void)ask<kv_written>(backend, kv_update{at("a.b.k"), payload{"y"}});
  speak([&](const entity_context& here) {
    here.at("a").list("*", into(own));
    here.list(">", into(all));
    here.at("c").list(">", into(none));
  });
  BOOST_TEST(own.value()->entries.size() == 1'000u);
  BOOST_TEST((std::ranges::is_sorted(own->value().entries, {}, &entry::subject)));
  BOOST_TEST(all.value()->entries.size() == 1'001u);
  BOOST_TEST(none.value()->entries.empty());
  BOOST_TEST(ask<backend_status>(backend, get_backend_status{}).value().watches == 0u);
}

BOOST_AUTO_TEST_CASE(a_silent_backend_ends_every_operation_by_its_timeout) {
  const auto silent = caf::actor_cast<backend_actor>(
    track(system.spawn([](caf::event_based_actor* me) -> caf::behavior {
      me->set_default_handler([](caf::scheduled_actor*, caf::message_view&) {
        return caf::result<caf::message>{caf::delegated<caf::message>{}};
      });
      return {[](caf::unit_t) {}};
    })));
  std::optional<outcome<kv_entry>> got;
  std::optional<outcome<listing>> listed;
  std::optional<outcome<payload>> answer;
  track(system.spawn([&](caf::event_based_actor* me) -> caf::behavior {
    const auto here = entity_context{me, rt(), silent}.at("a").within(1s);
    here.get("k", into(got));
    here.list("*", into(listed));
    here.invoke("k", {}, into(answer), 2s);
    return {[](caf::unit_t) {}};
  }));
  advance(1s);
  BOOST_TEST((got.value().error().code == error_code::timeout));
  BOOST_TEST((listed.value().error().code == error_code::timeout));
  BOOST_TEST(!answer.has_value());
  advance(1s);
  BOOST_TEST((answer.value().error().certainty == certainty::unknown));
}

BOOST_AUTO_TEST_CASE(requests_are_served_and_their_errors_come_back_as_such) {
  std::optional<outcome<payload>> good, bad, nobody;
  const auto server = speak([](const entity_context& here) {
    const auto served
      = here.at("ridge", "mount").handle("slew", [](const handle_request& x) -> outcome<payload> {
          if (x.payload.bytes() == "0")
            return fail(error_code::invalid_argument, "zero");
          return payload{"slewed " + std::string{x.payload.bytes()}};
        });
    BOOST_TEST(served.has_value());
  });
  speak([&](const entity_context& here) {
    const auto mount = here.at("ridge", "mount");
    mount.invoke("slew", payload{"12"}, into(good));
    mount.invoke("slew", payload{"0"}, into(bad));
    mount.invoke("park", payload{}, into(nobody));
  });
  advance(1s);
  BOOST_TEST(good.value()->bytes() == "slewed 12");
  const auto& error = bad.value().error();
  BOOST_TEST((error.code == error_code::remote_request));
  BOOST_TEST(std::get<remote_failure>(error.detail).message.find("zero") != std::string::npos);
  BOOST_TEST((nobody.value().error().code == error_code::unregistered_responder));
  kill(server); // The responder ends with who made it.
  advance(5s);
  speak(
    [&](const entity_context& here) { here.at("ridge", "mount").invoke("slew", {}, into(good)); });
  BOOST_TEST((good.value().error().code == error_code::unregistered_responder));
}

BOOST_AUTO_TEST_CASE(events_and_messages_are_published_and_consumed) {
  std::vector<std::string> read;
  const auto reader = speak([&](const entity_context& here) {
    const auto consumed = here.at("ridge").consume(">", [&](const read_batch& x) -> outcome<void> {
      for (const auto& y : x.messages)
        read.push_back(y.subject.text() + " " + std::string{y.payload.bytes()});
      return {};
    });
    BOOST_TEST(consumed.has_value());
  });
  std::optional<outcome<published>> event;
  speak([&](const entity_context& here) {
    here.at("ridge", "mount").publish("angle", payload{"12"}, ignore);
    here.at("ridge", "mount").publish_event(payload{"slewed"}, into(event));
  });
  advance(1s);
  BOOST_TEST(event.value()->sequence.value == 2u);
  const std::vector<std::string> expected{"ridge.mount.angle 12", "ridge.mount._EVENTS slewed"};
  BOOST_TEST(read == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_monitor_ends_with_the_actor_that_made_it) {
  const auto watcher
    = speak([](const entity_context& here) { BOOST_TEST(here.at("a").monitor("*").has_value()); });
  advance(1s);
  const auto watches
    = [&] { return ask<backend_status>(backend, get_backend_status{}).value().watches; };
  BOOST_TEST(watches() == 1u);
  kill(watcher);
  advance(1s);
  BOOST_TEST(watches() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
