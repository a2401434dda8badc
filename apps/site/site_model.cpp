#include "trunnion/site/site_model.hpp"

#include "trunnion/messages/ensure.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace trunnion {

const service_spec* site_model::find(std::string_view service) const {
  const auto at = std::find_if(services.begin(), services.end(),
                               [&](const service_spec& x) { return x.name == service; });
  return at == services.end() ? nullptr : &*at;
}

std::vector<const service_spec*> site_model::start_order() const {
  std::map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < services.size(); ++i)
    index.emplace(services[i].name, i);
  std::vector<std::vector<std::size_t>> dependents(services.size());
  std::vector<std::size_t> missing(services.size()); // What is not placed yet, of each one's needs.
  std::set<std::size_t> ready;                       // In the file's order.
  for (std::size_t i = 0; i < services.size(); ++i) {
    for (const auto& name : services[i].depends_on) {
      dependents[index.at(name)].push_back(i);
      ++missing[i];
    }
    if (missing[i] == 0)
      ready.insert(i);
  }
  std::vector<const service_spec*> order;
  while (!ready.empty()) {
    const auto at = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(&services[at]);
    for (const auto dependent : dependents[at])
      if (--missing[dependent] == 0)
        ready.insert(dependent);
  }
  ensure(order.size() == services.size(), "a checked site has no circle of dependencies");
  return order;
}

std::string site_model::entity_of(const service_spec& service) const {
  return name + "." + service.name;
}

std::string to_string(restart_when x) {
  switch (x) {
  case restart_when::on_failure: return "on-failure";
  case restart_when::always: return "always";
  case restart_when::never: return "never";
  }
  return "?";
}

std::string to_string(group_strategy x) {
  switch (x) {
  case group_strategy::one_for_one: return "one-for-one";
  case group_strategy::one_for_all: return "one-for-all";
  case group_strategy::rest_for_one: return "rest-for-one";
  }
  return "?";
}

std::string to_string(alarm_level x) {
  switch (x) {
  case alarm_level::info: return "info";
  case alarm_level::warn: return "warn";
  case alarm_level::error: return "error";
  }
  return "?";
}

} // namespace trunnion
