#include "trunnion/messages/remote_error.hpp"

#include "trunnion/tests/messages/vectors.hpp"

using namespace trunnion;
using namespace trunnion::test;

namespace {

/// What the peer puts in front of a message when it shows an error.
constexpr std::string_view shown_before = "Remote 'cmd' request error: ";

remote_failure result_of(dom::element x) {
  auto message = maybe_cut_text(x["str"]);
  BOOST_REQUIRE(message.starts_with(shown_before));
  remote_failure result{.message = message.substr(shown_before.size())};
  if (const dom::element details = x["details"]; !details.is_null())
    result.details = maybe_cut_text(details);
  return result;
}

/// What the peer was asked to encode. Other arguments than one text become a message by Python's
/// own rules, so that the message is taken from what it became.
remote_failure input_of(dom::element row) {
  auto result = result_of(row["parsed_back"]);
  const dom::array args = row["args"].get_array();
  if (args.size() == 1 && !args.at(0).is_int64())
    result.message = maybe_cut_text(args.at(0));
  result.details.reset();
  if (const dom::element details = row["details"]; !details.is_null())
    result.details = maybe_cut_text(details);
  return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(remote_error_test)

BOOST_AUTO_TEST_CASE(what_the_peer_encodes_is_encoded_alike_and_read_back) {
  const vector_file vectors{"remote_errors.json"};
  std::size_t encoded = 0, read = 0;
  for (const dom::element row : vectors["encode"].get_array()) {
    const auto name = text_of(row["case"]);
    const auto bytes = bytes_of(row["encoded"]);
    ++read;
    BOOST_TEST((decode_remote_error(bytes) == result_of(row["parsed_back"])), name);
    if (name.starts_with("lone surrogate")) // Only Python's strings can hold one.
      continue;
    ++encoded;
    BOOST_TEST((encode(input_of(row)) == bytes), name);
  }
  BOOST_TEST(read == 20u);
  BOOST_TEST(encoded == 18u);
}

BOOST_AUTO_TEST_CASE(what_the_peer_reads_is_read_alike) {
  const vector_file vectors{"remote_errors.json"};
  std::size_t errors = 0, others = 0;
  for (const dom::element row : vectors["parse"].get_array()) {
    const auto bytes = bytes_of(row["input"]);
    const auto read = decode_remote_error(bytes);
    const dom::element result = row["result"];
    ++(result.is_null() ? others : errors);
    if (result.is_null())
      BOOST_TEST(!read.has_value(), bytes.substr(0, 40));
    else
      BOOST_TEST((read == result_of(result)), bytes.substr(0, 40));
  }
  BOOST_TEST(errors == 22u);
  BOOST_TEST(others == 9u);
}

BOOST_AUTO_TEST_CASE(the_messages_of_the_peers_exceptions_are_encoded_alike) {
  const vector_file vectors{"remote_errors.json"};
  std::size_t rows = 0;
  for (const dom::element row : vectors["from_exception"].get_array()) {
    ++rows;
    const auto expected = std::string{remote_error_magic} + bytes_of(row["encoded_message_part"]);
    BOOST_TEST(encode({text_of(row["message"]), std::nullopt}) == expected);
    BOOST_TEST(encode({text_of(row["message"]), "trace"}) == expected + '\0' + "trace");
  }
  BOOST_TEST(rows == 6u);
}

BOOST_AUTO_TEST_CASE(the_magic_is_the_peers) {
  const vector_file vectors{"remote_errors.json"};
  BOOST_TEST(remote_error_magic == from_base64(vectors["magic_b64"].get_string().value()));
}

BOOST_AUTO_TEST_CASE(ill_formed_messages_are_mended_before_they_are_sent) {
  BOOST_TEST(encode({"a\xff", "b\xe2\x82"})
             == std::string{remote_error_magic} + "a\xef\xbf\xbd" + '\0' + "b\xef\xbf\xbd");
}

BOOST_AUTO_TEST_SUITE_END()
