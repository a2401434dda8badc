// What a URL `faulty+URL#seed=N,plan=PLAN` asks for.
//
// A plan is written out (`drop:0.01+delay:5ms`), is `none`, or is the name of a file with rules: a
// rule has a colon and no slash before it, a file's name has a slash or no colon. Nothing of the
// URL is repeated in an error but the plan: the rest may hold passwords, a `#` included.
//
// Threads: plain functions. A plan's file is read here.

#pragma once

#include "trunnion/backends/faulty/plan.hpp"

namespace trunnion {

inline constexpr std::string_view faulty_prefix = "faulty+";

struct faulty_url {
  std::string inner; ///< The URL of the wrapped backend.
  std::uint64_t seed = 0;
  fault_plan plan;
};

/// Takes apart a URL that begins with `faulty+`; `invalid_argument` says what would be right.
[[nodiscard]] outcome<faulty_url> read_faulty_url(std::string_view url);

} // namespace trunnion
