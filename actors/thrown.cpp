#include "trunnion/actors/thrown.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <memory>
#include <typeinfo>

namespace trunnion {
namespace {

constexpr int most_causes = 16; // Of one exception.

std::string type_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name{
    abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free};
  return status == 0 ? name.get() : type.name();
}

std::string described(const std::exception& x) { return type_name(typeid(x)) + ": " + x.what(); }

/// One line for each exception that `x` was thrown in place of.
void add_causes(const std::exception& x, std::string& to, int depth) {
  const auto line
    = [&](const std::string& text) { to += (to.empty() ? "caused by " : "\ncaused by ") + text; };
  try {
    if (depth < most_causes)
      std::rethrow_if_nested(x);
  } catch (const std::exception& cause) {
    line(described(cause));
    add_causes(cause, to, depth + 1);
  } catch (...) {
    line(type_name(*abi::__cxa_current_exception_type()));
  }
}

} // namespace

remote_failure describe_thrown() {
  try {
    throw;
  } catch (const std::exception& x) {
    std::string causes;
    add_causes(x, causes, 0);
    remote_failure result{.message = described(x)};
    if (!causes.empty())
      result.details = std::move(causes);
    return result;
  } catch (...) {
    return {.message = type_name(*abi::__cxa_current_exception_type()) + ": not an exception type"};
  }
}

} // namespace trunnion
