#include "trunnion/actors/monitor_waiters.hpp"

#include <exception>

namespace trunnion {

outcome<bool> fulfils(const view_predicate& predicate, const entry_map& view) {
  try {
    return !predicate || predicate(view);
  } catch (const std::exception& e) {
    return fail(error_code::invalid_argument, std::string{"the predicate failed: "} + e.what());
  } catch (...) {
    return fail(error_code::invalid_argument, "the predicate failed");
  }
}

void monitor_waiters::add(waiter x) {
  deadlines_.emplace(x.deadline, ++last_id_);
  waiters_.emplace(last_id_, std::move(x));
}

void monitor_waiters::look(const entry_map& view,
                           const std::function<monitor_entries()>& make_answer) {
  for (auto i = waiters_.begin(); i != waiters_.end();) {
    const auto found = fulfils(i->second.predicate, view);
    if (found && !*found) {
      ++i;
      continue;
    }
    if (found)
      i->second.promise.deliver(make_answer());
    else
      i->second.promise.fail(to_error(found.error()));
    i = erase(i);
  }
}

void monitor_waiters::expire(instant now, const subject& pattern) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto found = waiters_.find(deadlines_.begin()->second);
    const auto* text = found->second.predicate ? "the keys did not become as wanted in time"
                                               : "the store could not be read in time";
    found->second.promise.fail(to_error(error_code::timeout, text, pattern.text()));
    erase(found);
  }
}

monitor_waiters::waiter_map::iterator monitor_waiters::erase(waiter_map::iterator i) {
  deadlines_.erase({i->second.deadline, i->first});
  return waiters_.erase(i);
}

} // namespace trunnion
