// The unit that people compose: an entity's lease, and the work under it.
//
// A service takes its entity's lease `<entity>.EntityLease`, whose record says its name and
// version, then what further leases it needs, and starts its members in order, all in one group:
// what ends one ends all, in reverse order, the leases last. An instance that finds the lease held
// by another waits for it if it is a standby, and takes over.
//
// Once it holds its leases it writes `<entity>.ServiceRecord`, SensorKit's word for who was last
// started there, and when. The record stays when the service ends, as the peer's does: whether a
// service runs is said by its lease. While it runs it is also registered with the backend, along
// with the requests that its members serve. Neither is worth a service: what fails is logged, and
// the record is tried again.
//
// A service runs once: `stopped` or `failed` is its end, and it quits. Whoever started it decides
// whether to start another (the site runner does, under a restart policy).
//
// Members are made by functions of the service's, which get the views and tokens of the leases.
// Their actors end on an exit message `user_shutdown`, within their grace. `service_members.hpp`
// makes members that serve a request, read a stream or watch keys.
//
// Clock: the runtime's. End: `service_stop` or an exit message ends it in order; when it is killed,
// its group notices, and ends in order without it.
// Threads: an ordinary actor that never blocks; the functions must not block either.

#pragma once

#include "trunnion/actors/group_supervisor.hpp"
#include "trunnion/messages/interfaces.hpp"

#include <functional>
#include <string>
#include <vector>

namespace trunnion {

/// Of the leases, unless the options say otherwise; the longer one where the backend's
/// `min_safe_ttl` is over the shorter, or is not known.
inline constexpr nanoseconds default_entity_ttl = std::chrono::seconds{10};
inline constexpr nanoseconds safe_entity_ttl = std::chrono::seconds{20};

inline constexpr std::string_view entity_lease_property = "EntityLease";

/// What a member is handed when it is made.
struct member_context {
  caf::actor_system& system;
  runtime rt;
  backend_actor backend;
  trunnion::entity entity;
  std::vector<held_handle> leases; ///< Of the service, the entity's lease included.

  /// The handle of the lease on `key`, which the service must hold.
  [[nodiscard]] const held_handle& lease(const subject& key) const;
};

struct service_member {
  std::string name;
  /// May not block, nor return null. A failure is the service's.
  std::function<outcome<caf::actor>(const member_context&)> start;
  nanoseconds grace = std::chrono::seconds{2};
  member_needs needs = {};
  std::string request = {}; ///< The entity's request that it serves, if any.
};

/// Is answered with the actor of a service once that runs.
struct await_service {
  std::string name;
};
struct running_service {
  caf::actor actor;
};

/// Knows the services that others may depend on, and always answers in the end.
using service_source = caf::typed_actor<answers<await_service, running_service>>;

struct service_options {
  service_info info;
  trunnion::entity entity;
  std::uint32_t instance = 0;                  ///< 0, and 1 and up for standbys.
  bool waits_for_lease = false;                ///< As a standby, or a successor, does.
  std::optional<nanoseconds> ttl;              ///< Of all its leases.
  nanoseconds grace = std::chrono::seconds{2}; ///< Of all its leases: see `lease_options`.
  std::string owner;                           ///< For people, in the leases' records.
  std::vector<subject> further_leases;         ///< Taken after the entity's, all or none.
  std::vector<std::string> depends_on;         ///< Services whose end is this one's, too.
  service_source services = {};                ///< Who knows them; needed if there are any.
  std::vector<service_member> members;         ///< In order of start.
  nanoseconds stop_timeout = std::chrono::seconds{10};
  caf::strong_actor_ptr parent; ///< The service ends in order when it ends; may be null.
  group_sink
    watcher; ///< Told of the losses and the end of the group, also if the service is killed.
};

/// Starts a service. Fails with `invalid_argument` where its parts do not fit together.
outcome<service_actor> start_service(caf::actor_system& sys, const runtime& rt,
                                     const backend_actor& backend, service_options options);

} // namespace trunnion

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::await_service)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::running_service)
