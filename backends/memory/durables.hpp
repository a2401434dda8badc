// Durable consumers: names, and how far each has read.
//
// A durable consumer outlives its sessions. What is known of it here is its pattern, up to where it
// has acknowledged, and how many messages behind that retention has removed. Who its live session
// is, if there is one, is in the table of sinks.
//
// Clock: none inside. Threads: one user at a time.
// Bounds: `max_durables` names; one more is `overloaded`, and counted. A name is kept until it is
// dropped.

#pragma once

#include "trunnion/backends/common/stream_place.hpp"
#include "trunnion/backends/common/subject_trie.hpp"
#include "trunnion/backends/memory/removed_count.hpp"

#include <map>

namespace trunnion {

class durable_table {
public:
  durable_table() = default;
  durable_table(const durable_table&) = delete; // The trie points to what the map has.
  durable_table& operator=(const durable_table&) = delete;

  /// Opens the durable consumer `name`: a known one where it has stopped, a new one at `if_new`.
  /// `invalid_argument` for a name that is none, or that is known with another pattern.
  outcome<stream_opening> open(const std::string& name, const subject& pattern,
                               const stream_place& if_new);

  /// Messages up to `up_to` need not come again, as far as there are any yet: `newest` is the
  /// newest. Returns what is acknowledged now; `invalid_argument` for a name that is not known.
  outcome<sequence> acknowledge(const std::string& name, sequence up_to, sequence newest);

  /// Forgets a consumer; returns whether it was known.
  bool drop(const std::string& name);

  /// Retention has removed a message.
  void on_removed(const removed_message& x);

  [[nodiscard]] bool knows(const std::string& name) const { return durables_.contains(name); }
  [[nodiscard]] std::size_t size() const { return durables_.size(); }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

private:
  struct durable {
    subject pattern;
    stream_place place;    // `from` is the first message that is not acknowledged.
    removed_count removed; // Of those.
    subject_trie<durable>::place seat = {};
  };

  std::map<std::string, durable> durables_;
  subject_trie<durable> by_pattern_;
  std::uint64_t refused_ = 0;
};

} // namespace trunnion
