#include "trunnion/runtime/boot_clock.hpp"

#include "trunnion/messages/ensure.hpp"

#include <ctime>

namespace trunnion {
namespace {

nanoseconds read(clockid_t id) {
  timespec t{};
  ensure(clock_gettime(id, &t) == 0, "the kernel has this clock");
  return std::chrono::seconds{t.tv_sec} + nanoseconds{t.tv_nsec};
}

} // namespace

instant boot_clock::now() const { return instant{read(CLOCK_BOOTTIME)}; }

wall_time boot_clock::wall() const { return wall_time{read(CLOCK_REALTIME)}; }

nanoseconds awake_time() { return read(CLOCK_MONOTONIC); }

} // namespace trunnion
