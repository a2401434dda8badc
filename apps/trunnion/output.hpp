// Where the tool's words go.
//
// Standard output is data only; notes, progress and errors go to standard error, so that a pipe
// never carries decoration. Colour is for terminals, unless `--color` says otherwise; `NO_COLOR` is
// honoured. Text from others passes through `escape_text` before it is shown.
//
// Threads: the main thread.

#pragma once

#include "trunnion/messages/json.hpp"
#include "trunnion/site/config_value.hpp"

#include <iosfwd>
#include <string_view>

namespace trunnion {

struct global_options;
struct tool_error;

/// The streams of a process, or of a test.
struct tool_io {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};

[[nodiscard]] const tool_io& process_io();

/// One line on standard error, unless `-q`.
void say(const global_options& globals, std::string_view line);

/// The same, with `-v` only.
void say_more(const global_options& globals, std::string_view line);

/// Says what went wrong in the form asked for; the exit status.
int report(const global_options& globals, const tool_error& error);

/// An array of `{"file","line","column","text"}`; or `"setting"` in the place of file, line and
/// column.
void write_problems(json_writer& out, const site_problems& problems, std::string_view file);

} // namespace trunnion
