// Chance from the kernel.
//
// Names of holders must differ between computers that start at the same moment from the same image,
// so nothing but the kernel's generator will do. It is read 32 numbers at a time by each thread, so
// that a number costs a copy and not a system call.
//
// Threads: any. A process that forks gets numbers of its own: what the parent had read ahead is not
// used by the child.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

namespace trunnion {

class system_random final : public random_source {
public:
  std::uint64_t next() override;
};

} // namespace trunnion
