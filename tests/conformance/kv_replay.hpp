// Plays the peer's recorded key-value scenarios on a backend of ours, and compares step by step.
//
// Both results are put into words, such as `k@2=v` or `RevisionError`, so that a difference can be
// read and written down. Revisions are compared by what they name: ours grow by other steps where
// we mean to differ, so each revision of the peer's is translated to the one of ours that the same
// write got, and the translation must never change.

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

class kv_replay {
public:
  explicit kv_replay(bench& b) : b_(b) {}

  void play(dom::element scenario, replay_report& report) {
    std::size_t index = 0;
    for (const auto row : scenario["steps"].get_array()) {
      const dom::element step = row["step"];
      const auto both = member<dom::element>(row, "both");
      const dom::element peer = both ? *both : row["nats"].value();
      const auto ours = run(step);
      note_revision(peer, report);
      const auto theirs = words_of(peer, text_of(step["op"]));
      if (ours != theirs)
        report.differences.push_back({text_of(scenario["scenario"]), index, theirs, ours});
      ++index;
    }
    report.steps += index;
    ++report.scenarios;
  }

private:
  // -- our side ---------------------------------------------------------------

  std::string run(dom::element step) {
    const auto op = text_of(step["op"]);
    last_write_.reset();
    if (op == "sleep") {
      b_.pass(*seconds_of(step, "seconds"));
      return "done";
    }
    if (op == "close") {
      b_.a.tell(unwatch{open_.at(text_of(step["id"])).id});
      return "done";
    }
    if (op == "drain")
      return drain(text_of(step["id"]));
    const auto where = address_of(step);
    if (!where)
      return to_string(where.error().code);
    if (op == "create")
      return written(*where, step,
                     b_.a.ask(kv_create{*where, value_of(step), seconds_of(step, "ttl")}));
    if (op == "update")
      return written(
        *where, step,
        b_.a.ask(kv_update{*where, value_of(step), expected_of(step), seconds_of(step, "ttl")}));
    if (op == "get")
      return words_of(b_.a.ask(kv_get{*where}).map([](const auto& x) { return x.entry; }));
    if (op == "delete")
      return words_of(b_.a.ask(kv_delete{*where, expected_of(step)}));
    if (op == "monitor" || op == "monitor_all")
      return open(text_of(step["id"]), *where);
    if (op == "get_all" || op == "initial_batch")
      return list(*where);
    BOOST_FAIL("no such step: " << op);
    return "";
  }

  std::string written(const subject& where, dom::element step, const outcome<kv_written>& answer) {
    if (!answer)
      return words_of(answer.error());
    last_write_ = answer->revision;
    return words_of({where, value_of(step), answer->revision, {}, {}, {}});
  }

  std::string open(const std::string& id, const subject& pattern) {
    const auto answer = b_.a.ask(watch{pattern, ++last_id_, 16});
    if (!answer)
      return words_of(answer.error());
    open_[id] = {last_id_};
    return "done";
  }

  std::string drain(const std::string& id) {
    b_.pass(milliseconds{350});
    const auto known = open_.find(id);
    if (known == open_.end())
      return "not open";
    auto& [watch, drained, is_initial] = known->second;
    is_initial_drain_ = std::exchange(is_initial, false);
    std::vector<entry> entries;
    for (const auto& part : b_.a.of(watch).parts)
      entries.insert(entries.end(), part.entries.begin(), part.entries.end());
    entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(drained));
    drained += entries.size();
    return words_of(entries, is_initial_drain_);
  }

  std::string list(const subject& pattern) {
    const auto id = ++last_id_;
    b_.a.get(kv_list{pattern, id, 16});
    BOOST_REQUIRE(
      b_.a.wait(id, [](const told& x) { return x.count(part_kind::snapshot_end) > 0; }));
    return words_of(b_.a.of(id).snapshot(), true);
  }

  // -- what the steps say -----------------------------------------------------

  static std::optional<nanoseconds> seconds_of(dom::element step, std::string_view name) {
    const auto seconds = member<double>(step, name); // Of an integer, too.
    if (!seconds)
      return std::nullopt;
    return std::chrono::round<milliseconds>(std::chrono::duration<double>{*seconds});
  }

  /// The revision that the peer names, as the one of ours for the same write.
  std::optional<revision> expected_of(dom::element step) const {
    const auto x = member<std::int64_t>(step, "revision");
    if (!x)
      return std::nullopt;
    if (*x == 0)
      return revision{0};
    const auto known = ours_of_.find(static_cast<std::uint64_t>(*x));
    return known == ours_of_.end() ? revision{1'000'000 + static_cast<std::uint64_t>(*x)}
                                   : known->second;
  }

  static payload value_of(dom::element step) {
    const auto value = step["value"].value();
    if (value.is_string())
      return payload{text_of(value)};
    if (const auto times = member<std::uint64_t>(value, "times"))
      return payload{std::string(*times, text_of(value["repeat"]).front())};
    return payload{from_base64(value["b64"].get_string())};
  }

  /// The address, made as every caller must make it.
  static outcome<subject> address_of(dom::element step) {
    std::vector<std::string> path{"dev"};
    if (const auto given = member<dom::array>(step, "path")) {
      path.clear();
      for (const auto segment : *given)
        path.push_back(text_of(segment));
    }
    const auto make = [&](const property& prop) {
      return entity::make(path).and_then(
        [&](const auto& owner) { return subject::make(owner, prop); });
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

  // -- in words ---------------------------------------------------------------

  static std::string words_of(std::string_view bytes) {
    return bytes.size() > 1'000 ? "<" + std::to_string(bytes.size()) + " bytes>"
                                : std::string{bytes};
  }

  static std::string words_of(const entry& x) {
    if (!x.is_live())
      return x.subject.text() + " deleted";
    return x.subject.text() + "@" + to_string(x.revision) + "=" + words_of(x.payload.bytes());
  }

  /// Initial entries are compared by name, since nothing is promised about their order.
  static std::string words_of(const std::vector<entry>& entries, bool sorted) {
    std::vector<std::string> result;
    for (const auto& x : entries)
      result.push_back(words_of(x));
    return joined(std::move(result), sorted);
  }

  static std::string joined(std::vector<std::string> words, bool sorted) {
    if (sorted)
      std::ranges::sort(words);
    std::string result;
    for (const auto& x : words)
      result += "[" + x + "]";
    return result;
  }

  static std::string words_of(const failure& x) {
    if (x.code == error_code::revision_mismatch)
      return "RevisionError";
    if (x.code != error_code::key_not_found)
      return to_string(x.code);
    return std::get<missing_key>(x.detail).deleted ? "KeyNotFound deleted" : "KeyNotFound";
  }

  static std::string words_of(const outcome<entry>& x) {
    return x ? words_of(*x) : words_of(x.error());
  }

  static std::string words_of(const outcome<kv_deleted>& x) {
    return x ? "done" : words_of(x.error());
  }

  // -- the peer's side --------------------------------------------------------

  /// Remembers which revision of ours is the peer's, if both wrote.
  void note_revision(dom::element peer, replay_report& report) {
    const auto ok = member<dom::element>(peer, "ok");
    if (!last_write_ || !ok || !ok->is_object())
      return;
    const auto theirs = (*ok)["revision"].get_uint64().value();
    report.shifted += theirs == last_write_->value ? 0 : 1;
    BOOST_REQUIRE((ours_of_.try_emplace(theirs, *last_write_).first->second == *last_write_));
  }

  std::string words_of(dom::element peer, const std::string& op) {
    if (const auto error = member<std::string_view>(peer, "error"))
      return words_of_error(peer, *error);
    const auto ok = peer["ok"].value();
    if (ok.is_object())
      return words_of_entry(ok);
    if (!ok.is_array())
      return "done";
    std::vector<std::string> words;
    for (const auto x : ok.get_array())
      words.push_back(words_of_entry(x));
    return joined(std::move(words), op != "drain" || is_initial_drain_);
  }

  static std::string words_of_error(dom::element peer, std::string_view error) {
    const auto cause = member<std::string_view>(peer, "cause").value_or("");
    if (error == "KeyNotFound")
      return member<bool>(peer, "deleted").value_or(false) ? "KeyNotFound deleted" : "KeyNotFound";
    if (error == "KeyError")
      return "not open";
    if (cause == "nats.InvalidKeyError")
      return "invalid_subject";
    if (cause == "nats.MaxPayloadError")
      return "payload_too_large";
    return error == "RevisionError" ? std::string{error}
                                    : std::string{error} + " " + std::string{cause};
  }

  std::string words_of_entry(dom::element x) const {
    std::string name;
    for (const auto segment : x["path"].get_array())
      name += text_of(segment) + ".";
    name += text_of(x["key"]);
    if (member<bool>(x, "deleted").value_or(false))
      return name + " deleted";
    const auto theirs = x["revision"].get_uint64().value();
    const auto known = ours_of_.find(theirs);
    const auto number
      = known == ours_of_.end() ? "peer's " + std::to_string(theirs) : to_string(known->second);
    return name + "@" + number + "=" + words_of_value(x["value"]);
  }

  static std::string words_of_value(dom::element x) {
    if (x.is_null())
      return "(nothing)";
    if (x.is_string())
      return text_of(x);
    if (const auto length = member<std::uint64_t>(x, "length"))
      return "<" + std::to_string(*length) + " bytes>";
    return from_base64(x["b64"].get_string());
  }

  struct opened {
    watch_id id = 0;
    std::size_t drained = 0; // Entries, so far.
    bool is_initial = true;  // Not drained yet.
  };

  bench& b_;
  std::map<std::string, opened> open_;
  watch_id last_id_ = 0;
  std::map<std::uint64_t, revision> ours_of_; // By the peer's.
  std::optional<revision> last_write_;        // Of the current step.
  bool is_initial_drain_ = false;             // It has entries in no promised order.
};

/// Plays every scenario of `kv_semantics.json` that a backend alone can play.
inline replay_report replay_kv_scenarios(const conformance_target& target) {
  replay_report report;
  const vector_file file{"kv_semantics.json"};
  for (const auto scenario : file["scenarios"].get_array()) {
    const auto name = text_of(scenario["scenario"]);
    if (name.starts_with("lease_") || name.starts_with("group_")) {
      report.left_out.push_back(name);
      continue;
    }
    BOOST_TEST_CONTEXT(name) {
      bench b{target, {}};
      kv_replay{b}.play(scenario, report);
    }
  }
  return report;
}

} // namespace trunnion::test
