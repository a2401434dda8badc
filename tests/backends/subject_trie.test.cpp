#include "trunnion/backends/common/subject_trie.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

using namespace trunnion;

namespace {

struct named {
  std::string name;
};

using trie = subject_trie<named>;

subject at(std::string_view text) { return *subject::parse(text); }

std::string found(const trie& x, std::string_view written) {
  std::string result;
  x.match(at(written), [&](const named& y) { result += y.name + " "; });
  return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(subject_trie_test)

BOOST_AUTO_TEST_CASE(a_subject_finds_what_covers_it_from_the_root_downwards) {
  trie x;
  named exact{"a.b.k"}, own{"a.b.*"}, below{"a.b.>"}, above{"a.>"}, root{">"}, beside{"a.bb.>"};
  for (auto* y : {&exact, &own, &below, &above, &root, &beside})
    std::ignore = x.add(at(y->name), *y);
  BOOST_TEST(found(x, "a.b.k") == "> a.> a.b.> a.b.* a.b.k ");
  BOOST_TEST(found(x, "a.b.c.k") == "> a.> a.b.> ");
  BOOST_TEST(found(x, "a.k") == "> a.> ");
  BOOST_TEST(found(x, "k") == "> ");
  BOOST_TEST(found(x, "a.bb.k") == "> a.> a.bb.> ");
  BOOST_TEST(x.size() == 6U);
}

BOOST_AUTO_TEST_CASE(watches_of_one_pattern_are_found_in_the_order_of_adding) {
  trie x;
  named one{"1"}, two{"2"}, three{"3"};
  const auto first = x.add(at("a.k"), one);
  std::ignore = x.add(at("a.k"), two);
  std::ignore = x.add(at("a.k"), three);
  BOOST_TEST(found(x, "a.k") == "1 2 3 ");
  x.remove(first);
  BOOST_TEST(found(x, "a.k") == "2 3 ");
}

BOOST_AUTO_TEST_CASE(a_place_knows_its_pattern) {
  trie x;
  named y;
  for (const auto* text : {"k", "a.k", "*", ">", "a.*", "a.b.>", "a._EVENTS"})
    BOOST_TEST(x.pattern_of(x.add(at(text), y)).text() == text);
}

BOOST_AUTO_TEST_CASE(it_finds_exactly_what_the_patterns_cover_whatever_comes_and_goes) {
  std::mt19937_64 random{7};
  const auto pick = [&](std::size_t n) { return random() % n; };
  const std::vector<std::string> owners{"", "a", "a.b", "a-b", "a.b.c", "b", "a.bb"};
  const std::vector<std::string> names{"k", "l", "*", ">", "_EVENTS"};
  const auto any = [&](std::size_t kinds) {
    const auto& owner = owners[pick(owners.size())];
    return at((owner.empty() ? "" : owner + ".") + names[pick(kinds)]);
  };
  trie x;
  std::vector<std::unique_ptr<named>> watches;
  std::map<named*, std::pair<subject, trie::place>> open;
  for (int step = 0; step < 4'000; ++step) {
    if (open.empty() || pick(5) < 3) {
      watches.push_back(std::make_unique<named>());
      const auto pattern = any(5);
      open[watches.back().get()] = {pattern, x.add(pattern, *watches.back())};
    } else {
      auto gone = std::next(open.begin(), static_cast<std::ptrdiff_t>(pick(open.size())));
      x.remove(gone->second.second);
      open.erase(gone);
    }
    const auto written = any(2);
    std::size_t covering = 0, matched = 0;
    for (const auto& [watch, where] : open)
      covering += where.first.covers(written) ? 1 : 0;
    x.match(written, [&](named& y) {
      ++matched;
      BOOST_REQUIRE(open.at(&y).first.covers(written));
    });
    BOOST_REQUIRE(matched == covering);
    BOOST_REQUIRE(x.size() == open.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()
