// Command lines for tests: with streams, variables and files of their own.

#pragma once

#include "trunnion/tool/command_line.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace trunnion {

struct tool_fixture {
  tool_fixture() {
    auto pattern = (std::filesystem::temp_directory_path() / "trunnion-tool-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder = pattern;
    env["XDG_CONFIG_HOME"] = folder.string();
  }

  ~tool_fixture() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  /// The path of a new file in the test's folder.
  std::string write(const std::string& name, std::string_view text) const {
    const auto path = folder / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text;
    return path.string();
  }

  command_line parse(const std::vector<std::string>& words) const {
    return parse_command_line(words, env);
  }

  /// The error's message and hint; nothing if there is no error.
  std::string error_of(const std::vector<std::string>& words) const {
    const auto line = parse(words);
    return line.error ? to_text(*line.error, false) : std::string{};
  }

  /// Parses and runs; `out` and `err` have what was printed.
  int run(const std::vector<std::string>& words) {
    out.str({});
    err.str({});
    auto line = parse(words);
    line.globals.io = &io;
    return line.error ? report(line.globals, *line.error) : line.run(line.globals);
  }

  std::filesystem::path folder;
  environment env;
  std::ostringstream out, err;
  tool_io io{out, err};
};

} // namespace trunnion
