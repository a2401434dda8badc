// The services that sessions have registered, as long as they live.
//
// Engines whose bus has no tools of its own keep them for their status.
//
// Threads: used by one actor, its owner.

#pragma once

#include "trunnion/backends/common/session_table.hpp"
#include "trunnion/messages/errors.hpp"
#include "trunnion/messages/service_registration.hpp"

#include <map>

namespace trunnion {

/// Services of one session; one more is `overloaded`.
inline constexpr std::size_t max_services = 100;

/// What a registration must be, on every engine; else `invalid_argument`, or `invalid_subject` for
/// an endpoint's.
[[nodiscard]] outcome<void> check_service(const register_service& x);

/// Whether `x` is `MAJOR.MINOR.PATCH`, with what semantic versioning lets follow.
[[nodiscard]] bool is_semantic_version(std::string_view x);

class service_table {
public:
  explicit service_table(session_table& sessions) : sessions_(sessions) {}
  service_table(const service_table&) = delete;
  service_table& operator=(const service_table&) = delete;

  /// `session` is the sender of the request.
  outcome<service_registered> add(const caf::strong_actor_ptr& session, register_service x);
  service_unregistered remove(const caf::strong_actor_ptr& session, const unregister_service& x);

  /// The actor has ended.
  void end_session(session_id session);
  void end_all();

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

private:
  session_table& sessions_; // Holds each session once for each of its services.
  std::map<session_id, std::map<std::string, register_service>> services_; // None is empty.
  std::size_t size_ = 0;
  std::uint64_t refused_ = 0;
};

} // namespace trunnion
