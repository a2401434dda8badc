// Real programs, in real time, but nothing is timed: each test waits for what must happen.

#include "trunnion/kinds/child_reader.hpp"

#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 30s; // Of a test, before it fails.

/// A shell's program, and all that came from it.
struct child_fixture {
  void run(const std::string& script, std::size_t longest = 1'000, bool uses = true) {
    run_command({{"/bin/sh", "-c", script}, {"TRUNNION_ENTITY=ridge.probe"}}, longest, uses);
  }

  void run_command(const child_command& command, std::size_t longest = 1'000, bool uses = true) {
    source = read_child(command, longest, [this, uses](const child_news& x) {
      // The first news may come before `source` is set; so whoever waits reports what was used.
      const std::lock_guard lock{mutex};
      lines.insert(lines.end(), x.lines.begin(), x.lines.end());
      complaints.insert(complaints.end(), x.complaints.begin(), x.complaints.end());
      overlong += x.overlong;
      if (uses)
        unreported.emplace_back(x.line_count(), x.byte_count());
      if (x.end)
        end = x.end;
      changed.notify_all();
    });
  }

  /// Until `holds` does, of all that has come.
  template <class Condition> void wait_for(const char* what, Condition holds) {
    std::unique_lock lock{mutex};
    const auto ok = changed.wait_for(lock, patience, [&] {
      for (const auto& [count, bytes] : unreported)
        source->used(count, bytes);
      unreported.clear();
      return holds();
    });
    BOOST_REQUIRE_MESSAGE(ok, what);
  }

  std::string wait_for_end() {
    wait_for("the program's end", [&] { return end.has_value(); });
    return end->text;
  }

  pid_t first_number() {
    wait_for("the first line", [&] { return !lines.empty(); });
    return static_cast<pid_t>(std::stol(lines.front()));
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> lines, complaints;
  std::vector<std::pair<std::size_t, std::size_t>> unreported;
  std::uint64_t overlong = 0;
  std::optional<failure> end;
  std::unique_ptr<news_source> source; // Ends first: its thread uses what is above.
};

/// Tells when a process, which need not be our child, is dead.
class death_watch {
public:
  explicit death_watch(pid_t pid) : fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

  [[nodiscard]] bool is_dead() const {
    pollfd x{fd_.get(), POLLIN, 0};
    return !fd_.is_open()
           || ::poll(&x, 1, static_cast<int>(std::chrono::milliseconds{patience}.count())) == 1;
  }

private:
  file_handle fd_;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(child_reader_test, child_fixture)

BOOST_AUTO_TEST_CASE(lines_arrive_and_the_end_says_how_it_was) {
  run("echo '{\"a\":1}'; echo; printf '2\\n3'; exit 7");
  BOOST_TEST(wait_for_end() == "'/bin/sh' ended with status 7");
  BOOST_TEST((lines == std::vector<std::string>{"{\"a\":1}", "2"})); // The 3 has no end.
}

BOOST_AUTO_TEST_CASE(errors_are_apart_from_output_and_cut_where_they_are_long) {
  run("echo out; echo err >&2; printf '%05000d\\n' 1 >&2; echo next >&2");
  (void)wait_for_end();
  BOOST_TEST((lines == std::vector<std::string>{"out"}));
  BOOST_REQUIRE(complaints.size() == 3u);
  BOOST_TEST(complaints[0] == "err");
  BOOST_TEST(complaints[1] == std::string(max_complaint_length, '0'));
  BOOST_TEST(complaints[2] == "next");
}

BOOST_AUTO_TEST_CASE(the_program_sees_an_empty_input_our_words_and_no_other_descriptor) {
  ::setenv("TRUNNION_BACKEND", "nats://user:secret@host", 1);
  run_command({{"/bin/sh", "-c", "cat; echo \"$1\"; env | grep ^TRUNNION; echo /proc/self/fd/*",
                "sh", "a b; $(c) '"},
               {"TRUNNION_ENTITY=ridge.probe"}});
  (void)wait_for_end();
  ::unsetenv("TRUNNION_BACKEND");
  BOOST_REQUIRE(lines.size() == 3u);
  BOOST_TEST(lines[0] == "a b; $(c) '");
  BOOST_TEST(lines[1] == "TRUNNION_ENTITY=ridge.probe");
  // The shell itself opens the folder that it lists.
  BOOST_TEST(lines[2] == "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3");
}

BOOST_AUTO_TEST_CASE(a_program_that_is_missing_or_no_program_is_said_so) {
  for (const auto& [program, status] :
       {std::pair{"/nonexistent/program", "No such file or directory (127)"},
        std::pair{"no-such-program-anywhere", "No such file or directory (127)"},
        std::pair{"/etc/passwd", "Permission denied (126)"},
        std::pair{"/", "Permission denied (126)"}}) {
    child_fixture x;
    x.run_command({{program}, {}});
    BOOST_TEST(x.wait_for_end() == "cannot run '" + std::string{program} + "': " + status);
    BOOST_TEST((x.end->code == error_code::invalid_argument));
  }
}

BOOST_AUTO_TEST_CASE(a_program_is_looked_up_on_the_path) {
  run_command({{"echo", "found"}, {}});
  (void)wait_for_end();
  BOOST_TEST((lines == std::vector<std::string>{"found"}));
}

BOOST_AUTO_TEST_CASE(a_killed_program_is_told_as_killed) {
  run("echo $$; exec sleep 1000");
  ::kill(first_number(), SIGKILL);
  BOOST_TEST(wait_for_end() == "'/bin/sh' was killed by SIGKILL");
}

BOOST_AUTO_TEST_CASE(a_stop_asks_first) {
  run("trap 'echo bye; exit 3' TERM; echo $$; while :; do sleep 0.1; done");
  (void)first_number();
  source->stop(1h);
  BOOST_TEST(wait_for_end() == "'/bin/sh' ended with status 3");
  BOOST_TEST(lines.back() == "bye");
}

BOOST_AUTO_TEST_CASE(a_program_that_ignores_the_question_is_killed_after_the_grace) {
  run("trap '' TERM; echo $$; while :; do sleep 0.1; done");
  (void)first_number();
  source->stop(50ms);
  BOOST_TEST(wait_for_end() == "'/bin/sh' was killed by SIGKILL");
}

BOOST_AUTO_TEST_CASE(what_the_program_started_ends_with_it) {
  run("sleep 1000 & echo $!; wait");
  const death_watch grandchild{first_number()};
  source->stop(0s);
  (void)wait_for_end();
  BOOST_TEST(grandchild.is_dead());
}

BOOST_AUTO_TEST_CASE(what_a_dead_program_left_behind_ends_too) {
  run("sleep 1000 & echo $!");
  const death_watch orphan{first_number()};
  BOOST_TEST(wait_for_end() == "'/bin/sh' ended with status 0");
  BOOST_TEST(orphan.is_dead());
}

BOOST_AUTO_TEST_CASE(the_destructor_leaves_no_program_behind) {
  run("trap '' TERM; echo $$; while :; do sleep 0.1; done");
  const auto pid = first_number();
  source.reset();
  BOOST_TEST(::kill(pid, 0) == -1); // Reaped, too.
  BOOST_TEST(errno == ESRCH);
}

BOOST_AUTO_TEST_CASE(a_killed_process_takes_its_program_and_what_that_started_with_it) {
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  const file_handle reading{ends[0]}, writing{ends[1]};
  const auto process = ::fork();
  if (process == 0) {
    const auto program
      = read_child({{"/bin/sh", "-c", "trap '' TERM; sleep 1000 & echo $!; wait"}, {}}, 1'000,
                   [&](const child_news& x) {
                     [[maybe_unused]] const auto told
                       = ::write(writing.get(), x.lines.at(0).data(), x.lines.at(0).size());
                   });
    for (;;)
      ::pause();
  }
  char text[32]{};
  BOOST_REQUIRE(::read(reading.get(), text, sizeof text - 1) > 0);
  const death_watch program{static_cast<pid_t>(std::stol(text))};
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  BOOST_TEST(program.is_dead());
}

BOOST_AUTO_TEST_CASE(a_flood_that_nobody_uses_waits_in_the_program) {
  run("yes 12345678 & sleep 0.3; kill -KILL $!", 1'000, false); // Time for millions of lines.
  (void)wait_for_end();
  constexpr std::size_t one_read = (64U << 10U) / 9, one_pipe = one_read;
  BOOST_TEST(lines.size() >= max_lines_unused);
  BOOST_TEST(lines.size() <= max_lines_unused + one_read + one_pipe);
}

BOOST_AUTO_TEST_CASE(a_flood_that_is_used_goes_on) {
  run("i=0; while [ $i -lt 5000 ]; do echo 12345678; i=$((i+1)); done");
  (void)wait_for_end();
  BOOST_TEST(lines.size() == 5'000u);
}

BOOST_AUTO_TEST_CASE(an_overlong_line_is_counted_and_the_next_one_comes) {
  run("printf '%02000d\\n' 1; echo next; printf '%0999d\\n%01000d\\n' 1 1");
  (void)wait_for_end();
  BOOST_TEST(overlong == 1u);
  BOOST_REQUIRE(lines.size() == 3u);
  BOOST_TEST(lines[0] == "next");
  BOOST_TEST(lines[2].size() == 1'000u);
}

BOOST_AUTO_TEST_CASE(a_program_that_closes_its_output_is_waited_for) {
  run("exec >&- 2>&-; sleep 0.05; exit 4");
  BOOST_TEST(wait_for_end() == "'/bin/sh' ended with status 4");
}

BOOST_AUTO_TEST_CASE(signals_that_we_ignore_or_block_reach_the_program) {
  sigset_t blocked, before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto ignored = ::signal(SIGPIPE, SIG_IGN);
  run("grep -E '^Sig(Blk|Ign)' /proc/self/status | cut -f2");
  (void)wait_for_end();
  ::signal(SIGPIPE, ignored);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  BOOST_TEST((lines == std::vector<std::string>(2, "0000000000000000")));
}

BOOST_AUTO_TEST_SUITE_END()
