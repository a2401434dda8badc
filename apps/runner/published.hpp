// What a published JSON text says, in short and for people.
//
// Threads: a pure function.

#pragma once

#include <string>
#include <string_view>

namespace trunnion {

struct published_text {
  std::string event; ///< The member `event`, if there is one.
  std::string
    text; ///< The other members as `name value`, in their order; nested ones by their path.
};

/// The most members that a text names; further ones are left out, with dots in their place.
inline constexpr std::size_t max_told_members = 12;

/// Text that is no JSON object is told as it is.
[[nodiscard]] published_text read_published(std::string_view json);

} // namespace trunnion
