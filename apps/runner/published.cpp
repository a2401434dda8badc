#include "trunnion/runner/published.hpp"

#include "trunnion/messages/json.hpp"

#include <cmath>
#include <cstdio>
#include <simdjson.h>

namespace trunnion {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

std::string number_text(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, std::abs(x) < 1e6 ? "%.3g" : "%.4e", x);
  return buffer;
}

std::string scalar_text(const element& x) {
  switch (x.type()) {
  case element_type::STRING: return std::string{std::string_view{x}};
  case element_type::DOUBLE: return number_text(double{x});
  default: return simdjson::minify(x);
  }
}

struct teller {
  published_text result;
  std::size_t told = 0;

  void add(const std::string& name, const element& x) {
    if (x.type() == element_type::OBJECT) {
      for (const auto member : simdjson::dom::object{x})
        add(name + "." + std::string{member.key}, member.value);
      return;
    }
    if (++told == max_told_members + 1)
      result.text += " ...";
    if (told > max_told_members)
      return;
    result.text += (result.text.empty() ? "" : ", ") + name + " " + scalar_text(x);
  }
};

} // namespace

published_text read_published(std::string_view json) {
  simdjson::dom::parser parser;
  element root;
  if (!check_json(json) || parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS
      || root.type() != element_type::OBJECT)
    return {"", std::string{json}};
  teller out;
  for (const auto member : simdjson::dom::object{root})
    if (member.key == "event" && member.value.is_string())
      out.result.event = std::string_view{member.value};
    else
      out.add(std::string{member.key}, member.value);
  return out.result;
}

} // namespace trunnion
