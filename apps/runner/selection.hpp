// Which services of a site are to run, if not all.
//
// Threads: plain functions.

#pragma once

#include "trunnion/kinds/kind.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trunnion {

/// Whether a service is to run; an empty `only` means all.
[[nodiscard]] bool is_selected(const std::vector<std::string>& only, std::string_view service);

/// `invalid_argument` if `only` names no service, or leaves out one that another depends on.
[[nodiscard]] outcome<void> check_selection(const site_model& site,
                                            const std::vector<std::string>& only);

/// `unsupported` if a kind that is to run is not built.
[[nodiscard]] outcome<void> check_built(const kind_registry& kinds, const site_model& site,
                                        const std::vector<std::string>& only);

} // namespace trunnion
