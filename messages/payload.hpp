// A value as the stores see it: bytes.
//
// Immutable, so that it can be shared instead of copied: a write that goes to a hundred watchers is
// one string in memory. On the wire it is a string, since CAF checks a string's length against what
// it has received before it allocates, which it does not for its vectors.
//
// Threads: any.

#pragma once

#include "trunnion/messages/runtime/inspect.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace trunnion {

/// 1 MiB less 4 KiB in bytes: NATS counts headers, too.
inline constexpr std::size_t max_payload_size = (1U << 20U) - (4U << 10U);

class payload {
public:
  payload() = default;
  explicit payload(std::string bytes)
    : bytes_(bytes.empty() ? nullptr : std::make_shared<const std::string>(std::move(bytes))) {}

  /// Valid as long as any copy of this payload lives.
  [[nodiscard]] std::string_view bytes() const {
    return bytes_ ? std::string_view{*bytes_} : std::string_view{};
  }
  [[nodiscard]] std::size_t size() const { return bytes_ ? bytes_->size() : 0; }

  bool operator==(const payload& other) const {
    return bytes_ == other.bytes_ || bytes() == other.bytes();
  }

private:
  std::shared_ptr<const std::string> bytes_; // Null when empty.
};

template <class F> typename F::result_type inspect(F& f, payload& x) {
  if constexpr (F::reads_state) {
    std::string copy{x.bytes()};
    return f(copy);
  } else {
    std::string read;
    auto result = f(read);
    x = payload{std::move(read)};
    return result;
  }
}

} // namespace trunnion
