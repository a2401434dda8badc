// What the peer's leases did, step by step, and what ours do instead where `tests/data/README.md`
// names a difference.

#include "trunnion/tests/actors/lease_fixture.hpp"

#include <fstream>
#include <simdjson.h>

using namespace trunnion;
using namespace trunnion::test;

namespace {

namespace dom = simdjson::dom;

/// What a step gave, in few words: `revision 2`, `lost`, `error`, ...
std::string expectation(const dom::element& result) {
  if (result["error"].error() == simdjson::SUCCESS) {
    const std::string name{std::string_view{result["error"]}};
    return name == "LeaseUnavailableError" ? "unavailable"
           : name == "KeyNotFound"         ? "absent"
                                           : "error";
  }
  const dom::element ok = result["ok"];
  if (ok.is_null())
    return "done";
  if (std::uint64_t revision = 0; ok["revision"].get(revision) == simdjson::SUCCESS)
    return "revision " + std::to_string(revision);
  return bool{ok["expired"]} ? "over" : "held";
}

struct vectors_fixture : lease_fixture {
  std::string run_step(const dom::element& step) {
    const std::string_view op = step["op"];
    if (op == "sleep")
      advance(nanoseconds{static_cast<std::int64_t>(double{step["seconds"]} * 1e9)});
    else if (op == "delete")
      return ask<kv_deleted>(store, kv_delete{key(step), {}}).get() ? "done" : "error";
    else if (op == "get")
      return get(step);
    else if (op == "lease_acquire")
      return take(step);
    else if (op == "lease_refresh")
      return refresh_of(lease(step));
    else if (op == "lease_expire")
      return ask<lease_released>(lease(step), lease_release{}).get() ? "done" : "error";
    else if (op == "lease_state")
      return status(lease(step)).phase == lease_phase::held ? "held" : "over";
    else
      BOOST_FAIL("unknown step " << op);
    return "done";
  }

  static subject key(const dom::element& step) {
    return at("dev." + std::string{std::string_view{step["key"]}});
  }

  const lease_actor& lease(const dom::element& step) {
    return leases.at(std::string{std::string_view{step["id"]}});
  }

  std::string get(const dom::element& step) {
    const auto found = ask<kv_entry>(store, kv_get{key(step)});
    return found.get() ? "revision " + to_string(found.value().entry.revision) : "absent";
  }

  std::string take(const dom::element& step) {
    const auto ttl = nanoseconds{static_cast<std::int64_t>(double{step["ttl"]} * 1e9)};
    const auto mine = begin_at(store, options(key(step).text(), ttl), someone());
    leases[std::string{std::string_view{step["id"]}}] = mine;
    const auto got = ask<lease_grant>(mine, lease_await{});
    if (!got.get())
      return got.error().code == error_code::lease_unavailable ? "unavailable" : "error";
    return "revision " + to_string(got.value().token.revision);
  }

  std::string refresh_of(const lease_actor& x) {
    const auto got = ask<lease_refreshed>(x, lease_refresh{});
    return got.get() ? "revision " + to_string(got.value().revision) : "error";
  }

  /// Runs a scenario; `ours` names the steps that we answer differently, by number from 0.
  void replay(std::string_view name, const std::map<std::size_t, std::string>& ours) {
    dom::parser parser;
    const dom::element all = parser.load(std::string{TRUNNION_TEST_DATA} + "/kv_semantics.json");
    for (const dom::element scenario : all["scenarios"]) {
      if (std::string_view{scenario["scenario"]} != name)
        continue;
      std::size_t number = 0;
      for (const dom::element step : scenario["steps"]) {
        const bool same = step["both"].error() == simdjson::SUCCESS;
        const auto peer = expectation(same ? step["both"] : step["nats"]);
        const auto different = ours.find(number);
        const auto expected = different == ours.end() ? peer : different->second;
        BOOST_TEST_CONTEXT(name << ", step " << number) {
          BOOST_TEST(run_step(step["step"]) == expected);
          if (different != ours.end())
            BOOST_TEST(expected != peer); // Else it is no difference to name.
        }
        ++number;
      }
      BOOST_TEST(number > 0U);
      return;
    }
    BOOST_FAIL("no scenario " << name);
  }

  std::map<std::string, lease_actor> leases;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(lease_vectors_test, vectors_fixture)

BOOST_AUTO_TEST_CASE(a_lease_is_acquired_refreshed_expired_and_acquired_again_as_the_peers) {
  replay("lease_basic", {});
}

BOOST_AUTO_TEST_CASE(a_deletion_by_another_is_told_by_the_watch_and_expiring_then_succeeds) {
  // The peer learns of it by its next poll, and fails to expire what is lost.
  replay("lease_deleted_by_other", {{3, "over"}, {6, "done"}, {7, "over"}});
}

BOOST_AUTO_TEST_CASE(a_stolen_lease_is_lost_and_never_takes_the_new_record_for_its_own) {
  // The peer fails to expire what is lost, and takes the other's record for its own.
  replay("lease_stolen", {{5, "done"}, {8, "over"}});
}

BOOST_AUTO_TEST_CASE(a_lease_that_is_never_refreshed_expires) {
  // Expiries have a revision of their own here; on NATS without markers they have none.
  replay("lease_unrefreshed", {{7, "revision 3"}});
}

BOOST_AUTO_TEST_CASE(a_lease_that_is_refreshed_in_time_is_held_whatever_its_ttl) {
  // The peer polls every 2 s, and so takes its live lease of 1.5 s for expired.
  replay("lease_refreshed_slowly", {{8, "held"}});
}

BOOST_AUTO_TEST_CASE(no_two_holders_both_believe_in_one_key) {
  // The peer's first holder reads the second one's record as its own.
  replay("lease_split_brain", {{2, "over"}, {3, "revision 3"}, {5, "over"}});
}

BOOST_AUTO_TEST_SUITE_END()
