#include "trunnion/backends/common/request_table.hpp"

#include "trunnion/backends/common/checks.hpp"

namespace trunnion {

// -- promises and checks ------------------------------------------------------

invoke_promise& invoke_promise::operator=(invoke_promise&& other) noexcept {
  std::swap(promise_, other.promise_);
  return *this;
}

invoke_promise::~invoke_promise() {
  if (promise_.pending())
    promise_.deliver(to_error(error_code::shutting_down, "the backend is ending"));
}

outcome<void> check_invoke(const invoke& x) {
  if (auto valid
      = check_request(x.subject).and_then([&] { return check_payload(x.subject, x.payload); });
      !valid)
    return valid;
  if (x.timeout > nanoseconds{} && x.timeout <= longest_request_timeout)
    return {};
  return fail(error_code::invalid_argument, "a request's timeout is positive, and at most a day",
              x.subject.text());
}

// -- listening ----------------------------------------------------------------

request_table::request_table(caf::scheduled_actor* self, session_table& sessions,
                             const limits& bounds)
  : self_(self),
    sessions_(sessions),
    book_({.requests_per_caller = bounds.operations_per_client,
           .subjects_per_session = bounds.watches_per_client}) {}

request_table::~request_table() {
  end_all({error_code::shutting_down, certainty::unknown, "", "the backend is ending", {}});
}

outcome<listening> request_table::listen(const caf::strong_actor_ptr& session,
                                         const trunnion::listen& x) {
  if (!session)
    return trunnion::fail(error_code::invalid_argument, "sent by nobody", x.subject.text());
  if (auto valid = check_request(x.subject); !valid)
    return tl::unexpected{valid.error()};
  if (x.at_most == 0)
    return trunnion::fail(error_code::invalid_argument, "a listener takes at least one request",
                          x.subject.text());
  const auto id = sessions_.hold(session);
  auto result = book_.listen(id, x.subject, std::min(x.at_most, most_requests_in_hand));
  if (!result)
    ++refused_;
  if (!result || result->replaced)
    sessions_.release(id); // It is held once for each subject.
  return result;
}

outcome<unlistened> request_table::unlisten(const caf::strong_actor_ptr& session,
                                            const trunnion::unlisten& x) {
  if (auto valid = check_request(x.subject); !valid)
    return tl::unexpected{valid.error()};
  const auto id = sessions_.find(caf::actor_cast<caf::actor_addr>(session));
  if (!id || !book_.unlisten(*id, x.subject))
    return unlistened{false};
  sessions_.release(*id);
  return unlistened{true};
}

listeners_purged request_table::purge(const caf::strong_actor_ptr& session) {
  const auto id = sessions_.find(caf::actor_cast<caf::actor_addr>(session));
  if (!id)
    return {};
  return {stop_listening(*id)};
}

// -- requests -----------------------------------------------------------------

void request_table::invoke(const caf::strong_actor_ptr& caller, invocation x, instant now) {
  if (!caller)
    return;
  auto& [subject, payload, timeout] = x.request;
  if (x.deadline <= now)
    return x.promise.fail({error_code::timeout,
                           certainty::not_applied,
                           subject.text(),
                           "it waited for its turn until its timeout had passed",
                           {}});
  const auto from = sessions_.hold(caller);
  const auto handed = book_.hand_over(subject, from, x.deadline);
  if (!handed) {
    sessions_.release(from);
    refused_ += handed.error().code == error_code::overloaded ? 1 : 0;
    return x.promise.fail(handed.error());
  }
  sessions_.hold(handed->to);
  const auto place = request_book::place_of(handed->number);
  if (place >= promises_.size())
    promises_.resize(std::size_t{place} + 1);
  promises_[place] = std::move(x.promise);
  tell(handed->to,
       incoming_request{handed->number, std::move(subject), std::move(payload), x.deadline - now});
}

void request_table::on_reply(const caf::strong_actor_ptr& from, request_reply& x) {
  const auto open = book_.find(x.number);
  if (!open || !sessions_.is(open->listener, from))
    return;
  if (x.error) {
    if (x.error->code == error_code{}) // CAF would read it as success.
      return fail(x.number, error_code::backend_protocol, "the reply is an error without a code");
    return close(x.number).fail(std::move(*x.error));
  }
  if (auto valid = check_payload(open->subject, x.payload); !valid) {
    auto why = valid.error();
    why.certainty = certainty::unknown;
    return close(x.number).fail(std::move(why));
  }
  close(x.number).deliver({std::move(x.payload)});
}

void request_table::end_session(session_id session) {
  stop_listening(session);
  while (const auto number = book_.oldest_in_hand(session)) {
    const std::string text = "the one who was handed the request has ended";
    fail(*number, error_code::remote_request, text, remote_failure{text, {}});
  }
  while (const auto number = book_.oldest_asked(session)) {
    tell(book_.find(*number)->listener, request_withdrawn{*number});
    close(*number).abandon();
  }
}

void request_table::end_all(const failure& why) {
  while (const auto number = book_.any_open()) {
    auto told = why;
    told.certainty = certainty::unknown;
    told.subject = book_.find(*number)->subject.text();
    close(*number).fail(std::move(told));
  }
  while (const auto session = book_.any_listener())
    stop_listening(*session);
}

void request_table::run_timers(instant now, std::size_t steps) {
  for (; steps > 0; --steps) {
    const auto number = book_.due(now);
    if (!number)
      return;
    fail(*number, error_code::timeout, "no answer within the timeout");
  }
}

std::size_t request_table::in_flight(const caf::actor_addr& caller) const {
  const auto id = sessions_.find(caller);
  return id ? book_.asked_by(*id) : 0;
}

std::size_t request_table::stop_listening(session_id session) {
  const auto subjects = book_.purge(session);
  for (auto i = subjects; i > 0; --i)
    sessions_.release(session);
  return subjects;
}

/// The request's promise, which is to be answered next.
invoke_promise request_table::close(std::uint64_t number) {
  const auto x = *book_.find(number);
  const auto caller = x.caller, listener = x.listener;
  book_.close(number);
  sessions_.release(caller);
  sessions_.release(listener);
  return std::move(promises_[request_book::place_of(number)]);
}

/// Ends a request that may have been handled.
void request_table::fail(std::uint64_t number, error_code code, std::string text,
                         failure_detail detail) {
  auto subject = book_.find(number)->subject.text();
  close(number).fail(
    {code, certainty::unknown, std::move(subject), std::move(text), std::move(detail)});
}

void request_table::tell(session_id to, auto message) const {
  if (const auto x = sessions_.lock(to))
    x->get()->eq_impl(caf::make_message_id(), self_->ctrl(), self_->context(), std::move(message));
}

} // namespace trunnion
