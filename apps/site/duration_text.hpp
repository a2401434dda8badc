// Durations and sizes as people write them: `500ms`, `1.5s`, `2m`, `10MiB`.
//
// A bare number is the usual way to be wrong by a factor of a thousand, so a unit is demanded. No
// rounding takes place unseen: what is finer than a nanosecond, or than a byte, is refused, as are
// signs, exponents, blanks and leading zeros. Errors are one sentence that begins with the text.
//
// Threads: plain functions.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace trunnion {

/// A value, or one sentence that says what is wrong with the text.
template <class T> using text_outcome = tl::expected<T, std::string>;

/// The longest duration that is read: a TTL may not be longer either.
inline constexpr std::chrono::nanoseconds max_duration = std::chrono::hours{24} * 365;

/// Reads a duration in `ns`, `us`, `ms`, `s`, `m`, `h` or `d`; zero is one.
[[nodiscard]] text_outcome<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// Such as `500ms` or `90s`: in the largest unit that needs no fraction. `parse_duration` reads it
/// back, unless it is negative.
[[nodiscard]] std::string print_duration(std::chrono::nanoseconds span);

/// Reads a number of bytes in `B`, `KiB`, `MiB`, `GiB`, `TiB`, `kB`, `MB`, `GB` or `TB`.
[[nodiscard]] text_outcome<std::uint64_t> parse_size(std::string_view text);

/// The text in quotes for a message, cut to a length that a line can bear.
[[nodiscard]] std::string in_quotes(std::string_view text);

} // namespace trunnion
