#include "trunnion/tool/output.hpp"

#include "trunnion/runtime/escape.hpp"
#include "trunnion/tool/errors.hpp"
#include "trunnion/tool/options.hpp"

#include <iostream>
#include <unistd.h>

namespace trunnion {

const tool_io& process_io() {
  static const tool_io io{std::cout, std::cerr, ::isatty(STDOUT_FILENO) == 1,
                          ::isatty(STDERR_FILENO) == 1};
  return io;
}

void say(const global_options& globals, std::string_view line) {
  if (!globals.quiet.value)
    globals.io->err << "trunnion: " << escape_text(line) << '\n' << std::flush;
}

void say_more(const global_options& globals, std::string_view line) {
  if (globals.verbose.value)
    say(globals, line);
}

int report(const global_options& globals, const tool_error& error) {
  if (globals.json.value)
    globals.io->err << to_json(error) << '\n' << std::flush;
  else
    globals.io->err << to_text(error, globals.colours_errors()) << std::flush;
  return static_cast<int>(error.exit);
}

void write_problems(json_writer& out, const site_problems& problems, std::string_view file) {
  out.begin_array();
  for (const auto& [where, text] : problems) {
    out.begin_object();
    if (where.setting.empty()) {
      out.key("file").text(file);
      out.key("line").number(where.line);
      out.key("column").number(where.column);
    } else {
      out.key("setting").text(where.setting);
    }
    out.key("text").text(text).end_object();
  }
  out.end_array();
}

} // namespace trunnion
