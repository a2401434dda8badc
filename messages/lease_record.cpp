#include "trunnion/messages/lease_record.hpp"

#include "trunnion/messages/json.hpp"

#include <array>
#include <cstdio>
#include <simdjson.h>

namespace trunnion {
namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::string_view, 3> required{"acquired_at", "refreshed_at", "record"};

tl::unexpected<failure> damaged(std::string why) {
  return fail(error_code::storage_damaged, "damaged lease record: " + std::move(why));
}

// -- the raw text of members --------------------------------------------------

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The text of each member's value of an object, in order. `json` has been validated.
class raw_values {
public:
  explicit raw_values(std::string_view json) : json_(json), at_(json.find('{') + 1) {}

  std::string_view next() {
    at_ = json_.find('"', at_);
    skip_string(); // The member's name.
    at_ = json_.find(':', at_) + 1;
    while (is_space(json_[at_]))
      ++at_;
    const auto begin = at_;
    skip_value();
    auto result = json_.substr(begin, at_ - begin);
    while (is_space(result.back()))
      result.remove_suffix(1);
    return result;
  }

private:
  void skip_string() {
    for (++at_; json_[at_] != '"'; ++at_)
      if (json_[at_] == '\\')
        ++at_;
    ++at_;
  }

  /// Up to the comma or brace that ends the member.
  void skip_value() {
    for (std::size_t open = 0;;) {
      const char c = json_[at_];
      if (c == '"') {
        skip_string();
        continue;
      }
      if (open == 0 && (c == ',' || c == '}'))
        return;
      if (c == '{' || c == '[')
        ++open;
      else if (c == '}' || c == ']')
        --open;
      ++at_;
    }
  }

  std::string_view json_;
  std::size_t at_;
};

// -- members ------------------------------------------------------------------

/// Each reads a value, and returns whether it is one of that kind.
bool read(dom::element x, std::string& into) {
  std::string_view text;
  if (x.get(text) != simdjson::SUCCESS)
    return false;
  into = text;
  return true;
}

bool read(dom::element x, std::uint64_t& into) { return x.get(into) == simdjson::SUCCESS; }

bool read(dom::element x, std::uint32_t& into) {
  std::uint64_t number = 0;
  if (!read(x, number) || number > UINT32_MAX)
    return false;
  into = static_cast<std::uint32_t>(number);
  return true;
}

/// A positive time to live. One that no duration of ours holds is none.
bool read(dom::element x, milliseconds& into) {
  constexpr auto most = std::chrono::duration_cast<milliseconds>(nanoseconds::max()).count();
  std::int64_t number = 0;
  if (x.get(number) != simdjson::SUCCESS || number <= 0 || number > most)
    return false;
  into = milliseconds{number};
  return true;
}

bool read(dom::element x, record_time& into) {
  std::string_view text;
  if (x.get(text) != simdjson::SUCCESS)
    return false;
  const auto parsed = parse_time(text);
  if (parsed)
    into = *parsed;
  return parsed.has_value();
}

bool read(dom::element x, fencing_token& into) {
  std::string_view text;
  if (x.get(text) != simdjson::SUCCESS)
    return false;
  const auto parsed = parse_fencing_token(text);
  if (parsed)
    into = *parsed;
  return parsed.has_value();
}

bool read(dom::element x, broken_marker& into) {
  dom::object object;
  if (x.get(object) != simdjson::SUCCESS)
    return false;
  const auto member = [&](std::string_view name, auto& value) {
    dom::element found;
    return object.at_key(name).get(found) == simdjson::SUCCESS && read(found, value);
  };
  return member("by", into.by) && member("reason", into.reason) && member("at", into.at);
}

template <class T> bool read(dom::element x, std::optional<T>& into) {
  return read(x, into.emplace());
}

/// Whether the member is well, or not known to us.
bool read_member(const dom::key_value_pair& member, std::string_view raw, lease_record& into) {
  const auto& [name, value] = member;
  if (name == "acquired_at")
    return read(value, into.acquired_at);
  if (name == "refreshed_at")
    return read(value, into.refreshed_at);
  if (name == "record")
    into.record = raw;
  else if (name == "holder")
    return read(value, into.holder);
  else if (name == "renewal")
    return read(value, into.renewal);
  else if (name == "token")
    return read(value, into.token);
  else if (name == "ttl_ms")
    return read(value, into.ttl);
  else if (name == "owner")
    return read(value, into.owner);
  else if (name == "v")
    return read(value, into.version);
  else if (name == "broken")
    return read(value, into.broken);
  return true;
}

// -- times --------------------------------------------------------------------

/// Reads a text from its beginning; `ok` turns false for good at what does not fit.
class time_scanner {
public:
  explicit time_scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  bool eat(char c) {
    if (!rest_.starts_with(c))
      return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) { ok_ = eat(c) && ok_; }

  /// Exactly `count` digits, of a number up to `most`.
  int number(int count, int most) {
    int result = 0;
    for (; count > 0 && is_digit(); --count)
      result = result * 10 + next_digit();
    ok_ = ok_ && count == 0 && result <= most;
    return result;
  }

  /// At least one digit; from the tenth on they are read over.
  nanoseconds fraction() {
    ok_ = ok_ && is_digit();
    nanoseconds result{};
    for (auto unit = std::chrono::nanoseconds{100'000'000}; is_digit(); unit /= 10)
      result += unit * next_digit();
    return result;
  }

  /// What is left: how far ahead of UTC; nothing if no zone is given.
  std::optional<std::chrono::minutes> zone() {
    if (eat('Z'))
      return std::chrono::minutes{0};
    const bool ahead = rest_.starts_with('+');
    if (!eat('+') && !eat('-'))
      return std::nullopt;
    std::chrono::minutes result = std::chrono::hours{number(2, 23)};
    if (eat(':') || !at_end())
      result += std::chrono::minutes{number(2, 59)};
    return ahead ? result : -result;
  }

private:
  bool is_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }

  int next_digit() {
    const int result = rest_[0] - '0';
    rest_.remove_prefix(1);
    return result;
  }

  std::string_view rest_;
  bool ok_ = true;
};

/// The sum, or the first or last moment that can be told.
wall_time clamped(std::chrono::sys_seconds at, nanoseconds fraction) {
  if (at >= std::chrono::floor<std::chrono::seconds>(wall_time::max()))
    return wall_time::max();
  if (at < std::chrono::ceil<std::chrono::seconds>(wall_time::min()))
    return wall_time::min();
  return at + fraction;
}

} // namespace

// -- records ------------------------------------------------------------------

std::string encode(const lease_record& x) {
  json_writer json;
  json.begin_object();
  json.key("acquired_at").text(time_text(x.acquired_at.at));
  json.key("refreshed_at").text(time_text(x.refreshed_at.at));
  json.key("record").raw(x.record);
  if (x.holder)
    json.key("holder").text(*x.holder);
  if (x.holder || x.renewal != 0)
    json.key("renewal").unsigned_number(x.renewal);
  if (x.token)
    json.key("token").text(wire_text(*x.token));
  if (x.ttl)
    json.key("ttl_ms").number(x.ttl->count());
  if (x.holder || !x.owner.empty())
    json.key("owner").text(x.owner);
  if (x.holder || x.version != 0)
    json.key("v").unsigned_number(x.version);
  if (x.broken) {
    json.key("broken").begin_object();
    json.key("by").text(x.broken->by);
    json.key("reason").text(x.broken->reason);
    json.key("at").text(time_text(x.broken->at.at));
    json.end_object();
  }
  return json.end_object().str();
}

outcome<lease_record> decode_lease_record(std::string_view json) {
  // One level more than usual, so that whatever a holder may give as its record can be read back.
  if (const auto checked = check_json(json, max_json_depth + 1); !checked)
    return damaged(checked.error().text);
  dom::parser parser;
  dom::object object;
  if (parser.parse(json.data(), json.size(), true).get(object) != simdjson::SUCCESS)
    return damaged("not an object");
  for (const auto name : required)
    if (object.at_key(name).error() != simdjson::SUCCESS)
      return damaged("no member '" + std::string{name} + "'");
  lease_record result;
  raw_values raw{json};
  for (const dom::key_value_pair member : object)
    if (!read_member(member, raw.next(), result))
      return damaged("member '" + std::string{member.key} + "' has the wrong form");
  return result;
}

// -- times --------------------------------------------------------------------

std::string time_text(wall_time at) {
  // First to microseconds: the earliest times have no midnight that nanoseconds could tell.
  const auto moment = std::chrono::floor<std::chrono::microseconds>(at);
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{moment - day};
  std::array<char, 80> buffer;
  const auto length = std::snprintf(
    buffer.data(), buffer.size(), "%04d-%02u-%02uT%02ld:%02ld:%02ld.%06ldZ",
    static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
    static_cast<unsigned>(date.day()), static_cast<long>(time.hours().count()),
    static_cast<long>(time.minutes().count()), static_cast<long>(time.seconds().count()),
    static_cast<long>(time.subseconds().count()));
  return {buffer.data(), static_cast<std::size_t>(length)};
}

std::optional<record_time> parse_time(std::string_view text) {
  time_scanner in{text};
  const auto year = in.number(4, 9999);
  in.expect('-');
  const auto month = in.number(2, 12);
  in.expect('-');
  const auto day = in.number(2, 31);
  if (!in.eat(' '))
    in.expect('T');
  std::chrono::seconds time = std::chrono::hours{in.number(2, 23)};
  in.expect(':');
  time += std::chrono::minutes{in.number(2, 59)};
  in.expect(':');
  time += std::chrono::seconds{in.number(2, 59)};
  const auto fraction = in.eat('.') ? in.fraction() : nanoseconds{};
  const auto zone = in.zone();
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!in.ok() || !in.at_end() || !date.ok())
    return std::nullopt;
  const auto ahead = zone.value_or(std::chrono::minutes{0});
  return record_time{clamped(std::chrono::sys_days{date} + time - ahead, fraction),
                     zone.has_value()};
}

} // namespace trunnion
