// How our types show themselves to CAF: printer, serialiser and deserialiser.
//
// The spelling of `inspect` differs between CAF 0.17 and later versions, so it stands here alone.
// 0.17 also knows nothing of `std::optional` and `std::variant`; this header teaches it both. It is
// light: types may be inspectable without including CAF's actors.

#pragma once

#include <caf/error.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/none.hpp>
#include <caf/optional.hpp>
#include <caf/sec.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace trunnion {

/// A member of a message with its name.
template <class T> struct field {
  const char* name;
  T& value;
};
template <class T> field(const char*, T&) -> field<T>;

/// Shows a message to an inspector. Later versions of CAF need the message itself and the names of
/// its members too.
template <class Inspector, class Message, class... Ts>
typename Inspector::result_type fields(Inspector& f, Message&, const char* type,
                                       field<Ts>... members) {
  return f(caf::meta::type_name(type), members.value...);
}

/// Like `fields`, but what is read must also pass `check`, which returns whether it is valid.
template <class Inspector, class Message, class Check, class... Ts>
typename Inspector::result_type checked_fields(Inspector& f, Message&, const char* type,
                                               Check check, field<Ts>... members) {
  const auto verify = [&]() -> caf::error {
    return check() ? caf::error{} : caf::error{caf::sec::invalid_argument};
  };
  return f(caf::meta::type_name(type), members.value..., caf::meta::load_callback(verify));
}

} // namespace trunnion

namespace caf { // Found through the inspector; must precede the first use.

template <class Inspector, class T>
typename Inspector::result_type inspect(Inspector& f, std::optional<T>& x) {
  caf::optional<T> copy;
  if constexpr (Inspector::reads_state) {
    if (x)
      copy = *x;
    return f(copy);
  } else {
    auto result = f(copy);
    if (copy)
      x = std::move(*copy);
    else
      x.reset();
    return result;
  }
}

template <std::size_t N = 0, class Variant>
void emplace_alternative(Variant& x, std::size_t index) {
  if constexpr (N < std::variant_size_v<Variant>) {
    if (index == N)
      x.template emplace<N>();
    else
      emplace_alternative<N + 1>(x, index);
  }
}

template <class Inspector, class... Ts>
typename Inspector::result_type inspect(Inspector& f, std::variant<Ts...>& x) {
  using result = typename Inspector::result_type;
  auto index = static_cast<std::uint8_t>(x.index());
  if constexpr (Inspector::reads_state) {
    return std::visit([&](auto& value) -> result { return f(index, value); }, x);
  } else {
    if (auto failed = f(index))
      return failed;
    if (index >= sizeof...(Ts))
      return sec::invalid_argument;
    emplace_alternative(x, index);
    return std::visit([&](auto& value) -> result { return f(value); }, x);
  }
}

} // namespace caf

namespace caf::detail { // The printer is looked up here; it shows what is there, or `none`.

class stringification_inspector;

template <class T> void inspect(stringification_inspector& f, std::optional<T>& x) {
  if (x)
    f(*x);
  else
    f(none);
}

template <class... Ts> void inspect(stringification_inspector& f, std::variant<Ts...>& x) {
  std::visit(
    [&]<class T>(const T& value) {
      if constexpr (std::is_same_v<T, std::monostate>)
        f(none);
      else
        f(value);
    },
    x);
}

} // namespace caf::detail
