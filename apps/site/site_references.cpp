// What the parts of a site file say about each other.

#include "trunnion/messages/address.hpp"
#include "trunnion/site/duration_text.hpp"
#include "trunnion/site/site_sections.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace trunnion {

namespace {

/// Who depends on whom, by position in the file; only names that exist.
class dependencies {
public:
  explicit dependencies(const site_draft& draft) {
    const auto& services = draft.site.services;
    for (std::size_t i = 0; i < services.size(); ++i)
      if (index_.emplace(services[i].name, i).second && !services[i].name.empty())
        names_.push_back(services[i].name);
    edges_.resize(services.size());
    for (std::size_t i = 0; i < services.size(); ++i)
      for (const auto& name : services[i].depends_on)
        if (const auto at = index_.find(name); at != index_.end() && at->second != i)
          edges_[i].push_back(at->second);
    for (std::size_t i = 0; i < services.size(); ++i)
      needs_.push_back(reached_from(i));
  }

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    const auto at = index_.find(name);
    return at == index_.end() ? std::nullopt : std::optional{at->second};
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// Whether `a` depends on `b`, directly or not.
  [[nodiscard]] bool needs(std::size_t a, std::size_t b) const { return needs_[a][b]; }

  /// A shortest way from `from`, which needs itself, back to itself.
  [[nodiscard]] std::vector<std::size_t> cycle(std::size_t from) const {
    std::map<std::size_t, std::size_t> came_from;
    std::vector<std::size_t> open{from};
    for (std::size_t i = 0; i < open.size(); ++i)
      for (const auto next : edges_[open[i]]) {
        if (next == from) {
          std::vector<std::size_t> way{from};
          for (auto at = open[i]; at != from; at = came_from.at(at))
            way.push_back(at);
          way.push_back(from);
          std::reverse(way.begin(), way.end());
          return way;
        }
        if (came_from.emplace(next, open[i]).second)
          open.push_back(next);
      }
    return {};
  }

private:
  [[nodiscard]] std::vector<bool> reached_from(std::size_t from) const {
    std::vector<bool> seen(edges_.size());
    std::vector<std::size_t> open{from};
    while (!open.empty()) {
      const auto at = open.back();
      open.pop_back();
      for (const auto next : edges_[at])
        if (!seen[next]) {
          seen[next] = true;
          open.push_back(next);
        }
    }
    return seen;
  }

  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> index_; // The first of each name.
  std::vector<std::vector<std::size_t>> edges_;
  std::vector<std::vector<bool>> needs_;
};

void check_service_names(site_draft& draft) {
  std::map<std::string, place> seen;
  for (std::size_t i = 0; i < draft.services.size(); ++i) {
    const auto& service = draft.site.services[i];
    const auto& where = draft.services[i].name;
    if (service.name.empty())
      continue;
    const auto [first, is_new] = seen.emplace(service.name, where);
    if (!is_new)
      draft.check.problem(where, "duplicate service " + in_quotes(service.name)
                                   + "; the first is at line "
                                   + std::to_string(first->second.line));
    else if (draft.site.name.size() + service.name.size() + 1 + max_segment_length + 1
             > max_subject_length)
      draft.check.problem(where, "the address of service " + in_quotes(service.name)
                                   + " leaves no room for its properties");
  }
}

void check_known(site_draft& draft, const dependencies& graph, std::size_t i,
                 const std::vector<reference>& references, std::string_view key) {
  const auto of = in_quotes(key) + " of " + draft.services[i].what;
  for (const auto& [name, where] : references) {
    if (!graph.find(name))
      draft.check.problem(where, "unknown service " + in_quotes(name) + " in " + of
                                   + draft.check.hint(name, graph.names()));
    else if (name == draft.site.services[i].name)
      draft.check.problem(where, "service " + in_quotes(name) + " is named in its own " + of);
  }
}

/// Names of conditions: a service, a dot, and a reading of its samples.
void check_conditions(site_draft& draft, const dependencies& graph, std::size_t i) {
  for (const auto& condition : draft.services[i].conditions) {
    const auto of = in_quotes(condition.option) + " of " + draft.services[i].what;
    for (const auto& name : condition.names) {
      const auto dot = name.find('.');
      const auto service = name.substr(0, dot);
      const auto at = graph.find(service);
      const auto complain
        = [&](std::string text) { draft.check.problem(condition.where, std::move(text)); };
      if (!at) {
        complain("unknown service " + in_quotes(service) + " in " + of
                 + draft.check.hint(service, graph.names()));
        continue;
      }
      const auto& spec = draft.site.services[*at];
      const auto* kind = draft.kinds.find(spec.kind);
      if (dot == std::string::npos)
        complain(in_quotes(name) + " in " + of + " is a service; a reading is 'SERVICE.NAME'");
      else if (!spec.publish)
        complain("service " + in_quotes(service) + " in " + of
                 + " publishes nothing; give it 'publish: {stream: NAME}'");
      else if (!spec.every && kind != nullptr && kind->built)
        complain("service " + in_quotes(service) + " in " + of
                 + " has no period by which its readings grow old; give it 'every'");
    }
  }
}

void check_cycles(site_draft& draft, const dependencies& graph) {
  const auto& services = draft.site.services;
  std::vector<bool> told(services.size());
  for (std::size_t i = 0; i < services.size(); ++i) {
    if (told[i] || !graph.needs(i, i))
      continue;
    for (std::size_t j = 0; j < services.size(); ++j) // One line for all that are on it.
      told[j] = told[j] || (graph.needs(i, j) && graph.needs(j, i));
    const auto way = graph.cycle(i);
    std::string text{"'depends_on' goes in a circle: "};
    for (const auto at : way)
      text.append(at == way.front() && text.ends_with(": ") ? "" : " -> ")
        .append(services[at].name);
    const auto& references = draft.services[i].depends_on;
    const auto next = std::find_if(references.begin(), references.end(), [&](const reference& x) {
      return x.name == services[way[1]].name;
    });
    draft.check.problem(next->where, std::move(text));
  }
}

void check_groups(site_draft& draft, const dependencies& graph) {
  std::map<std::string, place> names;
  std::map<std::string, std::string> member_of;
  for (std::size_t i = 0; i < draft.groups.size(); ++i) {
    const auto& group = draft.site.groups[i];
    const auto what = "group " + in_quotes(group.name);
    if (!group.name.empty()) {
      const auto [first, is_new] = names.emplace(group.name, draft.groups[i].name);
      if (!is_new)
        draft.check.problem(draft.groups[i].name, "duplicate " + what + "; the first is at line "
                                                    + std::to_string(first->second.line));
    }
    std::vector<reference> before;
    for (const auto& member : draft.groups[i].members) {
      const auto at = graph.find(member.name);
      if (!at) {
        draft.check.problem(member.where, "unknown service " + in_quotes(member.name)
                                            + " in 'members' of " + what
                                            + draft.check.hint(member.name, graph.names()));
        continue;
      }
      const auto [other, is_new] = member_of.emplace(member.name, group.name);
      if (!is_new)
        draft.check.problem(member.where, "service " + in_quotes(member.name) + " is in group "
                                            + in_quotes(other->second) + " already");
      if (group.strategy == group_strategy::rest_for_one)
        for (const auto& earlier : before)
          if (graph.needs(*graph.find(earlier.name), *at))
            draft.check.problem(earlier.where, "the order of " + what + " disagrees: "
                                                 + in_quotes(earlier.name) + " depends on "
                                                 + in_quotes(member.name) + ", which comes later");
      before.push_back(member);
    }
  }
}

} // namespace

void check_references(site_draft& draft) {
  const dependencies graph{draft};
  check_service_names(draft);
  for (std::size_t i = 0; i < draft.services.size(); ++i) {
    check_known(draft, graph, i, draft.services[i].depends_on, "depends_on");
    check_known(draft, graph, i, draft.services[i].lease_group, "group");
    check_conditions(draft, graph, i);
  }
  check_cycles(draft, graph);
  check_groups(draft, graph);
}

} // namespace trunnion
