#include "trunnion/messages/group.hpp"

namespace trunnion {

std::string to_string(group_phase x) {
  switch (x) {
  case group_phase::running: return "running";
  case group_phase::closing: return "closing";
  case group_phase::ended: return "ended";
  }
  return "unknown phase"; // Of a newer peer.
}

std::string to_string(const group_report& x) {
  if (x.is_orderly() && x.killed.empty() && x.unreleased.empty())
    return "ended in order";
  std::string result;
  const auto add = [&](const std::string& part) { result += (result.empty() ? "" : "; ") + part; };
  for (const auto& lost : x.abandoned)
    add(lost.subject + " lost (" + to_string(lost.reason)
        + (lost.culprit.empty() ? ")" : ", by " + lost.culprit + ")"));
  for (const auto& name : x.killed)
    add(name + " was killed, it did not end in time");
  for (const auto& subject : x.unreleased)
    add(subject + " could not be released");
  return result;
}

} // namespace trunnion
