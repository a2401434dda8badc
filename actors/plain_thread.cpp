#include "trunnion/actors/plain_thread.hpp"

#include <array>
#include <pthread.h>

namespace trunnion {

outcome<void> may_block() {
  constexpr std::string_view worker = "caf.multiplexer"; // As CAF 0.17 names them.
  std::array<char, 16> name{};
  if (pthread_getname_np(pthread_self(), name.data(), name.size()) == 0 && name.data() == worker)
    return fail(error_code::invalid_argument, "blocking calls are not for actors");
  return {};
}

} // namespace trunnion
