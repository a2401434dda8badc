// The conformance suite: what every backend must do, whatever it is made of.
//
// A check is a sentence and a function. It gets a fresh backend in a world of its own, and the
// engine's capabilities, which are all that it may depend on. A test program names a target and
// adds all checks to Boost's tree with `add_conformance_suite`.

#pragma once

#include "trunnion/tests/conformance/client.hpp"

namespace trunnion::test {

/// A backend to check.
struct conformance_target {
  std::string name;
  std::function<std::unique_ptr<world>(const limits&)> make_world;
  capabilities expected; ///< What it must say that it can do.
};

/// What a check is given.
class bench {
public:
  bench(const conformance_target& target, const limits& bounds)
    : can(target.expected), where(target.make_world(bounds)), a(*where) {}

  const capabilities& can;
  std::unique_ptr<world> where;
  client a; ///< The first client; checks make more where they need them.

  client more(sink_manner manner = sink_manner::grants) { return client{*where, manner}; }
  void pass(nanoseconds span) { where->pass(span); }
  void settle() { where->settle(); }
  backend_status status() { return a.get(get_backend_status{}); }

  /// A TTL that the engine keeps, as it is: not rounded.
  [[nodiscard]] nanoseconds ttl() const {
    return std::max<nanoseconds>(std::chrono::seconds{2}, can.least_ttl);
  }

  /// How long after a deadline a watch may take to be told.
  [[nodiscard]] nanoseconds telling() const { return can.expiry_told_within; }
};

struct conformance_check {
  std::string group;
  std::string name;
  void (*run)(bench&);
  limits bounds;
};

inline std::vector<conformance_check>& conformance_checks() {
  static std::vector<conformance_check> all;
  return all;
}

struct conformance_registration {
  conformance_registration(std::string group, std::string name, void (*run)(bench&),
                           const limits& bounds = {}) {
    conformance_checks().push_back({std::move(group), std::move(name), run, bounds});
  }
};

/// Adds every check, against `target`, as the suite `conformance_<name>/<group>`.
inline std::size_t add_conformance_suite(const conformance_target& target) {
  namespace ut = boost::unit_test;
  auto* suite = BOOST_TEST_SUITE("conformance_" + target.name);
  std::map<std::string, ut::test_suite*> groups;
  for (const auto& check : conformance_checks()) {
    auto& group = groups[check.group];
    if (!group)
      suite->add(group = BOOST_TEST_SUITE(check.group));
    group->add(ut::make_test_case(
      [target, check] {
        bench b{target, check.bounds};
        check.run(b);
      },
      check.name, __FILE__, __LINE__));
  }
  ut::framework::master_test_suite().add(suite);
  return conformance_checks().size();
}

} // namespace trunnion::test

/// `CONFORMANCE(group, a_sentence) { ... }` with `b`, the bench; a third argument are limits.
#define CONFORMANCE(group, sentence, ...)                                                          \
  inline void sentence(bench& b);                                                                  \
  inline const conformance_registration registered_##sentence{                                     \
    #group, #sentence, sentence __VA_OPT__(, ) __VA_ARGS__};                                       \
  inline void sentence([[maybe_unused]] bench& b)
