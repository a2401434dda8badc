// A client of a backend under test: one session, which asks, is told, and keeps all that it is
// told.
//
// Threads: its actor may run on another one; what it keeps is guarded, and read as copies.

#pragma once

#include "trunnion/tests/conformance/verdict.hpp"
#include "trunnion/tests/conformance/world.hpp"

#include <atomic>
#include <mutex>

namespace trunnion::test {

/// What a client's actor is to do. Local to a process.
struct client_job {
  std::function<void(caf::event_based_actor*)> run;
};

} // namespace trunnion::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(trunnion::test::client_job)

namespace trunnion::test {

template <class Request> struct answer_of;
template <> struct answer_of<kv_get> : std::type_identity<kv_entry> {};
template <> struct answer_of<kv_create> : std::type_identity<kv_written> {};
template <> struct answer_of<kv_update> : std::type_identity<kv_written> {};
template <> struct answer_of<kv_delete> : std::type_identity<kv_deleted> {};
template <> struct answer_of<kv_list> : std::type_identity<watch_opened> {};
template <> struct answer_of<watch> : std::type_identity<watch_opened> {};
template <> struct answer_of<publish> : std::type_identity<published> {};
template <> struct answer_of<consume> : std::type_identity<consuming> {};
template <> struct answer_of<stream_ack> : std::type_identity<stream_acked> {};
template <> struct answer_of<drop_durable> : std::type_identity<durable_dropped> {};
template <> struct answer_of<list_streams> : std::type_identity<stream_subjects> {};
template <> struct answer_of<invoke> : std::type_identity<invoked> {};
template <> struct answer_of<listen> : std::type_identity<listening> {};
template <> struct answer_of<unlisten> : std::type_identity<unlistened> {};
template <> struct answer_of<purge_listeners> : std::type_identity<listeners_purged> {};
template <> struct answer_of<register_service> : std::type_identity<service_registered> {};
template <> struct answer_of<unregister_service> : std::type_identity<service_unregistered> {};
template <> struct answer_of<close_backend> : std::type_identity<backend_closed> {};
template <> struct answer_of<get_capabilities> : std::type_identity<capabilities> {};
template <> struct answer_of<get_backend_status> : std::type_identity<backend_status> {};

/// How a client answers parts.
enum class sink_manner : std::uint8_t {
  grants, ///< Acknowledges each part at once, and grants 16 more.
  silent, ///< Says nothing by itself.
};

/// What a client was told about one of its watches, listings or consumers.
struct told {
  std::vector<watch_part> parts;
  std::vector<stream_part> stream_parts;
  std::vector<failure> lost;

  [[nodiscard]] std::vector<entry> entries(part_kind kind) const {
    std::vector<entry> result;
    for (const auto& part : parts)
      if (part.kind == kind)
        result.insert(result.end(), part.entries.begin(), part.entries.end());
    return result;
  }
  [[nodiscard]] std::vector<entry> snapshot() const { return entries(part_kind::snapshot); }
  [[nodiscard]] std::vector<entry> changes() const { return entries(part_kind::change); }

  [[nodiscard]] std::size_t count(part_kind kind) const {
    return static_cast<std::size_t>(
      std::ranges::count_if(parts, [=](const auto& x) { return x.kind == kind; }));
  }

  [[nodiscard]] std::vector<stream_message> messages() const {
    std::vector<stream_message> result;
    for (const auto& part : stream_parts)
      result.insert(result.end(), part.messages.begin(), part.messages.end());
    return result;
  }
};

class client {
public:
  /// Answers a request, or does not.
  using server = std::function<std::optional<request_reply>(const incoming_request&)>;

private:
  struct shared {
    std::mutex guard;
    std::map<watch_id, told> told_of;
    std::vector<incoming_request> incoming;
    std::vector<std::uint64_t> withdrawn;
    server serve;
  };

  template <class Answer> struct slot {
    std::mutex guard;
    std::optional<outcome<Answer>> value;
  };

public:
  explicit client(world& where, sink_manner manner = sink_manner::grants)
    : world_(&where), kept_(std::make_shared<shared>()), backend_(where.backend()) {
    actor_
      = where.system().spawn([manner, kept = kept_, place = world_](caf::event_based_actor* me) {
          return behave(me, manner, kept, place);
        });
    where.track(actor_);
  }

  // -- asking -----------------------------------------------------------------

  /// An answer that may still be under way.
  template <class Answer> class pending {
  public:
    explicit pending(std::shared_ptr<slot<Answer>> x) : slot_(std::move(x)) {}
    [[nodiscard]] bool ready() const {
      const std::lock_guard lock{slot_->guard};
      return slot_->value.has_value();
    }
    [[nodiscard]] outcome<Answer> get() const {
      const std::lock_guard lock{slot_->guard};
      REQUIRE_FOR("no answer", slot_->value.has_value());
      return *slot_->value;
    }

  private:
    std::shared_ptr<slot<Answer>> slot_;
  };

  /// Sends a request, and goes on.
  template <class Request> auto ask_later(Request x) {
    std::vector<Request> one;
    one.push_back(std::move(x));
    return ask_at_once(std::move(one)).front();
  }

  /// Sends requests without a pause in between, and goes on.
  template <class Request> auto ask_at_once(std::vector<Request> all) {
    using answer = typename answer_of<Request>::type;
    std::vector<std::shared_ptr<slot<answer>>> slots;
    std::vector<pending<answer>> result;
    for (std::size_t i = 0; i < all.size(); ++i)
      result.emplace_back(slots.emplace_back(std::make_shared<slot<answer>>()));
    act([slots, all = std::move(all), to = backend_, place = world_](caf::event_based_actor* me) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const auto put = [to = slots[i], place](outcome<answer> value) {
          {
            const std::lock_guard lock{to->guard};
            to->value = std::move(value);
          }
          place->notify();
        };
        me->request(to, caf::infinite, all[i])
          .then([put](const answer& x) { put(x); },
                [put](const caf::error& x) { put(tl::unexpected{to_failure(x)}); });
      }
    });
    return result;
  }

  /// Waits for an answer.
  template <class Answer>
  outcome<Answer> wait_for(const pending<Answer>& x, nanoseconds at_most = patience) {
    REQUIRE_FOR("no answer in time", world_->wait_until([&] { return x.ready(); }, at_most));
    return x.get();
  }

  /// Waits for all these answers.
  template <class Answer> void wait_for(const std::vector<pending<Answer>>& answers) {
    const auto all_ready
      = [&] { return std::ranges::all_of(answers, [](const auto& x) { return x.ready(); }); };
    REQUIRE_FOR("answers are missing", world_->wait_until(all_ready, patience));
  }

  /// Sends a request, and waits for the answer.
  template <class Request> auto ask(Request x) {
    auto answer = ask_later(std::move(x));
    return wait_for(answer);
  }

  /// The same, where an error would be a failure of the check.
  template <class Request> auto get(Request x) {
    auto answer = ask(std::move(x));
    if (!answer)
      FAIL_CHECK("an error in place of an answer: " + to_string(answer.error()));
    return *std::move(answer);
  }

  /// The same, where an answer would be a failure of the check.
  template <class Request> failure refused(Request x) {
    auto answer = ask(std::move(x));
    if (answer)
      FAIL_CHECK("an answer in place of an error");
    return answer.error();
  }

  /// Says what has no answer, and lets come what comes of it.
  void tell(auto note) {
    const auto is_said = std::make_shared<std::atomic<bool>>(false);
    act([note, is_said, to = caf::actor_cast<caf::actor>(backend_),
         place = world_](caf::event_based_actor* me) {
      me->send(to, note);
      is_said->store(true);
      place->notify();
    });
    world_->wait_until([&] { return is_said->load(); }, patience);
    world_->settle();
  }

  // -- in short ---------------------------------------------------------------

  revision create(std::string_view key, std::string value,
                  std::optional<nanoseconds> ttl = std::nullopt) {
    return get(kv_create{at(key), payload{std::move(value)}, ttl}).revision;
  }
  revision put(std::string_view key, std::string value,
               std::optional<nanoseconds> ttl = std::nullopt) {
    return get(kv_update{at(key), payload{std::move(value)}, std::nullopt, ttl}).revision;
  }
  void remove(std::string_view key) { get(kv_delete{at(key), std::nullopt}); }
  entry read(std::string_view key) { return get(kv_get{at(key)}).entry; }
  failure missing(std::string_view key) { return refused(kv_get{at(key)}); }
  sequence say(std::string_view to, std::string text) {
    return get(publish{at(to), payload{std::move(text)}}).sequence;
  }

  /// Invokes, and returns the response's text.
  std::string call(std::string_view to, std::string text,
                   nanoseconds timeout = default_request_timeout) {
    return std::string{get(invoke{at(to), payload{std::move(text)}, timeout}).payload.bytes()};
  }

  /// Opens a watch, and waits for the end of its snapshot.
  void open_watch(std::string_view pattern, watch_id id, std::uint64_t credit = 16) {
    get(watch{at(pattern), id, credit});
    REQUIRE_FOR("no end of the snapshot",
                wait(id, [](const told& x) { return x.count(part_kind::snapshot_end) > 0; }));
  }

  // -- being told -------------------------------------------------------------

  [[nodiscard]] told of(watch_id id) {
    const std::lock_guard lock{kept_->guard};
    return kept_->told_of[id];
  }

  /// Waits until what was told of `id` is so.
  bool wait(watch_id id, const std::function<bool(const told&)>& it_is_so,
            nanoseconds at_most = patience) {
    return world_->wait_until([&] { return it_is_so(of(id)); }, at_most);
  }

  /// Waits for so many entries of changes, and returns all.
  std::vector<entry> changes(watch_id id, std::size_t count, nanoseconds at_most = patience) {
    const bool came = wait(
      id, [=](const told& x) { return x.changes().size() >= count; }, at_most);
    if (!came)
      FAIL_CHECK("only " + std::to_string(of(id).changes().size()) + " of " + std::to_string(count)
                 + " changes came");
    world_->settle();
    return of(id).changes();
  }

  std::vector<stream_message> messages(watch_id id, std::size_t count) {
    if (!wait(id, [=](const told& x) { return x.messages().size() >= count; }))
      FAIL_CHECK("only " + std::to_string(of(id).messages().size()) + " of " + std::to_string(count)
                 + " messages came");
    world_->settle();
    return of(id).messages();
  }

  // -- serving ----------------------------------------------------------------

  /// Listens, and answers each request at once as `with` says.
  void serve(std::string_view on, server with, std::uint32_t at_most = default_requests_in_hand) {
    {
      const std::lock_guard lock{kept_->guard};
      kept_->serve = std::move(with);
    }
    get(listen{at(on), at_most});
  }

  /// Listens, and answers each request with `text` before its own.
  void echo(std::string_view on, std::string text = "") {
    serve(on, [text](const incoming_request& x) {
      return request_reply{x.number, payload{text + std::string{x.payload.bytes()}}, {}};
    });
  }

  /// Requests that were handed over so far.
  [[nodiscard]] std::vector<incoming_request> incoming() {
    const std::lock_guard lock{kept_->guard};
    return kept_->incoming;
  }

  /// Waits until so many requests were handed over, and returns all.
  std::vector<incoming_request> incoming(std::size_t count) {
    if (!world_->wait_until([&] { return incoming().size() >= count; }, patience))
      FAIL_CHECK("only " + std::to_string(incoming().size()) + " of " + std::to_string(count)
                 + " requests were handed over");
    world_->settle();
    return incoming();
  }

  /// Numbers of requests whose callers are gone.
  [[nodiscard]] std::vector<std::uint64_t> withdrawn() {
    const std::lock_guard lock{kept_->guard};
    return kept_->withdrawn;
  }

  void reply(const incoming_request& to, std::string text) {
    tell(request_reply{to.number, payload{std::move(text)}, {}});
  }

  /// Ends the session without a word.
  void die() {
    caf::anon_send_exit(actor_, caf::exit_reason::kill);
    world_->settle();
  }

  static subject at(std::string_view text) { return deterministic_fixture::at(text); }

  static constexpr nanoseconds patience = std::chrono::seconds{5};

private:
  void act(std::function<void(caf::event_based_actor*)> job) {
    caf::anon_send(actor_, client_job{std::move(job)});
  }

  static caf::behavior behave(caf::event_based_actor* me, sink_manner manner,
                              const std::shared_ptr<shared>& kept, world* place) {
    me->set_default_handler(caf::drop);
    me->set_error_handler([](caf::error&) {});
    const auto keep_any = [kept, place](auto add) {
      {
        const std::lock_guard lock{kept->guard};
        add(*kept);
      }
      place->notify();
    };
    const auto keep
      = [keep_any](watch_id id, auto add) { keep_any([&](shared& x) { add(x.told_of[id]); }); };
    const auto reply = [me, manner](const auto& credit) {
      if (manner == sink_manner::grants)
        me->send(caf::actor_cast<caf::actor>(me->current_sender()), credit);
    };
    return {
      [me](const client_job& x) { x.run(me); },
      [](const are_you_there&) { return true; },
      [=](const watch_part& x) {
        keep(x.id, [&](told& to) { to.parts.push_back(x); });
        reply(watch_credit{x.id, x.seq, x.seq + 16});
      },
      [=](const stream_part& x) {
        keep(x.id, [&](told& to) { to.stream_parts.push_back(x); });
        reply(stream_credit{x.id, x.seq, x.seq + 16});
      },
      [=](const watch_lost& x) { keep(x.id, [&](told& to) { to.lost.push_back(x.error); }); },
      [=](const stream_lost& x) { keep(x.id, [&](told& to) { to.lost.push_back(x.error); }); },
      [=](const incoming_request& x) {
        server serve;
        keep_any([&](shared& to) {
          to.incoming.push_back(x);
          serve = to.serve;
        });
        if (auto answer = serve ? serve(x) : std::nullopt)
          me->send(caf::actor_cast<caf::actor>(me->current_sender()), *std::move(answer));
      },
      [=](const request_withdrawn& x) {
        keep_any([&](shared& to) { to.withdrawn.push_back(x.number); });
      },
    };
  }

  world* world_;
  std::shared_ptr<shared> kept_;
  backend_actor backend_;
  caf::actor actor_;
};

} // namespace trunnion::test
