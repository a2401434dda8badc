#include "trunnion/site/expression.hpp"

#include "trunnion/messages/ensure.hpp"
#include "trunnion/site/expression_parser.hpp"

#include <algorithm>
#include <compare>

namespace trunnion {

namespace {

using maybe_value = std::optional<expression_value>;

truth truth_of(const maybe_value& x) {
  const auto* known = x ? std::get_if<bool>(&*x) : nullptr;
  return known == nullptr ? truth::unknown : *known ? truth::yes : truth::no;
}

maybe_value value_of(truth x) {
  return x == truth::unknown ? maybe_value{} : maybe_value{x == truth::yes};
}

/// Unordered if one is missing or they are of different types.
std::partial_ordering compare(const maybe_value& a, const maybe_value& b) {
  if (!a || !b || a->index() != b->index())
    return std::partial_ordering::unordered;
  return std::visit(
    [&]<class T>(const T& x) -> std::partial_ordering { return x <=> std::get<T>(*b); }, *a);
}

} // namespace

tl::expected<expression, expression_error> expression::parse(std::string_view text) {
  return expression_parser{text}.parse();
}

std::optional<expression_value> expression::combine(step_kind kind, const maybe_value& a,
                                                    const maybe_value& b) {
  if (kind == step_kind::conjoin)
    return value_of(std::min(truth_of(a), truth_of(b)));
  if (kind == step_kind::disjoin)
    return value_of(std::max(truth_of(a), truth_of(b)));
  const auto order = compare(a, b);
  if (order == std::partial_ordering::unordered)
    return std::nullopt;
  if (kind == step_kind::equal)
    return order == 0;
  if (kind == step_kind::not_equal)
    return order != 0;
  if (std::holds_alternative<bool>(*a)) // Truth values have no order.
    return std::nullopt;
  switch (kind) {
  case step_kind::less: return order < 0;
  case step_kind::less_equal: return order <= 0;
  case step_kind::greater: return order > 0;
  case step_kind::greater_equal: return order >= 0;
  default: ensure(false, "an operator with two operands is one of these"); return std::nullopt;
  }
}

truth expression::evaluate(const name_lookup& look_up) const {
  std::vector<maybe_value> stack;
  const auto pop = [&stack] {
    ensure(!stack.empty(), "operands come before their operator");
    auto top = std::move(stack.back());
    stack.pop_back();
    return top;
  };
  for (const auto& step : steps_) {
    if (step.kind == step_kind::value) {
      stack.push_back(step.value);
    } else if (step.kind == step_kind::name) {
      stack.push_back(look_up(std::get<std::string>(step.value)));
    } else if (step.kind == step_kind::negate) {
      const auto x = truth_of(pop());
      stack.push_back(value_of(x == truth::yes  ? truth::no
                               : x == truth::no ? truth::yes
                                                : truth::unknown));
    } else {
      const auto b = pop();
      const auto a = pop();
      stack.push_back(combine(step.kind, a, b));
    }
  }
  ensure(stack.size() == 1, "an expression is one condition");
  return truth_of(stack.back());
}

std::string to_string(truth x) {
  switch (x) {
  case truth::no: return "no";
  case truth::unknown: return "unknown";
  case truth::yes: return "yes";
  }
  return "?";
}

} // namespace trunnion
