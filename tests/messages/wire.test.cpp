#include "trunnion/tests/messages/wire.hpp"

#include "trunnion/messages/lease.hpp"
#include "trunnion/messages/registration.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/deep_to_string.hpp>

#include <set>

using namespace trunnion;
using namespace trunnion::test;

namespace {

wire_samples all_samples() {
  auto result = failure_samples();
  for (auto more : {store_samples(), lease_samples(), group_samples(), request_samples()})
    result.insert(result.end(), more.begin(), more.end());
  return result;
}

using buffer = std::vector<char>;

struct fixture {
  /// As the middleman writes a message.
  buffer write(const caf::message& message) {
    buffer bytes;
    caf::binary_serializer sink{system, bytes};
    BOOST_TEST(!message.save(sink)); // The call operator of CAF 0.17 drops a message's errors.
    return bytes;
  }

  caf::error read(const buffer& bytes, caf::message& into) {
    caf::binary_deserializer source{system, bytes};
    return into.load(source);
  }

  /// Reads one value that somebody else wrote as these members, one after the other.
  template <class T, class... Ts> caf::error read_as(T& into, Ts... members) {
    buffer bytes;
    BOOST_TEST(!caf::binary_serializer(system, bytes)(members...));
    return caf::binary_deserializer(system, bytes)(into);
  }

  deterministic_config cfg;
  caf::actor_system system{cfg};
};

/// The number that CAF writes for a member of an enumeration.
template <class Enum> std::uint8_t code(Enum x) { return static_cast<std::uint8_t>(x); }

} // namespace

BOOST_FIXTURE_TEST_SUITE(wire_test, fixture)

BOOST_AUTO_TEST_CASE(every_registered_message_has_a_sample) {
  std::set<std::string> registered, sampled;
  for (const auto& [name, factory] : cfg.value_factories_by_name)
    if (name.starts_with("trunnion::"))
      registered.insert(name);
  for (const auto& x : all_samples())
    sampled.insert(x.type);
  BOOST_TEST(registered == sampled, boost::test_tools::per_element());
  BOOST_TEST(registered.size() >= 68u);
}

BOOST_AUTO_TEST_CASE(every_message_survives_a_round_trip) {
  for (const auto& x : all_samples()) {
    caf::message copy;
    const auto failed = read(write(x.message), copy);
    BOOST_TEST(!failed, x.type << ": " << system.render(failed));
    BOOST_TEST(x.equal(x.message, copy), to_string(x.message) << " became " << to_string(copy));
  }
}

BOOST_AUTO_TEST_CASE(samples_of_one_type_differ_on_the_wire) {
  std::map<std::string, std::set<buffer>> seen;
  for (const auto& x : all_samples())
    BOOST_TEST(seen[x.type].insert(write(x.message)).second, to_string(x.message));
}

BOOST_AUTO_TEST_CASE(a_message_that_was_cut_anywhere_is_refused) {
  for (const auto& x : all_samples()) {
    const auto whole = write(x.message);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      caf::message copy;
      const buffer part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      BOOST_TEST(!!read(part, copy), x.type << " cut to " << length);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_message_prints_itself_readably) {
  for (const auto& x : all_samples()) {
    const auto text = to_string(x.message);
    BOOST_TEST(text.find("unprintable") == std::string::npos, text);
    BOOST_TEST_MESSAGE(text);
  }
}

BOOST_AUTO_TEST_CASE(messages_print_subjects_optional_members_and_variants_as_a_person_reads_them) {
  const auto text = [](const auto& x) { return caf::deep_to_string(x); };
  BOOST_TEST(text(kv_delete{at("a.b"), revision{9}}) == "kv_delete(a.b, 9, none)");
  BOOST_TEST(text(kv_delete{at("a.b"), {}}) == "kv_delete(a.b, none, none)");
  BOOST_TEST(text(lease_refresh{keep_record{}}) == "lease_refresh(keep_record())");
  BOOST_TEST(text(lease_refresh{"{}"}) == R"(lease_refresh("{}"))");
}

BOOST_AUTO_TEST_CASE(a_subject_whose_text_is_invalid_is_refused_when_it_is_read) {
  subject x;
  BOOST_TEST(!read_as(x, std::string{"a.b"}, code(property_kind::name)));
  BOOST_TEST((x == at("a.b")));
  for (const std::string text :
       {"", "a b", "a\r\nPUB x", "a..b", ".a", "a.", "*.a", "_EVENTS.a", "\xc4\x8d"})
    BOOST_TEST(!!read_as(x, text, code(property_kind::name)), text);
  BOOST_TEST(!!read_as(x, std::string(513, 'x'), code(property_kind::name)));
  BOOST_TEST(!!read_as(x, std::string(129, 'x'), code(property_kind::none)));
  BOOST_TEST(!!read_as(x, std::string(70'000, 'x'), code(property_kind::none)));
}

BOOST_AUTO_TEST_CASE(a_subject_whose_kind_is_not_that_of_its_text_is_refused_when_it_is_read) {
  const std::map<std::string, property_kind> right{{"a.b", property_kind::name},
                                                   {"a._EVENTS", property_kind::events},
                                                   {"a.*", property_kind::all_properties},
                                                   {"a.>", property_kind::all_descendants}};
  for (const auto& [text, kind] : right)
    for (std::uint8_t other = 0; other < 8; ++other) {
      subject x;
      const auto refused = !!read_as(x, text, other);
      const bool fits
        = other == code(kind) || (other == code(property_kind::none) && text == "a.b");
      BOOST_TEST(refused != fits, text << " as " << int{other});
      if (fits)
        BOOST_TEST(x.text() == text);
    }
}

BOOST_AUTO_TEST_CASE(a_subject_read_from_the_wire_knows_its_parts) {
  for (const auto& x : {at("a.b.c"), at("c"), at("a._EVENTS"), at("*"), at("a.b.>"), subject{},
                        subject{at("a.b.c").owner(), property::none()}}) {
    subject copy = at("other.one");
    BOOST_TEST(!read_as(copy, x.text(), code(x.kind())));
    BOOST_TEST((copy == x), x.text());
    BOOST_TEST((copy.owner() == x.owner()), x.text());
    BOOST_TEST((copy.prop() == x.prop()), x.text());
  }
}

BOOST_AUTO_TEST_CASE(an_entity_that_is_invalid_is_refused_when_it_is_read) {
  entity x;
  BOOST_TEST(!read_as(x, std::string{"a.b"}));
  BOOST_TEST(x.text() == "a.b");
  for (const std::string text : {"a b", "a..b", ".", "*", "_EVENTS"})
    BOOST_TEST(!!read_as(x, text), text);
}

BOOST_AUTO_TEST_CASE(an_alternative_that_is_not_known_is_refused_when_it_is_read) {
  failure_detail detail;
  BOOST_TEST(!read_as(detail, std::uint8_t{1}, true));
  BOOST_TEST((detail == failure_detail{missing_key{true}}));
  for (const auto index : {std::uint8_t{6}, std::uint8_t{255}})
    BOOST_TEST(!!read_as(detail, index, std::uint64_t{0}));
}

BOOST_AUTO_TEST_CASE(a_payload_whose_length_is_a_lie_is_refused_before_memory_is_taken) {
  const buffer bytes{'\xff', '\xff', '\xff', '\xff', '\x07', 'x'}; // Two gibibytes.
  payload x;
  BOOST_TEST(!!caf::binary_deserializer(system, bytes)(x));
  BOOST_TEST(x.size() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
