// `--set PATH=VALUE`: changes to a configuration tree before it is checked.
//
// A path is words joined by dots. In a list a word is the `name` of an item, or its number from
// zero: `services.host.every=2s`. What is missing on the way is made. A value that begins with a
// bracket, a brace or a quote is read as YAML; any other is taken as it stands, so that
// `backend=memory:` needs no quotes.
//
// Threads: plain functions.

#pragma once

#include "trunnion/site/config_value.hpp"

#include <string_view>

namespace trunnion {

/// Changes `root`, or adds to `problems` why not; their places name the path.
void apply_set(config_value& root, std::string_view setting, site_problems& problems);

} // namespace trunnion
