// Reads site files for tests, and gives what is said about them as lines.

#pragma once

#include "trunnion/site/site_reader.hpp"
#include "trunnion/site/standard_kinds.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

inline std::string example_site() {
  std::ifstream in{std::string{TRUNNION_TEST_DATA} + "/site/ridge.yaml"};
  BOOST_REQUIRE(in.is_open());
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline site_report read(std::string_view text, const std::vector<std::string>& settings = {}) {
  return read_site(text, "ridge.yaml", standard_kinds(), settings);
}

/// All problems, each with a line break; what the tool would print.
inline std::string problems(std::string_view text, const std::vector<std::string>& settings = {}) {
  std::string result;
  for (const auto& line : read(text, settings).lines())
    result.append(line) += '\n';
  return result;
}

/// The smallest site, with `more` as further lines of its one service.
inline std::string one_service(std::string_view more) {
  return "version: 1\n"
         "site: {name: ridge}\n"
         "services:\n"
         "  - name: host\n"
         "    kind: host.telemetry\n"
         + std::string{more};
}

} // namespace trunnion
