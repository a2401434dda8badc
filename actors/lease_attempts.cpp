// The attempts of a lease: which operation comes next, and what its outcome means. Part of
// `lease_machine`.

#include "trunnion/actors/lease_machine.hpp"
#include "trunnion/messages/ensure.hpp"

#include <algorithm>

namespace trunnion {
namespace {

/// Whether trying the same again is no use.
bool is_refusal(error_code x) {
  switch (x) {
  case error_code::invalid_subject:
  case error_code::invalid_argument:
  case error_code::payload_too_large:
  case error_code::permission_denied:
  case error_code::unsupported:
  case error_code::version_mismatch: return true;
  default: return false;
  }
}

/// Whether the key is not as the write expected it. A repeated request can make it so by itself.
bool is_conflict(error_code x) {
  return x == error_code::revision_mismatch || x == error_code::key_not_found;
}

} // namespace

// -- operations -------------------------------------------------------------------------

void lease_machine::proceed(instant now, lease_actions& out) {
  ensure(!op_, "one operation at a time");
  if (retry_at_)
    return;
  switch (phase_) {
  case lease_phase::acquiring:
    if (needs_read_ || quest_ == quest::asking)
      read(now, out);
    else if (quest_ == quest::trying)
      write(now, out);
    break;
  case lease_phase::held:
    if (needs_read_ || doubt_)
      read(now, out);
    else if (wanted_ > 0)
      write(now, out);
    break;
  case lease_phase::releasing:
    if (needs_read_)
      read(now, out);
    else if (revision_ != trunnion::revision{})
      remove(now, out);
    else
      finish_release(true, out);
    break;
  default: break;
  }
}

void lease_machine::write(instant now, lease_actions& out) {
  const bool is_refresh = phase_ == lease_phase::held;
  ensure(is_refresh || phase_ == lease_phase::acquiring, "nothing is written once it is over");
  const auto renewal = next_renewal_++;
  if (is_refresh && !refresh_started_) {
    refresh_started_ = true;
    first_of_refresh_ = renewal;
  }
  sent_ = now;
  if (!first_sent_)
    first_sent_ = now;
  ++counts_.attempts;
  op_ = operation{op_kind::write, renewal, now + terms_.attempt_timeout()};
  out.emplace_back(send_write{renewal, is_refresh ? std::optional{revision_} : std::nullopt});
}

void lease_machine::read(instant now, lease_actions& out) {
  op_ = operation{op_kind::read, next_serial_++, now + terms_.attempt_timeout()};
  out.emplace_back(send_read{op_->serial});
}

void lease_machine::remove(instant now, lease_actions& out) {
  op_ = operation{op_kind::remove, next_serial_++, now + terms_.attempt_timeout()};
  out.emplace_back(send_delete{op_->serial, revision_, epoch_});
}

void lease_machine::back_off(instant now) {
  ensure(!op_, "an operation under way is waited for");
  retry_at_ = now + pause_;
  pause_ = std::min(2 * pause_, terms_.longest_pause());
}

bool lease_machine::take_answer(op_kind kind, std::uint64_t serial) {
  if (!op_ || op_->kind != kind || op_->serial != serial)
    return false;
  op_.reset();
  return true;
}

void lease_machine::expire_operation(instant now, lease_actions& out) {
  const auto kind = op_->kind;
  op_.reset();
  last_error_ = error_code::timeout;
  if (kind == op_kind::write) {
    fail_write(now, no_answer(), out);
  } else if (kind == op_kind::read) {
    fail_read(now, out);
  } else {
    needs_read_ = true;
    proceed(now, out);
  }
}

// -- writes and their outcomes -------------------------------------------------------------

void lease_machine::grant(instant now, const fencing_token& token, nanoseconds ttl, instant sent,
                          std::uint64_t renewal, lease_actions& out) {
  settled_ = renewal + 1;
  const auto deadline = sent + ttl - terms_.guard_for(ttl);
  if (deadline <= now) { // Ours, but of no use any more.
    out.emplace_back(discard{token.revision, token.epoch});
    back_off(now);
    return;
  }
  phase_ = lease_phase::held;
  token_ = token;
  revision_ = token.revision;
  epoch_ = token.epoch;
  ttl_ = ttl;
  deadline_ = deadline;
  first_sent_.reset();
  retry_at_.reset();
  needs_read_ = unsettled_ = last_failed_ = false;
  pause_ = terms_.first_pause();
  out.emplace_back(granted{});
  if (in_queue_)
    out.emplace_back(report_turn{turn_result::taken});
  in_queue_ = false;
  if (terms_.enforce) {
    watch_at_ = now + terms_.attempt_timeout();
    out.emplace_back(open_watch{});
  }
  check_clock(now, out);
}

void lease_machine::confirm(instant now, trunnion::revision at, nanoseconds ttl, instant sent,
                            std::uint64_t renewal, lease_actions& out) {
  margin_ = deadline_ - now;
  counts_.smallest_margin = std::min(counts_.smallest_margin.value_or(margin_), margin_);
  ++counts_.refreshes;
  settled_ = renewal + 1;
  revision_ = at;
  ttl_ = ttl;
  deadline_ = sent + ttl - terms_.guard_for(ttl);
  first_sent_.reset();
  needs_read_ = unsettled_ = doubt_ = last_failed_ = false;
  retry_at_.reset();
  pause_ = terms_.first_pause();
  out.reserve(4);
  out.emplace_back(renewed{});
  if (jeopardy_ && now < jeopardy_at()) {
    jeopardy_ = false;
    out.emplace_back(recovered{deadline_ - now});
  }
  if (refresh_started_ && renewal >= first_of_refresh_) {
    refresh_started_ = false;
    --wanted_;
    out.emplace_back(refresh_done{});
  }
  check_clock(now, out);
  if (phase_ == lease_phase::held)
    proceed(now, out);
}

void lease_machine::fail_write(instant now, const failure& why, lease_actions& out) {
  last_failed_ = true;
  last_error_ = why.code;
  const bool is_unknown = why.certainty == certainty::unknown;
  if (is_unknown)
    ++counts_.unknown;
  if (is_unknown || is_conflict(why.code)) {
    unsettled_ = unsettled_ || is_unknown;
    needs_read_ = true;
    proceed(now, out);
  } else if (phase_ == lease_phase::acquiring) {
    fail_create(now, why, out);
  } else if (phase_ == lease_phase::held) {
    fail_refresh(now, why, out);
  } else {
    proceed(now, out);
  }
}

void lease_machine::fail_create(instant, const failure& why, lease_actions& out) {
  if (in_queue_ && !is_refusal(why.code))
    queue_up(turn_result::troubled, out);
  else
    stop_acquiring(lease_phase::failed, why, out);
}

void lease_machine::fail_refresh(instant now, const failure& why, lease_actions& out) {
  if (!is_refusal(why.code)) {
    back_off(now);
    return;
  }
  refresh_started_ = false;
  --wanted_;
  out.emplace_back(refresh_refused{std::make_shared<const failure>(why)});
  proceed(now, out);
}

void lease_machine::fail_read(instant now, lease_actions&) {
  last_failed_ = true;
  back_off(now);
}

// -- what reads tell ------------------------------------------------------------------------

void lease_machine::read_while_acquiring(instant now, const sighting& x, lease_actions& out) {
  needs_read_ = false;
  if (x.who == standing::own) {
    if (may_be_ours(x.renewal)) {
      grant(now, {x.epoch, x.revision}, terms_.ttl, sent_at(x.renewal), x.renewal, out);
    } else { // Left by an attempt that was given up.
      out.emplace_back(discard{x.revision, x.epoch});
      back_off(now);
    }
  } else if (x.who == standing::absent) {
    quest_ = quest::trying;
    back_off(now);
  } else if (in_queue_ && (!wait_until_ || now < *wait_until_)) {
    queue_up(turn_result::missed, out);
  } else {
    stop_acquiring(lease_phase::unavailable,
                   {error_code::lease_unavailable, certainty::not_applied, "", "held by " + x.owner,
                    held_lease{x.owner, x.record, x.revision.value, x.time_left}},
                   out);
  }
}

void lease_machine::read_while_held(instant now, const sighting& x, lease_actions& out) {
  ensure(x.who == standing::own && x.revision >= revision_, "all else is a loss");
  const bool was_settling = needs_read_;
  needs_read_ = doubt_ = false;
  if (x.revision != revision_)
    confirm(now, x.revision, ttl_, sent_at(x.renewal), x.renewal, out);
  else if (was_settling)
    back_off(now);
  else
    proceed(now, out);
}

void lease_machine::read_while_releasing(instant now, const sighting& x, lease_actions& out) {
  needs_read_ = false;
  if (x.who == standing::own) {
    revision_ = x.revision;
    epoch_ = x.epoch;
    proceed(now, out);
  } else {
    finish_release(true, out);
  }
}

bool lease_machine::is_news(const sighting& x) const {
  return x.epoch != token_.epoch || x.revision > revision_
         || (x.unmarked && x.revision == revision_);
}

bool lease_machine::may_be_ours(std::uint64_t renewal) const {
  return renewal >= settled_ && renewal < next_renewal_;
}

/// No later than the write with this renewal was sent.
instant lease_machine::sent_at(std::uint64_t renewal) const {
  ensure(first_sent_.has_value(), "what is not settled has been sent");
  return renewal + 1 == next_renewal_ ? sent_ : *first_sent_;
}

} // namespace trunnion
