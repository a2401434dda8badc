// The JSON Schema of site files, for editors: completion, help, and red underlines while typing.
//
// It is made from what the reader itself goes by: the schemas of the kinds, and the ranges of
// `site_limits.hpp`. It says less than the reader, which also knows how long durations may be, that
// names exist, and that nothing goes in a circle: what the schema refuses, the reader refuses, but
// for numbers without quotes where text is meant.
//
// Threads: a plain function.

#pragma once

#include "trunnion/site/kind_schema.hpp"

#include <string>

namespace trunnion {

/// JSON Schema, draft 2020-12, compact.
[[nodiscard]] std::string site_json_schema(const kind_catalogue& kinds);

} // namespace trunnion
