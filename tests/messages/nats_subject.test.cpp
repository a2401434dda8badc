#include "trunnion/messages/nats_subject.hpp"

#include "trunnion/tests/messages/vectors.hpp"

#include <array>
#include <set>

using namespace trunnion;
using namespace trunnion::test;

namespace {

constexpr std::array methods{nats_method::request, nats_method::stream, nats_method::kv};

/// The only names in the vectors that our rules allow; all others must be refused.
const std::set<std::string> allowed{"dev", "obs",     "dome",  "a",         "b",   "c",
                                    "d",   "request", "UPPER", "lower-1_2", "key", "EntityLease"};

nats_method method_of(std::string_view name) {
  const auto* found
    = std::ranges::find_if(methods, [=](nats_method x) { return to_string(x) == name; });
  BOOST_REQUIRE(found != methods.end());
  return *found;
}

std::vector<std::string> path_of(dom::element row) {
  std::vector<std::string> result;
  for (const dom::element segment : row["path"].get_array())
    result.push_back(text_of(segment));
  return result;
}

bool is_special(dom::element prop) { return prop.is_object(); }

bool is_allowed(dom::element row) {
  const dom::element prop = row["prop"];
  return std::ranges::all_of(path_of(row), [](const auto& x) { return allowed.contains(x); })
         && (is_special(prop) || allowed.contains(text_of(prop)));
}

outcome<property> property_of(dom::element prop) {
  if (!is_special(prop))
    return property::named(text_of(prop));
  const auto special = text_of(prop["special"]);
  if (special == "EVENTS")
    return property::events();
  if (special == "ALL_PROPERTIES")
    return property::all_properties();
  if (special == "ALL_DESCENDANTS")
    return property::all_descendants();
  BOOST_REQUIRE(special == "NONE");
  return property::none();
}

outcome<subject> subject_of(dom::element row) {
  const auto owner = entity::make(path_of(row));
  if (!owner)
    return tl::unexpected{owner.error()};
  const auto prop = property_of(row["prop"]);
  if (!prop)
    return tl::unexpected{prop.error()};
  return subject::make(*owner, *prop);
}

/// What a message can stand under. On purpose other than the peer: `none` is no address, `events`
/// is one of streams alone, and `*` and `>` do not come back as names.
bool comes_back(const subject& x, nats_method method) {
  return x.is_name() || (x.kind() == property_kind::events && method == nats_method::stream);
}

} // namespace

BOOST_AUTO_TEST_SUITE(nats_subject_test)

BOOST_AUTO_TEST_CASE(what_our_rules_allow_maps_to_the_peers_subject_and_back) {
  const vector_file vectors{"subjects.json"};
  std::size_t rows = 0, back = 0;
  for (const dom::element row : vectors["to_nats"].get_array()) {
    if (!is_allowed(row))
      continue;
    ++rows;
    const auto x = subject_of(row);
    BOOST_REQUIRE(x.has_value());
    for (const auto method : methods) {
      const auto expected = text_of(row[to_string(method)]);
      BOOST_TEST(to_nats(*x, method) == expected);
      if (!comes_back(*x, method))
        continue;
      ++back;
      const auto read = from_nats(expected, method);
      BOOST_TEST((read.has_value() && *read == *x), expected);
    }
  }
  BOOST_TEST(rows == 30u);
  BOOST_TEST(back == 33u);
}

BOOST_AUTO_TEST_CASE(what_our_rules_do_not_allow_is_refused_where_the_address_is_made) {
  const vector_file vectors{"subjects.json"};
  std::size_t rows = 0;
  for (const dom::element row : vectors["to_nats"].get_array()) {
    if (is_allowed(row))
      continue;
    ++rows;
    const auto x = subject_of(row);
    BOOST_TEST((!x && x.error().code == error_code::invalid_subject), text_of(row["kv"]));
  }
  BOOST_TEST(rows == 59u);
}

BOOST_AUTO_TEST_CASE(every_subject_of_the_peer_is_read_as_it_does_or_refused) {
  const vector_file vectors{"subjects.json"};
  std::size_t accepted = 0, refused = 0;
  for (const dom::element row : vectors["from_nats"].get_array()) {
    const auto text = text_of(row["subject"]);
    const auto read = from_nats(text, method_of(row["method"]));
    const bool peer_reads = row["error"].error() == simdjson::NO_SUCH_FIELD;
    if (peer_reads && is_allowed(row) && !is_special(row["prop"])) {
      ++accepted;
      BOOST_TEST((read.has_value() && *read == *subject_of(row)), text);
    } else {
      ++refused;
      BOOST_TEST((!read && read.error().code == error_code::invalid_subject), text);
    }
  }
  BOOST_TEST(accepted == 6u);
  BOOST_TEST(refused == 65u);
}

BOOST_AUTO_TEST_CASE(events_come_back_from_streams_alone) {
  const auto read = from_nats("sensorkit.stream.dev._EVENTS", nats_method::stream);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((read->kind() == property_kind::events));
  BOOST_TEST(read->text() == "dev._EVENTS");
  BOOST_TEST(!from_nats("sensorkit.kv.dev._EVENTS", nats_method::kv).has_value());
  BOOST_TEST(!from_nats("sensorkit.request.dev._EVENTS", nats_method::request).has_value());
}

BOOST_AUTO_TEST_CASE(wildcards_do_not_come_back) {
  for (const auto method : methods)
    for (const auto* text : {"dev.*", "dev.>", "*", ">"}) {
      const auto x = subject::parse(text);
      const auto read = from_nats(to_nats(*x, method), method);
      BOOST_TEST((!read && read.error().code == error_code::invalid_subject), text);
    }
}

BOOST_AUTO_TEST_CASE(another_prefix_may_have_several_tokens) {
  const auto x = *subject::parse("dev.key");
  BOOST_TEST(to_nats(x, nats_method::kv, "site.two") == "site.two.kv.dev.key");
  BOOST_TEST((*from_nats("site.two.kv.dev.key", nats_method::kv, "site.two") == x));
  BOOST_TEST(!from_nats("site.two.kv.dev.key", nats_method::kv).has_value());
  BOOST_TEST(!from_nats("site.kv.dev.key", nats_method::kv, "site.two").has_value());
  BOOST_TEST(!from_nats("sensorkitx.kv.dev.key", nats_method::kv).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
