#include "trunnion/site/duration_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace trunnion {

namespace {

struct unit {
  std::string_view name;
  std::uint64_t size;
};

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::array<unit, 7> duration_units{{{"d", 86'400 * second},
                                              {"h", 3'600 * second},
                                              {"m", 60 * second},
                                              {"s", second},
                                              {"ms", 1'000'000},
                                              {"us", 1'000},
                                              {"ns", 1}}};
constexpr std::array<unit, 9> size_units{{{"B", 1},
                                          {"KiB", 1ULL << 10},
                                          {"MiB", 1ULL << 20},
                                          {"GiB", 1ULL << 30},
                                          {"TiB", 1ULL << 40},
                                          {"kB", 1'000},
                                          {"MB", 1'000'000},
                                          {"GB", 1'000'000'000},
                                          {"TB", 1'000'000'000'000}}};

/// What the two kinds of text differ in.
struct quantity {
  std::string_view what;
  std::string_view example;
  std::string_view unit_names;
  std::span<const unit> units;
  std::uint64_t most;
  std::string_view too_much;
  std::string_view too_fine;
};

constexpr quantity duration_quantity{"a duration",
                                     "as in 5s or 500ms",
                                     "ms, s, m, h or d",
                                     duration_units,
                                     static_cast<std::uint64_t>(max_duration.count()),
                                     "is longer than 365d",
                                     "is finer than a nanosecond"};
constexpr quantity size_quantity{"a size",
                                 "as in 10MiB or 512KiB",
                                 "B, KiB, MiB or GiB",
                                 size_units,
                                 1ULL << 50,
                                 "is larger than 1024TiB",
                                 "is not a whole number of bytes"};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n]))
    ++n;
  const auto digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

/// The sum of `whole` units and the decimal fraction of one; nothing if it is above `most`.
std::optional<std::uint64_t> scaled(std::string_view whole, std::string_view fraction,
                                    std::uint64_t unit_size, std::uint64_t most, bool& exact) {
  unsigned __int128 total = 0;
  for (const char c : whole) {
    total = total * 10 + static_cast<unsigned>(c - '0');
    if (total > most)
      return std::nullopt;
  }
  total *= unit_size;
  unsigned __int128 numerator = 0, denominator = 1;
  for (const char c : fraction) {
    numerator = numerator * 10 + static_cast<unsigned>(c - '0');
    denominator *= 10;
  }
  exact = numerator * unit_size % denominator == 0;
  total += numerator * unit_size / denominator;
  if (total > most)
    return std::nullopt;
  return static_cast<std::uint64_t>(total);
}

text_outcome<std::uint64_t> parse(std::string_view text, const quantity& rules) {
  const auto wrong = [text](std::string_view why) {
    return tl::unexpected{in_quotes(text) + " " + std::string{why}};
  };
  const auto malformed = [&] {
    return wrong("is not " + std::string{rules.what} + ", " + std::string{rules.example});
  };
  auto rest = text;
  if (rest.size() > 1 && rest.front() == '-' && is_digit(rest[1]))
    return wrong("is negative");
  const auto whole = take_digits(rest);
  std::string_view fraction;
  if (!whole.empty() && rest.size() > 1 && rest.front() == '.' && is_digit(rest[1])) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  if (whole.empty())
    return malformed();
  if (whole.size() > 1 && whole.front() == '0')
    return wrong("has a leading zero");
  if (rest.empty())
    return wrong("needs a unit, " + std::string{rules.example});
  for (const char c : rest)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
      return malformed();
  for (const auto& unit : rules.units) {
    if (unit.name != rest)
      continue;
    while (fraction.ends_with('0'))
      fraction.remove_suffix(1);
    if (fraction.size() > 15) // More than any unit can use; the sums below stay within 128 bits.
      return wrong(rules.too_fine);
    bool exact = true;
    const auto total = scaled(whole, fraction, unit.size, rules.most, exact);
    if (!total)
      return wrong(rules.too_much);
    if (!exact)
      return wrong(rules.too_fine);
    return *total;
  }
  return wrong("has an unknown unit; use " + std::string{rules.unit_names});
}

} // namespace

text_outcome<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  return parse(text, duration_quantity).map([](std::uint64_t count) {
    return std::chrono::nanoseconds{static_cast<std::int64_t>(count)};
  });
}

std::string print_duration(std::chrono::nanoseconds span) {
  if (span.count() == 0)
    return "0s";
  for (const auto& unit : duration_units)
    if (span.count() % static_cast<std::int64_t>(unit.size) == 0)
      return std::to_string(span.count() / static_cast<std::int64_t>(unit.size)).append(unit.name);
  return std::to_string(span.count()) + "ns";
}

text_outcome<std::uint64_t> parse_size(std::string_view text) { return parse(text, size_quantity); }

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 60;
  auto end = std::min(text.size(), most);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end; // Not inside a character.
  std::string result{"'"};
  result.append(text.substr(0, end)).append(end < text.size() ? "...'" : "'");
  return result;
}

} // namespace trunnion
