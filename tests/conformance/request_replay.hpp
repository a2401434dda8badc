// Plays the peer's recorded request scenarios on a backend of ours.
//
// The peer's handlers become listeners of one session. A failing handler's error travels as
// payload, so the replay encodes and decodes it where a responder and a caller would.

#pragma once

#include "trunnion/messages/remote_error.hpp"
#include "trunnion/tests/conformance/replay.hpp"

namespace trunnion::test {

class request_replay {
public:
  explicit request_replay(bench& b) : b_(b), server_(b.more()) {}

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
  struct handler {
    std::string reply; // As it goes out.
    nanoseconds delay{};
  };

  // -- our side ---------------------------------------------------------------

  std::string run(dom::element step) {
    const auto op = text_of(step["op"]);
    if (op == "sleep") {
      b_.pass(*seconds_of(step, "seconds"));
      return "done";
    }
    if (op == "served")
      return served();
    if (op == "shutdown_listeners") {
      server_.get(purge_listeners{});
      return "done";
    }
    const auto where = address_of(step);
    if (!where)
      return to_string(where.error().code);
    if (op == "handle")
      return handle(*where, step);
    if (op == "invoke")
      return call(*where, step);
    BOOST_FAIL("no such step: " << op);
    return "";
  }

  std::string handle(const subject& on, dom::element step) {
    handler x{.delay = seconds_of(step, "delay").value_or(nanoseconds{})};
    if (const auto error = member<std::string_view>(step, "raise"))
      x.reply = encode(remote_failure{std::string{*error} + ": " + text_of(step["text"]), {}});
    else if (const auto length = member<std::uint64_t>(step, "reply_len"))
      x.reply = std::string(*length, 'x');
    else if (!step["reply"].value().is_null()) // A handler's nothing is an empty payload.
      x.reply = payload_of(step["reply"]).bytes();
    const auto answer = server_.ask(listen{on});
    if (!answer)
      return to_string(answer.error().code);
    handlers_[on.text()] = x;
    return "done";
  }

  std::string call(const subject& to, dom::element step) {
    const auto data = member<dom::element>(step, "data");
    const auto answer = b_.a.ask_later(invoke{to, data ? payload_of(*data) : payload{}});
    b_.where->wait_until([&] { return answer.ready() || server_.incoming().size() > handed_; },
                         client::patience);
    for (const auto all = server_.incoming(); handed_ < all.size(); ++handed_) {
      const auto& by = handlers_.at(all[handed_].subject.text());
      b_.pass(by.delay);
      server_.reply(all[handed_], by.reply);
    }
    const auto result = b_.a.wait_for(answer, client::patience * 2);
    if (!result)
      return to_string(result.error().code);
    if (const auto error = decode_remote_error(result->payload.bytes()))
      return "RemoteRequestError " + error->message;
    return "reply " + short_words(result->payload.bytes());
  }

  /// What handlers saw since last asked.
  std::string served() {
    std::string result;
    for (const auto all = server_.incoming(); asked_ < all.size(); ++asked_)
      result += "[" + std::string{all[asked_].payload.bytes()} + "]";
    return result;
  }

  // -- the peer's side --------------------------------------------------------

  static std::string words_of(dom::element peer) {
    if (const auto error = member<std::string_view>(peer, "error"))
      return words_of_error(peer, *error);
    const auto ok = peer["ok"].value();
    if (ok.is_null())
      return "done";
    if (ok.is_object())
      return "reply " + words_of_value(ok["reply"]);
    std::vector<std::string> words;
    for (const auto x : ok.get_array())
      words.push_back(text_of(x));
    return joined(std::move(words), false);
  }

  static std::string words_of_error(dom::element peer, std::string_view error) {
    if (error == "UnregisteredResponder")
      return to_string(error_code::unregistered_responder);
    if (error == "RemoteRequestError") {
      const auto text = text_of(peer["message"]);
      constexpr std::string_view mark = " request error: ";
      return "RemoteRequestError " + text.substr(text.find(mark) + mark.size());
    }
    const auto cause = member<std::string_view>(peer, "cause").value_or("");
    if (cause == "nats.MaxPayloadError")
      return "payload_too_large";
    return std::string{error} + " " + std::string{cause};
  }

  bench& b_;
  client server_;
  std::map<std::string, handler> handlers_; // By subject.
  std::size_t handed_ = 0;                  // Requests that were answered.
  std::size_t asked_ = 0;                   // Requests that were told by `served`.
};

/// Plays every scenario of `request_semantics.json`.
inline replay_report replay_request_scenarios(const conformance_target& target) {
  replay_report report;
  const vector_file file{"request_semantics.json"};
  for (const auto scenario : file["scenarios"].get_array())
    BOOST_TEST_CONTEXT(text_of(scenario["scenario"])) {
      bench b{target, {}};
      request_replay{b}.play(scenario, report);
    }
  return report;
}

} // namespace trunnion::test
