#include "trunnion/actors/handler_answer.hpp"

#include "trunnion/actors/thrown.hpp"
#include "trunnion/messages/remote_error.hpp"

#include <algorithm>

namespace trunnion {
namespace {

handler_answer failed_with(remote_failure x) {
  x.message.resize(std::min(x.message.size(), max_error_text));
  if (x.details)
    x.details->resize(std::min(x.details->size(), max_error_text));
  return {payload{encode(x)}, true}; // Mends a character that was cut in two.
}

} // namespace

handler_answer answer_of(payload reply) {
  if (!reply.bytes().starts_with(remote_error_magic))
    return {std::move(reply), false};
  return failed_with(
    {"remote_request: the handler's reply begins with the mark of an error",
     "a reply must not begin with the bytes E R R NUL; return an error to report one"});
}

handler_answer answer_of(const failure& x) {
  if (const auto* remote = std::get_if<remote_failure>(&x.detail))
    return failed_with(*remote);
  remote_failure told{.message = to_string(x.code) + ": " + x.text};
  if (x.text.empty())
    told.message = to_string(x.code);
  if (!x.subject.empty())
    told.details = x.subject + ", " + to_string(x.certainty);
  else if (x.certainty == certainty::unknown)
    told.details = to_string(x.certainty);
  return failed_with(std::move(told));
}

handler_answer run_handler(const request_function& handler, const handle_request& x) {
  try {
    auto result = handler(x);
    return result ? answer_of(*std::move(result)) : answer_of(result.error());
  } catch (...) {
    auto told = describe_thrown();
    told.details = "in the handler of " + x.subject.text()
                   + (told.details ? "\n" + *told.details : std::string{});
    return failed_with(std::move(told));
  }
}

} // namespace trunnion
