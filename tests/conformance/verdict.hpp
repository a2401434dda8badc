// What a conformance check finds.
//
// A check must also run where its failure is what is wanted: against a backend that lies. So checks
// say EXPECT and REQUIRE, which collect sentences with their place, and whoever runs a check
// decides what they mean. Outside of a check, as in the replays, they go to Boost's log at once.
//
// EXPECT takes an expression, and shows both sides of a comparison that does not hold. REQUIRE ends
// the check besides. The forms with `_FOR` take a text first, which says what it is about.
//
// Threads: one; checks run on the thread of the test.

#pragma once

#include "trunnion/messages/errors.hpp"
#include "trunnion/messages/runtime/runtime.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>

namespace trunnion::test {

/// Something that was not as it must be.
struct finding {
  std::string file;
  std::size_t line = 0;
  std::string text;
};

/// Ends a check whose rest would have no meaning. What was wrong has been collected.
struct check_ended : std::runtime_error {
  check_ended() : std::runtime_error("the check ends here") {}
};

/// Ends a check that has no meaning for the engine at hand.
struct check_skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where findings go while a check runs.
inline std::vector<finding>*& findings() {
  static std::vector<finding>* current = nullptr;
  return current;
}

inline void report_finding(const char* file, std::size_t line, std::string text) {
  if (findings())
    findings()->push_back({file, line, std::move(text)});
  else
    BOOST_ERROR(file << "(" << line << "): " << text);
}

/// A value as a person reads it, as far as it has a text.
template <class T> std::string shown(const T& x) {
  if constexpr (std::is_same_v<T, bool>)
    return x ? "true" : "false";
  else if constexpr (std::is_null_pointer_v<T>)
    return "nothing";
  else if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return "'" + std::string{std::string_view{x}.substr(0, 200)} + "'";
  else if constexpr (std::is_arithmetic_v<T>)
    return std::to_string(x);
  else if constexpr (std::is_convertible_v<const T&, nanoseconds>)
    return std::to_string(nanoseconds{x}.count()) + "ns";
  else if constexpr (requires { std::string{to_string(x)}; })
    return to_string(x);
  else
    return "?";
}

/// Whether something holds, and what was seen.
struct judged {
  bool holds;
  std::string seen;
  explicit operator bool() const { return holds; }
};

/// The left side of a comparison.
template <class L> struct left_side {
  const L& x;

  judged with(bool holds, const char* sign, const auto& y) const {
    return {holds, holds ? std::string{} : shown(x) + " " + sign + " " + shown(y)};
  }
  judged operator==(const auto& y) const { return with(x == y, "==", y); }
  judged operator!=(const auto& y) const { return with(x != y, "!=", y); }
  judged operator<(const auto& y) const { return with(x < y, "<", y); }
  judged operator<=(const auto& y) const { return with(x <= y, "<=", y); }
  judged operator>(const auto& y) const { return with(x > y, ">", y); }
  judged operator>=(const auto& y) const { return with(x >= y, ">=", y); }
  explicit operator bool() const { return static_cast<bool>(x); }
};

/// Begins to read an expression: `expression_reader{} << a == b`.
struct expression_reader {
  template <class L> left_side<L> operator<<(const L& x) const { return {x}; }
};

inline judged as_judged(judged x) { return x; }
template <class L> judged as_judged(const left_side<L>& x) { return {static_cast<bool>(x), ""}; }
inline judged as_judged(bool x) { return {x, ""}; }

/// Reports what does not hold; whether it holds.
inline bool check_that(const judged& x, const std::string& about, const char* expression,
                       const char* file, std::size_t line) {
  if (!x.holds)
    report_finding(file, line,
                   (about.empty() ? "" : about + ": ") + expression
                     + (x.seen.empty() ? "" : " [" + x.seen + "]"));
  return x.holds;
}

/// Ends the check with a sentence.
[[noreturn]] inline void fail_check(const char* file, std::size_t line, std::string text) {
  report_finding(file, line, std::move(text));
  throw check_ended{};
}

} // namespace trunnion::test

#define TRUNNION_JUDGE(about, ...)                                                                 \
  ::trunnion::test::check_that(                                                                    \
    ::trunnion::test::as_judged(::trunnion::test::expression_reader{} << __VA_ARGS__), about,      \
    #__VA_ARGS__, __FILE__, __LINE__)

#define EXPECT(...) static_cast<void>(TRUNNION_JUDGE(std::string{}, __VA_ARGS__))
#define EXPECT_FOR(about, ...) static_cast<void>(TRUNNION_JUDGE(std::string{about}, __VA_ARGS__))
#define REQUIRE(...) REQUIRE_FOR(std::string{}, __VA_ARGS__)
#define REQUIRE_FOR(about, ...)                                                                    \
  do {                                                                                             \
    if (!TRUNNION_JUDGE(std::string{about}, __VA_ARGS__))                                          \
      throw ::trunnion::test::check_ended{};                                                       \
  } while (false)
#define FAIL_CHECK(text) ::trunnion::test::fail_check(__FILE__, __LINE__, text)
