#include "trunnion/messages/service_record.hpp"

#include "trunnion/messages/json.hpp"

#include <simdjson.h>

namespace trunnion {
namespace {

namespace dom = simdjson::dom;

tl::unexpected<failure> damaged(std::string why) {
  return fail(error_code::storage_damaged, "damaged service record: " + std::move(why));
}

std::optional<std::string> text_member(const dom::object& object, std::string_view name) {
  std::string_view text;
  if (object.at_key(name).get(text) != simdjson::SUCCESS)
    return std::nullopt;
  return std::string{text};
}

void write(json_writer& out, const service_info& x) {
  out.begin_object().key("name").text(x.name).key("version").text(x.version).end_object();
}

} // namespace

std::string encode(const service_record& x) {
  json_writer out;
  out.begin_object().key("info");
  write(out, x.info);
  out.key("last_registered").text(time_text(x.last_registered.at)).end_object();
  return out.str();
}

outcome<service_record> decode_service_record(std::string_view json) {
  if (auto checked = check_json(json); !checked)
    return damaged(checked.error().text);
  dom::parser parser;
  dom::object root, info;
  if (parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS)
    return damaged("not an object");
  if (root.at_key("info").get(info) != simdjson::SUCCESS)
    return damaged("no object at /info");
  const auto name = text_member(info, "name");
  const auto version = text_member(info, "version");
  if (!name || !version)
    return damaged("no name or version in /info");
  const auto written = text_member(root, "last_registered");
  const auto time = written ? parse_time(*written) : std::nullopt;
  if (!time)
    return damaged("no time at /last_registered");
  return service_record{{*name, *version}, *time};
}

std::string encode(const service_info& x) {
  json_writer out;
  write(out, x);
  return out.str();
}

std::string encode_name(std::string_view name) {
  json_writer out;
  out.begin_object().key("name").text(name).end_object();
  return out.str();
}

std::optional<std::string> name_in(std::string_view json) {
  dom::parser parser;
  dom::object root;
  if (!check_json(json) || parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS)
    return std::nullopt;
  return text_member(root, "name");
}

} // namespace trunnion
