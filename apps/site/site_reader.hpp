// Reads a site file strictly, and tells everything that is wrong with it at once.
//
// A misread site file moves the wrong hardware. So nothing is guessed: unknown and duplicate keys,
// durations without units, numbers that look octal, unknown members and cycles are problems, each
// with its line and column, and a file with a problem gives no site. What is valid but not built in
// this version is told separately, so that nobody takes it for working. At most
// `max_told_problems` are told, and how many there are besides.
//
//     const auto report = read_site(text, "ridge.yaml", standard_kinds());
//     if (!report.site) for (const auto& line : report.lines()) ...
//
// Errors: `problems`. Never throws on any text; the time is bounded by the size of the file.
// Threads: a plain function.

#pragma once

#include "trunnion/site/kind_schema.hpp"
#include "trunnion/site/site_model.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

inline constexpr std::size_t max_told_problems = 100;

struct site_report {
  std::string file;
  std::optional<site_model> site; ///< Nothing if there are problems.
  site_problems problems;         ///< Sorted by place; the first ones.
  std::size_t further = 0;        ///< Problems besides.
  site_problems not_built;        ///< Valid, but not built in this version; sorted by place.

  /// The problems, each as `file:line:column: text`, and `and N more` if there are.
  [[nodiscard]] std::vector<std::string> lines() const;
  /// What is not built, likewise.
  [[nodiscard]] std::vector<std::string> not_built_lines() const;
};

/// Reads the text of a site file. `settings` are `PATH=VALUE` texts (`settings.hpp`), applied in
/// their order before the check. `file_name` is for messages only.
[[nodiscard]] site_report read_site(std::string_view text, std::string file_name,
                                    const kind_catalogue& kinds,
                                    const std::vector<std::string>& settings = {});

} // namespace trunnion
