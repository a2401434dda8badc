#include "trunnion/runner/published.hpp"

#include <boost/test/unit_test.hpp>

using namespace trunnion;

BOOST_AUTO_TEST_SUITE(published_test)

BOOST_AUTO_TEST_CASE(an_event_is_told_by_its_members_in_their_order) {
  const auto said = read_published(R"({"event":"slew","token":"7:42","alt_deg":50.25,"ok":true})");
  BOOST_TEST(said.event == "slew");
  BOOST_TEST(said.text == "token 7:42, alt_deg 50.2, ok true");
}

BOOST_AUTO_TEST_CASE(nested_members_are_named_by_their_path) {
  const auto said = read_published(R"({"memory":{"total_bytes":1024,"ratio":{"free":0.5}}})");
  BOOST_TEST(said.event == "");
  BOOST_TEST(said.text == "memory.total_bytes 1024, memory.ratio.free 0.5");
}

BOOST_AUTO_TEST_CASE(a_long_text_is_cut) {
  std::string json = "{";
  for (int i = 0; i < 40; ++i) {
    json += i == 0 ? "\"m" : ",\"m";
    json += std::to_string(i);
    json += "\":1";
  }
  const auto said = read_published(json + "}");
  BOOST_TEST(said.text.ends_with("m11 1 ..."));
}

BOOST_AUTO_TEST_CASE(what_is_no_json_object_is_told_as_it_is) {
  for (const auto* text : {"", "42", "[1]", "{\"a\":", "plain words", "{\"a\":1,\"a\":2}"})
    BOOST_TEST(read_published(text).text == text);
}

BOOST_AUTO_TEST_SUITE_END()
