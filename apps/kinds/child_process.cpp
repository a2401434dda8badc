#include "trunnion/kinds/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>

namespace trunnion {
namespace {

constexpr int first_other_fd = 3; // After standard input, output and errors.
constexpr int most_fds = 65'536;  // Looked at where the kernel cannot close a range.

constexpr int parent_died = SIGUSR1; // To a program's keeper.
constexpr int kill_group = SIGUSR2;

std::string error_text(int number) { return std::generic_category().message(number); }

/// All that the child needs after the fork, where it may not allocate.
struct launch {
  std::string program;
  std::vector<char*> words, environment;  // Null at the end.
  file_handle nothing, out, err, trouble; // `trouble` tells why the program does not run.
  pid_t parent = 0;
};

tl::unexpected<failure> cannot_run(const std::string& program, int number) {
  const bool is_missing = number == ENOENT || number == ENOTDIR;
  return fail(error_code::invalid_argument, "cannot run '" + program + "': " + error_text(number)
                                              + (is_missing ? " (127)" : " (126)"));
}

/// The file of a program, looked up as a shell does.
outcome<std::string> look_up(const std::string& program) {
  if (program.find('/') != std::string::npos)
    return program;
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  int trouble = ENOENT;
  while (!rest.empty()) {
    const auto folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    const auto file = (folder.empty() ? "." : std::string{folder}) + "/" + program;
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      continue;
    if (::access(file.c_str(), X_OK) == 0)
      return file;
    trouble = EACCES;
  }
  return cannot_run(program, trouble);
}

/// The descriptor above the standard ones, which may be closed in our process.
file_handle above_standard(int fd) {
  file_handle given{fd};
  if (fd < 0 || fd >= first_other_fd)
    return given;
  return file_handle{::fcntl(fd, F_DUPFD_CLOEXEC, first_other_fd)};
}

struct pipe_ends {
  file_handle reading, writing;
};

outcome<pipe_ends> make_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) == 0) {
    pipe_ends result{above_standard(fds[0]), above_standard(fds[1])};
    if (result.reading.is_open() && result.writing.is_open())
      return result;
  }
  return fail(error_code::overloaded, "no pipe for a program: " + error_text(errno));
}

std::vector<std::string> environment_of(const child_command& command) {
  std::vector<std::string> result;
  for (char** x = environ; x && *x; ++x)
    if (!std::string_view{*x}.starts_with("TRUNNION_")) // Ours may hold secrets.
      result.emplace_back(*x);
  result.insert(result.end(), command.environment.begin(), command.environment.end());
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& x : texts)
    result.push_back(x.data());
  result.push_back(nullptr);
  return result;
}

/// Of the keeper: dies as the program did.
[[noreturn]] void mirror(int status) {
  if (WIFEXITED(status))
    ::_exit(WEXITSTATUS(status));
  const rlimit no_core{0, 0}; // The program's own is enough.
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int number = WTERMSIG(status);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, number);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::kill(::getpid(), number);
  ::_exit(128 + number);
}

/// Of the keeper: passes signals on to the program's group, and ends when the program has, or when
/// we have died, in each case with the whole group. It reaps the program last, so that the number
/// of the group is nobody else's as long as it is used. All signals are blocked.
[[noreturn]] void keep(pid_t program, pid_t parent) {
  ::setpgid(program, program); // As the program does itself; who comes first wins.
  if (::syscall(SYS_close_range, 0U, ~0U, 0U) != 0) // Whoever reads must see the program's end.
    for (int fd = 0; fd < most_fds; ++fd)
      ::close(fd);
  sigset_t awaited;
  ::sigemptyset(&awaited);
  for (const int number : {SIGCHLD, SIGTERM, kill_group, parent_died})
    ::sigaddset(&awaited, number);
  for (int number = 0;; number = ::sigwaitinfo(&awaited, nullptr)) {
    if (number == SIGTERM)
      ::kill(-program, SIGTERM);
    if (number == kill_group || ::getppid() != parent)
      ::kill(-program, SIGKILL);
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WNOHANG | WNOWAIT) != 0
        || info.si_pid != program)
      continue;
    ::kill(-program, SIGKILL); // What it left behind.
    int status = 0;
    ::waitpid(program, &status, 0);
    mirror(status);
  }
}

/// Of the child: only what is safe between fork and exec of a process with threads.
[[noreturn]] void become(const launch& x) {
  const auto give_up = [&] {
    const int number = errno;
    [[maybe_unused]] const auto told = ::write(x.trouble.get(), &number, sizeof number);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  // No new privileges: a program that became another user could not be ended by us.
  if (::prctl(PR_SET_PDEATHSIG, parent_died) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    give_up();
  for (int number = 1; number < NSIG; ++number)
    ::signal(number, SIG_DFL);
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  const auto keeper = ::getpid();
  const auto program = ::fork();
  if (program < 0)
    give_up();
  if (program > 0)
    keep(program, x.parent);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
    give_up();
  if (::getppid() != keeper)
    ::_exit(127); // It died before we said so.
  ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(x.nothing.get(), STDIN_FILENO) < 0 || ::dup2(x.out.get(), STDOUT_FILENO) < 0
      || ::dup2(x.err.get(), STDERR_FILENO) < 0)
    give_up();
  constexpr unsigned close_at_exec = 4; // CLOSE_RANGE_CLOEXEC, which older headers lack.
  if (::syscall(SYS_close_range, first_other_fd, ~0U, close_at_exec) != 0)
    for (int fd = first_other_fd; fd < most_fds; ++fd)
      ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ::execve(x.program.c_str(), x.words.data(), x.environment.data());
  give_up();
  ::_exit(127);
}

/// What the child could not do; 0 once the program runs.
int trouble_of(const file_handle& from) {
  int number = 0;
  ssize_t got = 0;
  do
    got = ::read(from.get(), &number, sizeof number);
  while (got < 0 && errno == EINTR);
  return got == sizeof number ? number : 0;
}

} // namespace

outcome<child_process> child_process::start(const child_command& command) {
  auto program = look_up(command.words.at(0));
  if (!program)
    return tl::unexpected{program.error()};
  auto out = make_pipe();
  auto err = make_pipe();
  auto trouble = make_pipe();
  for (const auto* x : {&out, &err, &trouble})
    if (!*x)
      return tl::unexpected{x->error()};
  auto words = command.words;
  auto environment = environment_of(command);
  launch x{.program = *program,
           .words = pointers_to(words),
           .environment = pointers_to(environment),
           .nothing = above_standard(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
           .out = std::move(out->writing),
           .err = std::move(err->writing),
           .trouble = std::move(trouble->writing),
           .parent = ::getpid()};
  if (!x.nothing.is_open())
    return fail(error_code::overloaded, "/dev/null cannot be opened: " + error_text(errno));
  const auto pid = ::fork();
  if (pid < 0)
    return fail(error_code::overloaded, "no process for a program: " + error_text(errno));
  if (pid == 0)
    become(x);
  child_process child{pid};
  for (auto* ours : {&x.out, &x.err, &x.trouble})
    ours->close();
  if (const int number = trouble_of(trouble->reading); number != 0)
    return cannot_run(command.words.front(), number);
  child.out = std::move(out->reading);
  child.err = std::move(err->reading);
  for (const auto* x : {&child.out, &child.err})
    ::fcntl(x->get(), F_SETFL, O_NONBLOCK);
  child.death = file_handle{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  return child;
}

child_process::child_process(child_process&& other) noexcept
  : out(std::move(other.out)),
    err(std::move(other.err)),
    death(std::move(other.death)),
    pid_(std::exchange(other.pid_, 0)) {}

child_process::~child_process() {
  if (pid_ != 0)
    reap();
}

bool child_process::has_died() const {
  siginfo_t info{};
  const auto asked = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return asked == 0 ? info.si_pid == pid_ : errno == ECHILD;
}

void child_process::signal(int number) const {
  if (pid_ != 0)
    ::kill(pid_, number == SIGKILL ? kill_group : number);
}

int child_process::reap() {
  ::kill(pid_, kill_group);
  int status = 0;
  pid_t done = 0;
  do
    done = ::waitpid(pid_, &status, 0);
  while (done < 0 && errno == EINTR);
  pid_ = 0;
  return status;
}

std::string wait_status_text(int status) {
  if (WIFEXITED(status))
    return "ended with status " + std::to_string(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  const char* name = ::sigabbrev_np(number);
  return "was killed by " + (name ? "SIG" + std::string{name} : "signal " + std::to_string(number));
}

} // namespace trunnion
