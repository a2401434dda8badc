// The word that was probably meant.
//
// For keys of a site file, commands and options of the tool, names of services. The distance counts
// insertions, deletions, replacements and swaps of neighbours, and ignores case; a candidate counts
// only if it is nearer than a third of the word's length (at most three steps, at least one).
//
// Threads: plain functions.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trunnion {

/// Least number of steps from one word to the other, where swapped neighbours are one step.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest candidate, the first of several; nothing if none is near enough.
[[nodiscard]] std::optional<std::string> closest(std::string_view word,
                                                 std::span<const std::string> candidates);

/// `; did you mean 'x'?`, or nothing: to be put after a message.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string> candidates);

} // namespace trunnion
