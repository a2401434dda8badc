#include "trunnion/kinds/child_reader.hpp"

#include "trunnion/kinds/line_splitter.hpp"
#include "trunnion/messages/ensure.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>

namespace trunnion {
namespace {

using steady = std::chrono::steady_clock;

constexpr std::size_t read_size = 64U << 10U;
constexpr std::size_t most_after_death = 2U << 20U; // More than a pipe holds.
constexpr milliseconds look_for_death{50};          // Without a descriptor that tells it.

class child_reader : public news_source {
public:
  child_reader(child_command command, std::size_t longest, news_sink sink)
    : command_(std::move(command)),
      sink_(std::move(sink)),
      lines_(longest),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    ensure(wake_.is_open(), "there is a descriptor to wake a reader with");
    thread_ = std::thread{[this] { run(); }};
  }

  ~child_reader() override {
    stop({});
    thread_.join();
  }

  void used(std::size_t lines, std::size_t bytes) override {
    unused_bytes_ -= bytes;
    unused_lines_ -= lines;
    wake();
  }

  void stop(nanoseconds grace) override {
    {
      const std::lock_guard lock{mutex_};
      const auto kill_at = steady::now() + grace;
      kill_at_ = kill_at_ ? std::min(*kill_at_, kill_at) : kill_at;
    }
    wake();
  }

private:
  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto told = ::write(wake_.get(), &one, sizeof one);
  }

  // -- the thread -------------------------------------------------------------

  void run() {
    sigset_t all; // Signals are the business of other threads.
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    auto child = child_process::start(command_);
    if (!child)
      return sink_({.end = child.error()});
    while (!child->has_died()) {
      obey(*child);
      wait(*child);
      read(*child);
    }
    drain(child->out, [this](std::string_view bytes) { lines_.feed(bytes, news_.lines); });
    drain(child->err, [this](std::string_view bytes) { complain(bytes); });
    news_.end = failure{error_code::remote_request, certainty::not_applied, "",
                        "'" + command_.words.front() + "' " + wait_status_text(child->reap())};
    hand_on();
  }

  /// Signals that are due.
  void obey(const child_process& child) {
    const auto kill_at = this->kill_at();
    if (!kill_at)
      return;
    if (steady::now() >= *kill_at)
      child.signal(SIGKILL);
    else if (!std::exchange(was_asked_, true))
      child.signal(SIGTERM);
  }

  /// Until something has happened.
  void wait(const child_process& child) {
    const bool has_room = unused_lines_ < max_lines_unused && unused_bytes_ < max_bytes_unused;
    std::array<pollfd, 4> fds{{{wake_.get(), POLLIN, 0},
                               {child.death.get(), POLLIN, 0},
                               {has_room ? child.out.get() : -1, POLLIN, 0},
                               {has_room ? child.err.get() : -1, POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), timeout_ms(child));
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
    has_out_ = fds[2].revents != 0;
    has_err_ = fds[3].revents != 0;
  }

  int timeout_ms(const child_process& child) {
    auto result = child.death.is_open() ? milliseconds{-1} : look_for_death;
    if (const auto kill_at = this->kill_at()) {
      const auto left = std::chrono::ceil<milliseconds>(*kill_at - steady::now());
      const auto soon = std::max(left, look_for_death); // Once killed, it may take a moment.
      result = result < milliseconds{} ? soon : std::min(result, soon);
    }
    return static_cast<int>(std::min<std::int64_t>(result.count(), 60'000));
  }

  void read(child_process& child) {
    if (has_out_ && !read_some(child.out, [this](auto x) { lines_.feed(x, news_.lines); }))
      child.out.close();
    if (has_err_ && !read_some(child.err, [this](auto x) { complain(x); }))
      child.err.close();
    hand_on();
  }

  /// Reads once; false at the end of the pipe.
  template <class Use> bool read_some(const file_handle& from, Use use) {
    const auto got = ::read(from.get(), buffer_.data(), buffer_.size());
    if (got > 0)
      use(std::string_view{buffer_.data(), static_cast<std::size_t>(got)});
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
  }

  /// What the program had printed before it died.
  template <class Use> void drain(const file_handle& from, Use use) {
    for (std::size_t total = 0; from.is_open() && total < most_after_death;) {
      const auto got = ::read(from.get(), buffer_.data(), buffer_.size());
      if (got <= 0)
        return;
      total += static_cast<std::size_t>(got);
      use(std::string_view{buffer_.data(), static_cast<std::size_t>(got)});
    }
  }

  /// Errors are for people: a long line is cut, not left out.
  void complain(std::string_view bytes) {
    for (const char x : bytes)
      if (x != '\n') {
        if (complaint_.size() < max_complaint_length)
          complaint_ += x;
      } else if (!complaint_.empty()) {
        news_.complaints.push_back(std::exchange(complaint_, {}));
      }
  }

  void hand_on() {
    news_.overlong = lines_.overlong() - std::exchange(told_overlong_, lines_.overlong());
    if (news_.line_count() == 0 && news_.overlong == 0 && !news_.end)
      return;
    unused_lines_ += news_.line_count();
    unused_bytes_ += news_.byte_count();
    sink_(std::exchange(news_, {}));
  }

  std::optional<steady::time_point> kill_at() {
    const std::lock_guard lock{mutex_};
    return kill_at_;
  }

  child_command command_;
  news_sink sink_;
  line_splitter lines_;
  file_handle wake_;
  std::mutex mutex_;
  std::optional<steady::time_point> kill_at_; // Guarded by the mutex.
  std::atomic<std::size_t> unused_lines_{0};
  std::atomic<std::size_t> unused_bytes_{0};

  // Of the thread alone.
  std::vector<char> buffer_ = std::vector<char>(read_size);
  child_news news_;
  std::string complaint_;
  std::uint64_t told_overlong_ = 0;
  bool was_asked_ = false;
  bool has_out_ = false;
  bool has_err_ = false;

  std::thread thread_; // Starts when all else is there.
};

} // namespace

std::size_t child_news::byte_count() const {
  std::size_t result = 0;
  for (const auto* texts : {&lines, &complaints})
    for (const auto& x : *texts)
      result += x.size();
  return result;
}

std::unique_ptr<news_source> read_child(child_command command, std::size_t longest,
                                        news_sink sink) {
  return std::make_unique<child_reader>(std::move(command), longest, std::move(sink));
}

} // namespace trunnion
