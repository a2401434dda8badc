// What was measured, against what, and whether that is enough.
//
// A bar is a ratio to a reference of the same run wherever there is one, since absolute numbers of
// one machine differ by a factor of two from hour to hour. Figures are shown as rows of a table in
// Markdown, so that they can be put into `docs/performance.md` as they are.

#pragma once

#include <string>
#include <vector>

namespace trunnion::bench {

/// One row of the table.
struct figure {
  std::string name; ///< What was measured, for people.
  std::string measured;
  std::string reference; ///< Of the same run; may be empty.
  std::string ratio;     ///< Of the two; may be empty.
  std::string bar;
  bool is_met = false;
  bool is_judged = false; ///< Whether missing the bar fails the run.
};

/// Prints the head of the table to standard output.
void print_head();

/// Prints a figure at once, for a run takes minutes. Returns whether the run goes on well.
bool print(const figure& x);

/// Both take a copy, for they sort it. Of nothing, zero.
[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] double quantile(std::vector<double> values, double q);

/// Quantities as the table shows them.
[[nodiscard]] std::string per_second(double rate);
[[nodiscard]] std::string ms(double seconds);
[[nodiscard]] std::string us(double seconds);
[[nodiscard]] std::string percent(double share);
[[nodiscard]] std::string times(double factor);

} // namespace trunnion::bench
