#include "trunnion/actors/responder_machine.hpp"

#include "trunnion/messages/ensure.hpp"

#include <algorithm>

namespace trunnion {

admission_verdict responder_machine::on_request(const incoming_request& x, instant now) {
  if (x.time_left <= nanoseconds{}) {
    ++withdrawn_;
    return admission_verdict::late;
  }
  if (tickets_by_number_.contains(x.number))
    return admission_verdict::known;
  if (is_stopping_) {
    ++refused_;
    return admission_verdict::stopping;
  }
  drop_late(now);
  if (line_.size() >= queue_ + (is_full() ? 0 : limit_ - running_.size())) {
    ++refused_;
    return admission_verdict::full;
  }
  const auto deadline = now + std::min(x.time_left, longest_request_timeout);
  soonest_ = std::min(soonest_, deadline);
  line_.emplace_hint(line_.end(), ++tickets_, waiting_request{x.number, x.payload, deadline});
  tickets_by_number_.emplace(x.number, tickets_);
  return admission_verdict::taken;
}

std::optional<begun_request> responder_machine::next(instant now) {
  drop_late(now);
  if (line_.empty() || is_full())
    return std::nullopt;
  auto node = line_.extract(line_.begin());
  auto& x = node.mapped();
  running_.emplace_hint(running_.end(), node.key(), running_request{x.number, x.deadline});
  return begun_request{node.key(), std::move(x.payload), x.deadline - now};
}

std::optional<std::uint64_t> responder_machine::on_done(std::uint64_t ticket, instant now,
                                                        bool failed) {
  const auto found = running_.find(ticket);
  if (found == running_.end()) // It was cut off.
    return std::nullopt;
  const auto [number, deadline] = found->second;
  running_.erase(found);
  count(failed);
  if (number)
    tickets_by_number_.erase(*number);
  return now < deadline ? number : std::nullopt;
}

bool responder_machine::is_stuck(instant now, nanoseconds patience) const {
  return is_full() && std::ranges::all_of(running_, [=](const auto& x) {
           return x.second.deadline + patience <= now;
         });
}

void responder_machine::withdraw(std::uint64_t number) {
  const auto found = tickets_by_number_.find(number);
  if (found == tickets_by_number_.end())
    return;
  if (line_.erase(found->second) > 0)
    ++withdrawn_;
  else
    running_.at(found->second).number.reset();
  tickets_by_number_.erase(found);
}

void responder_machine::withdraw_all() {
  withdrawn_ += line_.size();
  line_.clear();
  for (auto& [ticket, x] : running_)
    x.number.reset();
  tickets_by_number_.clear();
}

std::vector<std::uint64_t> responder_machine::stop() {
  is_stopping_ = true;
  std::vector<std::uint64_t> result;
  for (const auto& [ticket, x] : line_) {
    result.push_back(x.number);
    tickets_by_number_.erase(x.number);
  }
  refused_ += line_.size();
  line_.clear();
  return result;
}

std::vector<std::uint64_t> responder_machine::cut_off(instant now) {
  std::vector<std::uint64_t> result;
  for (const auto& [ticket, x] : running_) {
    if (x.number && now < x.deadline)
      result.push_back(*x.number);
    if (x.number)
      tickets_by_number_.erase(*x.number);
  }
  failed_ += running_.size();
  running_.clear();
  return result;
}

std::size_t responder_machine::waiting(instant now) {
  drop_late(now);
  return line_.size();
}

void responder_machine::drop_late(instant now) {
  if (now < soonest_)
    return;
  soonest_ = instant::max();
  for (auto i = line_.begin(); i != line_.end();) {
    if (now < i->second.deadline) {
      soonest_ = std::min(soonest_, i->second.deadline);
      ++i;
      continue;
    }
    ++withdrawn_;
    tickets_by_number_.erase(i->second.number);
    i = line_.erase(i);
  }
}

} // namespace trunnion
