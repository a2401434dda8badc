#include "trunnion/backends/open_backend.hpp"

#include "trunnion/backends/faulty/faulty_backend.hpp"
#include "trunnion/backends/faulty/faulty_url.hpp"
#include "trunnion/backends/memory/memory_backend.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace trunnion {
namespace {

constexpr std::string_view hidden = "***";
constexpr std::array secret_options{std::string_view{"password"}, std::string_view{"pass"},
                                    std::string_view{"token"},    std::string_view{"nkey"},
                                    std::string_view{"secret"},   std::string_view{"key"}};
constexpr std::string_view known_schemes = "memory:, sqlite:, nats://, tls://, caf://, faulty+";

std::string lower(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// The text before the first colon, as long as it looks like a scheme: other text is not shown.
std::optional<std::string> scheme_of(std::string_view url) {
  const auto colon = url.find(':');
  const auto scheme = lower(url.substr(0, colon));
  const bool valid
    = colon != std::string_view::npos && !scheme.empty() && scheme.size() <= 32
      && std::ranges::all_of(scheme, [](unsigned char c) { return std::isalnum(c) || c == '+'; });
  return valid ? std::optional{scheme} : std::nullopt;
}

tl::unexpected<failure> not_built_in(std::string_view what) {
  return fail(error_code::unsupported,
              std::string{what} + " is not in this version of trunnion; memory: is");
}

/// Any backend behind a link that misbehaves; the backend ends with the link.
outcome<backend_actor> open_faulty(caf::actor_system& sys, const runtime& rt,
                                   std::string_view url) {
  const auto read = read_faulty_url(url);
  if (!read)
    return tl::unexpected{read.error()};
  if (scheme_of(read->inner).value_or("").starts_with(faulty_prefix))
    return fail(error_code::invalid_argument, "one faulty link is enough: faulty+ stands there "
                                              "twice");
  return open_backend(sys, rt, read->inner).map([&](const backend_actor& inner) -> backend_actor {
    return spawn_faulty_backend(sys, rt, inner, {read->seed, read->plan}, true);
  });
}

/// Hides the values of options that are secrets.
void hide_options(std::string& url) {
  for (auto begin = url.find_first_of("?#"); begin != std::string::npos;) {
    const auto end = std::min(url.find_first_of("&#,", begin + 1), url.size());
    const auto equals = url.find('=', begin);
    const auto name
      = equals < end ? lower(std::string_view{url}.substr(begin + 1, equals - begin - 1)) : "";
    std::size_t shift = 0;
    if (std::ranges::find(secret_options, name) != secret_options.end()) {
      shift = equals + 1 + hidden.size();
      url.replace(equals + 1, end - equals - 1, hidden);
    } else {
      shift = end;
    }
    begin = url.find_first_of("&#,", shift);
  }
}

} // namespace

outcome<backend_actor> open_backend(caf::actor_system& sys, const runtime& rt,
                                    std::string_view url) {
  const auto scheme = scheme_of(url);
  if (!scheme)
    return fail(error_code::invalid_argument,
                "this is not the URL of a backend; one begins with " + std::string{known_schemes});
  if (scheme->starts_with(faulty_prefix))
    return open_faulty(sys, rt, url);
  if (*scheme == "memory") {
    if (url.size() != scheme->size() + 1)
      return fail(error_code::invalid_argument, "memory: has neither a path nor options");
    return spawn_memory_backend(sys, rt);
  }
  if (*scheme == "sqlite")
    return not_built_in("the SQLite engine (sqlite:)");
  if (*scheme == "nats" || *scheme == "tls")
    return not_built_in("the NATS engine (nats://, tls://)");
  if (*scheme == "caf")
    return not_built_in("the backend of another node (caf://)");
  return fail(error_code::invalid_argument, "no engine has the scheme '" + *scheme
                                              + ":'; known are " + std::string{known_schemes});
}

std::string redact_url(std::string_view url) {
  std::string result{url};
  // Passwords may hold any character, and a list of servers several of them: all up to the last @.
  const auto begin = result.find("://");
  const auto at = result.rfind('@');
  if (begin != std::string::npos && at != std::string::npos && at > begin)
    result.replace(begin + 3, at - begin - 3, hidden);
  hide_options(result);
  return result;
}

} // namespace trunnion
