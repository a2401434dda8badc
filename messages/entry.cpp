#include "trunnion/messages/entry.hpp"

#include <charconv>

namespace trunnion {

std::string wire_text(const fencing_token& x) {
  return to_string(x.epoch) + ":" + to_string(x.revision);
}

std::optional<fencing_token> parse_fencing_token(std::string_view text) {
  fencing_token result;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos)
    return std::nullopt;
  const auto read = [](std::string_view digits, std::uint64_t& into) {
    const auto* end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, into);
    return error == std::errc{} && stopped == end && !digits.empty();
  };
  if (!read(text.substr(0, colon), result.epoch.value)
      || !read(text.substr(colon + 1), result.revision.value))
    return std::nullopt;
  return result;
}

std::string to_string(tombstone_cause x) {
  switch (x) {
  case tombstone_cause::deleted: return "deleted";
  case tombstone_cause::purged: return "purged";
  case tombstone_cause::expired: return "expired";
  }
  return "gone"; // Of a newer peer.
}

std::string to_string(const entry& x) {
  auto result = x.subject.text() + "@" + to_string(x.revision);
  if (x.tombstone)
    return result + " " + to_string(*x.tombstone);
  return result + " " + std::to_string(x.payload.size()) + " bytes";
}

} // namespace trunnion
