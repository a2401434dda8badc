// A kind of service: what its configuration may say, and how its parts are made.
//
// The site reader checks a site file against a kind's schema; the runner asks the kind for the
// parts of a service, and composes them under the service's leases. To add a kind, give its schema
// and its function to a `kind_registry` (`standard_kinds.hpp` has ours).
//
// Threads: a registry is filled before a site starts, then only read.

#pragma once

#include "trunnion/actors/service.hpp"
#include "trunnion/kinds/directory.hpp"
#include "trunnion/site/site_model.hpp"

#include <functional>
#include <map>

namespace trunnion {

/// What a kind is handed to make the parts of one service.
struct kind_context {
  const site_model& site;
  const service_spec& spec;
  trunnion::entity entity;   ///< Of the service.
  device_directory& devices; ///< Outlives the service.
};

/// What makes up a service of some kind.
struct service_parts {
  std::vector<service_member> members; ///< In order of start.
  std::vector<subject> further_leases; ///< Besides the entity's own.
};

using kind_maker = std::function<outcome<service_parts>(const kind_context&)>;

class kind_registry {
public:
  /// Adds a kind; the name is that of its schema.
  void add(kind_schema schema, kind_maker make);

  /// Adds a kind that the reader knows, and reports as not built.
  void add_planned(kind_schema schema);

  [[nodiscard]] const kind_catalogue& catalogue() const { return catalogue_; }

  /// Makes the parts of a service; `unsupported` if its kind is not built.
  [[nodiscard]] outcome<service_parts> make(const kind_context& context) const;

private:
  kind_catalogue catalogue_;
  std::map<std::string, kind_maker, std::less<>> makers_;
};

/// The kinds of this program.
[[nodiscard]] const kind_registry& builtin_kinds();

} // namespace trunnion
