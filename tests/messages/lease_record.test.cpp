#include "trunnion/messages/lease_record.hpp"

#include "trunnion/messages/json.hpp"
#include "trunnion/tests/messages/vectors.hpp"

using namespace trunnion;
using namespace trunnion::test;
using namespace std::chrono_literals;

namespace {

using std::chrono::sys_days;
using namespace std::chrono;

constexpr wall_time some_time = sys_days{2026y / 1 / 2} + 3h + 4min + 5s + 123456us;

/// A peer's time as we would write it. Two in the vectors are too early and too late to be told.
std::string our_text(std::string peers) {
  if (peers.starts_with("0001-"))
    return "1677-09-21T00:12:43.145224Z";
  if (peers.starts_with("9999-"))
    return "2262-04-11T23:47:16.854775Z";
  return peers + (peers.find('.') == std::string::npos ? ".000000Z" : "Z");
}

lease_record decode(std::string_view json) {
  const auto decoded = decode_lease_record(json);
  BOOST_REQUIRE_MESSAGE(decoded.has_value(), "refused: " << json);
  return *decoded;
}

/// The peer's payload ends with `"record":VALUE}`.
std::string record_slice(const std::string& payload) {
  constexpr std::string_view before = "\"record\":";
  const auto begin = payload.find(before) + before.size();
  return payload.substr(begin, payload.size() - 1 - begin);
}

/// Decodes what the peer wrote, and compares each part with the payload as simdjson reads it.
void check_peers(const std::string& payload) {
  const auto decoded = decode(payload);
  dom::parser parser;
  const dom::element peers = parser.parse(payload);
  const auto acquired = our_text(text_of(peers["acquired_at"]));
  const auto refreshed = our_text(text_of(peers["refreshed_at"]));
  BOOST_TEST(time_text(decoded.acquired_at.at) == acquired);
  BOOST_TEST(time_text(decoded.refreshed_at.at) == refreshed);
  BOOST_TEST(!decoded.acquired_at.has_zone);
  BOOST_TEST(!decoded.refreshed_at.has_zone);
  BOOST_TEST(decoded.record == record_slice(payload));
  const lease_record plain{decoded.acquired_at, decoded.refreshed_at, decoded.record};
  BOOST_TEST((decoded == plain)); // Nothing of ours.
  BOOST_TEST(encode(decoded)
             == "{\"acquired_at\":\"" + acquired + "\",\"refreshed_at\":\"" + refreshed
                  + "\",\"record\":" + record_slice(payload) + "}");
}

lease_record ours() {
  lease_record result;
  result.acquired_at = {some_time};
  result.refreshed_at = {some_time + 2s};
  result.record = R"({ "name" : "mount", "n": [1, 2.50] })";
  result.holder = "01890a5d-ac96-774b-bcce-b302099a8057";
  result.renewal = 7;
  result.token = fencing_token{{1'700'000'000'000'000'000}, {42}};
  result.ttl = 10s;
  result.owner = "ridge/4711";
  result.version = lease_record_version;
  return result;
}

lease_record broken() {
  lease_record result;
  result.acquired_at = result.refreshed_at = {some_time};
  result.owner = "console/12";
  result.version = lease_record_version;
  result.broken = broken_marker{"admin \"x\"", "stuck\n", {some_time + 1us}};
  return result;
}

/// A record of the peer's members and `more`.
std::string with(std::string_view more, std::string_view record = "null") {
  return std::string{
    R"({"acquired_at":"2026-01-02T03:04:05","refreshed_at":"2026-01-02T03:04:06",)"}
    .append("\"record\":")
    .append(record)
    .append(more)
    .append("}");
}

/// Whether `json` is refused as damaged, with `part` in what is said.
bool damaged(const std::string& json, std::string_view part) {
  const auto decoded = decode_lease_record(json);
  if (decoded)
    return false;
  BOOST_TEST(decoded.error().text.find(part) != std::string::npos, decoded.error().text);
  return decoded.error().code == error_code::storage_damaged;
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

} // namespace

BOOST_AUTO_TEST_SUITE(lease_record_test)

// -- the peer's ---------------------------------------------------------------

BOOST_AUTO_TEST_CASE(every_record_of_the_peer_is_read_and_written_with_the_same_values) {
  const vector_file vectors{"lease_records.json"};
  std::size_t cases = 0, published = 0, stored = 0, deletions = 0;
  for (const dom::element one : vectors["cases"].get_array()) {
    BOOST_TEST_CONTEXT(text_of(one["case"])) {
      ++cases;
      for (const dom::element step : one["steps"].get_array()) {
        for (const dom::element message : step["published"].get_array()) {
          const auto payload = bytes_of(message["payload"]);
          ++(payload.empty() ? deletions : published);
          if (!payload.empty())
            check_peers(payload);
        }
        dom::element data;
        if (step["stored"]["data_b64"].get(data) != simdjson::SUCCESS)
          continue;
        ++stored;
        check_peers(from_base64(data));
      }
    }
  }
  BOOST_TEST(cases == 21u);
  BOOST_TEST(published == 47u);
  BOOST_TEST(stored == 20u);
  BOOST_TEST(deletions == 2u);
}

BOOST_AUTO_TEST_CASE(the_peers_clock_is_the_time_of_its_refresh) {
  const vector_file vectors{"lease_records.json"};
  std::size_t compared = 0;
  for (const dom::element one : vectors["cases"].get_array())
    for (const dom::element step : one["steps"].get_array()) {
      std::string_view clock;
      const auto op = text_of(step["op"]);
      if ((op != "acquire" && op != "refresh") || step["clock"].get(clock) != simdjson::SUCCESS)
        continue;
      ++compared;
      const auto decoded = decode(bytes_of(step["published"].get_array().at(0)["payload"]));
      BOOST_TEST((decoded.refreshed_at == parse_time(clock)), text_of(one["case"]));
    }
  BOOST_TEST(compared == 41u);
}

// -- ours ---------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(our_record_is_written_in_a_fixed_order_with_utc_times_of_six_digits) {
  BOOST_TEST(encode(ours())
             == R"({"acquired_at":"2026-01-02T03:04:05.123456Z",)"
                R"("refreshed_at":"2026-01-02T03:04:07.123456Z",)"
                R"("record":{ "name" : "mount", "n": [1, 2.50] },)"
                R"("holder":"01890a5d-ac96-774b-bcce-b302099a8057","renewal":7,)"
                R"("token":"1700000000000000000:42","ttl_ms":10000,"owner":"ridge/4711","v":1})");
}

BOOST_AUTO_TEST_CASE(our_records_survive_a_round_trip) {
  auto first = ours(); // Before the first refresh.
  first.token.reset();
  first.renewal = 0;
  auto permanent = ours();
  permanent.ttl.reset();
  permanent.owner.clear();
  permanent.record = "null";
  permanent.version = 0;
  for (const auto& x : {ours(), first, permanent, broken()}) {
    const auto read = decode(encode(x));
    BOOST_TEST((read == x), encode(x));
    BOOST_TEST(check_json(encode(x)).has_value());
  }
}

BOOST_AUTO_TEST_CASE(a_broken_marker_has_no_holder_and_says_who_why_and_when) {
  BOOST_TEST(encode(broken())
             == R"({"acquired_at":"2026-01-02T03:04:05.123456Z",)"
                R"("refreshed_at":"2026-01-02T03:04:05.123456Z","record":null,)"
                R"("owner":"console/12","v":1,)"
                R"("broken":{"by":"admin \"x\"","reason":"stuck\n",)"
                R"("at":"2026-01-02T03:04:05.123457Z"}})");
  const auto read = decode(
    with(R"(,"broken":{"at":"2026-01-02T03:04:05+01:00","more":[],"reason":"r","by":"b"})"));
  BOOST_TEST(!read.holder.has_value());
  BOOST_TEST((read.broken == broken_marker{"b", "r", {sys_days{2026y / 1 / 2} + 2h + 4min + 5s}}));
}

BOOST_AUTO_TEST_CASE(a_record_is_kept_byte_for_byte) {
  for (const std::string record :
       {"null", "true", "-1.50e+3", R"("a \" } , ] \\")", R"("\\")", "[]", "{}", "[ 1 ,\t2 ]",
        R"({"a" : "}", "b":[{"c":"]\"{"}]})", "\"\xc4\x8d\\u010d\"", "12345678901234567890",
        "{ \"record\":\n1 }"})
    for (const std::string space : {"", " ", " \r\n\t"}) {
      const auto json = "{" + space + "\"x\\\"\":" + space + "[\"{\",{}]" + space
                        + ",\"acquired_at\":\"2026-01-02T03:04:05Z\"," + space + "\"record\""
                        + space + ":" + space + record + space + "," + space
                        + "\"refreshed_at\":\"2026-01-02T03:04:05Z\"" + space + "}" + space;
      const auto read = decode(space + json);
      BOOST_TEST(read.record == record);
    }
}

BOOST_AUTO_TEST_CASE(names_of_members_may_be_written_with_escapes) {
  const auto read = decode(R"({"r\u0065cord":[7],"acquired\u005fat":"2026-01-02T03:04:05Z",)"
                           R"("refreshed_at":"2026-01-02T03:04:05Z","h\u006flder":"h"})");
  BOOST_TEST(read.record == "[7]");
  BOOST_TEST((read.holder == "h"));
}

BOOST_AUTO_TEST_CASE(unknown_members_are_ignored_and_ours_may_be_absent) {
  const auto read = decode(with(R"(,"holder":"h","later":{"v":9},"RENEWAL":"x")"));
  lease_record expected{{sys_days{2026y / 1 / 2} + 3h + 4min + 5s, false},
                        {sys_days{2026y / 1 / 2} + 3h + 4min + 6s, false}};
  expected.holder = "h";
  BOOST_TEST((read == expected));
}

// -- what is refused ----------------------------------------------------------

BOOST_AUTO_TEST_CASE(what_is_not_an_object_with_the_peers_members_is_damaged) {
  BOOST_TEST(damaged("", "invalid JSON"));
  BOOST_TEST(damaged("DELETED", "invalid JSON"));
  BOOST_TEST(damaged(with("").substr(1), "invalid JSON"));
  BOOST_TEST(damaged(with("") + "x", "invalid JSON"));
  BOOST_TEST(damaged("\xff", "byte 1"));
  for (const auto* other : {"null", "[]", "1", "\"acquired_at\""})
    BOOST_TEST(damaged(other, "not an object"), other);
  BOOST_TEST(damaged("{}", "'acquired_at'"));
  BOOST_TEST(damaged(R"({"acquired_at":"2026-01-02T03:04:05"})", "'refreshed_at'"));
  BOOST_TEST(damaged(
    R"({"acquired_at":"2026-01-02T03:04:05","refreshed_at":"2026-01-02T03:04:05"})", "'record'"));
}

BOOST_AUTO_TEST_CASE(a_known_member_of_another_form_is_damaged_and_named) {
  for (const auto& [name, values] : std::map<std::string, std::vector<std::string>>{
         {"holder", {"1", "null", "{}"}},
         {"renewal", {"-1", "1.5", "\"1\"", "null"}},
         {"token", {"42", "\"42\"", "\"1:\"", "\"a:b\"", "\"1:2:3\"", "null"}},
         {"ttl_ms", {"0", "-5", "1.5", "\"5\"", "9223372036855", "18446744073709551615"}},
         {"owner", {"1", "null", "[]"}},
         {"v", {"-1", "4294967296", "\"1\"", "1.0"}},
         {"broken",
          {"null", "\"x\"", "{}", R"({"by":"b","reason":"r"})",
           R"({"by":"b","reason":"r","at":"yesterday"})",
           R"({"by":1,"reason":"r","at":"2026-01-02T03:04:05"})",
           R"({"by":"b","reason":null,"at":"2026-01-02T03:04:05"})"}}})
    for (const auto& value : values)
      BOOST_TEST(damaged(with(",\"" + name + "\":" + value), "'" + name + "'"), name << value);
  for (const auto* time : {"null", "1767323045", "\"\"", "\"2026-01-02\"", "\"now\""}) {
    BOOST_TEST(damaged(std::string{R"({"refreshed_at":"2026-01-02T03:04:05","record":1,)"}
                         .append(R"("acquired_at":)")
                         .append(time)
                         .append("}"),
                       "'acquired_at'"),
               time);
    BOOST_TEST(damaged(std::string{R"({"acquired_at":"2026-01-02T03:04:05","record":1,)"}
                         .append(R"("refreshed_at":)")
                         .append(time)
                         .append("}"),
                       "'refreshed_at'"),
               time);
  }
}

BOOST_AUTO_TEST_CASE(members_of_one_name_are_damage_at_any_depth) {
  BOOST_TEST(damaged(with(R"(,"record":1)"), "/record occurs twice"));
  BOOST_TEST(damaged(with(R"(,"\u0072ecord":1)"), "/record occurs twice"));
  BOOST_TEST(damaged(with(R"(,"x":[{"a":1,"a":1}])"), "/x/0/a occurs twice"));
  BOOST_TEST(damaged(with("", R"({"a":1,"a":2})"), "/record/a occurs twice"));
}

BOOST_AUTO_TEST_CASE(any_record_that_a_holder_may_give_can_be_read_back_and_none_that_is_deeper) {
  const auto deepest = nested(max_json_depth), deeper = nested(max_json_depth + 1);
  BOOST_TEST(check_json(deepest).has_value());
  const auto read = decode(with("", deepest));
  BOOST_TEST(read.record == deepest);
  BOOST_TEST(!check_json(deeper).has_value());
  BOOST_TEST(damaged(with("", deeper), "too deeply"));
  BOOST_TEST(damaged(with(",\"x\":" + deeper), "too deeply"));
}

// -- times --------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(times_are_written_in_utc_with_six_digits) {
  BOOST_TEST(time_text(wall_time{}) == "1970-01-01T00:00:00.000000Z");
  BOOST_TEST(time_text(some_time) == "2026-01-02T03:04:05.123456Z");
  BOOST_TEST(time_text(some_time + 999ns) == "2026-01-02T03:04:05.123456Z");
  BOOST_TEST(time_text(wall_time{-1ns}) == "1969-12-31T23:59:59.999999Z");
  BOOST_TEST(time_text(sys_days{2024y / 2 / 29} + 23h + 59min + 59s)
             == "2024-02-29T23:59:59.000000Z");
  BOOST_TEST(time_text(wall_time::max()) == "2262-04-11T23:47:16.854775Z");
  BOOST_TEST(time_text(wall_time::min()) == "1677-09-21T00:12:43.145224Z");
}

BOOST_AUTO_TEST_CASE(times_are_read_with_or_without_zone_and_fraction) {
  const wall_time at = sys_days{2026y / 1 / 2} + 3h + 4min + 5s;
  const auto reads = [](std::string_view text, wall_time expected, bool has_zone) {
    BOOST_TEST((parse_time(text) == record_time{expected, has_zone}), text);
  };
  reads("2026-01-02T03:04:05", at, false);
  reads("2026-01-02 03:04:05", at, false);
  reads("2026-01-02T03:04:05Z", at, true);
  reads("2026-01-02T03:04:05.5", at + 500ms, false);
  reads("2026-01-02T03:04:05.000007Z", at + 7us, true);
  reads("2026-01-02T03:04:05.123456789Z", at + 123456789ns, true);
  reads("2026-01-02T03:04:05.12345678999999999999999999Z", at + 123456789ns, true);
  reads("2026-01-02T03:04:05+01:00", at - 1h, true);
  reads("2026-01-02T03:04:05.25-0930", at + 9h + 30min + 250ms, true);
  reads("2026-01-02T03:04:05+05", at - 5h, true);
  reads("2026-01-02 03:04:05-00:00", at, true);
  reads("2024-02-29T23:59:59.999999", sys_days{2024y / 3 / 1} - 1us, false);
  reads("2000-02-29T00:00:00Z", sys_days{2000y / 2 / 29}, true);
  reads("1969-12-31T23:59:59.5Z", wall_time{-500ms}, true);
}

BOOST_AUTO_TEST_CASE(what_is_not_such_a_time_is_not_read) {
  for (const auto* text : {"",
                           "now",
                           "2026",
                           "2026-01-02",
                           "2026-01-02T",
                           "2026-01-02T03:04",
                           "2026-01-02T03:04:",
                           "2026-01-02T3:04:05",
                           "2026-1-02T03:04:05",
                           "026-01-02T03:04:05",
                           "12026-01-02T03:04:05",
                           "2026-13-02T03:04:05",
                           "2026-00-02T03:04:05",
                           "2026-01-00T03:04:05",
                           "2026-01-32T03:04:05",
                           "2026-02-29T03:04:05",
                           "1900-02-29T03:04:05",
                           "2026-04-31T03:04:05",
                           "2026-01-02T24:00:00",
                           "2026-01-02T03:60:05",
                           "2026-01-02T03:04:60",
                           "2026-01-02T03:04:05.",
                           "2026-01-02T03:04:05,5",
                           "2026-01-02T03:04:05.Z",
                           "2026-01-02T03:04:05.5x",
                           "2026-01-02T03:04:05z",
                           "2026-01-02T03:04:05ZZ",
                           "2026-01-02T03:04:05Z ",
                           " 2026-01-02T03:04:05",
                           "2026-01-02T03:04:05 Z",
                           "2026-01-02T03:04:05+1",
                           "2026-01-02T03:04:05+",
                           "2026-01-02T03:04:05+24:00",
                           "2026-01-02T03:04:05+01:60",
                           "2026-01-02T03:04:05+01:",
                           "2026-01-02T03:04:05+01:0",
                           "2026-01-02T03:04:05+010",
                           "2026-01-02T03:04:05+01:00:00",
                           "2026-01-02t03:04:05",
                           "2026-01-02T03:04:05Z+01:00",
                           "2026/01/02T03:04:05",
                           "+026-01-02T03:04:05",
                           "2026-01--2T03:04:05"})
    BOOST_TEST(!parse_time(text).has_value(), text);
  BOOST_TEST(!parse_time(std::string_view{"2026-01-02T03:04:05\0", 20}).has_value());
}

BOOST_AUTO_TEST_CASE(times_that_cannot_be_told_become_the_first_or_the_last) {
  BOOST_TEST((parse_time("0001-01-01T00:00:00.000007")->at == wall_time::min()));
  BOOST_TEST((parse_time("9999-12-31T23:59:59Z")->at == wall_time::max()));
  BOOST_TEST((parse_time("9999-12-31T23:59:59-23:59")->at == wall_time::max()));
  BOOST_TEST((parse_time("2262-04-11T23:47:16.9Z")->at == wall_time::max()));
  BOOST_TEST(
    (parse_time("2262-04-11T23:47:15.9Z")->at == floor<seconds>(wall_time::max()) - 100ms));
  BOOST_TEST((parse_time("1677-09-21T00:12:43.1Z")->at == wall_time::min()));
  BOOST_TEST((parse_time("1677-09-21T00:12:44Z")->at == ceil<seconds>(wall_time::min())));
}

BOOST_AUTO_TEST_CASE(any_time_to_the_microsecond_survives_a_round_trip) {
  std::uint64_t bits = 1;
  for (int round = 0; round < 20'000; ++round) {
    bits = bits * 6364136223846793005U + 1442695040888963407U;
    const auto at = wall_time{floor<microseconds>(nanoseconds{static_cast<std::int64_t>(bits)})};
    if (at < ceil<seconds>(wall_time::min()) || at >= floor<seconds>(wall_time::max()))
      continue;
    BOOST_REQUIRE((parse_time(time_text(at)) == record_time{at, true}));
  }
}

BOOST_AUTO_TEST_SUITE_END()
