#include "trunnion/actors/lease_uuid.hpp"

namespace trunnion {

std::string make_lease_uuid(wall_time at, random_source& random) {
  const auto ms = static_cast<std::uint64_t>(
    std::chrono::duration_cast<milliseconds>(at.time_since_epoch()).count());
  const std::uint64_t high = ms << 16U | 0x7000U | (random.next() & 0x0fffU);
  const std::uint64_t low = (random.next() >> 2U) | 0x8000'0000'0000'0000U;
  std::string result;
  result.reserve(36);
  for (unsigned i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20)
      result += '-';
    const auto half = i < 16 ? high : low;
    result += "0123456789abcdef"[half >> (60U - 4U * (i % 16U)) & 0xfU];
  }
  return result;
}

} // namespace trunnion
