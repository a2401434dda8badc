#include "trunnion/tool/backend_session.hpp"

#include "trunnion/actors/janitor.hpp"
#include "trunnion/backends/open_backend.hpp"
#include "trunnion/messages/registration.hpp"
#include "trunnion/runtime/real_runtime.hpp"

#include <caf/actor_system_config.hpp>

namespace trunnion {
namespace {

command_result use_backend(const global_options& globals, caf::actor_system& system,
                           const runtime& rt,
                           const std::function<command_result(const blocking_client&)>& act) {
  const auto url = choose_backend(globals, std::nullopt);
  say_more(globals, explain("backend", url.value, url.source));
  const auto backend = open_backend(system, rt, url.value);
  if (!backend)
    return tl::unexpected{to_tool_error(backend.error())};
  auto result = act(blocking_client{system, rt, *backend}.within(globals.timeout.value));
  dismiss_janitor(system);
  caf::anon_send_exit(*backend, caf::exit_reason::user_shutdown);
  return result;
}

} // namespace

int with_backend(const global_options& globals,
                 const std::function<command_result(const blocking_client&)>& act) {
  real_runtime world{{.least_level = globals.verbose.value ? log_level::debug : log_level::warn}};
  caf::actor_system_config config;
  configure(config, 2);
  caf::actor_system system{config};
  const auto result = use_backend(globals, system, world.rt(), act);
  return result ? static_cast<int>(exit_code::done) : report(globals, result.error());
}

} // namespace trunnion
