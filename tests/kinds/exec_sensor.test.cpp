#include "trunnion/kinds/exec_sensor.hpp"

#include "trunnion/backends/memory/memory_backend.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"
#include "trunnion/tests/fixtures/watch_probe.hpp"

#include <csignal>

using namespace trunnion;
using namespace trunnion::test;

namespace {

/// A program that says what the test wants, and remembers what it was told.
struct played_program {
  child_command command;
  news_sink say;
  std::size_t lines_used = 0;
  std::size_t bytes_used = 0;
  std::vector<nanoseconds> stops; ///< The graces.
  bool is_gone = false;
};

class played_source : public news_source {
public:
  explicit played_source(std::shared_ptr<played_program> program) : program_(std::move(program)) {}
  ~played_source() override {
    program_->is_gone = true;
    program_->say = nullptr; // It holds the actor.
  }
  void used(std::size_t lines, std::size_t bytes) override {
    program_->lines_used += lines;
    program_->bytes_used += bytes;
  }
  void stop(nanoseconds grace) override { program_->stops.push_back(grace); }

private:
  std::shared_ptr<played_program> program_;
};

struct exec_fixture : deterministic_fixture {
  exec_actor start(double lines_per_s = 10) {
    const exec_settings settings{.command = {"probe", "-x"},
                                 .lines_per_s = lines_per_s,
                                 .grace = 1s,
                                 .stream = at("ridge.probe.samples"),
                                 .every = 2s,
                                 .start =
                                   [this](child_command command, std::size_t, news_sink sink) {
                                     program->command = std::move(command);
                                     program->say = std::move(sink);
                                     return std::make_unique<played_source>(program);
                                   },
                                 .own_thread = false};
    say(*this, out, backend, consume{at("ridge.>"), 1, stream_start::all, 1'000});
    return track(spawn_exec_sensor(context, settings));
  }

  void print(std::vector<std::string> lines) {
    program->say({.lines = std::move(lines)});
    run();
  }

  /// What was published to `where`.
  std::vector<std::string> texts(std::string_view where) const {
    std::vector<std::string> result;
    for (const auto& part : out.log->stream_parts)
      for (const auto& x : part.messages)
        if (x.subject.text() == where)
          result.emplace_back(x.payload.bytes());
    return result;
  }

  std::size_t events(const std::string& text) const {
    return static_cast<std::size_t>(std::ranges::count_if(
      texts("ridge.probe._EVENTS"), [&](const auto& x) { return x.find(text) != x.npos; }));
  }

  exec_state counts(const exec_actor& of) { return ask<exec_state>(of, get_exec_state{}).value(); }

  std::shared_ptr<played_program> program = std::make_shared<played_program>();
  backend_actor backend = track(spawn_memory_backend(system, rt()));
  probe out = make_probe(*this);
  member_context context{system, rt(), backend, *entity::parse("ridge.probe"), {}};
};

/// Actors on threads of their own, for a real program; the clock stands still, so nothing is timed.
struct threads_fixture : clock, log_sink {
  instant now() const override { return instant{1h}; }
  wall_time wall() const override { return wall_time{1h}; }
  void write(log_level, std::string_view, std::string_view) override {}

  struct config : caf::actor_system_config {
    config() { register_messages(*this); }
  } cfg;
  caf::actor_system system{cfg};
  seeded_random random{1};
  recorded_metrics metrics;
  runtime rt{.time = *this, .random = random, .log = *this, .metrics = metrics};
  caf::scoped_actor self{system};
};

/// Hears how an actor ends.
struct end_of {
  end_of(deterministic_fixture& world, const exec_actor& whom) {
    world.track(world.system.spawn([=, this](caf::event_based_actor* me) -> caf::behavior {
      me->set_down_handler([=, this](const caf::down_msg& x) { reason = x.reason; });
      me->monitor(whom);
      return {[](caf::unit_t) {}};
    }));
  }
  std::optional<caf::error> reason;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(exec_sensor_test, exec_fixture)

BOOST_AUTO_TEST_CASE(lines_are_published_as_they_are_and_reported_as_used) {
  const auto sensor = start();
  print({R"({"t": 21.5})", "[1,2]"});
  BOOST_TEST((texts("ridge.probe.samples") == std::vector<std::string>{R"({"t": 21.5})", "[1,2]"}));
  BOOST_TEST(program->lines_used == 2u);
  BOOST_TEST(program->bytes_used == 16u);
  BOOST_TEST(counts(sensor).published == 2u);
  BOOST_TEST(events("started") == 1u);
}

BOOST_AUTO_TEST_CASE(the_program_is_told_who_it_is) {
  (void)start();
  BOOST_TEST((program->command.words == std::vector<std::string>{"probe", "-x"}));
  BOOST_TEST(
    (program->command.environment
     == std::vector<std::string>{"TRUNNION_ENTITY=ridge.probe",
                                 "TRUNNION_STREAM=ridge.probe.samples", "TRUNNION_EVERY_MS=2000"}));
}

BOOST_AUTO_TEST_CASE(what_is_no_json_is_left_out_counted_and_told_once) {
  const auto sensor = start();
  print({"nonsense", "{", R"({"a":1,"a":2})", "1"});
  BOOST_TEST((texts("ridge.probe.samples") == std::vector<std::string>{"1"}));
  BOOST_TEST(counts(sensor).invalid == 3u);
  BOOST_TEST(events("left_out") == 1u);
  BOOST_TEST(program->lines_used == 4u);
}

BOOST_AUTO_TEST_CASE(a_flood_is_cut_to_the_rate_and_told_once_per_episode) {
  const auto sensor = start(5);
  print(std::vector<std::string>(100, "1"));
  BOOST_TEST(texts("ridge.probe.samples").size() == 5u);
  BOOST_TEST(counts(sensor).over_rate == 95u);
  BOOST_TEST(program->lines_used == 100u);
  BOOST_TEST(metrics.counts["exec_lines_left_out"] == 95u);
  advance(500ms);
  print(std::vector<std::string>(100, "1"));
  BOOST_TEST(events("left_out") == 1u);
  advance(10s);
  print(std::vector<std::string>(100, "1"));
  BOOST_TEST(events("left_out") == 2u);
}

BOOST_AUTO_TEST_CASE(overlong_lines_are_counted_and_told) {
  const auto sensor = start();
  program->say({.overlong = 3});
  run();
  BOOST_TEST(counts(sensor).overlong == 3u);
  BOOST_TEST(events("left_out") == 1u);
}

BOOST_AUTO_TEST_CASE(complaints_go_to_the_log_and_not_too_many_of_them) {
  (void)start();
  program->say({.complaints = std::vector<std::string>(50, "lens cap on?")});
  run();
  std::size_t logged = 0;
  for (auto i = trace.find("lens cap"); i != trace.npos; i = trace.find("lens cap", i + 1))
    ++logged;
  BOOST_TEST(logged == 10u);
  BOOST_TEST(trace.find("complains too often") != trace.npos);
  BOOST_TEST(program->lines_used == 50u);
}

BOOST_AUTO_TEST_CASE(lines_that_the_backend_has_not_taken_are_not_used_yet) {
  (void)start();
  program->say({.lines = {"1"}});
  BOOST_TEST(program->lines_used == 0u);
  kill(backend);
  BOOST_TEST(program->lines_used == 1u); // Answered: it is lost, and not waited for.
}

BOOST_AUTO_TEST_CASE(a_program_that_ends_fails_its_member) {
  const auto sensor = start();
  const end_of end{*this, sensor};
  program->say({.lines = {"1"}, .end = failure{error_code::remote_request, {}, "", "it died"}});
  run();
  BOOST_REQUIRE(end.reason.has_value());
  BOOST_TEST(to_failure(*end.reason).text == "it died");
  BOOST_TEST(program->is_gone);
  BOOST_TEST(texts("ridge.probe.samples").size() == 1u); // Said before it died.
  BOOST_TEST(events("it died") == 1u);
}

BOOST_AUTO_TEST_CASE(a_member_that_is_asked_to_end_waits_for_its_program) {
  const auto sensor = start();
  const end_of end{*this, sensor};
  kill(sensor, caf::exit_reason::user_shutdown);
  BOOST_TEST((program->stops == std::vector<nanoseconds>{1s}));
  BOOST_TEST(!end.reason.has_value());
  program->say({.end = failure{error_code::remote_request, {}, "", "was killed"}});
  run();
  BOOST_REQUIRE(end.reason.has_value());
  BOOST_TEST((*end.reason == caf::exit_reason::user_shutdown));
}

BOOST_AUTO_TEST_CASE(a_killed_member_takes_its_program_with_it) {
  const auto sensor = start();
  kill(sensor);
  BOOST_TEST(program->is_gone);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(exec_sensor_in_real_time_test, threads_fixture)

BOOST_AUTO_TEST_CASE(a_real_program_is_published_and_its_death_is_its_members) {
  const auto backend = spawn_memory_backend(system, rt);
  const auto stream = *subject::parse("ridge.probe.samples");
  const auto from_backend = caf::actor_cast<caf::actor>(backend);
  self->request(from_backend, 30s, consume{stream, 1, stream_start::all, 100})
    .receive([](const consuming&) {},
             [](const caf::error& x) { BOOST_FAIL(to_string(to_failure(x))); });
  auto sensor = spawn_exec_sensor(
    {system, rt, backend, *entity::parse("ridge.probe"), {}},
    {.command = {"/bin/sh", "-c", "echo $$; exec sleep 1000"}, .grace = 1h, .stream = stream});
  self->monitor(sensor);
  pid_t pid = 0;
  self->receive([&](const stream_part& x) {
    pid = static_cast<pid_t>(std::stol(std::string{x.messages.at(0).payload.bytes()}));
  });
  BOOST_REQUIRE(pid > 0);
  ::kill(pid, SIGKILL);
  self->receive([](const caf::down_msg& x) {
    BOOST_TEST(to_failure(x.reason).text == "'/bin/sh' was killed by SIGKILL");
  });
  BOOST_TEST(::kill(pid, 0) == -1); // It has been reaped.
  caf::anon_send_exit(backend, caf::exit_reason::kill);
}

BOOST_AUTO_TEST_SUITE_END()
