// What a faulty link does wrong, and when: a plan, and dice that cannot be disturbed.
//
// A plan says for each kind of fault how often it happens and how long it lasts. The dice decide by
// a hash of (seed, kind, link, n), for the n-th message of a link, and not by the next draw of one
// generator: leaving one fault out leaves all others where they were, so that a failure can be
// narrowed down to the faults that it needs.
//
// As text, rules are joined by `+`: `drop:0.01+delay:5ms+stall:0.001:200ms`. A rule is a kind and,
// after colons, how often (0 to 1) and how long (`5ms`), in this order; `all_fault_kinds` says
// which of them a kind takes. `none` is the plan without a fault. In a file, blanks and line ends
// separate rules, too, and `#` begins a comment.
//
// Pure: no clock, no chance, no files. Threads: any.

#pragma once

#include "trunnion/messages/errors.hpp"
#include "trunnion/messages/runtime/runtime.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trunnion {

enum class fault_kind : std::uint8_t {
  drop,   ///< A message does not arrive.
  repeat, ///< It arrives twice, where that can be survived.
  delay,  ///< It arrives later.
  cut,    ///< All that is under way is lost, all sessions end; for a while nobody gets through.
  stall,  ///< Nothing arrives for a while, then all of it, in order.
};

inline constexpr std::size_t fault_kinds = 5;

/// What a kind is, for people and for the reader of plans.
struct fault_kind_info {
  fault_kind kind{};
  std::string_view name;
  std::string_view form; ///< Such as `delay[:RATE]:TIME`.
  std::string_view what; ///< One sentence.
  std::optional<double> usual_rate;
  std::optional<nanoseconds> usual_length; ///< Zero: it has no length.
};

[[nodiscard]] std::span<const fault_kind_info, fault_kinds> all_fault_kinds();
[[nodiscard]] std::string to_string(fault_kind x);

inline constexpr nanoseconds longest_fault = std::chrono::minutes{10};
inline constexpr std::size_t max_plan_text = 64U << 10U; ///< Bytes.

struct fault_rule {
  double rate = 0;      ///< From 0 to 1: how many of the messages it strikes.
  nanoseconds length{}; ///< A delay's longest; exactly that of a cut or stall.
  bool operator==(const fault_rule&) const = default;
};

/// A rule for each kind that may happen.
struct fault_plan {
  std::array<std::optional<fault_rule>, fault_kinds> rules;

  [[nodiscard]] const std::optional<fault_rule>& rule(fault_kind x) const {
    return rules[static_cast<std::size_t>(x)];
  }
  [[nodiscard]] std::optional<fault_rule>& rule(fault_kind x) {
    return rules[static_cast<std::size_t>(x)];
  }
  bool operator==(const fault_plan&) const = default;
};

/// Reads a plan; `invalid_argument` says what would be right.
[[nodiscard]] outcome<fault_plan> parse_plan(std::string_view text);

/// The plan as text that `parse_plan` reads back: `none`, or rules in the order of the kinds.
[[nodiscard]] std::string to_string(const fault_plan& x);

/// A message on its link; both counts begin where the user likes.
struct message_place {
  std::uint64_t link = 0;
  std::uint64_t n = 0;
};

class fault_dice {
public:
  fault_dice(std::uint64_t seed, const fault_plan& plan) : seed_(seed), plan_(plan) {}

  /// Whether this fault strikes this message; always the same answer.
  [[nodiscard]] bool strikes(fault_kind kind, message_place at) const;

  /// How long a fault lasts that strikes: for a delay, anything over zero up to the rule's length.
  [[nodiscard]] nanoseconds length(fault_kind kind, message_place at) const;

  [[nodiscard]] const fault_plan& plan() const { return plan_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

private:
  std::uint64_t seed_;
  fault_plan plan_;
};

} // namespace trunnion
