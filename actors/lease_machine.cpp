#include "trunnion/actors/lease_machine.hpp"

#include "trunnion/messages/ensure.hpp"

#include <algorithm>

namespace trunnion {
namespace {

constexpr nanoseconds least_pause = milliseconds{50}; ///< That a lapse must exceed to be a pause.

std::optional<instant> earlier(const std::optional<instant>& x, const std::optional<instant>& y) {
  return x && y ? std::min(*x, *y) : x ? x : y;
}

std::shared_ptr<const failure> share(failure x) {
  return std::make_shared<const failure>(std::move(x));
}

} // namespace

// -- what the outside wants -------------------------------------------------------

lease_machine::lease_machine(const lease_terms& terms, instant now)
  : terms_(terms), looked_(now), ttl_(terms.ttl), pause_(terms.first_pause()) {
  if (terms_.wait_forever)
    return;
  give_up_ = now + terms_.patience();
  if (terms_.waits()) {
    wait_until_ = now + terms_.wait;
    give_up_ = std::max(*give_up_, *wait_until_ + 2 * terms_.attempt_timeout());
  }
}

lease_actions lease_machine::start(instant now) {
  lease_actions out;
  look(now, out);
  if (terms_.waits() && terms_.enforce) {
    quest_ = quest::queued;
    in_queue_ = true;
    out.emplace_back(join_queue{});
  } else {
    proceed(now, out);
  }
  return out;
}

lease_actions lease_machine::on_turn(instant now) {
  lease_actions out;
  look(now, out);
  if (phase_ == lease_phase::acquiring && quest_ == quest::queued) {
    quest_ = quest::trying;
    proceed(now, out);
  }
  return out;
}

lease_actions lease_machine::on_refresh(instant now) {
  lease_actions out;
  look(now, out);
  if (phase_ != lease_phase::held)
    return out;
  ++wanted_;
  if (!op_)
    proceed(now, out);
  return out;
}

lease_actions lease_machine::on_release(instant now, release_cause cause) {
  lease_actions out;
  look(now, out);
  if (phase_ > lease_phase::held)
    return out;
  const bool was_held = phase_ == lease_phase::held;
  phase_ = lease_phase::releasing;
  cause_ = cause;
  release_by_ = now + release_patience;
  wanted_ = 0;
  retry_at_.reset();
  pause_ = terms_.first_pause();
  if (!was_held) {
    out.emplace_back(not_acquired{share(
      {error_code::cancelled, certainty::not_applied, "", "given up before it was acquired", {}})});
    if (in_queue_)
      out.emplace_back(leave_queue{});
    in_queue_ = false;
    if (op_ && op_->kind == op_kind::read && !needs_read_)
      op_.reset(); // Only wanted to know who holds the key.
  }
  if (!op_)
    proceed(now, out);
  return out;
}

lease_actions lease_machine::on_broken_queue(instant now, const failure& why) {
  lease_actions out;
  look(now, out);
  in_queue_ = false;
  if (phase_ == lease_phase::acquiring && quest_ == quest::queued)
    stop_acquiring(lease_phase::failed, why, out);
  return out;
}

lease_actions lease_machine::on_time(instant now) {
  lease_actions out;
  look(now, out);
  return out;
}

// -- what the store says ------------------------------------------------------------

lease_actions lease_machine::on_written(instant now, std::uint64_t renewal, const kv_written& x) {
  lease_actions out;
  check_clock(now, out);
  if (is_over()) {
    if (x.revision != revision_)
      out.emplace_back(discard{x.revision, x.epoch}); // Too late: nobody holds it.
    return out;
  }
  const bool is_latest = renewal + 1 == next_renewal_;
  if (!is_latest || !may_be_ours(renewal) || (op_ && op_->kind == op_kind::remove))
    return out; // The operation under way finds what this has done.
  op_.reset();
  const auto ttl = x.ttl.value_or(terms_.ttl);
  if (phase_ == lease_phase::releasing) {
    revision_ = x.revision;
    epoch_ = x.epoch;
    needs_read_ = false;
    proceed(now, out);
  } else if (phase_ == lease_phase::acquiring) {
    grant(now, {x.epoch, x.revision}, ttl, sent_, renewal, out);
  } else if (x.epoch != token_.epoch || x.revision <= revision_) {
    out.emplace_back(discard{x.revision, x.epoch});
    lose(loss_reason::store_changed, "", out);
  } else {
    confirm(now, x.revision, ttl, sent_, renewal, out);
  }
  return out;
}

lease_actions lease_machine::on_write_failed(instant now, std::uint64_t renewal,
                                             const failure& why) {
  lease_actions out;
  check_clock(now, out);
  if (take_answer(op_kind::write, renewal))
    fail_write(now, why, out);
  return out;
}

lease_actions lease_machine::on_read(instant now, std::uint64_t serial, const sighting& x) {
  lease_actions out;
  const bool is_asked = op_ && op_->kind == op_kind::read && op_->serial == serial;
  if (is_asked && phase_ == lease_phase::held)
    judge(now, x, out);
  else
    check_clock(now, out);
  if (!take_answer(op_kind::read, serial))
    return out;
  if (phase_ == lease_phase::acquiring)
    read_while_acquiring(now, x, out);
  else if (phase_ == lease_phase::held)
    read_while_held(now, x, out);
  else
    read_while_releasing(now, x, out);
  return out;
}

lease_actions lease_machine::on_read_failed(instant now, std::uint64_t serial, const failure& why) {
  lease_actions out;
  check_clock(now, out);
  if (take_answer(op_kind::read, serial)) {
    last_error_ = why.code;
    fail_read(now, out);
  }
  return out;
}

lease_actions lease_machine::on_deleted(instant now) {
  lease_actions out;
  check_clock(now, out);
  if (phase_ == lease_phase::releasing)
    finish_release(true, out);
  return out;
}

lease_actions lease_machine::on_delete_failed(instant now, std::uint64_t serial, const failure&) {
  lease_actions out;
  check_clock(now, out);
  if (take_answer(op_kind::remove, serial)) {
    needs_read_ = true;
    back_off(now);
  }
  return out;
}

lease_actions lease_machine::on_sighting(instant now, const sighting& x) {
  lease_actions out;
  if (phase_ != lease_phase::held || !is_news(x)) {
    check_clock(now, out);
    if (phase_ == lease_phase::releasing && is_news(x) && x.who != standing::own)
      finish_release(true, out);
    return out;
  }
  if (x.who != standing::own || x.epoch != token_.epoch) {
    judge(now, x, out);
    return out;
  }
  if (may_be_ours(x.renewal)) // Written by the attempt under way: its answer will say so.
    check_clock(now, out);
  else
    return on_doubt(now);
  return out;
}

lease_actions lease_machine::on_doubt(instant now) {
  lease_actions out;
  look(now, out);
  if (phase_ != lease_phase::held)
    return out;
  doubt_ = true;
  if (!op_)
    proceed(now, out);
  return out;
}

lease_actions lease_machine::on_store_changed(instant now) {
  lease_actions out;
  if (phase_ == lease_phase::held) {
    looked_ = std::max(looked_, now);
    lose(loss_reason::store_changed, "", out);
  } else {
    look(now, out);
  }
  return out;
}

lease_actions lease_machine::on_watch_opened(instant now) {
  lease_actions out;
  look(now, out);
  watch_lost_ = false;
  watch_at_.reset();
  return out;
}

lease_actions lease_machine::on_watch_lost(instant now) {
  lease_actions out;
  look(now, out);
  if (phase_ != lease_phase::held)
    return out;
  watch_lost_ = true;
  watch_at_ = now + terms_.attempt_timeout();
  return out;
}

std::optional<instant> lease_machine::right_due() const {
  if (phase_ != lease_phase::held)
    return std::nullopt;
  return jeopardy_ ? deadline_ : jeopardy_at();
}

std::optional<instant> lease_machine::other_due() const {
  const auto attempt = op_ ? std::optional{op_->due} : retry_at_;
  switch (phase_) {
  case lease_phase::acquiring: {
    const auto patience = quest_ == quest::queued ? earlier(give_up_, wait_until_) : give_up_;
    return earlier(attempt, patience);
  }
  case lease_phase::held: return earlier(attempt, watch_at_);
  case lease_phase::releasing: return earlier(attempt, release_by_);
  default: return std::nullopt;
  }
}

std::optional<instant> lease_machine::next_due() const { return earlier(right_due(), other_due()); }

// -- the clock ------------------------------------------------------------------------

void lease_machine::look(instant now, lease_actions& out) {
  check_clock(now, out);
  check_timers(now, out);
}

void lease_machine::check_clock(instant now, lease_actions& out) {
  ensure(now >= looked_, "time never goes back");
  looked_ = now;
  if (phase_ == lease_phase::acquiring && give_up_ && now >= *give_up_) {
    give_up(out);
  } else if (phase_ == lease_phase::releasing && now >= release_by_) {
    finish_release(false, out);
  } else if (phase_ == lease_phase::held && now >= deadline_) {
    lose(clock_verdict(now), "", out);
  } else if (phase_ == lease_phase::held && !jeopardy_ && now >= jeopardy_at()) {
    jeopardy_ = true;
    ++counts_.jeopardies;
    out.emplace_back(jeopardised{deadline_ - now});
  }
}

void lease_machine::check_timers(instant now, lease_actions& out) {
  if (op_ && now >= op_->due) {
    expire_operation(now, out);
  } else if (retry_at_ && now >= *retry_at_) {
    retry_at_.reset();
    proceed(now, out);
  }
  if (phase_ == lease_phase::acquiring && quest_ == quest::queued && wait_until_
      && now >= *wait_until_) {
    quest_ = quest::asking;
    in_queue_ = false;
    out.emplace_back(leave_queue{});
    proceed(now, out);
  }
  if (phase_ == lease_phase::held && watch_at_ && now >= *watch_at_) {
    watch_lost_ = true;
    watch_at_ = now + terms_.attempt_timeout();
    out.emplace_back(open_watch{});
  }
}

instant lease_machine::jeopardy_at() const { return deadline_ - std::max(ttl_ / 4, terms_.grace); }

loss_reason lease_machine::clock_verdict(instant now) const {
  if (now - deadline_ > std::max(least_pause, terms_.guard_for(ttl_)))
    return loss_reason::paused;
  return op_ || last_failed_ || watch_lost_ ? loss_reason::backend_lost : loss_reason::expired;
}

// -- the end ------------------------------------------------------------------------------

void lease_machine::judge(instant now, const sighting& x, lease_actions& out) {
  const auto reason = verdict(x);
  const bool is_vague = reason && x.who == standing::absent && x.cause != tombstone_cause::deleted
                        && x.cause != tombstone_cause::purged;
  if (!reason || is_vague) // Gone by its TTL, it may be: the clock knows better.
    check_clock(now, out);
  if (reason && phase_ == lease_phase::held) {
    looked_ = std::max(looked_, now);
    lose(*reason, x.who == standing::foreign || x.who == standing::broken ? x.owner : "", out);
  }
}

std::optional<loss_reason> lease_machine::verdict(const sighting& x) const {
  const bool is_other_store = x.epoch != trunnion::epoch{} && x.epoch != token_.epoch;
  switch (x.who) {
  case standing::foreign: return loss_reason::superseded;
  case standing::broken: return loss_reason::broken;
  case standing::absent:
    if (is_other_store)
      return loss_reason::store_changed;
    return x.cause == tombstone_cause::expired ? loss_reason::expired : loss_reason::deleted;
  case standing::own:
    if (is_other_store || x.revision < revision_
        || (x.revision > revision_ && !may_be_ours(x.renewal)))
      return loss_reason::store_changed;
    break;
  }
  return std::nullopt;
}

void lease_machine::lose(loss_reason reason, std::string culprit, lease_actions& out) {
  ensure(phase_ == lease_phase::held, "only what is held can be lost");
  const bool may_leak = write_may_come();
  phase_ = lease_phase::lost;
  lost_ = reason;
  op_.reset();
  retry_at_.reset();
  jeopardy_ = false;
  wanted_ = 0;
  out.emplace_back(ended{reason, std::move(culprit)});
  if (terms_.enforce)
    out.emplace_back(close_watch{});
  if (may_leak) // A refresh without an answer: the key may outlive the right by a whole TTL.
    out.emplace_back(call_janitor{});
}

void lease_machine::finish_release(bool key_deleted, lease_actions& out) {
  ensure(phase_ == lease_phase::releasing, "a release ends once");
  const bool was_held = token_ != fencing_token{};
  const bool may_leak = !key_deleted || (!was_held && write_may_come());
  op_.reset();
  retry_at_.reset();
  jeopardy_ = false;
  key_deleted_ = key_deleted;
  phase_ = lease_phase::released;
  if (!key_deleted && cause_ != release_cause::asked) {
    phase_ = lease_phase::lost;
    lost_ = cause_ == release_cause::shutdown ? loss_reason::shutdown : loss_reason::holder_died;
  }
  out.emplace_back(ended{lost_, ""});
  if (was_held && terms_.enforce)
    out.emplace_back(close_watch{});
  if (may_leak)
    out.emplace_back(call_janitor{});
}

void lease_machine::queue_up(turn_result result, lease_actions& out) {
  quest_ = quest::queued;
  out.emplace_back(report_turn{result});
}

void lease_machine::stop_acquiring(lease_phase phase, failure why, lease_actions& out) {
  const bool may_leak = write_may_come();
  phase_ = phase;
  op_.reset();
  retry_at_.reset();
  if (in_queue_)
    out.emplace_back(leave_queue{});
  in_queue_ = false;
  out.emplace_back(not_acquired{share(std::move(why))});
  if (may_leak)
    out.emplace_back(call_janitor{});
}

void lease_machine::give_up(lease_actions& out) {
  failure why = no_answer();
  if (quest_ == quest::asking)
    why = {error_code::lease_unavailable, certainty::not_applied, "",
           "held by another, who could not be read", held_lease{}};
  else if (last_error_ && *last_error_ != error_code::timeout)
    why.text += "; the latest error was " + to_string(*last_error_);
  if (!write_may_come())
    why.certainty = certainty::not_applied;
  const auto phase = quest_ == quest::asking ? lease_phase::unavailable : lease_phase::failed;
  stop_acquiring(phase, std::move(why), out);
}

/// Whether a write that was sent may be applied, now or later, without our knowledge.
bool lease_machine::write_may_come() const {
  return unsettled_ || (op_ && op_->kind == op_kind::write);
}

failure lease_machine::no_answer() {
  return {error_code::timeout, certainty::unknown, "", "the store did not answer in time", {}};
}

} // namespace trunnion
