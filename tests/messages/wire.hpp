// One sample of a message, which shows its type's members to the serialiser, and what to compare.

#pragma once

#include "trunnion/messages/entry.hpp"

#include <caf/message.hpp>

#include <boost/core/demangle.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <typeinfo>
#include <vector>

namespace trunnion::test {

using namespace std::chrono_literals;

struct wire_sample {
  std::string type; ///< As registered.
  caf::message message;
  bool (*equal)(const caf::message&, const caf::message&);
};

using wire_samples = std::vector<wire_sample>;

template <class T> wire_sample sample(T value) {
  const auto equal = [](const caf::message& a, const caf::message& b) {
    return a.match_elements<T>() && b.match_elements<T>() && a.get_as<T>(0) == b.get_as<T>(0);
  };
  return {boost::core::demangle(typeid(T).name()), caf::make_message(std::move(value)), equal};
}

inline subject at(std::string_view text) {
  const auto parsed = subject::parse(text);
  BOOST_REQUIRE_MESSAGE(parsed.has_value(), "not a subject: " << text);
  return *parsed;
}

inline entity entity_at(std::string_view text) {
  const auto parsed = entity::parse(text);
  BOOST_REQUIRE_MESSAGE(parsed.has_value(), "not an entity: " << text);
  return *parsed;
}

// Every member has a value of its own, so that two that were swapped would be seen. Each optional
// member is set in one sample and not in another; each alternative of a variant has one.

wire_samples failure_samples();
wire_samples store_samples();
wire_samples lease_samples();
wire_samples group_samples();
wire_samples request_samples();

} // namespace trunnion::test
