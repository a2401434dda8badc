#include "trunnion/runner/selection.hpp"

#include "trunnion/site/did_you_mean.hpp"

#include <algorithm>

namespace trunnion {

bool is_selected(const std::vector<std::string>& only, std::string_view service) {
  return only.empty() || std::ranges::find(only, service) != only.end();
}

outcome<void> check_selection(const site_model& site, const std::vector<std::string>& only) {
  std::vector<std::string> names;
  for (const auto& spec : site.services)
    names.push_back(spec.name);
  for (const auto& name : only)
    if (!site.find(name))
      return fail(error_code::invalid_argument,
                  "no such service in this site (--only)" + did_you_mean(name, names), name);
  for (const auto& spec : site.services)
    for (const auto& other : spec.depends_on)
      if (is_selected(only, spec.name) && !is_selected(only, other))
        return fail(error_code::invalid_argument,
                    "depends on '" + other + "', which --only leaves out", spec.name);
  return {};
}

outcome<void> check_built(const kind_registry& kinds, const site_model& site,
                          const std::vector<std::string>& only) {
  for (const auto& spec : site.services) {
    const auto* schema = kinds.catalogue().find(spec.kind);
    if (is_selected(only, spec.name) && (!schema || !schema->built))
      return fail(error_code::unsupported,
                  "the kind '" + spec.kind + "' is not built in this version", spec.name);
  }
  return {};
}

} // namespace trunnion
