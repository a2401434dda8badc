// The options that every command has, and where their values come from.
//
// The same option can be a flag, an environment variable, and a key of the configuration file
// `$XDG_CONFIG_HOME/trunnion/config.yaml`; a site file may name the backend. The first of flag,
// environment, site file, configuration file and default wins, and with `-v` the tool says which.
//
// Threads: plain values.

#pragma once

#include "trunnion/site/duration_text.hpp"
#include "trunnion/tool/errors.hpp"
#include "trunnion/tool/output.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace trunnion {

class option_binder;

enum class option_source : std::uint8_t {
  fallback, ///< Nobody said anything.
  configuration_file,
  site_file,
  environment,
  flag,
};

/// A value, and who said so.
template <class T> struct sourced {
  T value{};
  option_source source = option_source::fallback;
  bool operator==(const sourced&) const = default;
};

enum class colour_choice : std::uint8_t { automatic, always, never };
enum class time_style : std::uint8_t { utc, local, relative };

/// A process's variables, or those of a test.
using environment = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] environment process_environment();

struct global_options {
  sourced<std::string> backend{"memory:"}; ///< URL.
  sourced<bool> json;
  sourced<bool> quiet;
  sourced<bool> verbose;
  sourced<colour_choice> colour;
  sourced<std::chrono::nanoseconds> timeout{std::chrono::seconds{5}};
  sourced<time_style> time;
  sourced<std::string> ca, cert, key; ///< Files; empty for none.
  bool no_color = false;              ///< The variable `NO_COLOR` is set.
  const tool_io* io = &process_io();

  [[nodiscard]] bool colours(bool is_terminal) const;
  [[nodiscard]] bool colours_errors() const { return colours(io->err_is_terminal); }
};

/// What was given as flags, as text.
struct global_flags {
  std::optional<std::string> backend, colour, timeout, time, ca, cert, key;
  bool json = false, quiet = false, verbose = false;
};

/// Declares the flags of all commands.
void bind_globals(option_binder& binder, global_flags& flags);

/// Looks through all sources. The configuration file is read if there is one.
[[nodiscard]] tl::expected<global_options, tool_error> resolve_globals(const global_flags& flags,
                                                                       const environment& env);

/// The backend, where a site file may have named one.
[[nodiscard]] sourced<std::string> choose_backend(const global_options& globals,
                                                  const std::optional<std::string>& of_site);

/// Such as `backend memory: (environment, TRUNNION_BACKEND)`, for `-v`. Passwords are left out.
[[nodiscard]] std::string explain(std::string_view option, std::string_view value,
                                  option_source source);

/// What `-v` says about the options that a command has got.
[[nodiscard]] std::vector<std::string> explain_globals(const global_options& globals);

/// A backend's URL without user, password and secret options: `nats://***@host`.
[[nodiscard]] std::string redacted(std::string_view url);

} // namespace trunnion
