#include "trunnion/site/kind_schema.hpp"

#include "trunnion/messages/ensure.hpp"

#include <utility>

namespace trunnion {

option_schema option_schema::required() && {
  is_required = true;
  return std::move(*this);
}

option_schema option_schema::repeating() && {
  may_repeat = true;
  return std::move(*this);
}

option_schema option_schema::or_else(std::string written) && {
  fallback = std::move(written);
  return std::move(*this);
}

option_schema option_schema::range(double from, double to) && {
  ensure(from <= to, "a range begins before it ends");
  least = from;
  most = to;
  return std::move(*this);
}

option_schema option_schema::range(std::chrono::nanoseconds from, std::chrono::nanoseconds to) && {
  using seconds = std::chrono::duration<double>;
  return std::move(*this).range(seconds{from}.count(), seconds{to}.count());
}

option_schema option_schema::one_of(std::vector<std::string> words) && {
  choices = std::move(words);
  return std::move(*this);
}

namespace option {

namespace {

option_schema make(option_type type, std::string&& name, std::string&& help) {
  return {.name = std::move(name), .type = type, .help = std::move(help)};
}

} // namespace

option_schema duration(std::string name, std::string help) {
  return make(option_type::duration, std::move(name), std::move(help));
}

option_schema number(std::string name, std::string help) {
  return make(option_type::number, std::move(name), std::move(help));
}

option_schema integer(std::string name, std::string help) {
  return make(option_type::integer, std::move(name), std::move(help));
}

option_schema boolean(std::string name, std::string help) {
  return make(option_type::boolean, std::move(name), std::move(help));
}

option_schema text(std::string name, std::string help) {
  return make(option_type::text, std::move(name), std::move(help));
}

option_schema text_list(std::string name, std::string help) {
  return make(option_type::text_list, std::move(name), std::move(help));
}

option_schema section(std::string name, std::string help, std::vector<option_schema> members) {
  auto result = make(option_type::section, std::move(name), std::move(help));
  result.members = std::move(members);
  return result;
}

option_schema expression(std::string name, std::string help) {
  return make(option_type::expression, std::move(name), std::move(help));
}

} // namespace option

void kind_catalogue::add(kind_schema schema) {
  ensure(!schema.name.empty(), "a kind has a name");
  auto name = schema.name;
  kinds_.insert_or_assign(std::move(name), std::move(schema));
}

const kind_schema* kind_catalogue::find(std::string_view name) const {
  const auto at = kinds_.find(name);
  return at == kinds_.end() ? nullptr : &at->second;
}

std::vector<std::string> kind_catalogue::names() const {
  std::vector<std::string> result;
  for (const auto& [name, schema] : kinds_)
    result.push_back(name);
  return result;
}

} // namespace trunnion
