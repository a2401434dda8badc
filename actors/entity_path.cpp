#include "trunnion/actors/entity_path.hpp"

#include "trunnion/messages/remote_error.hpp"

namespace trunnion {

outcome<entity> descend(const outcome<entity>& from,
                        const std::vector<std::string_view>& segments) {
  if (!from || segments.empty())
    return from;
  std::string path = from->text();
  for (const auto segment : segments)
    path.append(path.empty() ? "" : ".").append(segment);
  return entity::parse(path);
}

outcome<subject> subject_at(const outcome<entity>& where, std::string_view prop) {
  if (!where)
    return tl::unexpected{where.error()};
  if (prop == property::all_properties().text())
    return subject::make(*where, property::all_properties());
  if (prop == property::all_descendants().text())
    return subject::make(*where, property::all_descendants());
  if (prop == events_token)
    return subject::make(*where, property::events());
  const auto named = property::named(prop);
  if (!named)
    return tl::unexpected{named.error()};
  return subject::make(*where, *named);
}

outcome<payload> response_in(const subject& asked, const invoked& x) {
  auto failed = decode_remote_error(x.payload.bytes());
  if (!failed)
    return x.payload;
  return tl::unexpected{failure{error_code::remote_request, certainty::unknown, asked.text(),
                                failed->message, std::move(*failed)}};
}

} // namespace trunnion
