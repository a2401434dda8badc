#include "trunnion/runtime/real_runtime.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <regex>
#include <unistd.h>
#include <vector>

using namespace trunnion;

namespace {

/// Puts a temporary file in the place of a standard stream while it lives.
class capture {
public:
  explicit capture(int fd) : fd_(fd), saved_(dup(fd)), file_(std::tmpfile()) {
    BOOST_REQUIRE(file_ != nullptr);
    dup2(fileno(file_), fd_);
  }

  ~capture() {
    dup2(saved_, fd_);
    close(saved_);
    std::fclose(file_);
  }

  std::vector<std::string> lines() {
    std::vector<std::string> result;
    std::rewind(file_);
    std::string line;
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_))
      if (c == '\n')
        result.push_back(std::exchange(line, {}));
      else
        line += static_cast<char>(c);
    BOOST_TEST(line == ""); // Every line is ended.
    return result;
  }

private:
  int fd_;
  int saved_;
  std::FILE* file_;
};

/// What a sink writes on standard error, without the times, while `use` uses it.
std::vector<std::string> lines_of(log_level least, auto use) {
  capture errors{STDERR_FILENO};
  {
    spdlog_sink sink{least};
    use(sink);
  }
  auto lines = errors.lines();
  for (auto& line : lines)
    line.erase(0, sizeof "2026-01-31T21:04:05.678Z");
  return lines;
}

using texts = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(spdlog_sink_test)

BOOST_AUTO_TEST_CASE(a_line_has_utc_time_level_actor_and_text) {
  capture output{STDOUT_FILENO};
  capture errors{STDERR_FILENO};
  spdlog_sink{}.write(log_level::info, "lease", "acquired ridge.mount");
  const auto lines = errors.lines();
  BOOST_REQUIRE(lines.size() == 1U);
  const std::regex form{
    R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info  lease: acquired ridge\.mount)"};
  BOOST_TEST(std::regex_match(lines[0], form), lines[0]);
  BOOST_TEST(output.lines().empty()); // Standard output is for data only.
}

BOOST_AUTO_TEST_CASE(lines_come_in_order_and_lesser_levels_do_not_come) {
  const auto lines = lines_of(log_level::info, [](auto& sink) {
    sink.write(log_level::debug, "a", "1");
    sink.write(log_level::warn, "a", "2");
    sink.set_level(log_level::error);
    sink.write(log_level::warn, "a", "3");
    sink.write(log_level::error, "a", "4");
    sink.set_level(log_level::debug);
    sink.write(log_level::debug, "a", "5");
  });
  BOOST_TEST((lines == texts{"warn  a: 2", "error a: 4", "debug a: 5"}));
}

BOOST_AUTO_TEST_CASE(text_from_others_cannot_forge_a_line_or_a_format) {
  const auto lines = lines_of(log_level::info, [](auto& sink) {
    sink.write(log_level::info, "a\nb", "x\n2026-01-01T00:00:00.000Z error \x1b[2J\u202e");
    sink.write(log_level::info, "a", "{} {0:d} %v %^");
  });
  BOOST_TEST((lines
              == texts{"info  a\\nb: x\\n2026-01-01T00:00:00.000Z error \\x1b[2J\\u{202e}",
                       "info  a: {} {0:d} %v %^"}));
}

BOOST_AUTO_TEST_CASE(a_line_that_is_too_long_is_cut_and_says_so) {
  const auto lines = lines_of(log_level::info, [](auto& sink) {
    sink.write(log_level::info, "a", std::string(max_log_line + 7, 'x'));
  });
  BOOST_TEST((lines == texts{"info  a: " + std::string(max_log_line, 'x') + " (7 bytes cut)"}));
}

BOOST_AUTO_TEST_CASE(a_reader_that_does_not_read_holds_nobody_up_and_what_is_lost_is_counted) {
  constexpr std::size_t written = max_queued_log_lines + 5'000; // Hangs here if writers wait.
  std::array<int, 2> ends{};
  BOOST_REQUIRE(pipe(ends.data()) == 0);
  BOOST_REQUIRE(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 0);
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  const auto saved = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  close(ends[1]);
  std::uint64_t lost = 0;
  {
    spdlog_sink sink;
    for (std::size_t i = 0; i < written; ++i)
      sink.write(log_level::info, "a", std::string(100, 'x'));
    lost = sink.lost();
    close(ends[0]); // Ends the wait of the thread that writes.
  }
  dup2(saved, STDERR_FILENO);
  close(saved);
  std::signal(SIGPIPE, old_handler);
  BOOST_TEST(lost >= written - max_queued_log_lines - 4096 / 100 - 1);
  BOOST_TEST(lost < written);
}

BOOST_AUTO_TEST_CASE(the_bundle_hands_out_what_it_owns) {
  std::uint64_t refused = 0;
  const auto lines = [&] {
    capture errors{STDERR_FILENO};
    {
      real_runtime world{{.least_level = log_level::warn, .bounds = {.subscribers = 7}}};
      world.watch_clock([](nanoseconds) {});
      world.watch_clock([](nanoseconds) {}); // In place of the first.
      const auto rt = world.rt();
      rt.log.write(log_level::info, "a", "not shown");
      rt.log.write(log_level::warn, "a", "shown");
      rt.metrics.count("x", rt.bounds.subscribers);
      refused = world.metrics.snapshot().counters.at("x");
      world.unwatch_clock();
    }
    return errors.lines();
  }();
  BOOST_TEST(refused == 7U);
  BOOST_REQUIRE(lines.size() == 1U);
  BOOST_TEST(lines[0].ends_with("warn  a: shown"));
}

BOOST_AUTO_TEST_SUITE_END()
