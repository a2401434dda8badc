// Reads what a program prints, on a thread of its own, and hands it on no faster than it is used.
//
// A program may print faster than anybody can publish. So what has been handed on and not been
// reported as `used` is bounded, in lines and bytes; at the bound the pipe is left alone until
// there is room, and the program waits in its own write. The thread starts the program, waits for
// all that happens to it, and ends with it.
//
// Threads: one for each reader, which calls `sink`; the other calls may come from any thread but
// that one. Clock: the real one, for the grace. End: after the news that bears `end`.

#pragma once

#include "trunnion/kinds/child_process.hpp"
#include "trunnion/messages/runtime/runtime.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace trunnion {

/// What is unused at most; the lines of one more read of 64 KiB may come on top.
inline constexpr std::size_t max_lines_unused = 256;
inline constexpr std::size_t max_bytes_unused = 4U << 20U;

inline constexpr std::size_t max_complaint_length = 1'024; ///< Of a line of errors, in bytes.

/// What has come from a program.
struct child_news {
  std::vector<std::string> lines;      ///< Of its output.
  std::vector<std::string> complaints; ///< Lines of its errors.
  std::uint64_t overlong = 0;          ///< Lines that were too long, since the last news.
  std::optional<failure> end;          ///< Nothing follows; says how it ended.

  /// What counts against the bounds until it is used.
  [[nodiscard]] std::size_t line_count() const { return lines.size() + complaints.size(); }
  [[nodiscard]] std::size_t byte_count() const;
};

/// A source of news: the reader below, or a test's.
class news_source {
public:
  virtual ~news_source() = default;

  /// So much of what was handed on has been used.
  virtual void used(std::size_t lines, std::size_t bytes) = 0;

  /// Ends the program: TERM to its group now, KILL after `grace`.
  virtual void stop(nanoseconds grace) = 0;
};

using news_sink = std::function<void(child_news)>;

/// Starts `command`; lines over `longest` bytes are counted and passed over. The destructor kills
/// what still runs and waits for its death, after which the sink is not called any more.
std::unique_ptr<news_source> read_child(child_command command, std::size_t longest, news_sink sink);

} // namespace trunnion
