#include "trunnion/actors/client_feeds.hpp"

#include "trunnion/actors/blocking_call.hpp"
#include "trunnion/actors/kv_monitor.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace trunnion {
namespace {

constexpr std::uint64_t feed_window = 16; ///< Parts of credit.

/// A plain thread as an actor that waits for messages of one kind.
class feed_base {
public:
  feed_base(caf::actor_system& sys, const runtime& rt) : self(sys), rt_(rt) {}

protected:
  /// Waits until `take` was called with a `Message`, or the source ended. Others are handled too.
  template <class... Handlers>
  std::optional<failure> wait(nanoseconds timeout, const bool& is_done, Handlers... handlers) {
    if (auto allowed = may_block(); !allowed)
      return std::move(allowed.error());
    const auto until = rt_.time.now() + std::min(timeout, longest_request_timeout);
    bool is_late = false;
    while (!is_done && !is_late && !end_) {
      const auto left = std::max(until - rt_.time.now(), nanoseconds{});
      self->receive(
        handlers..., [this](const caf::down_msg& x) { on_down(x); },
        caf::after(left) >> [&] { is_late = true; });
    }
    if (is_done)
      return std::nullopt;
    if (end_)
      return end_;
    return failure{error_code::timeout, certainty::not_applied, "", "nothing came in time", {}};
  }

  void watch_source(const auto& source) {
    source_ = source.address();
    self->monitor(source);
  }

  caf::strong_actor_ptr me() { return caf::actor_cast<caf::strong_actor_ptr>(self.ptr()); }

public:
  caf::scoped_actor self;

private:
  void on_down(const caf::down_msg& x) {
    if (x.source != source_)
      return;
    end_ = x.reason ? to_failure(x.reason)
                    : failure{error_code::cancelled, certainty::not_applied, "", "it ended", {}};
  }

  runtime rt_;
  caf::actor_addr source_;
  std::optional<failure> end_;
};

} // namespace

// -- keys -----------------------------------------------------------------------------

struct key_feed::impl : feed_base {
  using feed_base::feed_base;

  outcome<void> start(const runtime& rt, const backend_actor& backend, const subject& pattern,
                      nanoseconds timeout) {
    monitor = spawn_kv_monitor(self->home_system(), rt, backend, pattern, me());
    watch_source(monitor);
    return ask_with<monitor_status>(self, monitor, timeout, monitor_subscribe{feed_window})
      .map([](const monitor_status&) {});
  }

  outcome<monitor_part> next(nanoseconds timeout) {
    monitor_part got;
    bool is_done = false;
    auto failed = wait(
      timeout, is_done,
      [&](monitor_part& x) {
        got = std::move(x);
        is_done = true;
      },
      [&](const monitor_health& x) { is_healthy = x.healthy; });
    if (failed)
      return tl::unexpected{std::move(*failed)};
    self->send(monitor, monitor_credit{got.seq + feed_window});
    return got;
  }

  kv_monitor_actor monitor;
  bool is_healthy = true;
};

key_feed::key_feed(std::unique_ptr<impl> x) : impl_(std::move(x)) {}
key_feed::key_feed(key_feed&&) noexcept = default;
key_feed& key_feed::operator=(key_feed&&) noexcept = default;
key_feed::~key_feed() = default;

outcome<key_feed> key_feed::open(caf::actor_system& sys, const runtime& rt,
                                 const backend_actor& backend, const subject& pattern,
                                 nanoseconds timeout) {
  if (auto allowed = may_block(); !allowed)
    return tl::unexpected{std::move(allowed.error())};
  if (!pattern.is_name() && !pattern.is_pattern())
    return fail(error_code::invalid_subject, "neither a key nor a pattern of keys", pattern.text());
  auto made = std::make_unique<impl>(sys, rt);
  if (auto started = made->start(rt, backend, pattern, timeout); !started)
    return tl::unexpected{std::move(started.error())};
  return key_feed{std::move(made)};
}

outcome<monitor_part> key_feed::next(nanoseconds timeout) { return impl_->next(timeout); }
bool key_feed::is_healthy() const { return impl_->is_healthy; }

// -- messages -------------------------------------------------------------------------

struct message_feed::impl : feed_base {
  using feed_base::feed_base;

  outcome<void> start(const runtime& rt, const backend_actor& backend, reader_options options) {
    options.owner = me();
    options.patience = longest_request_timeout; // The caller takes its time.
    return read_stream(self->home_system(), rt, backend, std::move(options),
                       caf::actor_cast<read_sink>(me()))
      .map([this](const stream_reader_actor& x) {
        reader = x;
        watch_source(x);
      });
  }

  outcome<read_batch> next(nanoseconds timeout) {
    acknowledge();
    read_batch got;
    bool is_done = false;
    auto failed = wait(timeout, is_done, [&](read_batch& x) -> caf::result<batch_read> {
      got = std::move(x);
      is_done = true;
      unread = self->make_response_promise<batch_read>();
      return unread;
    });
    if (failed)
      return tl::unexpected{std::move(*failed)};
    return got;
  }

  void acknowledge() {
    if (unread.pending())
      unread.deliver(batch_read{});
  }

  stream_reader_actor reader;
  caf::typed_response_promise<batch_read> unread; // The latest batch, until it is done with.
};

message_feed::message_feed(std::unique_ptr<impl> x) : impl_(std::move(x)) {}
message_feed::message_feed(message_feed&&) noexcept = default;
message_feed& message_feed::operator=(message_feed&& other) noexcept {
  if (this != &other) {
    end();
    impl_ = std::move(other.impl_);
  }
  return *this;
}
message_feed::~message_feed() { end(); }

/// The reader must have read what was acknowledged before it hears of its sink's end, which may
/// overtake it in the mailbox; an answer says so. Then it passes that on, and ends.
void message_feed::end() noexcept {
  if (!impl_)
    return;
  auto& system = impl_->self->home_system();
  const auto reader = impl_->reader;
  if (!reader || !may_block())
    return impl_.reset();
  caf::scoped_actor self{system};
  (void)ask_with<reader_status>(self, reader, message_feed_patience, reader_inspect{});
  impl_.reset();
  self->monitor(reader);
  self->receive([](const caf::down_msg&) {}, caf::after(message_feed_patience) >> [] {});
}

outcome<message_feed> message_feed::open(caf::actor_system& sys, const runtime& rt,
                                         const backend_actor& backend, reader_options options) {
  if (auto allowed = may_block(); !allowed)
    return tl::unexpected{std::move(allowed.error())};
  auto made = std::make_unique<impl>(sys, rt);
  if (auto started = made->start(rt, backend, std::move(options)); !started)
    return tl::unexpected{std::move(started.error())};
  return message_feed{std::move(made)};
}

outcome<read_batch> message_feed::next(nanoseconds timeout) { return impl_->next(timeout); }
void message_feed::acknowledge() { impl_->acknowledge(); }

// -- requests -------------------------------------------------------------------------

request_service& request_service::operator=(request_service&& other) noexcept {
  if (this != &other) {
    end();
    system_ = other.system_;
    responder_ = std::exchange(other.responder_, nullptr);
  }
  return *this;
}

outcome<responder_stopped> request_service::stop(nanoseconds timeout) {
  return ask_blocking<responder_stopped>(*system_, responder_, timeout, responder_stop{});
}

outcome<responder_status> request_service::inspect(nanoseconds timeout) const {
  return ask_blocking<responder_status>(*system_, responder_, timeout, responder_inspect{});
}

void request_service::end() noexcept {
  if (responder_)
    caf::anon_send_exit(responder_, caf::exit_reason::user_shutdown);
}

} // namespace trunnion
