// Log lines on standard error, by spdlog.
//
// An actor must never wait for a terminal that somebody has stopped, or a pipe that nobody reads:
// its lease would run out meanwhile. So lines go through a bounded queue to a thread of their own,
// and when that is full the oldest lines are given up, and counted. Standard output is for data and
// gets nothing, ever.
//
// A line: `2026-01-31T21:04:05.678Z info  lease: acquired`. The time is UTC. Text is escaped, and
// cut at `max_log_line` bytes.
//
// Threads: any. The destructor writes what is queued, then how many lines were given up, if any.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"

#include <atomic>
#include <memory>

namespace spdlog {
class logger;
namespace details {
class thread_pool;
} // namespace details
} // namespace spdlog

namespace trunnion {

inline constexpr std::size_t max_log_line = 8 * 1024; ///< Bytes of text; what is longer is cut.
inline constexpr std::size_t max_queued_log_lines = 4 * 1024;

class spdlog_sink final : public log_sink {
public:
  /// Shows lines of `least` and above.
  explicit spdlog_sink(log_level least = log_level::info);
  ~spdlog_sink() override;
  spdlog_sink(const spdlog_sink&) = delete;
  spdlog_sink& operator=(const spdlog_sink&) = delete;

  /// Never waits for whoever reads standard error, and never throws.
  void write(log_level level, std::string_view actor, std::string_view line) override;

  void set_level(log_level least) { least_.store(least, std::memory_order_relaxed); }

  /// Lines that were given up, for want of room in the queue or of memory.
  [[nodiscard]] std::uint64_t lost() const;

private:
  std::atomic<log_level> least_;
  std::atomic<std::uint64_t> failed_{0};
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::logger> logger_;
};

} // namespace trunnion
