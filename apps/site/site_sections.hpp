// The parts of a site file, one by one: what each key may say.
//
// Inside of the site reader. A section reads its part of the tree into the model; places of names
// that refer to other services are kept beside, since those can be looked up only once all services
// are known.
//
// Threads: used by one at a time.

#pragma once

#include "trunnion/site/site_model.hpp"
#include "trunnion/site/value_checker.hpp"

#include <map>
#include <vector>

namespace trunnion {

/// A service's or group's names of others, with their places.
struct service_references {
  std::string what; ///< For messages: `service 'dome'`.
  place name;
  std::vector<reference> depends_on;
  std::vector<reference> lease_group;
  std::vector<condition_use> conditions; ///< Whose names begin with a service.
};

struct group_references {
  place where;
  place name;
  std::vector<reference> members;
};

/// What is read so far, and where to complain.
struct site_draft {
  value_checker& check;
  const kind_catalogue& kinds;
  site_problems& not_built;
  site_model site;
  std::vector<service_references> services; ///< One for each of the model's.
  std::vector<group_references> groups;     ///< One for each of the model's.

  void report_not_built(const place& where, std::string what);
};

/// Version, site, backend, publish and web.
void read_head(site_draft& draft, map_reader& file);
void read_defaults(site_draft& draft, map_reader& file);
void read_services(site_draft& draft, map_reader& file);
void read_groups(site_draft& draft, map_reader& file);

/// Unknown and repeated names, cycles, orders that disagree.
void check_references(site_draft& draft);

/// A name that becomes a segment of an address, or with `dotted` several; says what is wrong with
/// it.
std::optional<std::string> read_name(value_checker& check, const config_value& value,
                                     std::string_view label, bool dotted = false);

/// Changes `policy` by what the map says.
void read_restart(value_checker& check, const config_value& map, restart_policy& policy,
                  const std::string& what);

} // namespace trunnion
