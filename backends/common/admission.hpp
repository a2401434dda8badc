// Operations that wait their turn, so that no client is starved by another.
//
// An actor's mailbox is one line for all: a client that floods it makes all others wait. When it
// grows long, the engine moves operations from it into one line per client, and then takes one from
// each line in turn. A line has a bound; what would go beyond it is refused, and counted. The order
// of one client's operations is kept.
//
// Threads: one user at a time.

#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

namespace trunnion {

template <class Client, class Operation, class Hash = std::hash<Client>> class admission {
public:
  explicit admission(std::size_t bound) : bound_(bound) {}

  /// Whether operations of this client wait, so that its next one must wait, too.
  [[nodiscard]] bool waits(const Client& client) const { return lines_.contains(client); }

  /// Whether one more operation of this client may wait, if `others` of it are in flight elsewhere.
  /// If not, its refusal is counted here.
  [[nodiscard]] bool admits(const Client& client, std::size_t others = 0) {
    const auto line = lines_.find(client);
    if ((line == lines_.end() ? 0 : line->second.size()) + others < bound_)
      return true;
    ++refused_;
    return false;
  }

  /// Adds an operation to the end of its client's line.
  void add(const Client& client, Operation operation) {
    auto& line = lines_[client];
    if (line.empty())
      turns_.push_back(client);
    line.push_back(std::move(operation));
    ++size_;
  }

  /// Takes the operation whose turn it is.
  [[nodiscard]] std::optional<std::pair<Client, Operation>> next() {
    if (turns_.empty())
      return std::nullopt;
    auto client = std::move(turns_.front());
    turns_.pop_front();
    const auto line = lines_.find(client);
    std::pair result{client, std::move(line->second.front())};
    line->second.pop_front();
    --size_;
    if (line->second.empty())
      lines_.erase(line);
    else
      turns_.push_back(std::move(client));
    return result;
  }

  /// Drops all that wait.
  void clear() {
    lines_.clear();
    turns_.clear();
    size_ = 0;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Calls `visit(client)` for each client with a line.
  template <class Visitor> void for_each_client(Visitor visit) const {
    for (const auto& client : turns_)
      visit(client);
  }

  [[nodiscard]] std::uint64_t refused() const { return refused_; }

  /// Operations of one client that may wait.
  [[nodiscard]] std::size_t bound() const { return bound_; }

private:
  std::size_t bound_;
  std::unordered_map<Client, std::deque<Operation>, Hash> lines_; // None is empty.
  std::deque<Client> turns_;                                      // Each client with a line, once.
  std::size_t size_ = 0;
  std::uint64_t refused_ = 0;
};

} // namespace trunnion
