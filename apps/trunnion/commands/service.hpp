// The commands `service run` and `service check`.

#pragma once

#include "trunnion/messages/runtime/runtime.hpp"
#include "trunnion/site/site_reader.hpp"
#include "trunnion/tool/errors.hpp"
#include "trunnion/tool/options.hpp"

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace trunnion {

class command_table;

/// A drill: what happens to which service, and how long after the start.
struct service_drill {
  std::string service; ///< Its running instance is killed.
  nanoseconds after{};
  bool operator==(const service_drill&) const = default;
};

struct service_run_options {
  std::string file;
  std::vector<std::string> only;      ///< Names of services; empty for all.
  std::vector<std::string> settings;  ///< `PATH=VALUE`, applied in this order.
  std::optional<nanoseconds> lasting; ///< `--for`: ends by itself after that.
  std::vector<service_drill> drills;
  bool check = false; ///< Only checks the file.
};

void add_service_commands(command_table& commands);

/// Reads a site file against the kinds of this program. A report always has a site: a file that
/// can't be read or has problems is an error.
[[nodiscard]] tl::expected<site_report, tool_error>
load_site(const std::string& file, const std::vector<std::string>& settings);

/// Runs a site until a signal, `--for`, or its end. The story goes to standard output, logs to
/// standard error. Returns the exit status: 0 when it was asked to end and ended in order, 2 for a
/// wrong file, 6 when the backend cannot be reached or all services are down for good.
int run_service(const global_options& globals, const service_run_options& options);

/// Whether `--only` and `--drill` name services that are there, and would run.
[[nodiscard]] tl::expected<void, tool_error> check_names(const service_run_options& options,
                                                         const site_model& site);

/// Checks a site file, and the names that go with it, and says what is wrong with it, or not built
/// in this version.
int check_service(const global_options& globals, const service_run_options& options);

} // namespace trunnion
