#include "trunnion/messages/service_record.hpp"

#include <boost/test/unit_test.hpp>

using namespace trunnion;

BOOST_AUTO_TEST_SUITE(service_record_test)

BOOST_AUTO_TEST_CASE(a_record_is_written_as_the_peer_writes_it_and_read_back) {
  const service_record x{{"camera", "2.1.0"}, {wall_time{std::chrono::seconds{1'700'000'000}}}};
  const std::string json = R"({"info":{"name":"camera","version":"2.1.0"},)"
                           R"("last_registered":"2023-11-14T22:13:20.000000Z"})";
  BOOST_TEST(encode(x) == json);
  const auto read = decode_service_record(json);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((*read == x));
}

BOOST_AUTO_TEST_CASE(a_time_without_zone_and_further_members_are_read) {
  const auto read = decode_service_record(
    R"({"last_registered": "2026-01-02T03:04:05", "x": 1, "info": {"version": "", "name": "a"}})");
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->info.name == "a");
  BOOST_TEST(!read->last_registered.has_zone);
}

BOOST_AUTO_TEST_CASE(what_is_no_record_is_refused_with_its_reason) {
  for (const char* json : {"", "[]", "{}", R"({"info":{"name":"a","version":"1"}})",
                           R"({"info":{"name":1,"version":"1"},"last_registered":"2026-01-02"})",
                           R"({"info":{"name":"a","version":"1"},"last_registered":"now"})"}) {
    const auto read = decode_service_record(json);
    BOOST_REQUIRE_MESSAGE(!read.has_value(), json);
    BOOST_TEST((read.error().code == error_code::storage_damaged));
  }
}

BOOST_AUTO_TEST_CASE(a_name_survives_quotes_and_line_breaks) {
  const std::string name = "a \"b\"\n\\c";
  BOOST_TEST(name_in(encode_name(name)).value() == name);
  BOOST_TEST(!name_in("null").has_value());
  BOOST_TEST(!name_in(R"({"name":7})").has_value());
  BOOST_TEST(!name_in("not json").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
