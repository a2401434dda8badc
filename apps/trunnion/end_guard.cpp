#include "trunnion/tool/end_guard.hpp"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

namespace trunnion {

namespace {

constexpr int signal_base = 128;

volatile std::sig_atomic_t status_at_bound = 1;

extern "C" void end_process(int signal) {
  std::_Exit(signal == SIGALRM ? static_cast<int>(status_at_bound) : signal_base + signal);
}

} // namespace

void end_guard::arm(int status, std::chrono::seconds within) {
  settle(status);
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGALRM, SIGINT, SIGTERM}) {
    std::signal(signal, end_process);
    sigaddset(&ours, signal);
  }
  pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
  ::alarm(static_cast<unsigned>(within.count()));
}

void end_guard::settle(int status) { status_at_bound = status; }

end_guard::~end_guard() { ::alarm(0); }

} // namespace trunnion
