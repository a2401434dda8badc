#include "trunnion/site/site_schema.hpp"

#include "trunnion/messages/json.hpp"
#include "trunnion/site/yaml_tree.hpp"
#include "trunnion/tests/site/site_fixture.hpp"

#include <charconv>
#include <regex>
#include <set>
#include <simdjson.h>

using namespace trunnion;

namespace {

using simdjson::dom::element;

/// Checks a site file as an editor does, by the keywords that our schema uses.
struct validator {
  validator() : text(site_json_schema(standard_kinds())) {
    BOOST_REQUIRE(check_json(text).has_value());
    root = parser.parse(text);
  }

  bool accepts(std::string_view yaml) const {
    const auto tree = read_yaml(yaml);
    BOOST_REQUIRE(tree.complete);
    return accepts(root, tree.root);
  }

  bool accepts(const element& schema, const config_value& value) const {
    for (const auto [keyword, x] : simdjson::dom::object{schema})
      if (!passes(keyword, x, schema, value))
        return false;
    return true;
  }

  bool passes(std::string_view keyword, const element& x, const element& schema,
              const config_value& value) const {
    if (keyword == "$ref")
      return accepts(root.at_pointer(std::string_view{x}.substr(1)).value(), value);
    if (keyword == "type")
      return x.is_string() ? has_type(std::string_view{x}, value) : has_one_type(x, value);
    if (keyword == "const")
      return value.text == plain(x);
    if (keyword == "enum")
      return has_word(x, value.text);
    if (keyword == "pattern")
      return std::regex_search(value.text, std::regex{std::string{std::string_view{x}}});
    if (keyword == "minLength")
      return value.text.size() >= std::uint64_t{x};
    if (keyword == "maxLength")
      return value.text.size() <= std::uint64_t{x};
    if (keyword == "minimum")
      return std::stod(value.text) >= double{x};
    if (keyword == "maximum")
      return std::stod(value.text) <= double{x};
    if (keyword == "minItems")
      return value.items.size() >= std::uint64_t{x};
    if (keyword == "maxItems")
      return value.items.size() <= std::uint64_t{x};
    if (keyword == "uniqueItems")
      return has_different_items(value);
    if (keyword == "items")
      return std::ranges::all_of(value.items, [&](const auto& item) { return accepts(x, item); });
    if (keyword == "required")
      return has_all(x, value);
    if (keyword == "properties")
      return std::ranges::all_of(value.members, [&](const auto& member) {
        auto found = x.at_key(member.key);
        return found.error() != simdjson::SUCCESS || accepts(found.value(), member.value);
      });
    if (keyword == "additionalProperties")
      return std::ranges::all_of(value.members, [&](const auto& member) {
        return schema["properties"].at_key(member.key).error() == simdjson::SUCCESS;
      });
    if (keyword == "allOf") {
      for (const auto part : simdjson::dom::array{x})
        if (accepts(part["if"], value) && !accepts(part["then"], value))
          return false;
      return true;
    }
    BOOST_REQUIRE_MESSAGE(known.contains(keyword), "unknown keyword " << keyword);
    return true;
  }

  static bool has_type(std::string_view type, const config_value& value) {
    if (type == "object" || type == "array")
      return value.kind == (type == "object" ? value_kind::map : value_kind::list);
    if (type == "null")
      return value.kind == value_kind::null;
    if (type == "string")
      return value.is_text();
    if (type == "boolean")
      return value.kind == value_kind::plain && (value.text == "true" || value.text == "false");
    double number = 0;
    const auto* end = value.text.data() + value.text.size();
    return value.kind == value_kind::plain
           && std::from_chars(value.text.data(), end, number).ptr == end
           && (type == "number" || value.text.find_first_of(".e") == std::string::npos);
  }

  static bool has_one_type(const element& types, const config_value& value) {
    for (const auto type : simdjson::dom::array{types})
      if (has_type(std::string_view{type}, value))
        return true;
    return false;
  }

  static bool has_word(const element& words, std::string_view text) {
    for (const auto word : simdjson::dom::array{words})
      if (std::string_view{word} == text)
        return true;
    return false;
  }

  static bool has_all(const element& keys, const config_value& value) {
    for (const auto key : simdjson::dom::array{keys})
      if (value.find(std::string_view{key}) == nullptr)
        return false;
    return true;
  }

  static bool has_different_items(const config_value& value) {
    std::set<std::string> seen;
    return std::ranges::all_of(value.items,
                               [&](const auto& item) { return seen.insert(item.text).second; });
  }

  static std::string plain(const element& x) {
    return x.is_string() ? std::string{std::string_view{x}} : simdjson::minify(x);
  }

  /// The properties of the schema at a JSON pointer.
  std::vector<std::string> keys(std::string_view pointer) const {
    std::vector<std::string> result;
    for (const auto [key, value] :
         simdjson::dom::object{root.at_pointer(pointer)["properties"].value()})
      result.emplace_back(key);
    return result;
  }

  static inline const std::set<std::string_view> known{"$schema", "title", "description",
                                                       "$defs",   "if",    "then"};
  std::string text;
  simdjson::dom::parser parser;
  element root;
};

std::string service(std::string_view keys) {
  return "version: 1\nsite: {name: ridge}\nservices:\n  - {name: m, " + std::string{keys} + "}\n";
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(site_schema_test, validator)

BOOST_AUTO_TEST_CASE(every_site_that_the_reader_takes_passes_the_schema) {
  std::vector<std::string> sites{
    example_site(),
    one_service(""),
    one_service("    config:\n"),
    service("kind: sim.mount, config: {limits: {alt_min_deg: -5.5}}, on: [north]"),
    service("kind: sim.camera, restart: {policy: never, max: 0}, lease: {ttl: 1s, group: []}"),
    "version: 1\nsite: {name: north.ridge, control: true}\npublish: '[::1]:7716'\n"
    "services: [{name: h, kind: host.telemetry, publish: {stream: x, keep: {max_age: 1.5h, "
    "max_bytes: 10MiB, max_messages: 5}}}]\n"};
  for (const auto& site : sites) {
    BOOST_TEST(problems(site) == "");
    BOOST_TEST(accepts(site), site);
  }
}

BOOST_AUTO_TEST_CASE(what_the_schema_refuses_the_reader_refuses_too) {
  for (const auto& site :
       {service("kind: sim.mounty"), service("kind: sim.mount, depend_on: []"),
        service("kind: sim.mount, config: {slew_deg_per_s: 91}"),
        service("kind: sim.mount, config: {limits: {alt_min: 5}}"),
        service("kind: sim.camera, config: {width: 1.5}"),
        service("kind: sim.camera, config: {readout: 5}"),
        service("kind: exec.sensor, publish: {stream: x}"), service("kind: sim.mount, standby: 17"),
        service("kind: sim.mount, restart: {policy: allways}"),
        service("kind: sim.mount, restart: {max: 1001}"),
        service("kind: sim.mount, depends_on: [a, a]"), service("kind: sim.mount, every: 1 s"),
        service("kind: sim.mount, alarms: [{for: 5s}]"),
        service("kind: host.telemetry, config: {read: [gpu]}"),
        std::string{"version: 2\nsite: {name: r}\nservices: [{name: m, kind: sim.mount}]\n"},
        std::string{"version: 1\nsite: {name: _r}\nservices: [{name: m, kind: sim.mount}]\n"},
        std::string{"version: 1\nsite: {name: r}\nservices: []\n"},
        std::string{"version: 1\nservices: [{name: m, kind: sim.mount}]\n"}}) {
    BOOST_TEST(!accepts(site), site);
    BOOST_TEST(!read(site).site, site);
  }
}

BOOST_AUTO_TEST_CASE(the_schema_names_no_key_that_the_reader_does_not_know) {
  const auto unknown = [](const std::string& key, const std::string& site) {
    const auto told = problems(site);
    BOOST_TEST(told.find("unknown key '" + key + "'") == std::string::npos, told);
    BOOST_TEST(told.find(key) != std::string::npos, told); // It was looked at, and found wrong.
  };
  const std::string wrong = ": [{}]";
  const auto of_service
    = [&](const std::string& before, const std::string& key, const std::string& after) {
        unknown(key, service("kind: sim.mount, " + before + key + wrong + after));
      };
  const std::string pointer = "/properties/services/items";
  for (const auto& key : keys(pointer))
    if (key != "name" && key != "kind" && key != "services")
      of_service("", key, "");
  for (const auto& key : keys(pointer + "/properties/lease"))
    of_service("lease: {", key, "}");
  for (const auto& key : keys(pointer + "/properties/publish"))
    of_service("publish: {", key, "}");
  for (const auto& key : keys(pointer + "/properties/publish/properties/keep"))
    of_service("publish: {stream: x, keep: {", key, "}}");
  for (const auto& key : keys(pointer + "/properties/alarms/items"))
    of_service("alarms: [{", key, "}]");
  for (const auto& key : keys("/$defs/restart"))
    of_service("restart: {", key, "}");
  for (const auto& key : keys("/properties/groups/items"))
    unknown(key, service("kind: sim.mount") + "groups: [{" + key + wrong + "}]\n");
  for (const auto& key : keys("/properties/defaults"))
    unknown(key, service("kind: sim.mount") + "defaults: {" + key + wrong + "}\n");
  for (const auto& key : keys("/properties/web"))
    unknown(key, service("kind: sim.mount") + "web: {" + key + wrong + "}\n");
  for (const auto& key : keys("/properties/site"))
    unknown(key, "site: {" + key + wrong + "}\n");
  for (const auto& key : keys(""))
    unknown(key, key + ": 5\n");
}

BOOST_AUTO_TEST_CASE(each_built_kind_has_its_options_with_their_help) {
  const auto kinds = root.at_pointer("/properties/services/items/allOf").value();
  std::size_t told = 0;
  for (const auto part : simdjson::dom::array{kinds}) {
    const auto name = std::string{std::string_view{part.at_pointer("/if/properties/kind/const")}};
    const auto* kind = standard_kinds().find(name);
    BOOST_REQUIRE(kind != nullptr);
    ++told;
    for (const auto& option : kind->options) {
      const auto help
        = part.at_pointer("/then/properties/config/properties/" + option.name + "/description");
      BOOST_TEST(std::string_view{help}.starts_with(option.help));
    }
  }
  std::size_t built = 0;
  for (const auto& name : standard_kinds().names())
    built += standard_kinds().find(name)->built ? 1 : 0;
  BOOST_TEST(told == built);
}

BOOST_AUTO_TEST_SUITE_END()
