// The fencing token's counterpart at the resource: refuses whoever has been overtaken.
//
// A holder may believe in its lease for a moment longer than it has it, as when its process stood
// still between the look at its view and the command. So each command carries the token of its
// lease, and the device's side remembers the newest that it has seen and refuses every older one,
// of a lower epoch too. With a file it remembers across restarts of its own process.
//
// The file is written whole and synced before a newer token is admitted, so that none is forgotten:
// that happens once for each acquisition, not for each command. It is readable by its owner alone.
// Threads: none; used by the one actor or thread that commands the device.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <filesystem>
#include <optional>

namespace trunnion {

class fence {
public:
  /// Remembers in this process only.
  fence() = default;

  /// Remembers in `file`, which need not exist yet. Fails with `storage_damaged` if what is there
  /// is no fence's memory, and with `permission_denied` or `internal` if it cannot be read.
  static outcome<fence> open(const std::filesystem::path& file);

  /// Lets a command of the lease with this token through, or refuses it as `stale_token`. If the
  /// memory cannot be written, a newer token is refused with `storage_full`, `permission_denied` or
  /// `internal`.
  [[nodiscard]] outcome<void> admit(const fencing_token& token);

  /// The newest token admitted; none so far: nothing.
  [[nodiscard]] const std::optional<fencing_token>& newest() const { return newest_; }

private:
  std::filesystem::path file_; // Empty: none.
  std::optional<fencing_token> newest_;
};

} // namespace trunnion
