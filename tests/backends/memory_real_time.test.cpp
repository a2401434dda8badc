// The conformance suite against the memory backend in real time, which shows that the suite itself
// can run so: engines with a disk or a server of their own have no other time. What mostly waits is
// left out, since virtual time has shown it.

#include "trunnion/runtime/boot_clock.hpp"
#include "trunnion/tests/backends/memory_target.hpp"
#include "trunnion/tests/conformance/real_world.hpp"

namespace trunnion::test {
namespace {

struct silent : log_sink, metrics_sink {
  void write(log_level, std::string_view, std::string_view) override {}
  void count(std::string_view, std::uint64_t) override {}
  void observe(std::string_view, double) override {}
};

conformance_target real_memory_target() {
  static const boot_clock time;
  static seeded_random chance{1};
  static silent nowhere;
  auto result = memory_target();
  result.name = "memory_in_real_time";
  result.left_out = {"flow", "stream", "ttl"};
  result.make_world = [](const setting& wanted) {
    return std::make_unique<real_world>(runtime{time, chance, nowhere, nowhere}, make_memory_with,
                                        wanted, real_world::manner{.slack = 2s});
  };
  return result;
}

const bool added = add_conformance_suite(real_memory_target());

} // namespace
} // namespace trunnion::test
