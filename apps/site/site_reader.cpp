#include "trunnion/site/site_reader.hpp"

#include "trunnion/site/settings.hpp"
#include "trunnion/site/site_sections.hpp"
#include "trunnion/site/yaml_tree.hpp"

#include <algorithm>

namespace trunnion {

namespace {

std::vector<std::string> print(const site_problems& problems, std::string_view file) {
  std::vector<std::string> lines;
  lines.reserve(problems.size());
  for (const auto& problem : problems)
    lines.push_back(to_string(problem, file));
  return lines;
}

void check_tree(const config_value& root, site_draft& draft) {
  map_reader file{draft.check, root, "", "the site file"};
  read_head(draft, file);
  read_defaults(draft, file);
  read_services(draft, file);
  read_groups(draft, file);
  file.finish();
  check_references(draft);
}

} // namespace

std::vector<std::string> site_report::lines() const {
  auto lines = print(problems, file);
  if (further > 0)
    lines.push_back("and " + std::to_string(further) + " more");
  return lines;
}

std::vector<std::string> site_report::not_built_lines() const { return print(not_built, file); }

site_report read_site(std::string_view text, std::string file_name, const kind_catalogue& kinds,
                      const std::vector<std::string>& settings) {
  site_report report{.file = std::move(file_name)};
  auto tree = read_yaml(text);
  report.problems = std::move(tree.problems);
  if (tree.complete) {
    value_checker check{report.problems, text};
    site_draft draft{check, kinds, report.not_built};
    if (tree.root.kind == value_kind::null && !tree.root.flawed) {
      check.problem({1, 1, {}}, "the file is empty; a site file begins with 'version: 1'");
    } else {
      for (const auto& setting : settings)
        apply_set(tree.root, setting, report.problems);
      check_tree(tree.root, draft);
    }
    if (report.problems.empty())
      report.site = std::move(draft.site);
  }
  std::sort(report.problems.begin(), report.problems.end());
  if (report.problems.size() > max_told_problems) {
    report.further = report.problems.size() - max_told_problems;
    report.problems.resize(max_told_problems);
  }
  std::sort(report.not_built.begin(), report.not_built.end());
  return report;
}

} // namespace trunnion
