// Plays the peer's recorded stream scenarios on a backend of ours.
//
// Results are put into words, such as `[dev.k@2=new]`. The peer acknowledges what it has read, so
// the replay does, too, where it reads with a durable name. Sequences are compared as they are.

#pragma once

#include "trunnion/tests/conformance/replay.hpp"

namespace trunnion::test {

class stream_replay {
public:
  explicit stream_replay(bench& b) : b_(b) {}

  void play(dom::element scenario, replay_report& report) {
    std::size_t index = 0;
    for (const auto row : scenario["steps"].get_array()) {
      const dom::element step = row["step"];
      const auto both = member<dom::element>(row, "both");
      const dom::element peer = both ? *both : row["nats"].value();
      const auto ours = run(step), theirs = words_of(peer);
      if (ours != theirs)
        report.differences.push_back({text_of(scenario["scenario"]), index, theirs, ours});
      ++index;
    }
    report.steps += index;
    ++report.scenarios;
  }

private:
  static constexpr auto no_words = "cannot be asked";

  struct opened {
    watch_id id = 0;
    std::string durable;
    std::size_t read = 0; // Messages, so far.
  };

  // -- our side ---------------------------------------------------------------

  std::string run(dom::element step) {
    const auto op = text_of(step["op"]);
    if (op == "sleep") {
      b_.pass(*seconds_of(step, "seconds"));
      return "done";
    }
    if (op == "mark") {
      b_.pass(milliseconds{1}); // Virtual time must be told that time passes between steps.
      marks_[text_of(step["at"])] = b_.where->wall();
      b_.pass(milliseconds{1});
      return "done";
    }
    if (op == "publish" || op == "publish_event")
      return say(step, op == "publish_event");
    if (op == "consume")
      return open(step);
    if (op == "list_keys")
      return list(step);
    const auto known = open_.find(text_of(step["id"]));
    if (known == open_.end())
      return "not open";
    if (op == "drain")
      return drain(known->second);
    if (op == "next")
      return next(known->second, seconds_of(step, "timeout").value_or(milliseconds{350}));
    if (op == "close" || op == "close_iter") {
      b_.a.tell(unconsume{known->second.id});
      return "done";
    }
    BOOST_FAIL("no such step: " << op);
    return "";
  }

  std::string say(dom::element step, bool is_event) {
    const auto to
      = is_event ? subject::make(*owner_of(step), property::events()) : address_of(step);
    if (!to)
      return to_string(to.error().code);
    const auto answer = b_.a.ask(publish{*to, payload_of(step["data"])});
    return answer ? "done" : to_string(answer.error().code);
  }

  std::string open(dom::element step) {
    const auto pattern = address_of(step);
    if (!pattern)
      return to_string(pattern.error().code);
    consume x{*pattern, ++last_id_, stream_start::only_new, 16};
    x.durable = member<std::string_view>(step, "durable").value_or("");
    const auto sequence = member<std::int64_t>(step, "from_sequence");
    const auto time = member<dom::element>(step, "from_time");
    const auto is_latest = member<bool>(step, "include_latest").value_or(false);
    if (is_latest && (sequence || time))
      return no_words; // A consumer has one start. Of a sequence and a time the peer takes the
                       // time.
    if (time && member<bool>(*time, "naive").value_or(false))
      return no_words; // A time is a moment.
    if (is_latest)
      x.start = stream_start::latest;
    if (sequence) {
      x.start = stream_start::sequence;
      x.from.value = static_cast<std::uint64_t>(std::max<std::int64_t>(*sequence, 0));
    }
    if (time) {
      x.start = stream_start::time;
      x.since
        = marks_.at(text_of((*time)["at"])) + seconds_of(*time, "plus").value_or(nanoseconds{});
    }
    const auto answer = b_.a.ask(x);
    if (!answer)
      return to_string(answer.error().code);
    open_[text_of(step["id"])] = {x.id, x.durable};
    return "done";
  }

  std::string list(dom::element step) {
    std::string result;
    for (const auto& x : b_.a.get(list_streams{*owner_of(step)}).subjects)
      result += "[" + x.text() + "]";
    return result;
  }

  std::string drain(opened& from) {
    b_.pass(milliseconds{350});
    std::string result;
    while (auto message = take(from))
      result += "[" + words_of(*message) + "]";
    return result;
  }

  std::string next(opened& from, nanoseconds at_most) {
    b_.a.wait(
      from.id, [&](const told& x) { return x.messages().size() > from.read; }, at_most);
    const auto message = take(from);
    return message ? words_of(*message) : "<nothing>";
  }

  std::optional<stream_message> take(opened& from) {
    const auto all = b_.a.of(from.id).messages();
    if (from.read == all.size())
      return std::nullopt;
    const auto& result = all[from.read++];
    if (!from.durable.empty())
      std::ignore = b_.a.ask(stream_ack{from.durable, result.sequence});
    return result;
  }

  static std::string words_of(const stream_message& x) {
    return x.subject.text() + "@" + to_string(x.sequence) + "=" + short_words(x.payload.bytes());
  }

  // -- the peer's side --------------------------------------------------------

  static std::string words_of(dom::element peer) {
    if (const auto error = member<std::string_view>(peer, "error"))
      return words_of_error(peer, *error);
    const auto ok = peer["ok"].value();
    if (ok.is_null())
      return "done";
    if (ok.is_string())
      return text_of(ok);
    if (ok.is_object())
      return words_of_message(ok);
    std::vector<std::string> words;
    for (const auto x : ok.get_array())
      words.push_back(words_of_message(x));
    return joined(std::move(words), false);
  }

  static std::string words_of_error(dom::element peer, std::string_view error) {
    if (error == "KeyError")
      return "not open";
    const auto cause = member<std::string_view>(peer, "cause").value_or("");
    if (cause == "nats.MaxPayloadError")
      return "payload_too_large";
    if (error == "RuntimeError")
      return no_words; // The peer's own check of what is asked together.
    return std::string{error} + " " + std::string{cause};
  }

  /// A message, or a key of a listing.
  static std::string words_of_message(dom::element x) {
    std::string result;
    for (const auto segment : x["path"].get_array())
      result += text_of(segment) + ".";
    const auto key = text_of(x["key"]);
    result += key == "<EVENTS>" ? std::string{events_token} : key;
    if (const auto sequence = member<std::uint64_t>(x, "sequence"))
      result += "@" + std::to_string(*sequence) + "=" + words_of_value(x["data"]);
    return result;
  }

  bench& b_;
  std::map<std::string, opened> open_;
  std::map<std::string, wall_time> marks_;
  watch_id last_id_ = 0;
};

/// Plays every scenario of `stream_semantics.json`.
inline replay_report replay_stream_scenarios(const conformance_target& target) {
  replay_report report;
  const vector_file file{"stream_semantics.json"};
  for (const auto scenario : file["scenarios"].get_array())
    BOOST_TEST_CONTEXT(text_of(scenario["scenario"])) {
      bench b{target, {}};
      stream_replay{b}.play(scenario, report);
    }
  return report;
}

} // namespace trunnion::test
