#include "trunnion/actors/reader_machine.hpp"

#include "trunnion/messages/ensure.hpp"

#include <algorithm>
#include <iterator>

namespace trunnion {

consume reader_machine::open(watch_id id, instant now) {
  ensure(id != 0, "a consumer has an id");
  is_open_ = true;
  id_ = id;
  next_ = 1;
  asked_.reset();
  progress_ = now;
  consume result{.pattern = plan_.pattern,
                 .id = id,
                 .start = plan_.start,
                 .credit = room(),
                 .from = plan_.from,
                 .since = plan_.since,
                 .durable = plan_.durable};
  resumes_at_ = {};
  if (is_placed_) {
    result.start = stream_start::sequence;
    result.from = resumes_at_ = {place_.value + 1};
  } else if (resumes_by_time_) {
    result.start = stream_start::time;
    result.since = latest_->time;
  }
  return result;
}

reader_step reader_machine::on_opened(watch_id id, const consuming& x) {
  reader_step step;
  if (!is_open(id))
    return step;
  if (is_other_store(x.epoch)) {
    change_store(x.epoch);
    step.is_other_store = true;
    step.broken = "the store is another one";
    return step;
  }
  epoch_ = x.epoch;
  // Whether any was of its pattern is not known; for durable consumers the backend counts.
  step.may_have_missed = !x.resumed && resumes_at_.value > 0 && x.after >= resumes_at_;
  // Of `latest`, messages up to `after` may come all the same, and a known durable consumer may
  // have begun with it.
  if (!x.resumed && (plan_.start != stream_start::latest || resumes_by_time_))
    place_ = std::max(place_, x.after);
  is_placed_ = true;
  return step;
}

reader_step reader_machine::on_part(stream_part x, instant now) {
  reader_step step;
  if (!is_open(x.id))
    return step;
  if (x.seq > next_) {
    on_gap(now, step);
    return step;
  }
  if (x.seq == next_) {
    if (is_other_store(x.epoch)) {
      change_store(x.epoch);
      step.is_other_store = true;
      step.broken = "the store is another one";
      return step;
    }
    ++next_;
    asked_.reset();
    progress_ = now;
    take(std::move(x));
  }
  step.credit = true; // For a repeated part, too: what we said of it before was lost.
  return step;
}

reader_step reader_machine::on_time(instant now) {
  reader_step step;
  if (!is_open_ || !asked_)
    return step;
  if (progress_ + reader_stuck_after <= now)
    step.broken = "the consumer is stuck";
  else if (*asked_ + part_patience <= now)
    on_gap(now, step);
  return step;
}

std::optional<instant> reader_machine::next_due() const {
  if (!is_open_ || !asked_)
    return std::nullopt;
  return std::min(progress_ + reader_stuck_after, *asked_ + part_patience);
}

std::optional<read_batch> reader_machine::next_batch() {
  if (in_hand_ || held_.empty())
    return std::nullopt;
  read_batch result{.skipped = held_.front().skipped};
  const auto epoch = held_.front().epoch;
  std::size_t bytes = 0;
  const auto fits = [&](const held_part& part) {
    if (result.messages.empty())
      return true;
    return part.epoch == epoch && part.skipped == 0 && result.messages.size() < plan_.batch
           && bytes + part.next().payload.size() <= max_part_bytes;
  };
  while (!held_.empty() && fits(held_.front())) {
    auto& part = held_.front();
    part.skipped = 0;
    bytes += part.next().payload.size();
    result.messages.push_back(std::move(part.next()));
    if (++part.told == part.messages.size())
      held_.pop_front();
  }
  in_hand_ = {result.messages.back().sequence, epoch};
  in_hand_count_ = result.messages.size();
  buffered_ -= in_hand_count_;
  return result;
}

void reader_machine::on_read() {
  ensure(in_hand_.has_value(), "a batch is in hand when it is answered for");
  read_ = in_hand_->last;
  if (in_hand_->epoch == epoch_)
    acknowledgeable_ = read_;
  messages_ += in_hand_count_;
  in_hand_count_ = 0;
  in_hand_.reset();
}

bool reader_machine::is_other_store(trunnion::epoch x) const {
  return epoch_.value != 0 && x != epoch_;
}

void reader_machine::change_store(trunnion::epoch x) {
  epoch_ = x;
  is_placed_ = false;
  place_ = {};
  acknowledgeable_ = {};
  resumes_by_time_ = latest_.has_value();
}

void reader_machine::on_gap(instant now, reader_step& step) {
  if (asked_ && now < *asked_ + part_patience)
    return;
  if (!asked_) {
    ++gaps_;
    progress_ = std::max(progress_, now); // Its patience begins here, not with the last part.
  }
  asked_ = now;
  step.ask = probe();
}

void reader_machine::take(stream_part x) {
  epoch_ = x.epoch;
  pending_ = x.pending;
  skipped_ += x.skipped;
  skips_to_tell_ += x.skipped;
  held_part kept{.epoch = x.epoch};
  for (auto& message : x.messages) {
    // In another epoch, too, what was kept over its beginning may come again.
    if (message.sequence <= place_ || (resumes_by_time_ && message == *latest_))
      continue;
    place_ = message.sequence;
    kept.messages.push_back(std::move(message));
  }
  if (kept.messages.empty())
    return;
  latest_ = kept.messages.back();
  is_placed_ = true;
  resumes_by_time_ = false;
  kept.skipped = std::exchange(skips_to_tell_, 0);
  buffered_ += kept.messages.size();
  held_.push_back(std::move(kept));
}

} // namespace trunnion
