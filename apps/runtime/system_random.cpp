#include "trunnion/runtime/system_random.hpp"

#include "trunnion/messages/ensure.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <pthread.h>
#include <sys/random.h>

namespace trunnion {
namespace {

std::atomic<unsigned> forks{0}; // How many forks lie between the first process and this one.

struct read_ahead {
  std::array<std::uint64_t, 32> numbers; // 256 bytes: as much as the kernel gives in one piece.
  std::size_t used = 32;
  unsigned forks_seen = 0;
};

void refill(read_ahead& buffer) {
  ssize_t got = 0;
  do // Only a kernel that has just started can be interrupted here.
    got = getrandom(buffer.numbers.data(), sizeof buffer.numbers, 0);
  while (got < 0 && errno == EINTR);
  ensure(got == sizeof buffer.numbers, "the kernel gives 256 random bytes in one piece");
  buffer.used = 0;
}

} // namespace

std::uint64_t system_random::next() {
  static const bool watched
    = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); }) == 0;
  thread_local read_ahead buffer;
  ensure(watched, "a handler of forks can be set");
  const auto now = forks.load(std::memory_order_relaxed);
  if (buffer.used == buffer.numbers.size() || buffer.forks_seen != now)
    refill(buffer);
  buffer.forks_seen = now;
  return buffer.numbers[buffer.used++];
}

} // namespace trunnion
