#include "trunnion/site/site_schema.hpp"

#include "trunnion/messages/json.hpp"
#include "trunnion/site/expression.hpp"
#include "trunnion/site/site_limits.hpp"
#include "trunnion/site/site_model.hpp"

#include <cmath>

namespace trunnion {

namespace {

constexpr std::string_view name_pattern = "^(?!_)[-A-Za-z0-9_/=]{1,128}$";
constexpr std::string_view dotted_pattern
  = "^(?!_)[-A-Za-z0-9_/=]{1,128}(\\.(?!_)[-A-Za-z0-9_/=]{1,128})*$";
constexpr std::string_view duration_pattern = "^(0|[1-9][0-9]*)(\\.[0-9]+)?(ns|us|ms|s|m|h|d)$";
constexpr std::string_view size_pattern
  = "^(0|[1-9][0-9]*)(\\.[0-9]+)?(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)$";
constexpr std::string_view endpoint_pattern = "^(\\[[^\\] /@]+\\]|[^: /@]+):[0-9]{1,5}$";

/// Writes schemas; each function writes one member of `properties`, or of `$defs`.
class schema_writer {
public:
  std::string write(const kind_catalogue& kinds) {
    out_.begin_object();
    out_.key("$schema").text("https://json-schema.org/draft/2020-12/schema");
    out_.key("title").text("A site file of trunnion, version 1");
    begin_body({"version", "site", "services"});
    out_.key("version").begin_object().key("const").number(site_limits::version).end_object();
    site();
    text("backend", "Its URL, without secrets.");
    endpoint("publish", "For other nodes.");
    begin("web", "The console.", {"listen"});
    endpoint("listen", "Where it listens.");
    text("token_file", "The file that has its token.");
    end();
    defaults();
    begin_list("services", "What runs.", 1, max_services);
    service(kinds);
    end_list();
    begin_list("groups", "Services that restart together.");
    group();
    end_list();
    out_.end_object().key("$defs").begin_object();
    definitions();
    return out_.end_object().end_object().str();
  }

private:
  using names = std::vector<std::string>;

  // -- parts --------------------------------------------------------------------

  void list_of_words(std::string_view key, const names& words) {
    out_.key(key).begin_array();
    for (const auto& word : words)
      out_.text(word);
    out_.end_array();
  }

  void describe(std::string_view help) {
    if (!help.empty())
      out_.key("description").text(help);
  }

  /// Of an object: no other keys, and what must be there. `properties` is left open.
  void begin_body(const names& required) {
    out_.key("type").text("object").key("additionalProperties").boolean(false);
    if (!required.empty())
      list_of_words("required", required);
    out_.key("properties").begin_object();
  }

  void begin(std::string_view key, std::string_view help, const names& required = {}) {
    out_.key(key).begin_object();
    describe(help);
    begin_body(required);
  }
  void end() { out_.end_object().end_object(); }

  void begin_list(std::string_view key, std::string_view help, std::size_t least = 0,
                  std::size_t most = 0) {
    out_.key(key).begin_object();
    describe(help);
    out_.key("type").text("array");
    if (least > 0)
      out_.key("minItems").unsigned_number(least);
    if (most > 0)
      out_.key("maxItems").unsigned_number(most);
    out_.key("items").begin_object();
  }
  void end_list() { out_.end_object().end_object(); }

  void reference(std::string_view key, std::string_view definition, std::string_view help) {
    out_.key(key).begin_object();
    describe(help);
    out_.key("$ref").text(std::string{"#/$defs/"}.append(definition)).end_object();
  }
  void duration(std::string_view key, std::string_view help) { reference(key, "duration", help); }
  void endpoint(std::string_view key, std::string_view help) { reference(key, "endpoint", help); }
  void name(std::string_view key, std::string_view help) { reference(key, "name", help); }
  void services(std::string_view key, std::string_view help) { reference(key, "names", help); }

  void text(std::string_view key, std::string_view help) {
    out_.key(key).begin_object();
    describe(help);
    out_.key("type").text("string").key("minLength").number(1).end_object();
  }

  void boolean(std::string_view key, std::string_view help) {
    out_.key(key).begin_object();
    describe(help);
    out_.key("type").text("boolean").end_object();
  }

  void choice(std::string_view key, std::string_view help, const names& words) {
    out_.key(key).begin_object();
    describe(help);
    list_of_words("enum", words);
    out_.end_object();
  }

  void range(double least, double most) {
    if (least > -std::numeric_limits<double>::max())
      number("minimum", least);
    if (most < std::numeric_limits<double>::max())
      number("maximum", most);
  }

  /// Whole numbers without a point, as people write them.
  void number(std::string_view key, double x) {
    constexpr double largest = 9'007'199'254'740'992;
    out_.key(key);
    if (x == std::trunc(x) && std::abs(x) < largest)
      out_.number(static_cast<std::int64_t>(x));
    else
      out_.real(x);
  }

  template <class T> void number(std::string_view key, std::string_view help, range_of<T> limits) {
    out_.key(key).begin_object();
    describe(help);
    out_.key("type").text(std::is_integral_v<T> ? "integer" : "number");
    range(static_cast<double>(limits.least), static_cast<double>(limits.most));
    out_.end_object();
  }

  // -- the file -------------------------------------------------------------------

  void site() {
    begin("site", "The site as a whole.", {"name"});
    reference("name", "dotted_name", "Its entity.");
    begin("position", "Where it is.", {"latitude_deg", "longitude_deg"});
    number("latitude_deg", "North is positive.", site_limits::latitude_deg);
    number("longitude_deg", "East is positive.", site_limits::longitude_deg);
    number("altitude_m", "Above the sea.", site_limits::altitude_m);
    end();
    boolean("control", "Whether others may restart and stop services.");
    end();
  }

  void defaults() {
    begin("defaults", "What holds for all services that say nothing else.");
    begin("lease", "Of all leases.");
    lease_times();
    end();
    begin("request", "Of requests.");
    duration("timeout", "How long to wait for an answer.");
    end();
    reference("restart", "restart", "When a service that ended starts again.");
    duration("stop_timeout", "Of the whole site, and of each service.");
    end();
  }

  void lease_times() {
    duration("ttl", "How long a lease lives without a refresh.");
    duration("grace", "How long before its end what works under it is told.");
  }

  void service(const kind_catalogue& kinds) {
    begin_body({"name", "kind"});
    name("name", "Its entity is the site's name, a dot, and this.");
    choice("kind", "What it is.", kinds.names());
    duration("every", "Period of its work.");
    out_.key("config").begin_object();
    describe("Options of the kind.");
    list_of_words("type", {"object", "null"});
    out_.end_object();
    begin("publish", "What it publishes.", {"stream"});
    name("stream", "The property that samples are published to.");
    begin("keep", "How long they are kept.");
    duration("max_age", "At most so old.");
    reference("max_bytes", "size", "At most so many bytes.");
    number("max_messages", "At most so many of each subject.", site_limits::kept_messages);
    end();
    end();
    begin_list("alarms", "Conditions on its samples that people are told of.", 0, max_alarms);
    begin_body({"when"});
    reference("when", "expression", "The condition.");
    duration("for", "So long it must hold.");
    choice("level", "How grave it is.", {"info", "warn", "error"});
    out_.end_object();
    end_list();
    begin("lease", "Of all its leases.");
    lease_times();
    services("group", "Services whose ControlLease it holds, too.");
    end();
    reference("restart", "restart", "When it starts again.");
    number("standby", "Further instances, which wait and take over.", site_limits::standby);
    services("depends_on", "Services that it needs.");
    services("on", "Nodes, in order of preference.");
    duration("stop_grace", "How long the end of its work may take.");
    out_.end_object().key("allOf").begin_array();
    for (const auto& kind : kinds.names())
      if (const auto& schema = *kinds.find(kind); schema.built)
        config_of(schema);
    out_.end_array();
  }

  void group() {
    begin_body({"name", "strategy", "members"});
    name("name", "For messages.");
    choice("strategy", "Who restarts with a member that failed.",
           {to_string(group_strategy::one_for_one), to_string(group_strategy::one_for_all),
            to_string(group_strategy::rest_for_one)});
    out_.key("members").begin_object();
    describe("Services, in order of start.");
    out_.key("$ref").text("#/$defs/names").key("minItems").number(1).end_object();
    out_.end_object();
  }

  // -- kinds ------------------------------------------------------------------------

  void config_of(const kind_schema& kind) {
    const auto needed = required_of(kind.options);
    out_.begin_object().key("if").begin_object().key("properties").begin_object();
    out_.key("kind").begin_object().key("const").text(kind.name).end_object().end_object();
    list_of_words("required", {"kind"});
    out_.end_object().key("then").begin_object();
    if (!needed.empty())
      list_of_words("required", {"config"});
    out_.key("properties").begin_object().key("config").begin_object();
    describe(kind.help);
    section_body(kind.options);
    out_.end_object().end_object().end_object().end_object();
  }

  static names required_of(const std::vector<option_schema>& options) {
    names result;
    for (const auto& x : options)
      if (x.is_required)
        result.push_back(x.name);
    return result;
  }

  /// Nothing at all stands for an empty map.
  void section_body(const std::vector<option_schema>& options) {
    const auto needed = required_of(options);
    list_of_words("type", needed.empty() ? names{"object", "null"} : names{"object"});
    out_.key("additionalProperties").boolean(false);
    if (!needed.empty())
      list_of_words("required", needed);
    out_.key("properties").begin_object();
    for (const auto& x : options)
      option(x);
    out_.end_object();
  }

  void option(const option_schema& x) {
    out_.key(x.name).begin_object();
    describe(x.fallback.empty() ? x.help : x.help + " Default: " + x.fallback + ".");
    switch (x.type) {
    case option_type::duration: out_.key("$ref").text("#/$defs/duration"); break;
    case option_type::expression: out_.key("$ref").text("#/$defs/expression"); break;
    case option_type::number:
    case option_type::integer:
      out_.key("type").text(x.type == option_type::integer ? "integer" : "number");
      range(x.least, x.most);
      break;
    case option_type::boolean: out_.key("type").text("boolean"); break;
    case option_type::text: words(x); break;
    case option_type::text_list:
      out_.key("type").text("array").key("uniqueItems").boolean(true);
      out_.key("items").begin_object();
      words(x);
      out_.end_object();
      break;
    case option_type::section: section_body(x.members); break;
    }
    out_.end_object();
  }

  void words(const option_schema& x) {
    if (x.choices.empty())
      out_.key("type").text("string").key("minLength").number(1);
    else
      list_of_words("enum", x.choices);
  }

  // -- definitions --------------------------------------------------------------------

  void pattern(std::string_view key, std::string_view help, std::string_view pattern) {
    out_.key(key).begin_object();
    describe(help);
    out_.key("type").text("string").key("pattern").text(pattern).end_object();
  }

  void definitions() {
    pattern("duration", "A number and a unit, as in 5s or 500ms.", duration_pattern);
    pattern("size", "A number and a unit, as in 10MiB.", size_pattern);
    pattern("endpoint", "HOST:PORT.", endpoint_pattern);
    pattern("name", "A part of an address.", name_pattern);
    pattern("dotted_name", "An address.", dotted_pattern);
    out_.key("names").begin_object().key("type").text("array").key("uniqueItems").boolean(true);
    out_.key("items").begin_object().key("$ref").text("#/$defs/name").end_object().end_object();
    out_.key("expression").begin_object();
    describe("A condition: names with dots, numbers, texts in quotes, comparisons, and, or, not.");
    out_.key("type").text("string").key("minLength").number(1);
    out_.key("maxLength").unsigned_number(max_expression_size).end_object();
    begin("restart", "");
    choice("policy", "After which ends.", {"on-failure", "always", "never"});
    number("max", "So many times within that while; then it stays down.", site_limits::restart_max);
    duration("within", "That while.");
    duration("backoff", "Before the first; doubles with each.");
    duration("backoff_max", "At most so long.");
    end();
  }

  json_writer out_;
};

} // namespace

std::string site_json_schema(const kind_catalogue& kinds) { return schema_writer{}.write(kinds); }

} // namespace trunnion
