#include "trunnion/messages/errors.hpp"

#include "trunnion/messages/registration.hpp"
#include "trunnion/tests/fixtures/deterministic_fixture.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/exit_reason.hpp>

#include <set>

using namespace trunnion;
using namespace trunnion::test;

namespace {

struct fixture {
  deterministic_config cfg;
  caf::actor_system system{cfg};
};

std::vector<error_code> all_codes() {
  std::vector<error_code> result;
  for (auto code = 1; code <= static_cast<int>(error_code::internal); ++code)
    result.push_back(static_cast<error_code>(code));
  return result;
}

failure full() {
  return {error_code::lease_unavailable, certainty::unknown, "a.Lease", "held by host/1",
          held_lease{"host/1", "{}", 42, 3s}};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(errors_test, fixture)

BOOST_AUTO_TEST_CASE(an_error_keeps_code_certainty_subject_text_and_detail) {
  const auto error = to_error(full());
  BOOST_TEST((error == error_code::lease_unavailable));
  BOOST_TEST((error.category() == caf::atom("trunnion")));
  BOOST_TEST((to_failure(error) == full()));
}

BOOST_AUTO_TEST_CASE(an_error_keeps_everything_over_the_wire) {
  for (const auto code : all_codes()) {
    auto original = full();
    original.code = code;
    auto error = to_error(original);
    std::vector<char> bytes;
    caf::error copy;
    BOOST_TEST(!caf::binary_serializer(system, bytes)(error));
    BOOST_TEST(!caf::binary_deserializer(system, bytes)(copy));
    BOOST_TEST((to_failure(copy) == original), to_string(code));
  }
}

BOOST_AUTO_TEST_CASE(an_error_of_two_texts_was_not_applied) {
  const failure expected{error_code::timeout, certainty::not_applied, "a.b", "late", {}};
  BOOST_TEST((to_failure(to_error(error_code::timeout, "late", "a.b")) == expected));
  BOOST_TEST((fail(error_code::timeout, "late", "a.b").value() == expected));
}

BOOST_AUTO_TEST_CASE(a_code_without_a_context_is_still_a_failure) {
  const auto x = to_failure(caf::make_error(error_code::overloaded));
  BOOST_TEST((x == failure{.code = error_code::overloaded}));
}

BOOST_AUTO_TEST_CASE(a_request_that_timed_out_may_have_happened) {
  const auto x = to_failure(caf::make_error(caf::sec::request_timeout));
  BOOST_TEST((x.code == error_code::timeout));
  BOOST_TEST((x.certainty == certainty::unknown));
}

BOOST_AUTO_TEST_CASE(a_receiver_that_was_gone_did_nothing) {
  const auto x = to_failure(caf::make_error(caf::sec::request_receiver_down));
  BOOST_TEST((x.code == error_code::backend_unavailable));
  BOOST_TEST((x.certainty == certainty::not_applied));
}

BOOST_AUTO_TEST_CASE(other_errors_of_caf_are_never_taken_for_certain) {
  for (const auto code : {caf::sec::unexpected_message, caf::sec::unexpected_response}) {
    const auto x = to_failure(caf::make_error(code));
    BOOST_TEST((x.code == error_code::backend_protocol), caf::to_string(code));
    BOOST_TEST((x.certainty == certainty::unknown), caf::to_string(code));
  }
  const auto other = to_failure(caf::make_error(caf::sec::runtime_error, "what"));
  BOOST_TEST((other.code == error_code::internal));
  BOOST_TEST((other.certainty == certainty::unknown));
  BOOST_TEST(other.text.find("runtime_error") != std::string::npos, other.text);
  const auto killed = to_failure(caf::make_error(caf::exit_reason::kill));
  BOOST_TEST((killed.code == error_code::internal));
  BOOST_TEST((killed.certainty == certainty::unknown));
}

BOOST_AUTO_TEST_CASE(an_error_is_rendered_with_its_subject_and_text) {
  BOOST_TEST(system.render(to_error(full())) == "a.Lease: held by host/1");
  BOOST_TEST(system.render(to_error(error_code::timeout, "late")) == "late");
  BOOST_TEST(system.render(to_error(error_code::timeout, "", "a.b")) == "a.b: timeout");
  BOOST_TEST(system.render(caf::make_error(error_code::storage_full)) == "storage_full");
  // The text quotes the subject already.
  BOOST_TEST(system.render(to_error(error_code::invalid_subject, "invalid subject 'a b'", "a b"))
             == "invalid subject 'a b'");
}

BOOST_AUTO_TEST_CASE(codes_are_wire_format_and_have_names_of_their_own) {
  const std::vector<std::string> names{"invalid_subject",     "invalid_argument",
                                       "payload_too_large",   "storage_damaged",
                                       "key_not_found",       "revision_mismatch",
                                       "lease_unavailable",   "lease_abandoned",
                                       "stale_token",         "unregistered_responder",
                                       "remote_request",      "timeout",
                                       "backend_unavailable", "backend_protocol",
                                       "storage_full",        "overloaded",
                                       "version_mismatch",    "shutting_down",
                                       "cancelled",           "permission_denied",
                                       "unsupported",         "internal"};
  std::vector<std::string> actual;
  for (const auto code : all_codes())
    actual.push_back(to_string(code));
  BOOST_TEST(actual == names, boost::test_tools::per_element());
  BOOST_TEST(to_string(static_cast<error_code>(200)) == "unknown_error");
}

BOOST_AUTO_TEST_CASE(loss_reasons_are_wire_format_and_have_names_of_their_own) {
  const std::vector<std::string> names{
    "expired",       "paused",       "deleted",     "broken",      "superseded",
    "store_changed", "backend_lost", "holder_died", "no_progress", "shutdown"};
  std::vector<std::string> actual;
  for (std::size_t i = 1; i <= names.size(); ++i)
    actual.push_back(to_string(static_cast<loss_reason>(i)));
  BOOST_TEST(actual == names, boost::test_tools::per_element());
  BOOST_TEST(to_string(static_cast<loss_reason>(names.size() + 1)) == "unknown_reason");
}

BOOST_AUTO_TEST_CASE(each_code_has_its_exit_status) {
  using enum error_code;
  const std::map<int, std::set<error_code>> table{
    {1, {remote_request, unsupported, internal}},
    {2, {invalid_subject, invalid_argument}},
    {3, {key_not_found, unregistered_responder}},
    {4, {revision_mismatch, lease_unavailable, stale_token}},
    {5, {timeout}},
    {6,
     {lease_abandoned, backend_unavailable, backend_protocol, storage_full, overloaded,
      version_mismatch, shutting_down, cancelled}},
    {7, {permission_denied}},
    {8, {payload_too_large, storage_damaged}}};
  std::size_t compared = 0;
  for (const auto& [status, codes] : table)
    for (const auto code : codes) {
      ++compared;
      BOOST_TEST(exit_status(code) == status, to_string(code));
    }
  BOOST_TEST(compared == all_codes().size());
  BOOST_TEST(exit_status(static_cast<error_code>(200)) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
