#include "trunnion/backends/common/service_table.hpp"

#include "trunnion/backends/common/checks.hpp"

#include <algorithm>

namespace trunnion {
namespace {

constexpr std::size_t longest_version = 128;

constexpr bool is_digit(char x) { return x >= '0' && x <= '9'; }

constexpr bool is_identifier_char(char x) {
  return is_digit(x) || (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || x == '-';
}

bool is_number(std::string_view x) {
  return !x.empty() && std::ranges::all_of(x, is_digit) && (x.size() == 1 || x[0] != '0');
}

bool is_identifier(std::string_view x) {
  return !x.empty() && std::ranges::all_of(x, is_identifier_char);
}

/// A number in a pre-release has no zeros in front.
bool is_release_part(std::string_view x) {
  return is_identifier(x) && (!std::ranges::all_of(x, is_digit) || is_number(x));
}

/// Whether `valid` holds of each part between the points of `x`; how many, or none.
std::size_t count_parts(std::string_view x, bool (*valid)(std::string_view)) {
  for (std::size_t count = 1;; ++count) {
    const auto end = x.find('.');
    if (!valid(x.substr(0, end)))
      return 0;
    if (end == std::string_view::npos)
      return count;
    x.remove_prefix(end + 1);
  }
}

/// Takes what follows the first `mark` off `x`; nothing if there is no mark.
std::optional<std::string_view> cut_off(std::string_view& x, char mark) {
  const auto at = x.find(mark);
  if (at == std::string_view::npos)
    return std::nullopt;
  const auto result = x.substr(at + 1);
  x = x.substr(0, at);
  return result;
}

outcome<void> check_name(const std::string& x, const char* whose) {
  if (property::named(x))
    return {};
  return fail(error_code::invalid_argument,
              std::string{whose} + " name is a property's, and '" + x + "' is not");
}

} // namespace

bool is_semantic_version(std::string_view x) {
  const auto build = cut_off(x, '+');
  const auto release = cut_off(x, '-');
  return count_parts(x, is_number) == 3 && (!release || count_parts(*release, is_release_part) > 0)
         && (!build || count_parts(*build, is_identifier) > 0);
}

outcome<void> check_service(const register_service& x) {
  if (auto valid = check_name(x.info.name, "a service's"); !valid)
    return valid;
  if (x.info.version.size() > longest_version || !is_semantic_version(x.info.version))
    return fail(error_code::invalid_argument, "a service's version reads MAJOR.MINOR.PATCH");
  if (x.endpoints.size() > max_endpoints)
    return fail(error_code::invalid_argument,
                "a service has at most " + std::to_string(max_endpoints) + " endpoints");
  for (const auto& endpoint : x.endpoints)
    if (auto valid = check_name(endpoint.name, "an endpoint's").and_then([&] {
          return check_request(endpoint.subject);
        });
        !valid)
      return valid;
  return {};
}

outcome<service_registered> service_table::add(const caf::strong_actor_ptr& session,
                                               register_service x) {
  if (!session)
    return fail(error_code::invalid_argument, "sent by nobody");
  if (auto valid = check_service(x); !valid)
    return tl::unexpected{valid.error()};
  const auto id = sessions_.hold(session);
  auto& mine = services_[id];
  const auto known = mine.find(x.info.name);
  if (known != mine.end()) {
    known->second = std::move(x);
    sessions_.release(id); // It is held once for each service.
    return service_registered{true};
  }
  if (mine.size() >= max_services) {
    ++refused_;
    sessions_.release(id);
    return fail(error_code::overloaded, "this session has too many services");
  }
  auto name = x.info.name;
  mine.emplace(std::move(name), std::move(x));
  ++size_;
  return service_registered{false};
}

service_unregistered service_table::remove(const caf::strong_actor_ptr& session,
                                           const unregister_service& x) {
  const auto id = sessions_.find(caf::actor_cast<caf::actor_addr>(session));
  const auto mine = id ? services_.find(*id) : services_.end();
  if (mine == services_.end() || mine->second.erase(x.name) == 0)
    return {false};
  --size_;
  if (mine->second.empty())
    services_.erase(mine);
  sessions_.release(*id);
  return {true};
}

void service_table::end_session(session_id session) {
  const auto mine = services_.find(session);
  if (mine == services_.end())
    return;
  size_ -= mine->second.size();
  for (auto i = mine->second.size(); i > 0; --i)
    sessions_.release(session);
  services_.erase(mine);
}

void service_table::end_all() {
  while (!services_.empty())
    end_session(services_.begin()->first);
}

} // namespace trunnion
