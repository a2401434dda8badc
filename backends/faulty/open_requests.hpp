// The requests of one session that have no answer yet, and when each ends without one.
//
// Clock: none; every call takes `now`. Threads: used by the actor that made the promises.

#pragma once

#include "trunnion/backends/faulty/faulty_backend.hpp"
#include "trunnion/messages/runtime/promise_guard.hpp"

#include <map>
#include <memory>
#include <set>

namespace trunnion {

class open_request {
public:
  open_request() = default;
  open_request(const open_request&) = delete;
  open_request& operator=(const open_request&) = delete;
  virtual ~open_request() = default;
  virtual void fail(caf::error why) = 0;
};

template <class Answer> class open_request_of : public open_request {
public:
  explicit open_request_of(promise_guard<Answer> promise) : promise_(std::move(promise)) {}
  void deliver(Answer x) { promise_.deliver(std::move(x)); }
  void fail(caf::error why) override { promise_.fail(std::move(why)); }

private:
  promise_guard<Answer> promise_;
};

class open_requests {
public:
  using number = std::uint64_t;

  /// `patience` is how long the client itself would wait, as far as known.
  number add(std::unique_ptr<open_request> x, instant now, nanoseconds patience) {
    const auto given_up = now + patience;
    const auto deadline = now + std::max(patience, longest_answer);
    deadlines_.emplace(deadline, ++last_);
    open_.emplace(last_, item{std::move(x), deadline, given_up});
    return last_;
  }

  [[nodiscard]] bool contains(number x) const { return open_.contains(x); }

  /// Nothing will be heard of it: it ends when the client would have given up.
  void lose(number x, instant now) {
    const auto found = open_.find(x);
    if (found == open_.end())
      return;
    auto& lost = found->second;
    deadlines_.erase({lost.deadline, x});
    lost.deadline = std::max(lost.given_up, now);
    deadlines_.emplace(lost.deadline, x);
    lost_ += lost.is_lost ? 0 : 1;
    lost.is_lost = true;
  }

  /// None, if it has ended.
  std::unique_ptr<open_request> take(number x) {
    const auto found = open_.find(x);
    if (found == open_.end())
      return nullptr;
    auto result = std::move(found->second.request);
    deadlines_.erase({found->second.deadline, x});
    lost_ -= found->second.is_lost ? 1 : 0;
    open_.erase(found);
    return result;
  }

  /// The next one whose time is over.
  std::unique_ptr<open_request> take_due(instant now) {
    const auto due = next_due();
    return due && *due <= now ? take(deadlines_.begin()->second) : nullptr;
  }

  /// Any one that is left.
  std::unique_ptr<open_request> take_any() {
    return open_.empty() ? nullptr : take(open_.begin()->first);
  }

  [[nodiscard]] std::optional<instant> next_due() const {
    return deadlines_.empty() ? std::nullopt : std::optional{deadlines_.begin()->first};
  }

  /// How many got lost and have not ended.
  [[nodiscard]] std::size_t lost() const { return lost_; }

private:
  struct item {
    std::unique_ptr<open_request> request;
    instant deadline;
    instant given_up; // By the client.
    bool is_lost = false;
  };

  std::map<number, item> open_;
  std::set<std::pair<instant, number>> deadlines_; // Each open request once.
  number last_ = 0;
  std::size_t lost_ = 0;
};

} // namespace trunnion
