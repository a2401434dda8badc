// Which subjects have messages, and which messages those are.
//
// The messages of a subject form a chain in the log: this has its two ends and its length. Looking
// up a subject is one hash; the order of subjects, which listings need, changes only when a subject
// gets its first message or loses its last.
//
// Threads: one user at a time.

#pragma once

#include "trunnion/backends/common/subject_trie.hpp"
#include "trunnion/messages/stream.hpp"

#include <set>

namespace trunnion {

/// The messages of one subject.
struct kept_stream {
  sequence oldest;
  sequence newest;
  std::size_t count = 0;
};

class stream_index {
public:
  stream_index() = default;
  stream_index(const stream_index&) = delete; // Its parts point to each other.
  stream_index& operator=(const stream_index&) = delete;

  /// The messages of `x`, which has none if it is new here. Valid until it is removed.
  kept_stream& at(const subject& x);

  [[nodiscard]] const kept_stream* find(const subject& x) const;

  /// `x` has lost its last message.
  void remove(const subject& x);

  /// As `list_streams` says, whose `at_most` is not zero; more than `max_listed_streams` is cut to
  /// it. The own subjects of an entity are found in steps for each of its children.
  [[nodiscard]] stream_subjects list(const list_streams& x) const;

  [[nodiscard]] std::size_t size() const { return streams_.size(); }

private:
  std::unordered_map<std::string, kept_stream, text_hash, std::equal_to<>> streams_;
  std::set<std::string_view> in_order_; // Of the texts in `streams_`.
};

} // namespace trunnion
