// A site as its file describes it: services, their leases, restarts, order and groups.
//
// What is here has been checked. References name existing services, ranges hold, and defaults are
// filled in, so that a runner can go through it without asking again. Keys whose function is not
// built in this version are kept as they were read.
//
// Threads: plain values.

#pragma once

#include "trunnion/site/config_value.hpp"
#include "trunnion/site/kind_config.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trunnion {

inline constexpr std::size_t max_services = 1'000; ///< In one site.
inline constexpr std::size_t max_alarms = 100;     ///< Of one service.

/// When a service that ended is started again.
enum class restart_when : std::uint8_t { on_failure, always, never };

/// How a group answers the end of a member.
enum class group_strategy : std::uint8_t {
  one_for_one,  ///< That member is started again.
  one_for_all,  ///< All are stopped and started again.
  rest_for_one, ///< That member, and those that were started after it.
};

enum class alarm_level : std::uint8_t { info, warn, error };

struct restart_policy {
  restart_when policy = restart_when::on_failure;
  std::uint32_t max = 5; ///< So many within `within`; then it stays down. 0: after any failure.
  std::chrono::nanoseconds within = std::chrono::minutes{1};
  std::chrono::nanoseconds backoff = std::chrono::milliseconds{200}; ///< Before the first.
  std::chrono::nanoseconds backoff_max = std::chrono::seconds{10};
  bool operator==(const restart_policy&) const = default;
};

struct lease_spec {
  std::chrono::nanoseconds ttl = std::chrono::seconds{10};
  bool is_ttl_given = false; ///< In the file; else a backend with a longer safe TTL gets that.
  std::chrono::nanoseconds grace = std::chrono::seconds{2}; ///< For what works under the lease.
  std::vector<std::string> group; ///< Services whose `ControlLease` is held, too.
};

/// How long a stream is kept. Not built yet.
struct keep_spec {
  std::optional<std::chrono::nanoseconds> max_age;
  std::optional<std::uint64_t> max_bytes;
  std::optional<std::uint64_t> max_messages; ///< Of each subject.
};

struct publish_spec {
  std::string stream; ///< The property that samples are published to.
  std::optional<keep_spec> keep;
};

/// A condition on the service's own samples that people are to be told of.
struct alarm_spec {
  expression when;
  std::chrono::nanoseconds lasting{}; ///< So long it must hold; `for` in the file.
  alarm_level level = alarm_level::warn;
};

struct service_spec {
  std::string name;
  std::string kind;
  place where;                                   ///< Of its entry.
  std::optional<std::chrono::nanoseconds> every; ///< Period of its work; the kind's, if it has one.
  kind_config config;
  std::optional<publish_spec> publish;
  std::vector<alarm_spec> alarms;
  lease_spec lease;
  restart_policy restart;
  std::uint32_t standby = 0; ///< Further instances, which wait for the lease.
  std::vector<std::string> depends_on;
  std::vector<std::string> on;         ///< Nodes, in order of preference. Not built yet.
  std::chrono::nanoseconds stop_grace; ///< Time to stop; the lease's grace unless given.
};

struct group_spec {
  std::string name;
  group_strategy strategy{};
  std::vector<std::string> members; ///< In order of start.
};

struct site_position {
  double latitude_deg = 0;
  double longitude_deg = 0;
  double altitude_m = 0;
  bool operator==(const site_position&) const = default;
};

/// Not built yet.
struct web_spec {
  std::string listen; ///< HOST:PORT.
  std::optional<std::string> token_file;
};

struct site_defaults {
  std::chrono::nanoseconds lease_ttl = std::chrono::seconds{10};
  bool is_lease_ttl_given = false;
  std::optional<std::chrono::nanoseconds> lease_grace; ///< Else min(2 s, a quarter of the TTL).
  std::chrono::nanoseconds request_timeout = std::chrono::seconds{5};
  restart_policy restart;
  std::chrono::nanoseconds stop_timeout = std::chrono::seconds{10}; ///< Of the whole site.
};

struct site_model {
  std::string name;   ///< An entity's text.
  std::string folder; ///< Relative paths count from it; empty: the working directory.
  std::optional<site_position> position;
  bool control = false;               ///< Whether `service restart` and `stop` are answered.
  std::optional<std::string> backend; ///< URL.
  std::optional<std::string> publish; ///< HOST:PORT. Not built yet.
  std::optional<web_spec> web;
  site_defaults defaults;
  std::vector<service_spec> services; ///< In the file's order.
  std::vector<group_spec> groups;

  [[nodiscard]] const service_spec* find(std::string_view service) const;

  /// The services such that each comes after all that it depends on; else in the file's order.
  [[nodiscard]] std::vector<const service_spec*> start_order() const;

  /// The text of a service's entity: `site.service`.
  [[nodiscard]] std::string entity_of(const service_spec& service) const;
};

[[nodiscard]] std::string to_string(restart_when x);
[[nodiscard]] std::string to_string(group_strategy x);
[[nodiscard]] std::string to_string(alarm_level x);

} // namespace trunnion
