#include "trunnion/bench/figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>

namespace trunnion::bench {

void print_head() {
  fmt::print("| figure | measured | reference | ratio | bar | |\n|---|---|---|---|---|---|\n");
  std::fflush(stdout);
}

bool print(const figure& x) {
  const auto* verdict = x.is_judged ? (x.is_met ? "pass" : "FAIL") : (x.is_met ? "met" : "missed");
  fmt::print("| {} | {} | {} | {} | {} | {} |\n", x.name, x.measured, x.reference, x.ratio, x.bar,
             verdict);
  std::fflush(stdout);
  return x.is_met || !x.is_judged;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty())
    return 0;
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

std::string per_second(double rate) {
  return rate < 1e6 ? fmt::format("{:.0f} k/s", rate / 1e3) : fmt::format("{:.2f} M/s", rate / 1e6);
}

std::string ms(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}
std::string us(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.3g} us", seconds * 1e6) : ms(seconds);
}
std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }
std::string times(double factor) { return fmt::format("{:.2f}", factor); }

} // namespace trunnion::bench
