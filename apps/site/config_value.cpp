#include "trunnion/site/config_value.hpp"

namespace trunnion {

std::string to_string(const site_problem& problem, std::string_view file) {
  const auto& where = problem.where;
  if (!where.setting.empty())
    return "--set " + where.setting + ": " + problem.text;
  return std::string{file} + ":" + std::to_string(where.line) + ":" + std::to_string(where.column)
         + ": " + problem.text;
}

} // namespace trunnion
