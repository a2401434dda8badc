// Plays the peer's recorded key-value scenarios on a backend of ours, and compares step by step.
//
// Both results are put into words, such as `k@2=v` or `RevisionError`, so that a difference can be
// read and written down. Revisions are compared by what they name: ours grow by other steps where
// we mean to differ, so each revision of the peer's is translated to the one of ours that the same
// write got, and the translation must never change.

#pragma once

#include "trunnion/tests/conformance/replay.hpp"

namespace trunnion::test {

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
      return written(
        *where, step,
        b_.a.ask(kv_create{*where, payload_of(step["value"]), seconds_of(step, "ttl")}));
    if (op == "update")
      return written(*where, step,
                     b_.a.ask(kv_update{*where, payload_of(step["value"]), expected_of(step),
                                        seconds_of(step, "ttl")}));
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
    return words_of({where, payload_of(step["value"]), answer->revision, {}, {}, {}});
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

  // -- in words ---------------------------------------------------------------

  static std::string words_of(const entry& x) {
    if (!x.is_live())
      return x.subject.text() + " deleted";
    return x.subject.text() + "@" + to_string(x.revision) + "=" + short_words(x.payload.bytes());
  }

  /// Initial entries are compared by name, since nothing is promised about their order.
  static std::string words_of(const std::vector<entry>& entries, bool sorted) {
    std::vector<std::string> result;
    for (const auto& x : entries)
      result.push_back(words_of(x));
    return joined(std::move(result), sorted);
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
