#include "trunnion/messages/address.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <unordered_set>

using namespace trunnion;

namespace {

const std::string longest_name(max_segment_length, 'x');

/// `length` characters of segments as long as they may be.
std::string long_text(std::size_t length) {
  std::string result(length, 'x');
  for (auto i = max_segment_length; i < length; i += max_segment_length + 1)
    result[i] = '.';
  return result;
}

subject at(std::string_view text) {
  const auto parsed = subject::parse(text);
  BOOST_REQUIRE_MESSAGE(parsed.has_value(), "refused: " << text);
  return *parsed;
}

entity of(std::string_view text) {
  const auto parsed = entity::parse(text);
  BOOST_REQUIRE_MESSAGE(parsed.has_value(), "refused: " << text);
  return *parsed;
}

/// Whether something was refused as `invalid_subject`, at the character `position` from 1.
template <class T> bool refused_at(const outcome<T>& x, std::size_t position) {
  if (x)
    return false;
  const auto named = "at position " + std::to_string(position) + ":";
  BOOST_TEST(x.error().text.find(named) != std::string::npos, x.error().text << ", not " << named);
  return x.error().code == error_code::invalid_subject
         && x.error().certainty == certainty::not_applied;
}

} // namespace

BOOST_AUTO_TEST_SUITE(address_test)

// -- texts --------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(an_entity_prints_its_segments_joined_by_dots) {
  const auto made = entity::make({"ridge", "mount"});
  BOOST_REQUIRE(made.has_value());
  BOOST_TEST(made->text() == "ridge.mount");
  BOOST_TEST((made->segments() == std::vector<std::string>{"ridge", "mount"}));
  BOOST_TEST((*made == of("ridge.mount")));
}

BOOST_AUTO_TEST_CASE(the_root_is_the_empty_path) {
  BOOST_TEST(entity{}.is_root());
  BOOST_TEST(entity{}.text() == "");
  BOOST_TEST(entity{}.segments().empty());
  BOOST_TEST((of("") == entity{}));
  BOOST_TEST((*entity::make({}) == entity{}));
}

BOOST_AUTO_TEST_CASE(a_subject_prints_path_and_property_without_a_dot_at_the_root) {
  BOOST_TEST(to_string(subject{of("a.b"), *property::named("name")}) == "a.b.name");
  BOOST_TEST(to_string(subject{of("a.b"), property::events()}) == "a.b._EVENTS");
  BOOST_TEST(to_string(subject{of("a.b"), property::all_properties()}) == "a.b.*");
  BOOST_TEST(to_string(subject{of("a.b"), property::all_descendants()}) == "a.b.>");
  BOOST_TEST(to_string(subject{of("a.b"), property::none()}) == "a.b");
  BOOST_TEST(to_string(subject{entity{}, *property::named("name")}) == "name");
  BOOST_TEST(to_string(subject{entity{}, property::events()}) == "_EVENTS");
  BOOST_TEST(to_string(subject{entity{}, property::all_properties()}) == "*");
  BOOST_TEST(to_string(subject{entity{}, property::all_descendants()}) == ">");
  BOOST_TEST(to_string(subject{}) == "");
}

BOOST_AUTO_TEST_CASE(every_subject_but_none_is_read_back_from_its_text) {
  for (const auto* path : {"", "a", "a.b.c"})
    for (const auto& prop : {*property::named("x"), property::events(), property::all_properties(),
                             property::all_descendants()}) {
      const auto made = subject::make(of(path), prop);
      BOOST_REQUIRE(made.has_value());
      const auto read = at(made->text());
      BOOST_TEST((read == *made), made->text());
      BOOST_TEST((read.owner() == of(path)), made->text());
      BOOST_TEST((read.prop() == prop), made->text());
    }
}

BOOST_AUTO_TEST_CASE(the_text_of_an_entity_as_such_is_read_as_something_else) {
  const subject whole{of("a.b"), property::none()};
  BOOST_TEST((at(whole.text()) != whole));
  BOOST_TEST((at(whole.text()).kind() == property_kind::name));
  BOOST_TEST(refused_at(subject::parse(subject{}.text()), 1));
}

BOOST_AUTO_TEST_CASE(the_full_path_is_the_segments_and_the_property) {
  using path = std::vector<std::string>;
  BOOST_TEST((at("a.b.name").full_path() == path{"a", "b", "name"}));
  BOOST_TEST((at("name").full_path() == path{"name"}));
  BOOST_TEST((at("a._EVENTS").full_path() == path{"a", "_EVENTS"}));
  BOOST_TEST((at("a.*").full_path() == path{"a", "*"}));
  BOOST_TEST((at(">").full_path() == path{">"}));
  BOOST_TEST((subject{of("a.b"), property::none()}.full_path() == path{"a", "b"}));
}

BOOST_AUTO_TEST_CASE(only_names_are_addresses_of_keys_and_only_wildcards_are_patterns) {
  const auto traits = [](const subject& x) { return std::pair{x.is_name(), x.is_pattern()}; };
  BOOST_TEST((traits(at("a.name")) == std::pair{true, false}));
  BOOST_TEST((traits(at("a._EVENTS")) == std::pair{false, false}));
  BOOST_TEST((traits(at("a.*")) == std::pair{false, true}));
  BOOST_TEST((traits(at("a.>")) == std::pair{false, true}));
  BOOST_TEST((traits(subject{of("a"), property::none()}) == std::pair{false, false}));
}

// -- what is refused ----------------------------------------------------------

BOOST_AUTO_TEST_CASE(every_byte_but_the_allowed_characters_is_refused_with_its_position) {
  const std::string_view allowed
    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/=";
  std::size_t accepted = 0;
  for (int byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<char>(byte);
    const auto name = std::string{"ab"} + c + "d";
    if (allowed.find(c) != std::string_view::npos) {
      ++accepted;
      BOOST_TEST(property::named(name).has_value(), name);
      BOOST_TEST(subject::parse("x." + name).has_value(), name);
      continue;
    }
    BOOST_TEST(refused_at(property::named(name), 3), "byte " << byte);
    BOOST_TEST(refused_at(of("x").child(name), 5), "byte " << byte);
    if (c == '.') // Reads as two segments.
      continue;
    BOOST_TEST(refused_at(entity::parse("x." + name), 5), "byte " << byte);
    BOOST_TEST(refused_at(subject::parse("x." + name), 5), "byte " << byte);
    BOOST_TEST(refused_at(subject::parse(name + ".x"), 3), "byte " << byte);
  }
  BOOST_TEST(accepted == 66u);
}

BOOST_AUTO_TEST_CASE(an_empty_segment_is_refused_where_it_is) {
  BOOST_TEST(refused_at(property::named(""), 1));
  BOOST_TEST(refused_at(entity{}.child(""), 1));
  BOOST_TEST(refused_at(entity::make({"a", ""}), 3));
  for (const auto& [text, position] :
       {std::pair{".", 1}, {".a", 1}, {"a.", 3}, {"a..b", 3}, {"..", 1}, {"a.b.", 5}}) {
    BOOST_TEST(refused_at(entity::parse(text), position), text);
    BOOST_TEST(refused_at(subject::parse(text), position), text);
  }
  BOOST_TEST(refused_at(subject::parse(""), 1));
  BOOST_TEST(refused_at(subject::parse(".*"), 1));
}

BOOST_AUTO_TEST_CASE(events_is_reserved_but_for_the_last_token_of_a_subject) {
  BOOST_TEST(refused_at(property::named("_EVENTS"), 1));
  BOOST_TEST(refused_at(entity::parse("_EVENTS"), 1));
  BOOST_TEST(refused_at(entity::parse("a._EVENTS"), 3));
  BOOST_TEST(refused_at(of("a").child("_EVENTS"), 3));
  BOOST_TEST(refused_at(subject::parse("_EVENTS.a"), 1));
  BOOST_TEST(refused_at(subject::parse("a._EVENTS._EVENTS"), 3));
  BOOST_TEST((at("a._EVENTS").kind() == property_kind::events));
  BOOST_TEST((at("a._EVENTSX").kind() == property_kind::name));
  BOOST_TEST((at("a._events").kind() == property_kind::name));
}

BOOST_AUTO_TEST_CASE(wildcards_are_refused_but_as_the_last_token_of_a_subject) {
  for (const std::string wildcard : {"*", ">"}) {
    BOOST_TEST(refused_at(property::named(wildcard), 1));
    BOOST_TEST(refused_at(entity::parse(wildcard), 1));
    BOOST_TEST(refused_at(subject::parse("a." + wildcard + ".b"), 3));
    BOOST_TEST(refused_at(subject::parse(wildcard + ".b"), 1));
    BOOST_TEST(refused_at(subject::parse("a." + wildcard + wildcard), 3));
    BOOST_TEST(refused_at(subject::parse("a.b" + wildcard), 4));
  }
}

BOOST_AUTO_TEST_CASE(a_segment_has_at_most_128_characters) {
  BOOST_TEST(property::named(longest_name).has_value());
  BOOST_TEST(entity::parse(longest_name).has_value());
  BOOST_TEST(subject::parse("a." + longest_name + ".b").has_value());
  BOOST_TEST(refused_at(property::named(longest_name + "x"), 129));
  BOOST_TEST(refused_at(entity::parse("a." + longest_name + "x"), 131));
  BOOST_TEST(refused_at(subject::parse("a." + longest_name + "x"), 131));
  BOOST_TEST(refused_at(subject::parse("a." + longest_name + "x.b"), 131));
}

BOOST_AUTO_TEST_CASE(a_subject_has_at_most_512_characters) {
  BOOST_TEST(at(long_text(512)).text().size() == 512u);
  BOOST_TEST(refused_at(subject::parse(long_text(513)), 513));
  BOOST_TEST(refused_at(entity::parse(long_text(513)), 513));
  const auto longest = of(long_text(512));
  BOOST_TEST(refused_at(longest.child("x"), 513));
  BOOST_TEST(refused_at(subject::make(longest, property::all_properties()), 513));
  BOOST_TEST(subject::make(longest, property::none()).has_value());
  BOOST_TEST(subject::make(of(long_text(510)), *property::named("x")).has_value());
  BOOST_TEST(refused_at(subject::make(of(long_text(511)), *property::named("x")), 513));
  BOOST_TEST(subject::make(entity{}, *property::named(longest_name)).has_value());
}

BOOST_AUTO_TEST_CASE(a_refusal_shows_the_text_without_its_control_characters) {
  const auto refused = subject::parse("a.b\r\nPUB x");
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST(refused.error().subject == "a.b\\x0d\\x0aPUB x");
  BOOST_TEST(refused.error().text
             == "invalid subject 'a.b\\x0d\\x0aPUB x' at position 4: "
                "only A-Z a-z 0-9 - _ / = are allowed");
  const auto long_one = subject::parse(std::string(1'000'000, ' '));
  BOOST_TEST(long_one.error().text.size() < 200u);
}

// -- relations ----------------------------------------------------------------

BOOST_AUTO_TEST_CASE(subjects_are_ordered_by_text_then_kind_and_hash_alike_when_equal) {
  std::vector<subject> sorted{at("b"), at("a.b"), at("a.*"), at("a._EVENTS"), at("a")};
  std::ranges::sort(sorted);
  std::string texts;
  for (const auto& x : sorted)
    texts += x.text() + " ";
  BOOST_TEST(texts == "a a.* a._EVENTS a.b b ");
  const subject as_such{of("a"), property::none()};
  BOOST_TEST((as_such < at("a")));
  BOOST_TEST((as_such != at("a")));
  std::unordered_set<subject> seen{at("a.b"), at("a.b"), at("a.c"), as_such, at("a")};
  BOOST_TEST(seen.size() == 4u);
  BOOST_TEST(std::hash<subject>{}(at("a.b")) == std::hash<subject>{}(at("a.b")));
  std::unordered_set<entity> entities{of("a"), of("a"), of("b")};
  BOOST_TEST(entities.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_name_covers_itself_alone) {
  BOOST_TEST(at("a.b").covers(at("a.b")));
  BOOST_TEST(!at("a.b").covers(at("a.c")));
  BOOST_TEST(!at("a.b").covers(at("a.b.c")));
  BOOST_TEST(!at("a.b").covers(at("a.*")));
}

BOOST_AUTO_TEST_CASE(all_properties_covers_the_entitys_own_and_no_grandchildren) {
  const auto pattern = at("a.*");
  for (const auto* inside : {"a.b", "a._EVENTS", "a.*"})
    BOOST_TEST(pattern.covers(at(inside)), inside);
  for (const auto* outside : {"a", "a.b.c", "a.b.*", "a.>", "b.c", "aa.b"})
    BOOST_TEST(!pattern.covers(at(outside)), outside);
  BOOST_TEST(!pattern.covers(subject{of("a"), property::none()}));
  BOOST_TEST(at("*").covers(at("a")));
  BOOST_TEST(!at("*").covers(at("a.b")));
}

BOOST_AUTO_TEST_CASE(all_descendants_covers_everything_below) {
  const auto pattern = at("a.>");
  for (const auto* inside : {"a.b", "a._EVENTS", "a.*", "a.>", "a.b.c", "a.b.c._EVENTS", "a.b.>"})
    BOOST_TEST(pattern.covers(at(inside)), inside);
  for (const auto* outside : {"a", "b", "aa.b", "ab.c.d", "b.a.c", ">", "*"})
    BOOST_TEST(!pattern.covers(at(outside)), outside);
  BOOST_TEST(!pattern.covers(subject{of("a"), property::none()}));
  BOOST_TEST(!pattern.covers(subject{of("a.b"), property::none()}));
  for (const auto* anything : {"a", "a.b.c", "_EVENTS", "*", ">"})
    BOOST_TEST(at(">").covers(at(anything)), anything);
}

BOOST_AUTO_TEST_SUITE_END()
