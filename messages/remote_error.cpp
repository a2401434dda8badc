#include "trunnion/messages/remote_error.hpp"

#include "trunnion/messages/json.hpp"

namespace trunnion {

std::string encode(const remote_failure& x) {
  std::string result{remote_error_magic};
  for (const char c : mend_utf8(x.message))
    if (c == '\0')
      result += "\xEF\xBF\xBD"; // Else the rest of the message would be read as details.
    else
      result += c;
  if (x.details && !x.details->empty()) // SensorKit knows no empty details.
    (result += '\0') += mend_utf8(*x.details);
  return result;
}

std::optional<remote_failure> decode_remote_error(std::string_view response) {
  if (!response.starts_with(remote_error_magic))
    return std::nullopt;
  response.remove_prefix(remote_error_magic.size());
  const auto end = response.find('\0');
  remote_failure result{.message = mend_utf8(response.substr(0, end))};
  if (end != std::string_view::npos)
    result.details = mend_utf8(response.substr(end + 1));
  return result;
}

} // namespace trunnion
