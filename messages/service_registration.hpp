// Makes a service known to the bus itself, so that the bus's own tools can list it.
//
// On NATS this is the micro protocol; other engines keep it for their status. A registration ends
// with its session.

#pragma once

#include "trunnion/messages/service.hpp"

namespace trunnion {

inline constexpr std::size_t max_endpoints = 1'000; ///< Of one service.

struct service_endpoint {
  std::string name; ///< As a property.
  trunnion::subject subject;
  bool operator==(const service_endpoint&) const = default;
};

/// Registers the sender's service; one of the same name by the same session is replaced. A name is
/// a property's, a version is `MAJOR.MINOR.PATCH` with what semantic versioning lets follow; else
/// `invalid_argument`.
struct register_service {
  service_info info;
  std::vector<service_endpoint> endpoints;
  bool operator==(const register_service&) const = default;
};

struct service_registered {
  bool replaced = false;
  bool operator==(const service_registered&) const = default;
};

struct unregister_service {
  std::string name;
  bool operator==(const unregister_service&) const = default;
};

struct service_unregistered {
  bool registered = false; ///< Whether there was something to end.
  bool operator==(const service_unregistered&) const = default;
};

template <class F> auto inspect(F& f, service_endpoint& x) {
  return fields(f, x, "service_endpoint", field{"name", x.name}, field{"subject", x.subject});
}

template <class F> auto inspect(F& f, register_service& x) {
  return fields(f, x, "register_service", field{"info", x.info}, field{"endpoints", x.endpoints});
}

template <class F> auto inspect(F& f, service_registered& x) {
  return fields(f, x, "service_registered", field{"replaced", x.replaced});
}

template <class F> auto inspect(F& f, unregister_service& x) {
  return fields(f, x, "unregister_service", field{"name", x.name});
}

template <class F> auto inspect(F& f, service_unregistered& x) {
  return fields(f, x, "service_unregistered", field{"registered", x.registered});
}

} // namespace trunnion
