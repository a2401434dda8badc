// Every short history of a lease: whatever gets lost or late, its promises hold.
//
// A model of the store stands beside the machine. At each step the world does one thing: an
// operation that is on its way arrives at the store, is lost, or its answer comes; somebody deletes
// or takes the key; the holder refreshes or releases; time goes by. All sequences up to a depth are
// followed, and after each step the promises are checked in true time.

#include "trunnion/actors/lease_machine.hpp"

#include <boost/test/unit_test.hpp>

#include <array>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1h};
constexpr epoch era{7};
constexpr nanoseconds ttl = 200ms;

/// One key: who wrote what stands there, and until when it is alive.
struct model_store {
  std::uint64_t revision = 4;
  bool exists = false;
  bool is_ours = false;
  std::uint64_t renewal = 0;
  instant expires;

  bool is_live(instant now) const { return exists && now < expires; }

  std::uint64_t put(instant now, bool ours, std::uint64_t number) {
    exists = true;
    is_ours = ours;
    renewal = number;
    expires = now + ttl;
    return ++revision;
  }
};

enum class op : std::uint8_t { write, read, remove, discard };

/// An operation of the machine on its way to the store, or its answer on the way back.
struct message {
  op kind{};
  std::uint64_t serial = 0;
  std::optional<revision> expected;
  bool is_answer = false;
  bool failed = false;
  kv_written written;
  sighting seen;
};

struct world {
  lease_machine machine{{.ttl = ttl}, start};
  model_store store;
  std::vector<message> under_way;
  instant now = start;

  // What has been observed.
  int ends = 0;
  int refreshes_done = 0;
  int refreshes_asked = 0;
  bool is_released = false; // The holder has said so.
  bool was_held = false;
  bool key_taken = false; // By somebody who did not wait for us to end.
};

void fail_if(bool broken, const char* promise) {
  if (broken) // Not an assertion each time: there are millions.
    BOOST_FAIL(promise);
}

void take(world& w, const lease_actions& actions) {
  for (const auto& action : actions) {
    if (const auto* x = std::get_if<send_write>(&action)) {
      fail_if(w.is_released, "no write follows a release");
      fail_if(w.ends > 0, "no write follows the end");
      for (const auto& other : w.under_way)
        fail_if(other.kind == op::write && other.serial == x->renewal,
                "each write has a number of its own");
      w.under_way.push_back({op::write, x->renewal, x->expected});
    } else if (const auto* y = std::get_if<send_read>(&action)) {
      w.under_way.push_back({op::read, y->serial});
    } else if (const auto* z = std::get_if<send_delete>(&action)) {
      w.under_way.push_back({op::remove, z->serial, z->expected});
    } else if (const auto* d = std::get_if<discard>(&action)) {
      w.under_way.push_back({op::discard, 0, d->expected});
    } else if (std::holds_alternative<granted>(action)) {
      fail_if(w.was_held || w.ends > 0, "a lease is granted once, before its end");
      w.was_held = true;
    } else if (std::holds_alternative<refresh_done>(action)) {
      ++w.refreshes_done;
    } else if (std::holds_alternative<ended>(action)) {
      fail_if(++w.ends > 1, "the end is told once");
    } else if (std::holds_alternative<jeopardised>(action)) {
      fail_if(w.ends > 0, "nothing is told after the end");
    }
  }
}

void arrive(world& w, message& m) {
  auto& store = w.store;
  const bool live = store.is_live(w.now);
  m.is_answer = true;
  if (m.kind == op::write) {
    m.failed = m.expected ? !live || store.revision != m.expected->value : live;
    if (!m.failed)
      m.written = {era, {store.put(w.now, true, m.serial)}, ttl};
  } else if (m.kind == op::read) {
    if (live)
      m.seen = {.who = store.is_ours ? standing::own : standing::foreign,
                .epoch = era,
                .revision = {store.revision},
                .renewal = store.renewal};
  } else {
    m.failed = !live || store.revision != m.expected->value;
    if (!m.failed) {
      fail_if(!store.is_ours, "never is another's key deleted");
      store.exists = false;
      ++store.revision;
    }
  }
}

void answer(world& w, const message& m) {
  const failure conflict{error_code::revision_mismatch, certainty::not_applied, "", "", {}};
  if (m.kind == op::write)
    take(w, m.failed ? w.machine.on_write_failed(w.now, m.serial, conflict)
                     : w.machine.on_written(w.now, m.serial, m.written));
  else if (m.kind == op::read)
    take(w, w.machine.on_read(w.now, m.serial, m.seen));
  else if (m.kind == op::remove)
    take(w, m.failed ? w.machine.on_delete_failed(w.now, m.serial, conflict)
                     : w.machine.on_deleted(w.now));
}

void check_promises(const world& w) {
  const bool held = w.machine.phase() == lease_phase::held && w.now < w.machine.deadline();
  fail_if(w.machine.phase() == lease_phase::held && w.machine.next_due() <= w.now,
          "no deadline is left behind");
  fail_if(held && (w.is_released || w.ends > 0), "what is over is not held");
  fail_if(w.machine.is_over() && w.was_held && w.ends != 1, "each end is told");
  fail_if(w.machine.is_over() && w.machine.next_due(), "after the end nothing is due");
  fail_if(w.refreshes_done > w.refreshes_asked, "no refresh completes twice");
  if (!held || w.key_taken)
    return;
  fail_if(!w.store.is_live(w.now) || !w.store.is_ours, "what is held stands in the store");
  fail_if(w.store.expires <= w.machine.deadline(), "the deadline is before the store's");
}

std::uint64_t explored = 0;

/// Follows all continuations of `before` by `depth` steps.
void explore(const world& before, int depth) {
  ++explored;
  check_promises(before);
  if (depth == 0)
    return;
  const auto follow = [&](auto change) {
    auto next = before;
    change(next);
    explore(next, depth - 1);
  };
  for (std::size_t i = 0; i < before.under_way.size(); ++i) {
    if (before.under_way[i].is_answer) {
      follow([i](world& w) {
        const auto m = w.under_way[i];
        w.under_way.erase(w.under_way.begin() + static_cast<std::ptrdiff_t>(i));
        answer(w, m);
      });
    } else {
      follow([i](world& w) { arrive(w, w.under_way[i]); });
    }
    // Lost for good: as good as the last of those that never arrive within the depth.
  }
  for (const auto span : std::array<nanoseconds, 3>{10ms, 50ms, 130ms})
    follow([span](world& w) {
      w.now += span;
      take(w, w.machine.on_time(w.now));
    });
  if (before.machine.phase() == lease_phase::held) {
    follow([](world& w) {
      ++w.refreshes_asked;
      take(w, w.machine.on_refresh(w.now));
    });
    follow([](world& w) { // Deleted and taken by another, and the watch tells.
      w.store.put(w.now, false, 0);
      w.key_taken = true;
      take(w, w.machine.on_sighting(
                w.now, {.who = standing::foreign, .epoch = era, .revision = {w.store.revision}}));
      fail_if(!w.machine.is_over(), "another holder's entry ends it");
    });
  }
  if (!before.is_released)
    follow([](world& w) {
      w.is_released = true;
      take(w, w.machine.on_release(w.now, release_cause::asked));
    });
  // Another acquires as soon as the store lets it.
  if (!before.store.is_live(before.now) && !before.key_taken)
    follow([](world& w) { w.store.put(w.now, false, 0); });
}

world begun() {
  world result;
  take(result, result.machine.start(start));
  return result;
}

world holding() {
  auto result = begun();
  arrive(result, result.under_way[0]);
  const auto m = result.under_way[0];
  result.under_way.clear();
  answer(result, m);
  take(result, result.machine.on_watch_opened(start));
  return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(lease_histories_test)

BOOST_AUTO_TEST_CASE(no_short_history_of_an_acquirer_breaks_a_promise) {
  explored = 0;
  explore(begun(), 7);
  BOOST_TEST(explored > 100'000U);
}

BOOST_AUTO_TEST_CASE(no_short_history_of_a_holder_breaks_a_promise) {
  explored = 0;
  explore(holding(), 7);
  BOOST_TEST(explored > 100'000U);
}

BOOST_AUTO_TEST_CASE(no_short_history_of_a_refresh_without_an_answer_breaks_a_promise) {
  auto unanswered = holding();
  ++unanswered.refreshes_asked;
  take(unanswered, unanswered.machine.on_refresh(unanswered.now));
  unanswered.now += 50ms;
  take(unanswered, unanswered.machine.on_time(unanswered.now));
  explored = 0;
  explore(unanswered, 7);
  BOOST_TEST(explored > 100'000U);
}

BOOST_AUTO_TEST_SUITE_END()
