// Who is told what: the sessions of a backend, with their watches, listings and consumers.
//
// This is the part of an engine that knows actors: it finds the watches that a change concerns, has
// `fan_out.hpp` decide what each is told, and sends it. A session is the actor that opened
// something; it is monitored (`session_table.hpp`), and what it opened ends with it. Sessions are
// held weakly, so a backend keeps nobody alive.
//
// A durable consumer has one live session at a time: opening it again ends it for the first,
// whether that is another session or the same. The last one that had it is remembered, for only
// that one may acknowledge.
//
// Long snapshots are told in slices: after `work_slice` pages the rest waits until the actor calls
// `work` again, which it does between other messages.
//
// Clock: the runtime's. Threads: used by one actor, which owns it.

#pragma once

#include "trunnion/backends/common/fan_out.hpp"
#include "trunnion/backends/common/session_table.hpp"
#include "trunnion/backends/common/stream_fan_out.hpp"
#include "trunnion/backends/common/subject_trie.hpp"
#include "trunnion/messages/runtime/timer_queue.hpp"

#include <caf/actor_addr.hpp>
#include <caf/message.hpp>
#include <caf/scheduled_actor.hpp>

#include <deque>
#include <functional>

namespace trunnion {

/// Listings of one session that may be open at once.
inline constexpr std::size_t max_listings = 16;

/// Finds actors in tables, nobody included.
struct address_hash {
  std::size_t operator()(const caf::actor_addr& x) const {
    return x ? std::hash<caf::actor_addr>{}(x) : 0;
  }
};

/// What an engine keeps, as a table of sinks reads it.
class sink_source {
public:
  virtual ~sink_source() = default;
  virtual entry_page page(const subject& pattern, const page_position& position) = 0;
  virtual message_batch read(const subject& pattern, const stream_place& from, std::size_t steps)
    = 0;
  [[nodiscard]] virtual revision newest() const = 0;
};

class sink_table {
public:
  /// Pages and batches that one call sends at most, of one sink.
  static constexpr std::size_t work_slice = 4;

  sink_table(caf::scheduled_actor* self, session_table& monitored, const runtime& rt, epoch life,
             sink_source& source);
  sink_table(const sink_table&) = delete;
  sink_table& operator=(const sink_table&) = delete;

  // -- opening and closing: `session` is the sender of the request ------------

  outcome<watch_opened> open_watch(const caf::strong_actor_ptr& session, const watch& x);

  /// `picture` is called once the listing is admitted.
  outcome<watch_opened> open_listing(const caf::strong_actor_ptr& session, const kv_list& x,
                                     const std::function<std::vector<entry>()>& picture);

  /// `begin` is called once the consumer is admitted. A durable one is taken over.
  outcome<consuming> open_consumer(const caf::strong_actor_ptr& session, const consume& x,
                                   const std::function<outcome<stream_opening>()>& begin);

  /// Whether this session is the latest that opened the durable consumer `name`.
  [[nodiscard]] bool reads(const caf::actor_addr& session, const std::string& name) const;

  /// The durable consumer `name` is no more; its sink is told, if it has one.
  void end_durable(const std::string& name, const failure& why);

  void close(const caf::actor_addr& session, watch_id id);
  void end_session(const caf::actor_addr& session);

  /// Tells all sinks that nothing follows.
  void end_all(const failure& why);

  // -- what sinks say ---------------------------------------------------------

  void on_credit(const caf::actor_addr& session, watch_id id, std::uint64_t seen,
                 std::uint64_t up_to);

  /// One for what is not open is answered with `watch_lost`, so that nobody waits for it.
  void on_rewatch(const caf::strong_actor_ptr& session, const rewatch& x);

  // -- what the engine says ---------------------------------------------------

  /// A key has changed; `describe` is called if anybody wants to know. With `more_to_come` some may
  /// be told with what follows, at the next `work`.
  void on_change(const subject& key, bool more_to_come, const std::function<change()>& describe);
  void on_published(const stream_message& x, bool more_to_come);
  void on_removed(const removed_message& x);

  /// The store was out of reach: watches begin again, all go on behind what their sinks have seen.
  void on_interrupted();

  // -- time -------------------------------------------------------------------

  /// Whether `work` has something to do.
  [[nodiscard]] bool has_work() const { return !work_.empty() || !batched_.empty(); }
  void work();

  /// Sends again what was not seen, of at most `steps` sinks.
  void run_timers(std::size_t steps);
  [[nodiscard]] std::optional<instant> next_due() const { return resends_.next_due(); }

  // -- figures ----------------------------------------------------------------

  [[nodiscard]] std::size_t sinks() const { return sinks_; }
  [[nodiscard]] std::size_t unseen() const { return unseen_; }
  [[nodiscard]] std::size_t pending() const { return pending_; }
  [[nodiscard]] std::uint64_t resent() const { return resent_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

private:
  struct session;
  struct sink;
  class mouth;
  using sink_ptr = std::shared_ptr<sink>;
  using watch_sinks = subject_trie<sink>;

  /// What is open under one id of one session.
  struct sink {
    session* owner;
    watch_id id;
    std::variant<watch_fan_out<caf::message>, stream_fan_out<caf::message>> feed;
    watch_sinks::place place; // Unless it is a listing.
    bool timed = false;       // It is in `resends_`.
    bool queued = false;      // It is in `work_`.
    bool batched = false;     // It is in `batched_`.
    bool is_durable = false;  // It is in `readers_`.
  };

  struct session {
    caf::actor_addr address;
    session_id id;            // Held once, for all its sinks.
    std::uint64_t serial = 0; // In the order of opening.
    std::map<watch_id, sink_ptr> sinks;
    std::size_t listings = 0;
  };

  /// Who had a durable consumer last.
  struct reader {
    caf::actor_addr session;
    sink* live = nullptr; // Null once it was closed.
  };

  static watch_fan_out<caf::message>* as_watch(sink& x) {
    return std::get_if<watch_fan_out<caf::message>>(&x.feed);
  }
  static bool is_listing(sink& x) {
    const auto* feed = as_watch(x);
    return feed && feed->is_listing();
  }

  outcome<void> admit(const caf::strong_actor_ptr& who, watch_id id, bool as_listing);
  sink& add(const caf::strong_actor_ptr& who, watch_id id, auto feed);
  sink* find(const caf::actor_addr& who, watch_id id);
  void lose(sink& x, const failure& why);
  std::vector<sink_ptr> all_in_order() const;
  void remove(sink& x);
  watch_sinks& trie_of(sink& x) { return as_watch(x) ? watches_ : consumers_; }

  /// Lets `act(feed, mouth)` do something with a sink, and keeps the figures and timers right.
  template <class Feed, class Act> void with(sink& x, Feed& feed, Act act);
  template <class Act> void with(sink& x, Act act);
  void pump(sink& x);

  caf::scheduled_actor* self_;
  session_table& monitored_;
  runtime rt_;
  epoch epoch_;
  sink_source& source_;
  std::unordered_map<caf::actor_addr, session, address_hash> sessions_;
  watch_sinks watches_;
  watch_sinks consumers_;
  std::vector<sink_ptr> batched_;            // Each sink once.
  std::deque<std::weak_ptr<sink>> work_;     // Each sink once.
  timer_queue<std::weak_ptr<sink>> resends_; // Each sink once.
  std::map<std::string, reader> readers_;    // By the name of their durable consumer.
  std::uint64_t serial_ = 0;
  std::size_t sinks_ = 0;
  std::size_t unseen_ = 0;
  std::size_t pending_ = 0;
  std::uint64_t resent_ = 0;
  std::uint64_t refused_ = 0;
};

} // namespace trunnion
