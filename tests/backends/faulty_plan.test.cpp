#include "trunnion/backends/faulty/faulty_url.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace trunnion;
using namespace std::chrono_literals;

namespace {

fault_plan plan(std::string_view text) {
  auto read = parse_plan(text);
  if (!read) // Boost would look at the error in any case.
    BOOST_FAIL(text << ": " << to_string(read.error()));
  return *read;
}

/// Which of the first messages of a link are struck, as text.
std::string struck(const fault_dice& dice, fault_kind kind, std::uint64_t link, int count = 60) {
  std::string result;
  for (int n = 1; n <= count; ++n)
    result += dice.strikes(kind, {link, static_cast<std::uint64_t>(n)}) ? 'x' : '.';
  return result;
}

/// The file of a plan, gone with the test.
struct plan_file {
  explicit plan_file(std::string_view text) { std::ofstream{name} << text; }
  ~plan_file() { std::remove(name.c_str()); }
  plan_file(const plan_file&) = delete;
  plan_file& operator=(const plan_file&) = delete;
  std::string name = "./faulty_plan_test.plan";
};

} // namespace

BOOST_AUTO_TEST_SUITE(faulty_plan_test)

BOOST_AUTO_TEST_CASE(a_plan_is_read_and_printed_in_one_form) {
  const std::pair<const char*, const char*> table[] = {
    {"none", "none"},
    {"drop:0.01", "drop:0.01"},
    {"drop:0.01+delay:5ms", "drop:0.01+delay:1:5ms"},
    {"delay:5ms+drop:0.01", "drop:0.01+delay:1:5ms"},
    {"delay:0.25:1500us", "delay:0.25:1500us"},
    {"repeat:1+cut:0.001+stall:0.5:200ms", "repeat:1+cut:0.001:1s+stall:0.5:200ms"},
    {"drop:0", "drop:0"},
    {"cut:0.1:10m", "cut:0.1:10m"},
    {"delay:60s", "delay:1:1m"},
    {"# a calm link\ndrop:0.1 # but for this\r\n\tdelay:7ns\n", "drop:0.1+delay:1:7ns"},
    {"none # but a comment", "none"},
  };
  for (const auto& [text, printed] : table) {
    BOOST_TEST(to_string(plan(text)) == printed, text);
    BOOST_TEST((plan(to_string(plan(text))) == plan(text)), text);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_plan_is_told_what_would_be_right) {
  const std::pair<const char*, const char*> table[] = {
    {"", "drop:RATE"},
    {"#only a comment", "drop:RATE"},
    {"dorp:0.1", "'dorp:0.1' is no fault; known are drop:RATE, repeat:RATE, delay[:RATE]:TIME"},
    {"drop", "'drop' must read drop:RATE, with a RATE from 0 to 1 such as 0.01"},
    {"drop:", "must read drop:RATE"},
    {"drop:1.01", "must read drop:RATE"},
    {"drop:-0.1", "must read drop:RATE"},
    {"drop:1e-2", "must read drop:RATE"},
    {"drop:nan", "must read drop:RATE"},
    {"drop:0x1", "must read drop:RATE"},
    {"drop:0.1:5ms", "must read drop:RATE"},
    {"delay:0.1", "must read delay[:RATE]:TIME, with a RATE from 0 to 1 such as 0.01 and a TIME"},
    {"delay:5", "must read delay[:RATE]:TIME"},
    {"delay:0ms", "must read delay[:RATE]:TIME"},
    {"delay:-5ms", "must read delay[:RATE]:TIME"},
    {"delay:5 ms", "must read delay[:RATE]:TIME"},
    {"delay:1.5s", "must read delay[:RATE]:TIME"},
    {"delay:11m", "of 10m at most"},
    {"delay:9223372036854775807m", "of 10m at most"},
    {"delay:5ms:0.1", "must read delay[:RATE]:TIME"},
    {"cut:1s", "must read cut:RATE[:TIME]"},
    {"stall:0.1:1s:1s", "must read stall:RATE[:TIME]"},
    {"drop:0.1+drop:0.2", "the fault drop is there twice"},
    {"drop:0.1+none", "'none' is no fault"},
  };
  for (const auto& [text, hint] : table) {
    const auto read = parse_plan(text);
    BOOST_REQUIRE_MESSAGE(!read, text);
    BOOST_TEST((read.error().code == error_code::invalid_argument), text);
    BOOST_TEST(read.error().text.find(hint) != std::string::npos,
               text << " told: " << read.error().text);
  }
  BOOST_TEST(!parse_plan(std::string(max_plan_text, ' ') + "drop:0.1"));
  BOOST_TEST(parse_plan("drop\x1b[1m").error().text.find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_kind_says_what_it_is_and_its_form_is_read) {
  for (const auto& x : all_fault_kinds()) {
    BOOST_TEST(to_string(x.kind) == x.name);
    BOOST_TEST(!x.what.empty());
    const std::string with_rate = std::string{x.name} + ":0.5";
    const auto read = parse_plan(x.usual_length ? with_rate : with_rate + ":1s");
    BOOST_REQUIRE_MESSAGE(read, x.name);
    BOOST_TEST(read->rule(x.kind)->rate == 0.5);
  }
}

BOOST_AUTO_TEST_CASE(the_same_seed_decides_the_same_on_every_machine) {
  const fault_dice dice{7, plan("drop:0.25+delay:5ms")};
  BOOST_TEST(struck(dice, fault_kind::drop, 3)
             == "..x...........x..........x......x..........x......x.x.....x.");
  BOOST_TEST(dice.length(fault_kind::delay, {3, 1}).count() == 4'494'087);
  BOOST_TEST(struck({7, plan("drop:0.25")}, fault_kind::drop, 3)
             != struck({8, plan("drop:0.25")}, fault_kind::drop, 3));
  BOOST_TEST(struck(dice, fault_kind::drop, 3) != struck(dice, fault_kind::drop, 4));
}

BOOST_AUTO_TEST_CASE(leaving_one_fault_out_leaves_the_others_where_they_were) {
  const fault_dice all{3, plan("drop:0.3+repeat:0.3+delay:0.3:5ms+cut:0.3+stall:0.3")};
  for (const auto& left_out : all_fault_kinds()) {
    auto fewer = all.plan();
    fewer.rule(left_out.kind).reset();
    const fault_dice dice{3, fewer};
    for (const auto& other : all_fault_kinds())
      for (std::uint64_t link = 0; link < 5; ++link) {
        const bool same = struck(dice, other.kind, link, 500) == struck(all, other.kind, link, 500);
        BOOST_TEST(same == (other.kind != left_out.kind), left_out.name << " " << other.name);
      }
    BOOST_TEST((dice.length(fault_kind::delay, {1, 9}) == all.length(fault_kind::delay, {1, 9}))
               == (left_out.kind != fault_kind::delay));
  }
}

BOOST_AUTO_TEST_CASE(kinds_do_not_strike_the_same_messages) {
  const fault_dice dice{3, plan("drop:0.5+repeat:0.5")};
  BOOST_TEST(struck(dice, fault_kind::drop, 1) != struck(dice, fault_kind::repeat, 1));
}

BOOST_AUTO_TEST_CASE(faults_are_as_frequent_and_as_long_as_the_plan_says) {
  const fault_dice dice{11, plan("drop:0.1+repeat:0+cut:1:2s+delay:8ms")};
  int drops = 0;
  nanoseconds shortest = 1h, longest{}, sum{};
  for (std::uint64_t n = 0; n < 10'000; ++n) {
    drops += dice.strikes(fault_kind::drop, {1, n}) ? 1 : 0;
    BOOST_REQUIRE(!dice.strikes(fault_kind::repeat, {1, n}));
    BOOST_REQUIRE(!dice.strikes(fault_kind::stall, {1, n}));
    BOOST_REQUIRE(dice.strikes(fault_kind::cut, {1, n}));
    const auto delay = dice.length(fault_kind::delay, {1, n});
    shortest = std::min(shortest, delay);
    longest = std::max(longest, delay);
    sum += delay;
  }
  BOOST_TEST(drops > 900);
  BOOST_TEST(drops < 1'100);
  BOOST_TEST((shortest > 0ns && shortest < 100us));
  BOOST_TEST((longest <= 8ms && longest > 7900us));
  BOOST_TEST((sum > 10'000 * 3900us && sum < 10'000 * 4100us));
  BOOST_TEST((dice.length(fault_kind::cut, {1, 1}) == 2s));
}

BOOST_AUTO_TEST_CASE(a_url_has_a_seed_and_a_plan_in_any_order) {
  const auto read
    = read_faulty_url("faulty+nats://u:p#ss@h:1?a=b#plan=drop:0.01+delay:5ms,seed=12");
  BOOST_REQUIRE(read);
  BOOST_TEST(read->inner == "nats://u:p#ss@h:1?a=b");
  BOOST_TEST(read->seed == 12U);
  BOOST_TEST(to_string(read->plan) == "drop:0.01+delay:1:5ms");
  BOOST_TEST((read_faulty_url("faulty+memory:#seed=18446744073709551615,plan=none")->seed
              == 18'446'744'073'709'551'615U));
}

BOOST_AUTO_TEST_CASE(a_url_without_its_parts_is_told_them_and_repeats_no_secret) {
  for (const std::string url :
       {"faulty+memory:", "faulty+memory:#", "faulty+memory:#seed=1", "faulty+memory:#plan=none",
        "faulty+memory:#seed=1,plan=none,", "faulty+memory:#seed=1,seed=2,plan=none",
        "faulty+memory:#seed=1,plan=none,more=1", "faulty+nats://u:se#cret@h",
        "faulty+memory:#seed=-1,plan=none", "faulty+memory:#seed=1x,plan=none",
        "faulty+memory:#seed=18446744073709551616,plan=none", "faulty+memory:#seed=,plan=none"}) {
    const auto read = read_faulty_url(url);
    BOOST_REQUIRE_MESSAGE(!read, url);
    BOOST_TEST((read.error().code == error_code::invalid_argument), url);
    BOOST_TEST(read.error().text.find("seed=") != std::string::npos, url);
    BOOST_TEST(read.error().text.find("cret") == std::string::npos, url);
  }
}

BOOST_AUTO_TEST_CASE(a_plan_may_be_a_file) {
  const plan_file file{"# a bad night\ndrop:0.1\nstall:0.01\n"};
  const auto read = read_faulty_url("faulty+memory:#seed=1,plan=" + file.name);
  BOOST_REQUIRE(read);
  BOOST_TEST(to_string(read->plan) == "drop:0.1+stall:0.01:1s");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_plan_is_named) {
  const plan_file file{"drop:2\n"};
  for (const auto& name :
       {file.name, std::string{"./no/such:file"}, std::string{"nofile"}, std::string{"/tmp"}}) {
    const auto read = read_faulty_url("faulty+memory:#seed=1,plan=" + name);
    BOOST_REQUIRE_MESSAGE(!read, name);
    BOOST_TEST(read.error().text.find(name) != std::string::npos, read.error().text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
