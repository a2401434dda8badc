// What the replays of the peers' recorded scenarios share.
//
// Each replay plays the steps of a file on a backend of ours, puts both results into words, and
// collects the steps whose words differ. A test holds them against the differences that we mean,
// each with its reason: one that is not in its table fails, and so does a row that is none.

#pragma once

#include "trunnion/tests/conformance/conformance.hpp"
#include "trunnion/tests/messages/vectors.hpp"

namespace trunnion::test {

/// One step whose results differ.
struct replayed_difference {
  std::string scenario;
  std::size_t step = 0; ///< From 0.
  std::string peer;
  std::string ours;
};

struct replay_report {
  std::size_t scenarios = 0;
  std::size_t steps = 0;   ///< Compared.
  std::size_t shifted = 0; ///< Writes whose revision has another number than the peer's.
  std::vector<replayed_difference> differences;
  std::vector<std::string> left_out; ///< Scenarios that need more than a backend.
};

/// A member of a JSON object, if it is there and such a `T`.
template <class T> std::optional<T> member(dom::element x, std::string_view name) {
  T result;
  auto found = x[name];
  if (found.get(result) != simdjson::SUCCESS)
    return std::nullopt;
  return result;
}

inline std::optional<nanoseconds> seconds_of(dom::element step, std::string_view name) {
  const auto seconds = member<double>(step, name); // Of an integer, too.
  if (!seconds)
    return std::nullopt;
  return std::chrono::round<milliseconds>(std::chrono::duration<double>{*seconds});
}

/// Bytes as a step names them.
inline payload payload_of(dom::element value) {
  if (value.is_string())
    return payload{text_of(value)};
  if (const auto times = member<std::uint64_t>(value, "times"))
    return payload{std::string(*times, text_of(value["repeat"]).front())};
  return payload{from_base64(value["b64"].get_string())};
}

/// The entity that a step is about.
inline outcome<entity> owner_of(dom::element step) {
  std::vector<std::string> path{"dev"};
  if (const auto given = member<dom::array>(step, "path")) {
    path.clear();
    for (const auto segment : *given)
      path.push_back(text_of(segment));
  }
  return entity::make(path);
}

/// The address, made as every caller must make it.
inline outcome<subject> address_of(dom::element step) {
  const auto make = [&](const property& prop) {
    return owner_of(step).and_then([&](const auto& owner) { return subject::make(owner, prop); });
  };
  const auto named = member<std::string_view>(step, "key");
  if (!named)
    return make(member<bool>(step, "deep").value_or(false) ? property::all_descendants()
                                                           : property::all_properties());
  const auto key = *named;
  if (key == "<ALL_PROPERTIES>")
    return make(property::all_properties());
  if (key == "<ALL_DESCENDANTS>")
    return make(property::all_descendants());
  if (key == "<EVENTS>")
    return make(property::events());
  if (key == "<NONE>")
    return make(property::none());
  return property::named(key).and_then(make);
}

/// Bytes, unless there are too many to read.
inline std::string short_words(std::string_view bytes) {
  return bytes.size() > 1'000 ? "<" + std::to_string(bytes.size()) + " bytes>" : std::string{bytes};
}

inline std::string joined(std::vector<std::string> words, bool sorted) {
  if (sorted)
    std::ranges::sort(words);
  std::string result;
  for (const auto& x : words)
    result += "[" + x + "]";
  return result;
}

inline std::string words_of_value(dom::element x) {
  if (x.is_null())
    return "(nothing)";
  if (x.is_string())
    return text_of(x);
  if (const auto length = member<std::uint64_t>(x, "length"))
    return "<" + std::to_string(*length) + " bytes>";
  return from_base64(x["b64"].get_string());
}

/// A step whose result is not the peer's, and why we mean it so.
struct meant_difference {
  std::string scenario;
  std::size_t step;
  std::string ours;
  std::string reason;
};

/// Holds a replay against what is meant, and counts the differences by their reasons.
inline std::map<std::string, std::size_t>
count_differences(const replay_report& report, const std::vector<meant_difference>& meant) {
  std::map<std::string, std::size_t> counts;
  for (const auto& x : report.differences) {
    const auto row = std::ranges::find_if(
      meant, [&](const auto& y) { return y.scenario == x.scenario && y.step == x.step; });
    BOOST_TEST_CONTEXT(x.scenario << ", step " << x.step << ": " << x.peer << " by the peer") {
      BOOST_TEST((row != meant.end()), "not a difference that we mean: " << x.ours);
      if (row == meant.end())
        continue;
      BOOST_TEST(x.ours == row->ours, row->reason << ": " << x.ours);
      ++counts[row->reason];
    }
  }
  BOOST_TEST(report.differences.size() == meant.size()); // No row is out of date.
  return counts;
}

} // namespace trunnion::test
