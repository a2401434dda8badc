// Services and groups of a site file.

#include "trunnion/site/duration_text.hpp"
#include "trunnion/site/site_limits.hpp"
#include "trunnion/site/site_sections.hpp"

#include <algorithm>

namespace trunnion {

namespace {

using namespace std::chrono_literals;

/// Reads one service; the members are what most of its keys need.
class service_reader {
public:
  service_reader(site_draft& draft, const config_value& map, std::size_t number)
    : draft_(draft),
      check_(draft.check),
      what_(name_for_messages(map, number)),
      reader_(check_, map, "services", what_) {
    service_.where = map.where;
    references_.what = what_;
  }

  void read() {
    read_own_name();
    read_kind();
    read_every();
    if (const auto* publish = reader_.find("publish"))
      read_publish(*publish);
    if (const auto* alarms = reader_.find("alarms"))
      read_alarms(*alarms);
    read_lease();
    service_.restart = draft_.site.defaults.restart;
    if (const auto* restart = reader_.find("restart"))
      read_restart(check_, *restart, service_.restart, "'restart' of " + what_);
    if (const auto* standby = reader_.find("standby"))
      service_.standby = static_cast<std::uint32_t>(
        check_.integer(*standby, "standby", site_limits::standby).value_or(0));
    if (const auto* names = reader_.find("depends_on")) {
      references_.depends_on = check_.texts(*names, "depends_on");
      for (const auto& name : references_.depends_on)
        service_.depends_on.push_back(name.name);
    }
    if (const auto* nodes = reader_.find("on")) {
      for (const auto& node : check_.texts(*nodes, "on"))
        service_.on.push_back(node.name);
      draft_.report_not_built(nodes->where, "'on' of " + what_);
    }
    read_stop_grace();
    reader_.finish();
    draft_.site.services.push_back(std::move(service_));
    draft_.services.push_back(std::move(references_));
  }

private:
  static std::string name_for_messages(const config_value& map, std::size_t number) {
    const auto* name = map.find("name");
    return name != nullptr && name->is_text() ? "service " + in_quotes(name->text)
                                              : "service number " + std::to_string(number);
  }

  void read_own_name() {
    const auto* name = reader_.require("name");
    if (name == nullptr)
      return;
    references_.name = name->where;
    service_.name = read_name(check_, *name, "name").value_or("");
  }

  void read_kind() {
    const auto* config = reader_.find("config");
    const auto* value = reader_.require("kind");
    if (value == nullptr)
      return;
    const auto kind = check_.text(*value, "kind");
    if (!kind)
      return;
    service_.kind = *kind;
    const auto* schema = draft_.kinds.find(*kind);
    if (schema == nullptr) {
      check_.problem(value->where, "unknown kind " + in_quotes(*kind) + " in " + what_
                                     + check_.hint(*kind, draft_.kinds.names()));
      return;
    }
    if (!schema->built) {
      draft_.report_not_built(value->where, "kind " + in_quotes(*kind) + " of " + what_);
      return;
    }
    const config_value nothing{.where = reader_.map().where};
    service_.config
      = kind_config::read(check_, config != nullptr ? *config : nothing, schema->options,
                          "'config' of " + what_, references_.conditions);
    service_.every = schema->every;
    is_built_ = true;
  }

  void read_every() {
    if (const auto* every = reader_.find("every"))
      service_.every = check_.duration(*every, "every", {10ms, 24h}).value_or(1s);
  }

  void read_publish(const config_value& map) {
    map_reader keys{check_, map, "publish", "'publish' of " + what_};
    publish_spec publish;
    if (const auto* stream = keys.require("stream"))
      publish.stream = read_name(check_, *stream, "stream").value_or("");
    if (const auto* keep = keys.find("keep")) {
      publish.keep = read_keep(*keep);
      draft_.report_not_built(keep->where, "'keep' of " + what_);
    }
    keys.finish();
    service_.publish = std::move(publish);
  }

  keep_spec read_keep(const config_value& map) {
    map_reader keys{check_, map, "keep", "'keep' of " + what_};
    keep_spec keep;
    if (const auto* age = keys.find("max_age"))
      keep.max_age = check_.duration(*age, "max_age", {1s, max_duration});
    if (const auto* bytes = keys.find("max_bytes"))
      if (const auto text = check_.text(*bytes, "max_bytes")) {
        if (const auto size = parse_size(*text))
          keep.max_bytes = *size;
        else
          check_.problem(bytes->where, size.error() + " (max_bytes)");
      }
    if (const auto* count = keys.find("max_messages"))
      if (const auto most = check_.integer(*count, "max_messages", site_limits::kept_messages))
        keep.max_messages = static_cast<std::uint64_t>(*most);
    keys.finish();
    return keep;
  }

  void read_alarms(const config_value& list) {
    if (!check_.expect(list, value_kind::list, "alarms"))
      return;
    if (list.items.size() > max_alarms)
      return check_.problem(list.where, std::to_string(list.items.size())
                                          + " alarms are more than the "
                                          + std::to_string(max_alarms) + " of one service");
    if (!service_.publish && !list.items.empty())
      check_.problem(list.where, "alarms of " + what_
                                   + " look at what it publishes; give 'publish: {stream: NAME}'");
    else if (!service_.every && !list.items.empty() && is_built_)
      check_.problem(list.where,
                     "alarms of " + what_ + " need to know how often it publishes; give 'every'");
    for (const auto& item : list.items) {
      map_reader keys{check_, item, "alarms", "an alarm of " + what_};
      std::optional<expression> condition;
      if (const auto* when = keys.require("when"))
        condition = check_.condition(*when, "when");
      std::chrono::nanoseconds lasting{};
      if (const auto* span = keys.find("for"))
        lasting = check_.duration(*span, "for", {0s, 24h}).value_or(0s);
      auto severity = alarm_level::warn;
      static const std::vector<std::string> levels{"info", "warn", "error"};
      if (const auto* level = keys.find("level"))
        if (const auto index = check_.choice(*level, "level", levels))
          severity = static_cast<alarm_level>(*index);
      keys.finish();
      if (condition)
        service_.alarms.push_back({*std::move(condition), lasting, severity});
    }
  }

  void read_lease() {
    auto& lease = service_.lease;
    const auto& defaults = draft_.site.defaults;
    lease.ttl = defaults.lease_ttl;
    lease.is_ttl_given = defaults.is_lease_ttl_given;
    const auto* map = reader_.find("lease");
    const config_value nothing{.where = reader_.map().where, .kind = value_kind::map};
    map_reader keys{check_, map != nullptr ? *map : nothing, "lease", "'lease' of " + what_};
    const auto* ttl = keys.find("ttl");
    lease.is_ttl_given = lease.is_ttl_given || ttl != nullptr;
    if (ttl != nullptr)
      lease.ttl = check_.duration(*ttl, "ttl", {200ms, max_duration}).value_or(lease.ttl);
    lease.grace
      = defaults.lease_grace.value_or(std::min<std::chrono::nanoseconds>(2s, lease.ttl / 4));
    const auto* grace = keys.find("grace");
    if (grace != nullptr)
      lease.grace = check_.duration(*grace, "grace", {0s, max_duration}).value_or(0s);
    if (lease.grace > lease.ttl / 3 && (grace != nullptr || ttl != nullptr))
      check_.problem(grace != nullptr ? grace->where : ttl->where,
                     "grace " + print_duration(lease.grace) + " is more than a third of the ttl "
                       + print_duration(lease.ttl) + " in 'lease' of " + what_);
    if (const auto* group = keys.find("group")) {
      references_.lease_group = check_.texts(*group, "group");
      for (const auto& name : references_.lease_group)
        lease.group.push_back(name.name);
    }
    keys.finish();
  }

  void read_stop_grace() {
    const auto& lease = service_.lease;
    const auto& timeout = draft_.site.defaults.stop_timeout;
    service_.stop_grace = lease.grace;
    const auto* value = reader_.find("stop_grace");
    if (value == nullptr)
      return;
    const auto grace = check_.duration(*value, "stop_grace", {0s, 1h});
    if (!grace)
      return;
    service_.stop_grace = *grace;
    const auto too_long = [&](const std::string& than) {
      check_.problem(value->where, "stop_grace " + print_duration(*grace) + " is more than " + than
                                     + " in " + what_);
    };
    if (*grace > lease.ttl / 3) // It must fit between the warning and the loss of the lease.
      too_long("a third of the ttl " + print_duration(lease.ttl));
    else if (*grace > timeout)
      too_long("the stop_timeout " + print_duration(timeout));
  }

  site_draft& draft_;
  value_checker& check_;
  std::string what_;
  map_reader reader_;
  service_spec service_;
  service_references references_;
  bool is_built_ = false; // Its kind.
};

} // namespace

void read_services(site_draft& draft, map_reader& file) {
  const auto* list = file.require("services");
  if (list == nullptr || !draft.check.expect(*list, value_kind::list, "services"))
    return;
  if (list->items.empty())
    draft.check.problem(list->where, "a site has at least one service");
  if (list->items.size() > max_services) {
    draft.check.problem(list->where, std::to_string(list->items.size())
                                       + " services are more than the "
                                       + std::to_string(max_services) + " that a site may have");
    return;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i)
    service_reader{draft, list->items[i], i + 1}.read();
}

void read_groups(site_draft& draft, map_reader& file) {
  const auto* list = file.find("groups");
  if (list == nullptr || !draft.check.expect(*list, value_kind::list, "groups"))
    return;
  static const std::vector<std::string> strategies{"one-for-one", "one-for-all", "rest-for-one"};
  for (const auto& item : list->items) {
    const auto* named = item.find("name");
    const auto what = named != nullptr && named->is_text() ? "group " + in_quotes(named->text)
                                                           : std::string{"a group"};
    map_reader keys{draft.check, item, "groups", what};
    group_spec group;
    group_references references{.where = item.where, .name = item.where};
    if (const auto* name = keys.require("name")) {
      references.name = name->where;
      group.name = read_name(draft.check, *name, "name").value_or("");
    }
    if (const auto* strategy = keys.require("strategy"))
      if (const auto index = draft.check.choice(*strategy, "strategy", strategies))
        group.strategy = static_cast<group_strategy>(*index);
    if (const auto* members = keys.require("members")) {
      references.members = draft.check.texts(*members, "members");
      for (const auto& member : references.members)
        group.members.push_back(member.name);
      if (members->kind == value_kind::list && members->items.empty())
        draft.check.problem(members->where, what + " has no members");
    }
    keys.finish();
    draft.site.groups.push_back(std::move(group));
    draft.groups.push_back(std::move(references));
  }
}

} // namespace trunnion
