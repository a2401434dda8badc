#include "trunnion/tests/site/site_fixture.hpp"

#include <random>

using namespace trunnion;

namespace {

/// What the reader promises for every text: a site, or problems that say why not.
void check_promise(const std::string& text) {
  const auto report = read(text);
  BOOST_REQUIRE_MESSAGE(report.site.has_value() == report.problems.empty(), text);
  for (const auto& [where, what] : report.problems)
    BOOST_REQUIRE_MESSAGE(where.line > 0 && where.column > 0 && !what.empty(), text);
}

} // namespace

BOOST_AUTO_TEST_SUITE(hostile_files_test)

BOOST_AUTO_TEST_CASE(the_example_cut_at_any_byte_gives_a_site_or_problems) {
  const auto text = example_site();
  for (std::size_t end = 0; end <= text.size(); ++end)
    check_promise(text.substr(0, end));
}

BOOST_AUTO_TEST_CASE(the_example_with_random_changes_gives_a_site_or_problems) {
  const auto text = example_site();
  constexpr std::string_view pieces[] = {
    "{",     "}",     "[",           "]",  ":", ": ",   "- ",   "\n",    " ",  "\t",
    "&a ",   "*a",    "!!x ",        "<<", "?", "|\n",  ">\n",  "'",     "\"", "#",
    "---\n", "...\n", "%",           "@",  "`", "0123", ".nan", "1e999", "~",  "\xF0\x9F\x94\xAD",
    "\xC3",  "\x01",  "\xEF\xBB\xBF"};
  std::mt19937_64 random{7};
  for (int round = 0; round < 3'000; ++round) {
    auto changed = text;
    for (auto changes = 1 + random() % 4; changes > 0; --changes) {
      const auto at = random() % changed.size();
      const auto& piece = pieces[random() % std::size(pieces)];
      switch (random() % 4) {
      case 0: changed.erase(at, 1 + random() % 40); break;
      case 1: changed.insert(at, piece); break;
      case 2: changed.replace(at, 1, piece); break;
      default: changed.insert(at, changed.substr(random() % changed.size(), random() % 80)); break;
      }
      if (changed.empty())
        break;
    }
    check_promise(changed);
  }
}

BOOST_AUTO_TEST_CASE(large_files_of_every_bad_shape_are_read_in_a_moment) {
  const auto repeated = [](std::string_view piece) {
    std::string text{"version: 1\n"};
    while (text.size() + piece.size() < std::size_t{1} << 20U)
      text += piece;
    return text;
  };
  for (const std::string_view piece : {"[", "{a: ", "- ", "? ", "a: 1\n", "&a ", "x ", "\"", "'\n"})
    check_promise(repeated(piece));
  std::string keys{"version: 1\n"};
  for (int i = 0; keys.size() < 1'000'000; ++i)
    keys.append("k").append(std::to_string(i)).append(": 1\n");
  check_promise(keys);
}

BOOST_AUTO_TEST_CASE(a_thousand_services_that_all_depend_on_each_other_are_checked_in_a_moment) {
  std::string text{"version: 1\nsite: {name: s}\nservices:\n"};
  std::string all;
  for (int i = 0; i < 1'000; ++i) {
    text.append("  - {name: n")
      .append(std::to_string(i))
      .append(", kind: sim.mount, depends_on: [");
    for (int j = std::max(0, i - 100); j < i; ++j)
      text.append("n").append(std::to_string(j)).append(", ");
    text.append("]}\n");
    all.append("n").append(std::to_string(i)).append(", ");
  }
  text.append("groups: [{name: g, strategy: rest-for-one, members: [").append(all).append("]}]\n");
  const auto report = read(text);
  BOOST_TEST(report.site.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
