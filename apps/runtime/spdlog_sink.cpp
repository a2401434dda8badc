#include "trunnion/runtime/spdlog_sink.hpp"

#include "trunnion/runtime/escape.hpp"

#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <string>

namespace trunnion {
namespace {

std::string_view padded_name(log_level level) {
  switch (level) {
  case log_level::debug: return "debug ";
  case log_level::info: return "info  ";
  case log_level::warn: return "warn  ";
  case log_level::error: return "error ";
  }
  return "other ";
}

std::string compose(log_level level, std::string_view actor, std::string_view line) {
  std::string text{padded_name(level)};
  text.append(escape_text(actor.substr(0, max_log_line))).append(": ");
  text.append(escape_text(line.substr(0, max_log_line)));
  if (line.size() > max_log_line)
    text.append(" (").append(std::to_string(line.size() - max_log_line)).append(" bytes cut)");
  return text;
}

} // namespace

spdlog_sink::spdlog_sink(log_level least)
  : least_(least),
    pool_(std::make_shared<spdlog::details::thread_pool>(max_queued_log_lines, std::size_t{1})),
    logger_(std::make_shared<spdlog::async_logger>(
      "trunnion", std::make_shared<spdlog::sinks::stderr_sink_mt>(), pool_,
      spdlog::async_overflow_policy::overrun_oldest)) {
  logger_->set_level(spdlog::level::trace); // `least_` alone decides.
  logger_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
    "%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc));
}

spdlog_sink::~spdlog_sink() {
  if (const auto given_up = lost(); given_up > 0)
    write(log_level::warn, "log", std::to_string(given_up) + " lines were lost before this one");
  pool_.reset(); // The only owner: joins the thread once it has written all.
}

void spdlog_sink::write(log_level level, std::string_view actor, std::string_view line) {
  if (level < least_.load(std::memory_order_relaxed))
    return;
  try {
    logger_->log(spdlog::level::info, compose(level, actor, line));
  } catch (...) { // No memory: there is nobody to tell.
    failed_.fetch_add(1, std::memory_order_relaxed);
  }
}

std::uint64_t spdlog_sink::lost() const {
  return failed_.load(std::memory_order_relaxed) + pool_->overrun_counter();
}

} // namespace trunnion
