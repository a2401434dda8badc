// A program that runs under us: started without a shell, in a process group of its own.
//
// Its standard input is empty, output and errors come through pipes, and no other descriptor of
// ours is open in it. Between us and the program stands a keeper, a small process that the kernel
// tells when the thread that started it ends, also by `kill -9` of our process: so that thread must
// live as long as the child. The keeper then kills the program's group, as it does when the program
// has ended or is to be killed. What the program starts itself belongs to its group, unless that
// goes into a session of its own.
//
// The keeper reaps the program last, and we reap the keeper: until then the numbers are theirs, so
// a signal never hits another's process.
//
// Threads: one user, the thread that starts it. Nothing here but `start` and `reap` blocks: `start`
// until the program runs, `reap` until it has died. Errors of `start` are `invalid_argument`, with
// the status that a shell would give: 127 not found, 126 cannot be run; `overloaded` if the system
// has no room.

#pragma once

#include "trunnion/kinds/file_handle.hpp"
#include "trunnion/messages/errors.hpp"

#include <string>
#include <sys/types.h>
#include <vector>

namespace trunnion {

struct child_command {
  std::vector<std::string> words; ///< Program and arguments; a program without `/` is looked up.
  std::vector<std::string> environment; ///< `NAME=value`, besides our own less all `TRUNNION_*`.
};

class child_process {
public:
  static outcome<child_process> start(const child_command& command);

  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&&) = delete;

  /// Kills and reaps what still runs.
  ~child_process();

  [[nodiscard]] pid_t pid() const { return pid_; } ///< Of the keeper.

  /// Reading ends of the pipes, which do not block.
  file_handle out, err;

  /// Readable when the program has died; not open on kernels that have none.
  file_handle death;

  [[nodiscard]] bool has_died() const;

  /// Sends SIGTERM or SIGKILL to the whole group.
  void signal(int number) const;

  /// Kills what is left of the group, and returns how the program ended: its wait status.
  int reap();

private:
  explicit child_process(pid_t pid) : pid_(pid) {}

  pid_t pid_; // 0: reaped.
};

/// `ended with status 3`, `was killed by SIGKILL`.
[[nodiscard]] std::string wait_status_text(int status);

} // namespace trunnion
