#include "trunnion/bench/world.hpp"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace trunnion::bench {

void die(std::string_view what, const caf::error& error) {
  die(fmt::format("{}: {}", what, to_string(to_failure(error))));
}

void die(std::string_view what) {
  fmt::print(stderr, "trunnion-bench: {}\n", what);
  std::fflush(stdout);
  std::_Exit(2);
}

subject at(std::string_view text) {
  auto result = subject::parse(text);
  if (!result)
    die(to_string(result.error()));
  return *result;
}

world::world(const limits& bounds)
  : bounds_(bounds), sys(config_), backend(spawn_memory_backend(sys, rt())) {}

world::~world() { caf::anon_send_exit(backend, caf::exit_reason::user_shutdown); }

caf::actor world::someone() {
  return sys.spawn([](caf::event_based_actor* self) -> caf::behavior {
    self->set_default_handler(caf::drop);
    return {[](caf::unit_t) {}};
  });
}

double resident_bytes() {
  std::ifstream file{"/proc/self/statm"};
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto in_seconds = [](const timeval& x) {
    return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) * 1e-6;
  };
  return in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
}

void wait(const std::latch& what, std::string_view name) {
  for (int i = 0; i < 1'200'000 && !what.try_wait(); ++i)
    std::this_thread::sleep_for(std::chrono::microseconds{100});
  if (!what.try_wait())
    die(fmt::format("waited for two minutes in vain: {}", name));
}

} // namespace trunnion::bench
