// How one speaks with a service, and what it tells of its life.

#pragma once

#include "trunnion/messages/group.hpp"

namespace trunnion {

/// Who a service is, as its lease's record says: `{"name":…,"version":…}`.
struct service_info {
  std::string name;
  std::string version;
  bool operator==(const service_info&) const = default;
};

enum class service_phase : std::uint8_t {
  waiting,  ///< For the entity's lease: another instance holds it.
  starting, ///< The lease is held; members start in order.
  running,
  stopping, ///< Members end in reverse order; the lease is released last.
  stopped,  ///< For good, as asked.
  failed,   ///< For good: it could not start, or lost what it needs. May be started anew.
};

/// To subscribers, at each change of phase.
struct service_event {
  trunnion::entity entity;
  std::uint32_t instance = 0; ///< 0, and 1 and up for standbys.
  service_phase phase{};
  fencing_token token;          ///< Of the entity's lease; zero while there is none.
  std::string text;             ///< One line for people.
  std::vector<lost_lease> lost; ///< With `stopping` and `failed`: what was lost, why and by whom.
  bool operator==(const service_event&) const = default;
};

/// Makes the sender, a `service_sink`, a subscriber; it gets the present phase first.
struct service_subscribe {
  bool operator==(const service_subscribe&) const = default;
};

/// Ends the service in order; is answered with its group's report when all is over.
struct service_stop {
  bool operator==(const service_stop&) const = default;
};

struct service_inspect {
  bool operator==(const service_inspect&) const = default;
};

struct service_status {
  service_info info;
  trunnion::entity entity;
  std::uint32_t instance = 0;
  service_phase phase{};
  fencing_token token;
  std::vector<std::string> members; ///< Alive, in order of start.
  std::string text;                 ///< Of the latest event.
  bool operator==(const service_status&) const = default;
};

[[nodiscard]] std::string to_string(service_phase x);

template <class F> auto inspect(F& f, service_info& x) {
  return fields(f, x, "service_info", field{"name", x.name}, field{"version", x.version});
}
template <class F> auto inspect(F& f, service_event& x) {
  return fields(f, x, "service_event", field{"entity", x.entity}, field{"instance", x.instance},
                field{"phase", x.phase}, field{"token", x.token}, field{"text", x.text},
                field{"lost", x.lost});
}
template <class F> auto inspect(F& f, service_subscribe& x) {
  return fields(f, x, "service_subscribe");
}
template <class F> auto inspect(F& f, service_stop& x) { return fields(f, x, "service_stop"); }
template <class F> auto inspect(F& f, service_inspect& x) {
  return fields(f, x, "service_inspect");
}
template <class F> auto inspect(F& f, service_status& x) {
  return fields(f, x, "service_status", field{"info", x.info}, field{"entity", x.entity},
                field{"instance", x.instance}, field{"phase", x.phase}, field{"token", x.token},
                field{"members", x.members}, field{"text", x.text});
}

} // namespace trunnion
