#include "trunnion/actors/clock_watch.hpp"
#include "trunnion/actors/janitor.hpp"
#include "trunnion/backends/open_backend.hpp"
#include "trunnion/messages/ensure.hpp"
#include "trunnion/messages/json.hpp"
#include "trunnion/messages/lease_record.hpp"
#include "trunnion/messages/registration.hpp"
#include "trunnion/runner/site_runner.hpp"
#include "trunnion/runner/story.hpp"
#include "trunnion/runtime/escape.hpp"
#include "trunnion/runtime/real_runtime.hpp"
#include "trunnion/tool/commands/service.hpp"
#include "trunnion/tool/end_guard.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ostream>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace trunnion {
namespace {

constexpr nanoseconds flush_timeout = std::chrono::seconds{2};
constexpr int signal_base = 128;

// -- the story on standard output -----------------------------------------------

/// JSON without the white space that would break a line or a column; its texts have none.
std::string one_line(std::string json) {
  std::ranges::replace_if(
    json, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return check_json(json) || json.empty() ? json : escape_text(json);
}

/// A line of text: aligned on a terminal, else separated by tabs and with the data.
std::string text_line(const story_line& x, bool for_terminal) {
  const auto at = time_text(x.at);
  if (!for_terminal)
    return at + "\t" + escape_text(x.who) + "\t" + escape_text(x.what) + "\t" + escape_text(x.text)
           + "\t" + one_line(x.data);
  const auto padded = [](std::string text, std::size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
  };
  return at.substr(11, 12) + "  " + padded(escape_text(x.who), 28) + " "
         + padded(escape_text(x.what), 10) + " " + escape_text(x.text);
}

std::string json_line(const story_line& x) {
  json_writer out;
  out.begin_object().key("time").text(time_text(x.at).substr(0, 23) + "Z");
  out.key("who").text(x.who).key("event").text(x.what).key("text").text(x.text);
  if (!x.data.empty() && check_json(x.data))
    out.key("value").raw(x.data).key("encoding").text("json");
  return out.end_object().str();
}

story_sink print_story(const global_options& globals) {
  return [&globals](const story_line& x) {
    const auto& io = *globals.io;
    io.out << (globals.json.value ? json_line(x) : text_line(x, io.out_is_terminal)) << '\n'
           << std::flush;
  };
}

// -- waiting for the end --------------------------------------------------------

/// A file descriptor that is closed at the end.
class descriptor {
public:
  explicit descriptor(int fd) : fd_(fd) { ensure(fd >= 0, "a process has descriptors left"); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { ::close(fd_); }
  [[nodiscard]] int get() const { return fd_; }

private:
  int fd_;
};

/// Blocks the signals that end us, for this thread and all that it starts.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM})
    sigaddset(&signals, signal);
  if (struct sigaction hangup = {}; // Of a terminal that goes; `nohup` ignores it.
      ::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
    sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN); // A reader that goes away must not cost the leases.
  return signals;
}

/// One thing to do at a moment after the start.
struct planned {
  instant at;
  std::string service; ///< To kill, as a drill; empty: time for the end.
};

class site_watch {
public:
  site_watch(const clock& time, const site_runner_actor& site, const sigset_t& signals)
    : time_(time),
      site_(site),
      signals_(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)),
      ended_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    site->attach_functor([fd = ended_.get()](const caf::error&) {
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
    });
  }

  /// Until the site has ended; a second signal ends the process at once.
  void wait(std::vector<planned> plan) {
    std::ranges::sort(plan, std::greater{}, &planned::at);
    for (;;) {
      pollfd fds[2] = {{signals_.get(), POLLIN, 0}, {ended_.get(), POLLIN, 0}};
      ::poll(fds, 2, timeout_ms(plan));
      if (fds[1].revents != 0)
        return;
      if (fds[0].revents != 0)
        on_signal();
      for (; !plan.empty() && plan.back().at <= time_.now(); plan.pop_back())
        perform(plan.back());
    }
  }

  /// Whether somebody asked for the end.
  [[nodiscard]] bool was_asked() const { return was_asked_; }

private:
  int timeout_ms(const std::vector<planned>& plan) const {
    if (plan.empty())
      return -1;
    const auto left = plan.back().at - time_.now();
    const auto ms = std::chrono::ceil<milliseconds>(left).count();
    return static_cast<int>(std::clamp<std::int64_t>(ms, 0, 60'000));
  }

  void on_signal() {
    signalfd_siginfo info{};
    if (::read(signals_.get(), &info, sizeof info) != sizeof info)
      return;
    if (was_asked_)
      std::_Exit(signal_base + static_cast<int>(info.ssi_signo));
    ask_to_end();
  }

  void perform(const planned& x) {
    if (x.service.empty())
      ask_to_end();
    else
      caf::anon_send(site_, site_kill{x.service});
  }

  void ask_to_end() {
    was_asked_ = true;
    caf::anon_send_exit(site_, caf::exit_reason::user_shutdown);
  }

  const clock& time_;
  site_runner_actor site_;
  descriptor signals_;
  descriptor ended_;
  bool was_asked_ = false;
};

// -- one run ----------------------------------------------------------------------

std::string owner_text() {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0)
    return "unknown/" + std::to_string(::getpid());
  return std::string{host} + "/" + std::to_string(::getpid());
}

std::vector<planned> plan_of(const service_run_options& options, instant start) {
  std::vector<planned> result;
  for (const auto& drill : options.drills)
    result.push_back({start + drill.after, drill.service});
  if (options.lasting)
    result.push_back({start + *options.lasting, ""});
  return result;
}

/// Waits until the story has been told to its end; false: nobody reads it.
bool flush(caf::actor_system& system, const story_actor& story) {
  bool told = false;
  caf::scoped_actor self{system};
  self->request(story, flush_timeout, story_flush{})
    .receive([&](const story_flushed&) { told = true; }, [](const caf::error&) {});
  return told;
}

tool_error ended_by_itself(const site_model& site) {
  return {.code = "site_ended",
          .message = "all services of site '" + site.name + "' have ended for good",
          .exit = exit_code::unreachable,
          .hint = "the log says why"};
}

tl::expected<void, tool_error> run(const global_options& globals,
                                   const service_run_options& options, const site_model& site,
                                   real_runtime& world, caf::actor_system& system,
                                   const sigset_t& signals, end_guard& guard) {
  const auto url = choose_backend(globals, site.backend);
  auto backend = open_backend(system, world.rt(), url.value);
  if (!backend)
    return tl::unexpected{to_tool_error(backend.error())};
  const auto jumps = spawn_clock_watch(system);
  world.watch_clock([jumps](nanoseconds by) { caf::anon_send(jumps, clock_jumped{by}); });
  const auto place = entity::parse(site.name);
  ensure(place.has_value(), "the reader has checked the site's name");
  const auto story = spawn_story(system, world.rt(), *backend, *place, print_story(globals));
  device_directory devices;
  tl::expected<void, tool_error> result;
  auto runner = run_site(system, world.rt(), *backend, builtin_kinds(), devices,
                         {.site = site,
                          .only = options.only,
                          .owner = owner_text(),
                          .watcher = story,
                          .listener = story});
  if (runner) {
    site_watch watch{world.time, *runner, signals};
    watch.wait(plan_of(options, world.time.now()));
    guard.arm(static_cast<int>(exit_code::failed));
    if (!watch.was_asked())
      result = tl::unexpected{ended_by_itself(site)};
    if (flush(system, story))
      guard.settle(static_cast<int>(result ? exit_code::done : result.error().exit));
  } else {
    result = tl::unexpected{to_tool_error(runner.error())};
  }
  world.unwatch_clock();
  dismiss_janitor(system); // What it would still sweep goes with the TTL.
  for (const auto& actor : {caf::actor_cast<caf::actor>(story), caf::actor_cast<caf::actor>(jumps),
                            caf::actor_cast<caf::actor>(*backend)})
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  return result;
}

/// The log and the actors are gone when this returns.
tl::expected<void, tool_error> run_to_the_end(const global_options& globals,
                                              const service_run_options& options,
                                              const site_model& site, const sigset_t& signals,
                                              end_guard& guard) {
  real_runtime world{{.least_level = globals.quiet.value     ? log_level::error
                                     : globals.verbose.value ? log_level::debug
                                                             : log_level::info}};
  caf::actor_system_config config;
  configure(config, 2);
  caf::actor_system system{config};
  return run(globals, options, site, world, system, signals, guard);
}

} // namespace

int run_service(const global_options& globals, const service_run_options& options) {
  if (options.check)
    return check_service(globals, options);
  const auto loaded = load_site(options.file, options.settings);
  if (!loaded)
    return report(globals, loaded.error());
  if (const auto named = check_names(options, *loaded->site); !named)
    return report(globals, named.error());
  for (const auto& line : loaded->not_built_lines())
    say(globals, line);
  if (std::getenv("TRUNNION_NO_ENFORCE_LEASES") != nullptr)
    return report(globals, {.code = "invalid_argument",
                            .message = "TRUNNION_NO_ENFORCE_LEASES is set; a site runs under "
                                       "enforced leases only",
                            .exit = exit_code::usage,
                            .hint = "unset it: it is for bench tools"});
  const auto signals = block_signals();
  end_guard guard; // Outlives the log, which waits for its reader.
  const auto result = run_to_the_end(globals, options, *loaded->site, signals, guard);
  return result ? static_cast<int>(exit_code::done) : report(globals, result.error());
}

} // namespace trunnion
