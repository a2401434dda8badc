#include "trunnion/actors/client.hpp"

#include "trunnion/actors/blocking_call.hpp"

namespace trunnion {
namespace {

bool is_timeout(nanoseconds x) { return x > nanoseconds{} && x <= longest_request_timeout; }

} // namespace

blocking_client::blocking_client(caf::actor_system& sys, const runtime& rt, backend_actor backend,
                                 entity where)
  : system_(&sys), rt_(rt), backend_(std::move(backend)), where_(std::move(where)) {}

blocking_client blocking_client::within(nanoseconds timeout) const {
  auto result = *this;
  if (is_timeout(timeout))
    result.timeout_ = timeout;
  else
    result.where_ = fail(error_code::invalid_argument, "a timeout is positive, up to 24 hours");
  return result;
}

outcome<subject> blocking_client::find(std::string_view prop) const {
  return subject_at(where_, prop);
}

// -- keys ---------------------------------------------------------------------------

outcome<kv_entry> blocking_client::get(std::string_view prop) const {
  return find(prop).and_then([&](const subject& key) {
    return ask_blocking<kv_entry>(*system_, backend_, timeout_, kv_get{key});
  });
}

outcome<kv_written> blocking_client::create(std::string_view prop, payload value,
                                            std::optional<nanoseconds> ttl) const {
  return find(prop).and_then([&](const subject& key) {
    return ask_blocking<kv_written>(*system_, backend_, timeout_,
                                    kv_create{key, std::move(value), ttl});
  });
}

outcome<kv_written> blocking_client::update(std::string_view prop, payload value,
                                            const write_terms& terms) const {
  return find(prop).and_then([&](const subject& key) {
    return ask_blocking<kv_written>(
      *system_, backend_, timeout_,
      kv_update{key, std::move(value), terms.expected, terms.ttl, terms.in_epoch});
  });
}

outcome<kv_deleted> blocking_client::remove(std::string_view prop, const write_terms& terms) const {
  return find(prop).and_then([&](const subject& key) {
    return ask_blocking<kv_deleted>(*system_, backend_, timeout_,
                                    kv_delete{key, terms.expected, terms.in_epoch});
  });
}

outcome<listing> blocking_client::list(std::string_view pattern) const {
  return find(pattern).and_then([&](const subject& found) -> outcome<listing> {
    if (auto allowed = may_block(); !allowed)
      return tl::unexpected{std::move(allowed.error())};
    const auto lister = spawn_kv_lister(*system_, backend_, found, timeout_);
    return ask_blocking<listing>(*system_, lister, timeout_ + std::chrono::seconds{1},
                                 get_listing{});
  });
}

outcome<key_feed> blocking_client::watch(std::string_view pattern) const {
  return find(pattern).and_then(
    [&](const subject& found) { return key_feed::open(*system_, rt_, backend_, found, timeout_); });
}

// -- streams ------------------------------------------------------------------------

outcome<published> blocking_client::publish(std::string_view prop, payload message) const {
  return find(prop).and_then([&](const subject& stream) {
    return ask_blocking<published>(*system_, backend_, timeout_,
                                   trunnion::publish{stream, std::move(message)});
  });
}

outcome<published> blocking_client::publish_event(payload message) const {
  return publish(events_token, std::move(message));
}

outcome<message_feed> blocking_client::consume(std::string_view pattern,
                                               reader_options options) const {
  return find(pattern).and_then([&](const subject& found) {
    options.pattern = found;
    return message_feed::open(*system_, rt_, backend_, std::move(options));
  });
}

// -- requests -----------------------------------------------------------------------

outcome<request_service> blocking_client::handle(std::string_view request, request_function handler,
                                                 responder_options options) const {
  return find(request)
    .and_then([&](const subject& found) {
      options.subject = found;
      options.handler = std::move(handler);
      options.owner = nullptr;
      return serve(*system_, rt_, backend_, std::move(options));
    })
    .map([&](responder_actor x) {
      return request_service{*system_, std::move(x)};
    });
}

outcome<payload> blocking_client::invoke(std::string_view request, payload message,
                                         nanoseconds timeout) const {
  if (!is_timeout(timeout))
    return fail(error_code::invalid_argument, "a timeout is positive, up to 24 hours");
  return find(request).and_then([&](const subject& asked) {
    return ask_blocking<invoked>(*system_, backend_, timeout,
                                 trunnion::invoke{asked, std::move(message), timeout})
      .and_then([&](const invoked& x) { return response_in(asked, x); });
  });
}

} // namespace trunnion
