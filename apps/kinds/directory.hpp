// Where the instruments of this process are, and the fences in front of them.
//
// An instrument's actor changes with each restart of its service, so a commander looks it up for
// each command, and gets `nullptr` while there is none. Entries are weak: the directory keeps no
// instrument alive. The fence stays: it must remember the newest token when the instrument's actor
// has been started again. So does simulated hardware: a dome is as open as it was.
//
// Threads: any for the directory. A fence and hardware are used by the one instrument of their
// entity, whose lease sees to it that there is only one.

#pragma once

#include "trunnion/actors/fence.hpp"
#include "trunnion/messages/address.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>

#include <map>
#include <memory>
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

  /// The fence of an entity, the same for each of its lives.
  [[nodiscard]] std::shared_ptr<fence> fence_of(const entity& owner) {
    const std::lock_guard lock{mutex_};
    auto& found = fences_[owner];
    if (!found)
      found = std::make_shared<fence>();
    return found;
  }

  /// The simulated hardware of an entity, made of `settings` when it is first asked for. Each
  /// entity has hardware of one type.
  template <class Hardware, class Settings>
  [[nodiscard]] std::shared_ptr<Hardware> hardware_of(const entity& owner,
                                                      const Settings& settings) {
    const std::lock_guard lock{mutex_};
    auto& found = hardware_[owner];
    if (!found)
      found = std::make_shared<Hardware>(settings);
    return std::static_pointer_cast<Hardware>(found);
  }

private:
  mutable std::mutex mutex_;
  std::map<entity, caf::actor_addr> devices_;
  std::map<entity, std::shared_ptr<fence>> fences_;
  std::map<entity, std::shared_ptr<void>> hardware_;
};

} // namespace trunnion
