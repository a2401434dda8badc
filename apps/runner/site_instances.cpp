#include "trunnion/runner/site_instances.hpp"

#include "trunnion/runner/selection.hpp"

#include <algorithm>

namespace trunnion {

std::string service_instance::label() const {
  return spec.name + (number == 0 ? "" : "#" + std::to_string(number));
}

std::vector<service_instance> instances_of(const site_model& site,
                                           const std::vector<std::string>& only) {
  std::vector<service_instance> result;
  for (const auto* spec : site.start_order())
    if (is_selected(only, spec->name))
      for (std::uint32_t i = 0; i <= spec->standby; ++i)
        result.push_back({*spec, i});
  return result;
}

supervision supervise(const site_model& site, const std::vector<service_instance>& instances) {
  std::vector<supervised> all;
  for (const auto& x : instances) {
    const bool is_standby = x.number > 0;
    const auto rank = all.empty() ? 0 : all.back().rank + (is_standby ? 0 : 1);
    all.push_back({.label = x.label(), .rank = rank, .restart = x.spec.restart});
  }
  std::vector<supervised_group> groups;
  for (const auto& group : site.groups) {
    for (std::size_t i = 0; i < instances.size(); ++i) {
      const auto found = std::ranges::find(group.members, instances[i].spec.name);
      if (found == group.members.end())
        continue;
      all[i].group = groups.size();
      all[i].place = static_cast<std::size_t>(found - group.members.begin());
    }
    groups.push_back({group.name, group.strategy});
  }
  return {std::move(all), std::move(groups), site.defaults.stop_timeout};
}

} // namespace trunnion
