// Where the instruments of this process are: entity to actor.
//
// An instrument's actor changes with each restart of its service, so a commander looks it up for
// each command, and gets `nullptr` while there is none. Entries are weak: the directory keeps no
// instrument alive.
//
// Threads: any.

#pragma once

#include "trunnion/messages/address.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>

#include <map>
#include <mutex>

namespace trunnion {

class device_directory {
public:
  /// In place of whatever was there.
  void put(const entity& owner, const caf::actor& device) {
    const std::lock_guard lock{mutex_};
    devices_[owner] = device.address();
  }

  /// The instrument as a `Handle`, which must be its kind's; null if it is not there.
  template <class Handle> [[nodiscard]] Handle find(const entity& owner) const {
    const std::lock_guard lock{mutex_};
    const auto found = devices_.find(owner);
    return found == devices_.end() ? Handle{} : caf::actor_cast<Handle>(found->second);
  }

private:
  mutable std::mutex mutex_;
  std::map<entity, caf::actor_addr> devices_;
};

} // namespace trunnion
