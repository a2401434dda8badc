// What a session has open at the backend, so that a cut can be made good, or be told.
//
// Listeners and services are registered anew by the next session, since their clients are not told
// of a cut; sinks are told that they are lost. The book follows what the backend is asked and
// answers, whatever becomes of it on the way to the client.
//
// Threads: one user at a time.

#pragma once

#include "trunnion/messages/request.hpp"
#include "trunnion/messages/service_registration.hpp"
#include "trunnion/messages/stream.hpp"

#include <map>
#include <optional>

namespace trunnion {

/// What a client has registered, by its name.
struct kept_registrations {
  std::map<subject, listen> listeners;
  std::map<std::string, register_service> services;
  [[nodiscard]] bool empty() const { return listeners.empty() && services.empty(); }
};

class session_book {
public:
  struct sink {
    bool is_consumer = false;
    bool is_listing = false;
    bool is_open = false;                   ///< The backend has said so.
    std::optional<std::uint64_t> ends_with; ///< The number of a listing's last part.
  };

  kept_registrations kept;
  std::map<watch_id, sink> sinks;

  // -- the backend is asked, or told ------------------------------------------

  void on_asked(const auto&) {}
  void on_asked(const watch& x) { sinks.try_emplace(x.id); }
  void on_asked(const kv_list& x) { sinks.try_emplace(x.id, sink{.is_listing = true}); }
  void on_asked(const consume& x) { sinks.try_emplace(x.id, sink{.is_consumer = true}); }

  void on_told(const auto&) {}
  void on_told(const unwatch& x) { sinks.erase(x.id); }
  void on_told(const unconsume& x) { sinks.erase(x.id); }
  void on_told(const watch_credit& x) { // A listing is over when its end has been seen.
    if (const auto i = sinks.find(x.id);
        i != sinks.end() && i->second.ends_with && x.seen >= *i->second.ends_with)
      sinks.erase(i);
  }

  // -- the backend answers, or tells ------------------------------------------

  void on_answered(const auto&, const auto&) {}
  void on_answered(const watch& x, const watch_opened&) { opened(x.id); }
  void on_answered(const kv_list& x, const watch_opened&) { opened(x.id); }
  void on_answered(const consume& x, const consuming&) { opened(x.id); }
  void on_answered(const listen& x, const listening&) { kept.listeners[x.subject] = x; }
  void on_answered(const unlisten& x, const unlistened&) { kept.listeners.erase(x.subject); }
  void on_answered(const purge_listeners&, const listeners_purged&) { kept.listeners.clear(); }
  void on_answered(const register_service& x, const service_registered&) {
    kept.services[x.info.name] = x;
  }
  void on_answered(const unregister_service& x, const service_unregistered&) {
    kept.services.erase(x.name);
  }

  void on_refused(const auto&) {}
  void on_refused(const watch& x) { refused(x.id); }
  void on_refused(const kv_list& x) { refused(x.id); }
  void on_refused(const consume& x) { refused(x.id); }

  void on_part(const watch_part& x) {
    if (const auto i = sinks.find(x.id);
        i != sinks.end() && i->second.is_listing && x.kind == part_kind::snapshot_end)
      i->second.ends_with = x.seq;
  }
  void on_lost(watch_id id) { sinks.erase(id); }

private:
  void opened(watch_id id) {
    if (const auto i = sinks.find(id); i != sinks.end()) // It may be over already.
      i->second.is_open = true;
  }

  /// What was not opened is no sink, unless it was open before under the same number.
  void refused(watch_id id) {
    if (const auto i = sinks.find(id); i != sinks.end() && !i->second.is_open)
      sinks.erase(i);
  }
};

} // namespace trunnion
