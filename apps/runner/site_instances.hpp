// The instances of a site's services: which there are, and how they are supervised.
//
// Threads: plain values and functions.

#pragma once

#include "trunnion/messages/interfaces.hpp"
#include "trunnion/runner/supervision.hpp"
#include "trunnion/site/site_model.hpp"

#include <string>
#include <vector>

namespace trunnion {

/// One instance of a service, and what its runner knows of it.
struct service_instance {
  service_spec spec;
  std::uint32_t number = 0; ///< 0, and 1 and up for standbys.
  service_actor actor = {}; ///< While it lives.
  service_phase phase = service_phase::waiting;
  std::uint64_t starts = 0;
  fencing_token token = {}; ///< Of its entity's lease, while it has one.
  std::string text = {};    ///< Its latest event, for people.

  [[nodiscard]] bool runs() const { return actor && phase == service_phase::running; }

  /// `observer`, and `observer#1` of a standby.
  [[nodiscard]] std::string label() const;
};

/// Those of the services named in `only`, or of all if that is empty; in order of start, the
/// standbys of a service behind it.
[[nodiscard]] std::vector<service_instance> instances_of(const site_model& site,
                                                         const std::vector<std::string>& only);

/// Supervises them, each by its place in the list.
[[nodiscard]] supervision supervise(const site_model& site,
                                    const std::vector<service_instance>& instances);

} // namespace trunnion
