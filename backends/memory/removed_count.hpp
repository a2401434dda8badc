// How many messages retention removed behind a place that moves on.
//
// A durable consumer that comes back is told how many messages it missed. What it acknowledges is
// no longer missed, so a mere count does not do. Here are runs of sequences with how many of each
// were removed. There are at most so many runs: beyond that, neighbours become one. The count is
// exact unless an acknowledgement falls into such a run; then it is not too low.
//
// Threads: none; a plain value.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <vector>

namespace trunnion {

class removed_count {
public:
  static constexpr std::size_t max_runs = 256;

  /// One more message was removed, never the same twice.
  void add(sequence x);

  /// Messages up to `x` are not missed.
  void forget_up_to(sequence x);

  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::size_t runs() const { return runs_.size(); }

private:
  struct run {
    std::uint64_t first;
    std::uint64_t last;
    std::uint64_t count; // At most as many as lie between.
  };

  void merge();

  std::vector<run> runs_; // In order; none overlaps another.
  std::uint64_t total_ = 0;
};

} // namespace trunnion
