// Version, site, backend, publish, web and defaults of a site file.

#include "trunnion/messages/address.hpp"
#include "trunnion/site/duration_text.hpp"
#include "trunnion/site/site_limits.hpp"
#include "trunnion/site/site_sections.hpp"

#include <algorithm>
#include <charconv>

namespace trunnion {

namespace {

using namespace std::chrono_literals;

void read_version(value_checker& check, map_reader& file) {
  const auto* value = file.require("version");
  if (value == nullptr)
    return;
  const auto version = check.integer(*value, "version", {0, 1'000'000});
  if (version && *version != site_limits::version)
    check.problem(value->where, "version " + std::to_string(*version)
                                  + " is not known; this program reads version "
                                  + std::to_string(site_limits::version));
}

void read_position(value_checker& check, const config_value& map, site_model& site) {
  map_reader reader{check, map, "position", "'position' of the site"};
  site_position result;
  const auto read = [&](std::string_view key, range_of<double> range, double& into) {
    if (const auto* value = reader.require(key))
      into = check.number(*value, key, range).value_or(0);
  };
  read("latitude_deg", site_limits::latitude_deg, result.latitude_deg);
  read("longitude_deg", site_limits::longitude_deg, result.longitude_deg);
  if (const auto* value = reader.find("altitude_m"))
    result.altitude_m = check.number(*value, "altitude_m", site_limits::altitude_m).value_or(0);
  reader.finish();
  site.position = result;
}

void read_site_part(site_draft& draft, map_reader& file) {
  const auto* map = file.require("site");
  if (map == nullptr)
    return;
  auto& check = draft.check;
  map_reader reader{check, *map, "site", "'site'"};
  if (const auto* name = reader.require("name"))
    draft.site.name = read_name(check, *name, "name", true).value_or("");
  if (const auto* position = reader.find("position"))
    read_position(check, *position, draft.site);
  if (const auto* control = reader.find("control"))
    draft.site.control = check.boolean(*control, "control").value_or(false);
  reader.finish();
}

/// What is wrong with a URL that holds secrets. Rather too many are found than too few.
std::optional<std::string> secret_in_url(std::string_view url) {
  const auto scheme = url.substr(0, url.find(':'));
  const bool is_path = scheme.ends_with("sqlite") && url.find("://") == std::string_view::npos;
  if (url.find('@') != std::string_view::npos && !is_path)
    return "secrets are not kept in site files; give the user and password in TRUNNION_BACKEND";
  auto rest = url.substr(std::min(url.find('?'), url.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1); // The question mark, or what separates.
    const auto option = rest.substr(0, rest.find_first_of("&;#"));
    const auto name = option.substr(0, option.find('='));
    if (names_secret(name))
      return "secrets are not kept in site files; instead of " + in_quotes(name) + " give "
             + in_quotes(std::string{name}.append("_file")) + " or "
             + in_quotes(std::string{name}.append("_env"))
             + ", or the whole URL in TRUNNION_BACKEND";
    rest.remove_prefix(option.size());
  }
  return std::nullopt;
}

void read_backend(site_draft& draft, map_reader& file) {
  const auto* value = file.find("backend");
  if (value == nullptr)
    return;
  const auto url = draft.check.text(*value, "backend");
  if (!url)
    return;
  if (auto why = secret_in_url(*url)) { // First, since other messages show the URL.
    draft.check.problem(value->where, *std::move(why) + " (backend)");
    return;
  }
  static const std::vector<std::string> schemes{"memory", "sqlite", "nats", "tls", "caf"};
  auto rest = std::string_view{*url};
  if (constexpr std::string_view faulty = "faulty+"; rest.starts_with(faulty))
    rest.remove_prefix(faulty.size());
  const auto colon = rest.find(':');
  const auto scheme = rest.substr(0, colon);
  const auto known = colon != std::string_view::npos
                     && std::find(schemes.begin(), schemes.end(), scheme) != schemes.end();
  if (!known) {
    draft.check.problem(value->where, "unknown backend " + in_quotes(*url)
                                        + "; use memory:, sqlite:PATH, nats://HOST:PORT, "
                                          "tls://HOST:PORT or caf://HOST:PORT (backend)"
                                        + draft.check.hint(scheme, schemes));
    return;
  }
  if (*url != "memory:")
    draft.report_not_built(value->where, "backend " + in_quotes(*url));
  draft.site.backend = *url;
}

/// HOST:PORT; the host may be in brackets.
std::optional<std::string> read_endpoint(value_checker& check, const config_value& value,
                                         std::string_view label) {
  const auto text = check.text(value, label);
  if (!text)
    return std::nullopt;
  const auto colon = text->rfind(':');
  std::uint32_t port = 0;
  if (colon != std::string::npos && colon > 0) {
    const auto* end = text->data() + text->size();
    const auto read = std::from_chars(text->data() + colon + 1, end, port);
    const auto host = std::string_view{*text}.substr(0, colon);
    const auto bracketed = host.starts_with('[') && host.ends_with(']');
    const auto sound = host.find_first_of(" \t/@") == std::string_view::npos
                       && (bracketed || host.find(':') == std::string_view::npos);
    if (read.ec == std::errc{} && read.ptr == end && port <= 65'535 && sound)
      return text;
  }
  check.problem(value.where, in_quotes(*text) + " is not HOST:PORT, as in 127.0.0.1:7716 ("
                               + std::string{label} + ")");
  return std::nullopt;
}

void read_web(site_draft& draft, map_reader& file) {
  const auto* map = file.find("web");
  if (map == nullptr)
    return;
  map_reader reader{draft.check, *map, "web", "'web'"};
  web_spec web;
  if (const auto* listen = reader.require("listen"))
    web.listen = read_endpoint(draft.check, *listen, "listen").value_or("");
  if (const auto* file_name = reader.find("token_file"))
    web.token_file = draft.check.text(*file_name, "token_file");
  reader.finish();
  draft.report_not_built(map->where, "'web'");
  draft.site.web = std::move(web);
}

} // namespace

void site_draft::report_not_built(const place& where, std::string what) {
  not_built.push_back({where, std::move(what) + " is not built in this version"});
}

std::optional<std::string> read_name(value_checker& check, const config_value& value,
                                     std::string_view label, bool dotted) {
  const auto text = check.text(value, label);
  if (!text)
    return std::nullopt;
  const auto wrong = [&](std::string_view why) {
    auto message = in_quotes(*text);
    message.append(" is not a valid name: ").append(why).append(" (").append(label).append(")");
    check.problem(value.where, std::move(message));
    return std::nullopt;
  };
  if (!dotted && text->find('.') != std::string::npos)
    return wrong("a dot separates the parts of an address");
  bool reserved = false;
  for_each_segment(*text, [&](std::string_view x) { reserved = reserved || x.starts_with('_'); });
  if (reserved)
    return wrong("names that begin with '_' are reserved");
  if (!entity::parse(*text))
    return wrong("it has 1 to 128 characters of A-Z a-z 0-9 - _ / =");
  return text;
}

void read_head(site_draft& draft, map_reader& file) {
  read_version(draft.check, file);
  read_site_part(draft, file);
  read_backend(draft, file);
  if (const auto* publish = file.find("publish")) {
    draft.site.publish = read_endpoint(draft.check, *publish, "publish");
    draft.report_not_built(publish->where, "'publish' of the site");
  }
  read_web(draft, file);
}

void read_restart(value_checker& check, const config_value& map, restart_policy& policy,
                  const std::string& what) {
  map_reader reader{check, map, "restart", what};
  static const std::vector<std::string> policies{"on-failure", "always", "never"};
  if (const auto* value = reader.find("policy"))
    if (const auto index = check.choice(*value, "policy", policies))
      policy.policy = static_cast<restart_when>(*index);
  if (const auto* value = reader.find("max"))
    if (const auto max = check.integer(*value, "max", site_limits::restart_max))
      policy.max = static_cast<std::uint32_t>(*max);
  const auto read = [&](std::string_view key, std::chrono::nanoseconds& into) {
    const auto* value = reader.find(key);
    if (value != nullptr)
      into = check.duration(*value, key, {1ms, 24h}).value_or(into);
    return value;
  };
  read("within", policy.within);
  const auto* backoff = read("backoff", policy.backoff);
  const auto* most = read("backoff_max", policy.backoff_max);
  if (policy.backoff > policy.backoff_max)
    check.problem(most != nullptr      ? most->where
                  : backoff != nullptr ? backoff->where
                                       : map.where,
                  "backoff " + print_duration(policy.backoff) + " is longer than backoff_max "
                    + print_duration(policy.backoff_max) + " in " + what);
  reader.finish();
}

void read_defaults(site_draft& draft, map_reader& file) {
  const auto* map = file.find("defaults");
  if (map == nullptr)
    return;
  auto& check = draft.check;
  auto& defaults = draft.site.defaults;
  map_reader reader{check, *map, "defaults", "'defaults'"};
  if (const auto* lease = reader.find("lease")) {
    map_reader keys{check, *lease, "lease", "'lease' of the defaults"};
    const auto* ttl = keys.find("ttl");
    defaults.is_lease_ttl_given = ttl != nullptr;
    if (ttl != nullptr)
      defaults.lease_ttl
        = check.duration(*ttl, "ttl", {200ms, max_duration}).value_or(defaults.lease_ttl);
    if (const auto* grace = keys.find("grace")) {
      defaults.lease_grace = check.duration(*grace, "grace", {0s, max_duration});
      if (defaults.lease_grace && *defaults.lease_grace > defaults.lease_ttl / 3)
        check.problem(grace->where, "grace " + print_duration(*defaults.lease_grace)
                                      + " is more than a third of the ttl "
                                      + print_duration(defaults.lease_ttl)
                                      + " in 'lease' of the defaults");
    }
    keys.finish();
  }
  if (const auto* request = reader.find("request")) {
    map_reader keys{check, *request, "request", "'request' of the defaults"};
    if (const auto* timeout = keys.find("timeout"))
      defaults.request_timeout
        = check.duration(*timeout, "timeout", {1ms, 24h}).value_or(defaults.request_timeout);
    keys.finish();
  }
  if (const auto* restart = reader.find("restart"))
    read_restart(check, *restart, defaults.restart, "'restart' of the defaults");
  if (const auto* timeout = reader.find("stop_timeout"))
    defaults.stop_timeout
      = check.duration(*timeout, "stop_timeout", {10ms, 1h}).value_or(defaults.stop_timeout);
  reader.finish();
}

} // namespace trunnion
