#include "trunnion/site/did_you_mean.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace trunnion {

namespace {

constexpr std::size_t longest_word = 64; // Longer ones are no typing mistakes.

std::string lowered(std::string_view text) {
  std::string result{text};
  for (char& c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return result;
}

} // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the swap of neighbours looks two rows back.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> closest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() < 2 || word.size() > longest_word)
    return std::nullopt;
  const auto plain = lowered(word);
  auto bound = std::clamp<std::size_t>(word.size() / 3, 1, 3);
  std::optional<std::string> best;
  for (const auto& candidate : candidates) {
    if (candidate.size() < 2 || candidate.size() > longest_word)
      continue;
    const auto distance = edit_distance(plain, lowered(candidate));
    if (distance > bound || (best && distance == bound))
      continue;
    best = candidate;
    bound = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto best = closest(word, candidates);
  return best ? "; did you mean '" + *best + "'?" : std::string{};
}

} // namespace trunnion
