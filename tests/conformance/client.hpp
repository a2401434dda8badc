// A client of a backend under test: one session, which asks, is told, and keeps all that it is
// told.
//
// Threads: its actor may run on another one; what it keeps is guarded, and read as copies.

#pragma once

#include "trunnion/tests/conformance/world.hpp"

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
  struct shared {
    std::mutex guard;
    std::map<watch_id, told> told_of;
  };

  template <class Answer> struct slot {
    std::mutex guard;
    std::optional<outcome<Answer>> value;
  };

public:
  explicit client(world& where, sink_manner manner = sink_manner::grants)
    : world_(&where), kept_(std::make_shared<shared>()), backend_(where.backend()) {
    actor_ = where.system().spawn(
      [manner, kept = kept_](caf::event_based_actor* me) { return behave(me, manner, kept); });
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
      BOOST_REQUIRE_MESSAGE(slot_->value, "no answer");
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
    act([slots, all = std::move(all), to = backend_](caf::event_based_actor* me) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const auto put = [to = slots[i]](outcome<answer> value) {
          const std::lock_guard lock{to->guard};
          to->value = std::move(value);
        };
        me->request(to, caf::infinite, all[i])
          .then([put](const answer& x) { put(x); },
                [put](const caf::error& x) { put(tl::unexpected{to_failure(x)}); });
      }
    });
    return result;
  }

  /// Waits for all these answers.
  template <class Answer> void wait_for(const std::vector<pending<Answer>>& answers) {
    const auto all_ready
      = [&] { return std::ranges::all_of(answers, [](const auto& x) { return x.ready(); }); };
    BOOST_REQUIRE_MESSAGE(world_->wait_until(all_ready, patience), "answers are missing");
  }

  /// Sends a request, and waits for the answer.
  template <class Request> auto ask(Request x) {
    auto answer = ask_later(std::move(x));
    BOOST_REQUIRE_MESSAGE(world_->wait_until([&] { return answer.ready(); }, patience),
                          "no answer in time");
    return answer.get();
  }

  /// The same, where an error would be a failure of the check.
  template <class Request> auto get(Request x) {
    auto answer = ask(std::move(x));
    if (!answer)
      BOOST_FAIL("an error in place of an answer: " << to_string(answer.error()));
    return *std::move(answer);
  }

  /// The same, where an answer would be a failure of the check.
  template <class Request> failure refused(Request x) {
    auto answer = ask(std::move(x));
    if (answer)
      BOOST_FAIL("an answer in place of an error");
    return answer.error();
  }

  /// Says what has no answer.
  void tell(auto note) {
    act([note, to = caf::actor_cast<caf::actor>(backend_)](caf::event_based_actor* me) {
      me->send(to, note);
    });
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

  /// Opens a watch, and waits for the end of its snapshot.
  void open_watch(std::string_view pattern, watch_id id, std::uint64_t credit = 16) {
    get(watch{at(pattern), id, credit});
    BOOST_REQUIRE_MESSAGE(
      wait(id, [](const told& x) { return x.count(part_kind::snapshot_end) > 0; }),
      "no end of the snapshot");
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
    BOOST_TEST_INFO("changes of watch " << id);
    const bool came = wait(
      id, [=](const told& x) { return x.changes().size() >= count; }, at_most);
    if (!came)
      BOOST_FAIL("only " << of(id).changes().size() << " of " << count << " changes came");
    world_->settle();
    return of(id).changes();
  }

  std::vector<stream_message> messages(watch_id id, std::size_t count) {
    if (!wait(id, [=](const told& x) { return x.messages().size() >= count; }))
      BOOST_FAIL("only " << of(id).messages().size() << " of " << count << " messages came");
    world_->settle();
    return of(id).messages();
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
                              const std::shared_ptr<shared>& kept) {
    me->set_default_handler(caf::drop);
    me->set_error_handler([](caf::error&) {});
    const auto keep = [kept](watch_id id, auto add) {
      const std::lock_guard lock{kept->guard};
      add(kept->told_of[id]);
    };
    const auto reply = [me, manner](const auto& credit) {
      if (manner == sink_manner::grants)
        me->send(caf::actor_cast<caf::actor>(me->current_sender()), credit);
    };
    return {
      [me](const client_job& x) { x.run(me); },
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
    };
  }

  world* world_;
  std::shared_ptr<shared> kept_;
  backend_actor backend_;
  caf::actor actor_;
};

} // namespace trunnion::test
