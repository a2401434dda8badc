#include "trunnion/tool/errors.hpp"

#include "trunnion/messages/json.hpp"
#include "trunnion/runtime/escape.hpp"
#include "trunnion/tool/output.hpp"

namespace trunnion {

std::string_view meaning(exit_code x) {
  switch (x) {
  case exit_code::done: return "done";
  case exit_code::failed: return "failed, and no other status says why";
  case exit_code::usage: return "wrong usage, or a bad site or configuration file";
  case exit_code::not_found: return "not found";
  case exit_code::conflict: return "conflict: held by another, stale, or there already";
  case exit_code::timed_out: return "timed out";
  case exit_code::unreachable: return "the backend cannot be reached, or was lost";
  case exit_code::denied: return "denied";
  case exit_code::invalid_data: return "data is not valid";
  }
  return "";
}

tool_error usage_error(std::string message, std::string hint) {
  return {.message = std::move(message), .hint = std::move(hint)};
}

tool_error to_tool_error(const failure& x) {
  return {.code = to_string(x.code),
          .message = to_string(x),
          .exit = static_cast<exit_code>(exit_status(x.code))};
}

std::string to_text(const tool_error& error, bool colour) {
  std::string result;
  for (const auto& problem : error.problems)
    result.append(escape_text(to_string(problem, error.file))) += '\n';
  result.append(colour ? "\x1B[31mtrunnion:\x1B[0m " : "trunnion: ");
  result.append(escape_text(error.message));
  if (!error.hint.empty())
    result.append(" (").append(escape_text(error.hint)).append(")");
  return result += '\n';
}

std::string to_json(const tool_error& error) {
  json_writer out;
  out.begin_object().key("error").begin_object();
  out.key("code").text(error.code);
  out.key("message").text(error.message);
  out.key("exit").number(static_cast<int>(error.exit));
  out.key("hint");
  if (error.hint.empty())
    out.null();
  else
    out.text(error.hint);
  if (!error.problems.empty()) {
    out.key("problems");
    write_problems(out, error.problems, error.file);
  }
  out.end_object().end_object();
  return out.str();
}

} // namespace trunnion
