#include "trunnion/actors/context.hpp"

#include "trunnion/actors/kv_monitor.hpp"
#include "trunnion/messages/ensure.hpp"

#include <caf/mailbox_element.hpp>
#include <caf/scheduled_actor.hpp>

namespace trunnion {
namespace {

/// A request of an actor whose exact type is not known, as `request(...).then(...)` makes it.
template <class Answer, class Request>
void request_from(caf::scheduled_actor* self, const caf::strong_actor_ptr& to, nanoseconds timeout,
                  Request request, on_outcome<Answer> then) {
  ensure(to != nullptr, "a context has a backend");
  const auto id = self->new_request_id(caf::message_priority::normal);
  to->enqueue(caf::make_mailbox_element(caf::actor_cast<caf::strong_actor_ptr>(self), id, {},
                                        std::move(request)),
              self->context());
  self->request_response_timeout(caf::duration{timeout}, id);
  self->add_multiplexed_response_handler(
    id.response_id(),
    caf::behavior{[then](Answer& x) { then(std::move(x)); },
                  [then](const caf::error& x) { then(tl::unexpected{to_failure(x)}); }});
}

bool is_timeout(nanoseconds x) { return x > nanoseconds{} && x <= longest_request_timeout; }

} // namespace

entity_context::entity_context(caf::scheduled_actor* speaker, const runtime& rt,
                               backend_actor backend, entity where)
  : speaker_(speaker), rt_(rt), backend_(std::move(backend)), where_(std::move(where)) {}

entity_context entity_context::within(nanoseconds timeout) const {
  auto result = *this;
  if (is_timeout(timeout))
    result.timeout_ = timeout;
  else
    result.where_ = fail(error_code::invalid_argument, "a timeout is positive, up to 24 hours");
  return result;
}

template <class Answer, class Request, class Then>
void entity_context::ask(Request request, nanoseconds timeout, Then then) const {
  request_from<Answer>(speaker_, caf::actor_cast<caf::strong_actor_ptr>(backend_), timeout,
                       std::move(request), on_outcome<Answer>{std::move(then)});
}

template <class T>
std::optional<subject> entity_context::find(std::string_view prop,
                                            const on_outcome<T>& then) const {
  auto found = subject_at(where_, prop);
  if (found)
    return std::move(*found);
  then(tl::unexpected{std::move(found.error())});
  return std::nullopt;
}

// -- keys ---------------------------------------------------------------------------

void entity_context::get(std::string_view prop, on_outcome<kv_entry> then) const {
  if (auto key = find(prop, then))
    ask<kv_entry>(kv_get{std::move(*key)}, timeout_, std::move(then));
}

void entity_context::create(std::string_view prop, payload value, on_outcome<kv_written> then,
                            std::optional<nanoseconds> ttl) const {
  if (auto key = find(prop, then))
    ask<kv_written>(kv_create{std::move(*key), std::move(value), ttl}, timeout_, std::move(then));
}

void entity_context::update(std::string_view prop, payload value, on_outcome<kv_written> then,
                            const write_terms& terms) const {
  if (auto key = find(prop, then))
    ask<kv_written>(
      kv_update{std::move(*key), std::move(value), terms.expected, terms.ttl, terms.in_epoch},
      timeout_, std::move(then));
}

void entity_context::remove(std::string_view prop, on_outcome<kv_deleted> then,
                            const write_terms& terms) const {
  if (auto key = find(prop, then))
    ask<kv_deleted>(kv_delete{std::move(*key), terms.expected, terms.in_epoch}, timeout_,
                    std::move(then));
}

void entity_context::list(std::string_view pattern, on_outcome<listing> then) const {
  if (const auto found = find(pattern, then)) {
    const auto lister = spawn_kv_lister(speaker_->system(), backend_, *found, timeout_);
    // The lister has the timeout; CAF's own is for a lister that was killed on the way.
    request_from<listing>(speaker_, caf::actor_cast<caf::strong_actor_ptr>(lister),
                          timeout_ + std::chrono::seconds{1}, get_listing{}, std::move(then));
  }
}

outcome<kv_monitor_actor> entity_context::monitor(std::string_view pattern) const {
  const auto found = subject_at(where_, pattern);
  if (!found)
    return tl::unexpected{found.error()};
  if (!found->is_name() && !found->is_pattern())
    return fail(error_code::invalid_subject, "events are no keys", found->text());
  return spawn_kv_monitor(speaker_->system(), rt_, backend_, *found,
                          caf::actor_cast<caf::strong_actor_ptr>(speaker_));
}

// -- streams ------------------------------------------------------------------------

void entity_context::publish(std::string_view prop, payload message,
                             on_outcome<published> then) const {
  if (auto stream = find(prop, then))
    ask<published>(trunnion::publish{std::move(*stream), std::move(message)}, timeout_,
                   std::move(then));
}

void entity_context::publish_event(payload message, on_outcome<published> then) const {
  publish(events_token, std::move(message), std::move(then));
}

outcome<stream_reader_actor> entity_context::consume(std::string_view pattern, any_read_sink sink,
                                                     reader_options options) const {
  auto found = subject_at(where_, pattern);
  if (!found)
    return tl::unexpected{std::move(found.error())};
  options.pattern = std::move(*found);
  if (!options.owner)
    options.owner = caf::actor_cast<caf::strong_actor_ptr>(speaker_);
  return read_stream(speaker_->system(), rt_, backend_, std::move(options), std::move(sink));
}

// -- requests -----------------------------------------------------------------------

outcome<responder_actor> entity_context::handle(std::string_view request,
                                                any_request_handler handler,
                                                responder_options options) const {
  auto found = subject_at(where_, request);
  if (!found)
    return tl::unexpected{std::move(found.error())};
  options.subject = std::move(*found);
  options.handler = std::move(handler);
  if (!options.owner)
    options.owner = caf::actor_cast<caf::strong_actor_ptr>(speaker_);
  return serve(speaker_->system(), rt_, backend_, std::move(options));
}

void entity_context::invoke(std::string_view request, payload message, on_outcome<payload> then,
                            nanoseconds timeout) const {
  const auto asked = find(request, then);
  if (!asked)
    return;
  if (!is_timeout(timeout))
    return then(
      fail(error_code::invalid_argument, "a timeout is positive, up to 24 hours", asked->text()));
  ask<invoked>(trunnion::invoke{*asked, std::move(message), timeout}, timeout,
               [then, asked](const outcome<invoked>& x) {
                 if (x)
                   then(response_in(*asked, *x));
                 else
                   then(tl::unexpected{x.error()});
               });
}

} // namespace trunnion
