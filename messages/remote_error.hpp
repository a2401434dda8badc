// The error of a request's handler, as response payload.
//
// SensorKit's form: the four bytes `E R R NUL`, the message in UTF-8 with NUL replaced by U+FFFD,
// and, if there are details, NUL and the details. Reading tolerates ill-formed UTF-8 and missing
// parts.

#pragma once

#include "trunnion/messages/errors.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace trunnion {

inline constexpr std::string_view remote_error_magic{"ERR\0", 4};

[[nodiscard]] std::string encode(const remote_failure& x);

/// Nothing if `response` is no error.
[[nodiscard]] std::optional<remote_failure> decode_remote_error(std::string_view response);

} // namespace trunnion
