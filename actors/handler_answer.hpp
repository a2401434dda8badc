// What a caller gets of a handler's outcome: the response's bytes, an encoded error as well.
//
// Pure. Threads: any.

#pragma once

#include "trunnion/actors/responder.hpp"

namespace trunnion {

/// Longer messages and details of an error are cut, so that it fits into a response.
inline constexpr std::size_t max_error_text = 64U << 10U; ///< Bytes of each.

struct handler_answer {
  trunnion::payload payload;
  bool failed = false;
};

/// A reply that looks like an encoded error is one, and says so.
[[nodiscard]] handler_answer answer_of(payload reply);

/// A `remote_failure` in its detail is kept as it is.
[[nodiscard]] handler_answer answer_of(const failure& x);

/// Of what the function returns or throws.
[[nodiscard]] handler_answer run_handler(const request_function& handler, const handle_request& x);

} // namespace trunnion
