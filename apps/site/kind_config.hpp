// The checked configuration of one service.
//
// By the time a service starts, its options have been read and found valid, and defaults are filled
// in. So a kind asks for an option by name and type, and gets it. Asking for an option that its
// schema does not have, or for another type, is a mistake of ours (`ensure`).
//
// Threads: plain values, immutable once read.

#pragma once

#include "trunnion/site/kind_schema.hpp"
#include "trunnion/site/value_checker.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trunnion {

/// An option that is a condition, whose names are to be looked up.
struct condition_use {
  std::string option;
  place where;
  std::vector<std::string> names;
};

class kind_config {
public:
  /// Checks `map` against `options`; unknown keys and wrong values go to `check`. A null value
  /// stands for an empty map. `conditions` gets what the options of type `expression` use.
  static kind_config read(value_checker& check, const config_value& map,
                          const std::vector<option_schema>& options, const std::string& what,
                          std::vector<condition_use>& conditions);

  /// Whether the option was given, or has a default.
  [[nodiscard]] bool has(std::string_view name) const;

  [[nodiscard]] std::chrono::nanoseconds duration(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const; ///< Expressions, too.
  [[nodiscard]] const expression& condition(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& texts(std::string_view name) const;

  /// A section is always there; what is missing in a file has the defaults of its members.
  [[nodiscard]] const kind_config& section(std::string_view name) const;

private:
  using value
    = std::variant<std::chrono::nanoseconds, double, std::int64_t, bool, std::string,
                   std::vector<std::string>, expression, std::shared_ptr<const kind_config>>;

  template <class T> const T& get(std::string_view name) const;
  void read_option(value_checker& check, const config_value& given, const option_schema& option,
                   const std::string& what, std::vector<condition_use>& conditions);

  std::map<std::string, value, std::less<>> values_;
};

} // namespace trunnion
