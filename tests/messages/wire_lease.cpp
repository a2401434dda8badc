#include "trunnion/messages/lease.hpp"
#include "trunnion/tests/messages/wire.hpp"

namespace trunnion::test {
namespace {

const fencing_token token{{1}, {2}};

lease_status status() {
  return {.subject = at("a.Lease"),
          .phase = lease_phase::lost,
          .lost = loss_reason::superseded,
          .token = token,
          .revision = {3},
          .ttl = 4s,
          .time_left = 5s,
          .in_jeopardy = true,
          .record = "{}",
          .owner = "host/1",
          .holder = "01890a5d",
          .refreshes = 6,
          .attempts = 7,
          .unknown = 8,
          .jeopardies = 9,
          .smallest_margin = 10s};
}

lease_status fresh_status() {
  auto result = status();
  result.lost.reset();
  result.smallest_margin.reset();
  return result;
}

} // namespace

wire_samples lease_samples() {
  return {
    sample(lease_await{}),
    sample(lease_grant{at("a.Lease"), token, 3s, 4s}),
    sample(lease_refresh{keep_record{}}),
    sample(lease_refresh{"{\"n\":1}"}),
    sample(lease_refreshed{{1}, 2s}),
    sample(lease_release{}),
    sample(lease_released{loss_reason::deleted, true}),
    sample(lease_released{{}, false}),
    sample(lease_subscribe{true}),
    sample(lease_wait_ended{}),
    sample(lease_inspect{}),
    sample(lease_jeopardy{at("a.Lease"), 1s}),
    sample(lease_recovered{at("a.Lease"), 1s}),
    sample(
      lease_renewed{.subject = at("a.Lease"), .revision = {3}, .token = token, .time_left = 4s}),
    sample(lease_ended{at("a.Lease"), token, loss_reason::paused, "kernel"}),
    sample(lease_ended{at("a.Lease"), token, {}, ""}),
    sample(status()),
    sample(fresh_status()),
    sample(clock_jumped{-5s}),
    sample(watch_clock{}),
    sample(unwatch_clock{}),
  };
}

} // namespace trunnion::test
