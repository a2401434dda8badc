// trunnion-bench [--only NAME] [--quick]: takes the figures and judges them.

#include "trunnion/bench/figure.hpp"
#include "trunnion/bench/figures.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace trunnion::bench;

namespace {

struct group {
  std::string_view name;
  bool (*measure)(const effort&);
};

constexpr std::array groups{
  group{"abandonment", measure_abandonment},
  group{"operations", measure_operations},
  group{"listeners", measure_listeners},
  group{"requests", measure_requests},
  group{"held", measure_held},
  group{"expiry", measure_expiry},
  group{"leases", measure_leases},
  group{"monitors", measure_monitors},
  group{"handover", measure_handover},
  group{"streams", measure_streams},
  group{"pressure", measure_pressure},
};

/// In a process of its own. There are no threads yet that a child could lack.
bool run_apart(const group& x, const effort& e) {
  const auto child = fork();
  if (child < 0)
    die("fork failed");
  if (child == 0) {
    const bool ok = x.measure(e);
    std::fflush(stdout);
    std::_Exit(ok ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
    die(fmt::format("{} could not be measured", x.name));
  return WEXITSTATUS(status) == 0;
}

[[noreturn]] void show_use() {
  fmt::print(stderr, "usage: trunnion-bench [--only NAME]... [--quick]\nNAME is one of");
  for (const auto& x : groups)
    fmt::print(stderr, " {}", x.name);
  fmt::print(stderr, ".\nStatus 1: a judged figure missed its bar.\n");
  std::exit(2);
}

} // namespace

int main(int argc, char** argv) {
  effort e;
  std::vector<const group*> chosen;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word{argv[i]};
    if (word == "--quick") {
      e.is_quick = true;
    } else if (word == "--only" && i + 1 < argc) {
      const auto* found = std::ranges::find(groups, std::string_view{argv[++i]}, &group::name);
      if (found == groups.end())
        show_use();
      chosen.push_back(found);
    } else {
      show_use();
    }
  }
  if (chosen.empty())
    for (const auto& x : groups)
      chosen.push_back(&x);
  print_head();
  bool ok = true;
  for (const auto* x : chosen)
    ok = run_apart(*x, e) && ok;
  return ok ? 0 : 1;
}
