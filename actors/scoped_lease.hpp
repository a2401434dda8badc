// A lease for code outside actors: held from the constructor to the destructor.
//
//   scoped_lease mine{sys, rt, backend, {.subject = key, .ttl = 10s, .wait = 5s}};
//   while (mine.held())
//     move_the_mount(mine.token());
//
// It is refreshed by actors in the background; the caller's thread does nothing for it, and must
// look at `held()` right before whatever needs the right, which costs no lock and no system call
// beyond the clock's. The destructor releases the lease and waits for that, at most
// `scoped_release_patience`; what takes longer goes on by itself.
//
// Threads: `held`, `token` and `time_left` from any, everything else from one at a time, and none
// of it but these three on a worker thread of CAF: acquiring there is `invalid_argument`, releasing
// does not wait. It must end before its actor system.

#pragma once

#include "trunnion/actors/group_supervisor.hpp"
#include "trunnion/actors/lease_options.hpp"
#include "trunnion/messages/interfaces.hpp"

#include <functional>
#include <stdexcept>

namespace trunnion {

inline constexpr nanoseconds scoped_release_patience = std::chrono::seconds{1};

/// Thrown by the constructor of `scoped_lease`: why the lease could not be acquired.
class lease_error : public std::runtime_error {
public:
  explicit lease_error(failure why) : std::runtime_error(to_string(why)), why_(std::move(why)) {}
  [[nodiscard]] const failure& why() const { return why_; }

private:
  failure why_;
};

class scoped_lease {
public:
  /// Called once if the lease is lost, from an actor: must not block.
  using on_loss = std::function<void(const lost_lease&)>;

  /// Blocks as long as the options say to wait; throws `lease_error` if it is not acquired.
  scoped_lease(caf::actor_system& sys, const runtime& rt, const backend_actor& backend,
               const lease_options& options, on_loss lost = {});

  /// Likewise, without exceptions.
  static outcome<scoped_lease> acquire(caf::actor_system& sys, const runtime& rt,
                                       const backend_actor& backend, const lease_options& options,
                                       on_loss lost = {});

  /// What was moved from is not held.
  scoped_lease(scoped_lease&& other) noexcept;
  scoped_lease& operator=(scoped_lease&& other) noexcept;
  ~scoped_lease();

  /// Whether the right to act still stands, at this moment.
  [[nodiscard]] bool held() const { return view_.held(); }

  /// Until the deadline, unless it is refreshed before; zero if not held.
  [[nodiscard]] nanoseconds time_left() const { return view_.time_left(); }

  /// For the fence at the resource.
  [[nodiscard]] fencing_token token() const { return grant_.token; }

  [[nodiscard]] const lease_grant& grant() const { return grant_; } ///< As of the acquisition.
  [[nodiscard]] const lease_view& view() const { return view_; }

  /// Gives the lease up, and says how it ended; again, or after a loss, is harmless. `timeout` if
  /// that takes longer than `patience`: it is not held in any case.
  outcome<group_report> release(nanoseconds patience = scoped_release_patience);

private:
  scoped_lease() = default;

  caf::actor_system* system_ = nullptr;
  caf::actor keeper_; // Owns the group.
  group_supervisor_actor group_;
  lease_grant grant_;
  lease_view view_;
};

} // namespace trunnion
