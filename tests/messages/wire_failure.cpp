#include "trunnion/messages/errors.hpp"
#include "trunnion/tests/messages/wire.hpp"

namespace trunnion::test {

wire_samples failure_samples() {
  const auto with = [](failure_detail detail) {
    return sample(
      failure{error_code::overloaded, certainty::unknown, "a.b", "too much", std::move(detail)});
  };
  return {
    with({}),
    with(missing_key{true}),
    with(held_lease{"host/1", "{\"n\":1}", 42, 3s}),
    with(held_lease{"", "null", 43, {}}),
    with(abandonment{{{"a.b", loss_reason::broken, "admin"}, {"c", loss_reason::shutdown, ""}}}),
    with(remote_failure{"boom", "trace"}),
    with(remote_failure{"boom", {}}),
    with(current_revision{7}),
    sample(failure{error_code::internal, certainty::not_applied, "", "", {}}),
  };
}

} // namespace trunnion::test
