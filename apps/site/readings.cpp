#include "trunnion/site/readings.hpp"

#include "trunnion/messages/ensure.hpp"
#include "trunnion/messages/json.hpp"

#include <simdjson.h>

namespace trunnion {

namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

class flattener {
public:
  void add(const std::string& name, const element& x) {
    if (name.size() > max_reading_name || result.size() == max_readings)
      return;
    switch (x.type()) {
    case element_type::OBJECT:
      for (const auto member : simdjson::dom::object{x})
        add(inside(name, member.key), member.value);
      break;
    case element_type::ARRAY: {
      std::size_t index = 0;
      for (const auto item : simdjson::dom::array{x}) {
        if (result.size() == max_readings)
          return;
        add(inside(name, std::to_string(index++)), item);
      }
      break;
    }
    case element_type::INT64: put(name, static_cast<double>(std::int64_t{x})); break;
    case element_type::UINT64: put(name, static_cast<double>(std::uint64_t{x})); break;
    case element_type::DOUBLE: put(name, double{x}); break;
    case element_type::BOOL: put(name, bool{x}); break;
    case element_type::STRING: put(name, std::string{std::string_view{x}}); break;
    case element_type::NULL_VALUE: break;
    }
  }

  flat_sample result;

private:
  static std::string inside(const std::string& outer, std::string_view name) {
    return outer.empty() ? std::string{name} : outer + "." + std::string{name};
  }

  /// Of `{"a.b":1,"a":{"b":2}}` the first counts.
  void put(const std::string& name, expression_value value) {
    result.emplace(name, std::move(value));
  }
};

} // namespace

outcome<flat_sample> flatten_sample(std::string_view json) {
  if (auto checked = check_json(json); !checked)
    return tl::unexpected{checked.error()};
  simdjson::dom::parser parser;
  element root;
  if (parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS
      || root.type() != element_type::OBJECT)
    return fail(error_code::invalid_argument, "a sample is a JSON object");
  flattener out;
  out.add({}, root);
  return std::move(out.result);
}

outcome<void> readings::take(std::string_view name, std::string_view json, instant at,
                             nanoseconds period) {
  ensure(period > nanoseconds{}, "samples come again and again");
  const auto found = sources_.find(name);
  if (found != sources_.end() && found->second.at > at)
    return {};
  if (found == sources_.end() && sources_.size() == max_reading_sources)
    return fail(error_code::overloaded, "readings of too many sources", std::string{name});
  auto sample = flatten_sample(json);
  if (!sample)
    return tl::unexpected{sample.error()};
  sources_.insert_or_assign(std::string{name}, source{std::move(*sample), at, period});
  return {};
}

std::optional<expression_value> readings::find(std::string_view name, std::string_view member,
                                               instant now) const {
  const auto found = sources_.find(name);
  if (found == sources_.end() || now > found->second.ends())
    return std::nullopt;
  const auto value = found->second.sample.find(member);
  return value == found->second.sample.end() ? std::nullopt : std::optional{value->second};
}

name_lookup readings::lookup(instant now) const {
  return [this, now](std::string_view name) -> std::optional<expression_value> {
    const auto dot = name.find('.');
    if (dot == std::string_view::npos)
      return std::nullopt;
    return find(name.substr(0, dot), name.substr(dot + 1), now);
  };
}

name_lookup readings::lookup(instant now, std::string source) const {
  return [this, now, source = std::move(source)](std::string_view name) {
    return find(source, name, now);
  };
}

std::optional<instant> readings::next_change(instant now) const {
  std::optional<instant> next;
  for (const auto& [name, x] : sources_) {
    const auto change = x.ends() + nanoseconds{1}; // At three periods it still counts.
    if (change > now && (!next || change < *next))
      next = change;
  }
  return next;
}

} // namespace trunnion
