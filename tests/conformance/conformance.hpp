// The conformance suite: what every backend must do, whatever it is made of.
//
// A check is a sentence and a function. It gets a fresh backend in a world of its own, and the
// engine's capabilities, which are all that it may depend on. A test program names its targets with
// `add_conformance_suite`; the checks are registered by including them in any of its files.
//
// A check that has no meaning for an engine skips itself and says why. The target must name such
// checks beforehand, so that nothing is left out unseen.

#pragma once

#include "trunnion/tests/conformance/client.hpp"

#include <boost/shared_ptr.hpp>

#include <iostream>
#include <set>

namespace trunnion::test {

/// A backend to check.
struct conformance_target {
  std::string name;
  std::function<std::unique_ptr<world>(const setting&)> make_world;
  capabilities expected; ///< What it must say that it can do.

  /// Cuts the engine off from its clients and its store for a moment, as a lost connection does.
  /// Without it, checks of interruptions are skipped.
  std::function<void(world&)> interrupt;

  bool keeps_few_messages = true; ///< It can be told how many messages to keep.
  bool tells_withdrawals = true;  ///< It knows at once when a caller is gone.
  std::set<std::string> skipped;  ///< The checks that skip themselves here.
  std::set<std::string> left_out; ///< Groups that are not run here at all.
};

/// What a check is given.
class bench {
public:
  bench(const conformance_target& target, const setting& wanted)
    : can(target.expected), of(target), where(target.make_world(wanted)), a(*where) {}

  const capabilities& can;
  const conformance_target& of;
  std::unique_ptr<world> where;
  client a; ///< The first client; checks make more where they need them.

  client more(sink_manner manner = sink_manner::grants) { return client{*where, manner}; }
  void pass(nanoseconds span) { where->pass(span); }
  void settle() { where->settle(); }
  [[nodiscard]] instant now() const { return where->now(); }
  void pass_until(instant then) {
    if (then > now())
      where->pass(then - now());
  }
  backend_status status() { return a.get(get_backend_status{}); }

  /// Ends the check if it has no meaning here.
  void needs(bool what, const char* reason) const {
    if (!what)
      throw check_skipped{reason};
  }

  void interrupt() {
    needs(static_cast<bool>(of.interrupt), "the engine cannot be interrupted by a test");
    of.interrupt(*where);
    settle();
  }

  /// Waits until it is so; the check ends if it never is.
  void wait_until(const std::function<bool()>& it_is_so, const std::string& what) {
    REQUIRE_FOR(what, where->wait_until(it_is_so, client::patience));
  }

  /// Whether what must hold until `deadline` can still be judged: a busy computer may be late.
  [[nodiscard]] bool still_before(instant deadline) const { return now() < deadline; }

  /// How long before a deadline one looks whether something is still so.
  [[nodiscard]] nanoseconds lead() const { return milliseconds{10} + where->slack() / 2; }

  /// A TTL that the engine keeps, as it is: not rounded.
  [[nodiscard]] nanoseconds ttl() const { return std::max(where->short_ttl(), can.least_ttl); }

  /// How long after a deadline a watch may take to be told.
  [[nodiscard]] nanoseconds telling() const { return can.expiry_told_within + where->slack(); }

  /// How long after a deadline a reader may still see a key.
  [[nodiscard]] nanoseconds reading() const { return can.expiry_slack + where->slack(); }
};

struct conformance_check {
  std::string group;
  std::string name;
  void (*run)(bench&);
  setting wanted;
};

inline std::vector<conformance_check>& conformance_checks() {
  static std::vector<conformance_check> all;
  return all;
}

struct conformance_registration {
  conformance_registration(std::string group, std::string name, void (*run)(bench&),
                           const setting& wanted = {}) {
    conformance_checks().push_back({std::move(group), std::move(name), run, wanted});
  }
  conformance_registration(std::string group, std::string name, void (*run)(bench&),
                           const limits& bounds)
    : conformance_registration(std::move(group), std::move(name), run, setting{bounds, 0}) {}
};

/// What came of one check.
struct check_result {
  std::vector<finding> findings;
  std::optional<std::string> skipped; ///< Why.
};

inline check_result run_check(const conformance_target& target, const conformance_check& check) {
  check_result result;
  const auto outer = std::exchange(findings(), &result.findings);
  try {
    bench b{target, check.wanted};
    check.run(b);
  } catch (const check_skipped& x) {
    result.skipped = x.what();
  } catch (const check_ended&) {
    // What was wrong has been collected.
  } catch (const std::exception& x) {
    result.findings.push_back({__FILE__, __LINE__, std::string{"an exception: "} + x.what()});
  }
  findings() = outer;
  return result;
}

/// The suite `conformance_<name>/<group>` of all checks that are registered when Boost begins.
class conformance_suite_maker : public boost::unit_test::test_unit_generator {
public:
  explicit conformance_suite_maker(conformance_target target) : target_(std::move(target)) {}

  boost::unit_test::test_unit* next() const override {
    if (std::exchange(is_made_, true))
      return nullptr;
    auto* suite = BOOST_TEST_SUITE("conformance_" + target_.name);
    std::map<std::string, boost::unit_test::test_suite*> groups;
    const auto skipped = std::make_shared<std::map<std::string, std::string>>();
    std::size_t count = 0;
    for (const auto& check : conformance_checks()) {
      if (target_.left_out.contains(check.group))
        continue;
      ++count;
      auto& group = groups[check.group];
      if (!group)
        suite->add(group = BOOST_TEST_SUITE(check.group));
      group->add(boost::unit_test::make_test_case(
        [target = target_, check, skipped] { judge(target, check, *skipped); }, check.name,
        __FILE__, __LINE__));
    }
    suite->add(boost::unit_test::make_test_case(
      [name = target_.name, left_out = target_.left_out, count, skipped] {
        BOOST_TEST(conformance_checks().size() >= 150U);
        for (const auto& group : left_out)
          std::cerr << "conformance_" << name << ": left out the group " << group << "\n";
        for (const auto& [check, reason] : *skipped)
          std::cerr << "conformance_" << name << ": skipped " << check << ", since " << reason
                    << "\n";
        std::cerr << "conformance_" << name << ": " << count << " checks, " << skipped->size()
                  << " skipped\n";
      },
      "what_was_skipped_is_counted_and_listed", __FILE__, __LINE__));
    return suite;
  }

private:
  static void judge(const conformance_target& target, const conformance_check& check,
                    std::map<std::string, std::string>& skipped) {
    const auto result = run_check(target, check);
    for (const auto& x : result.findings)
      BOOST_ERROR(x.file << "(" << x.line << "): " << x.text);
    if (result.skipped)
      skipped.emplace(check.name, *result.skipped);
    if (result.skipped.has_value() != target.skipped.contains(check.name))
      BOOST_ERROR(check.name << (result.skipped
                                   ? " was skipped unforeseen, since " + *result.skipped
                                   : std::string{" was to be skipped, and was not"}));
  }

  conformance_target target_;
  mutable bool is_made_ = false;
};

/// Adds every check, against `target`. For the start of a program: `const bool added = ...`.
inline bool add_conformance_suite(conformance_target target) {
  boost::unit_test::framework::master_test_suite().add(
    boost::shared_ptr<boost::unit_test::test_unit_generator>{
      new conformance_suite_maker{std::move(target)}},
    boost::unit_test::decorator::collector_t::instance());
  return true;
}

} // namespace trunnion::test

/// `CONFORMANCE(group, a_sentence) { ... }` with `b`, the bench; a third argument are limits, or a
/// setting.
#define CONFORMANCE(group, sentence, ...)                                                          \
  inline void sentence(bench& b);                                                                  \
  inline const conformance_registration registered_##sentence{                                     \
    #group, #sentence, sentence __VA_OPT__(, ) __VA_ARGS__};                                       \
  inline void sentence([[maybe_unused]] bench& b)
