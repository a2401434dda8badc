#include "trunnion/runner/control_protocol.hpp"

#include "trunnion/messages/json.hpp"
#include "trunnion/messages/lease_record.hpp"

#include <array>
#include <optional>
#include <simdjson.h>

namespace trunnion {
namespace {

using simdjson::dom::element;

constexpr std::uint64_t version = 1;
constexpr std::array ops{control_op::ls, control_op::show, control_op::restart, control_op::stop,
                         control_op::events};

bool names_service(control_op x) {
  return x == control_op::show || x == control_op::restart || x == control_op::stop;
}

std::optional<control_op> op_of(std::string_view text) {
  for (const auto x : ops)
    if (to_string(x) == text)
      return x;
  return std::nullopt;
}

std::string text_of(const element& object, const char* name) {
  std::string_view result;
  std::ignore = object[name].get(result);
  return std::string{result};
}

std::uint64_t number_of(const element& object, const char* name, std::uint64_t fallback = 0) {
  std::uint64_t result = fallback;
  if (object[name].get(result) != simdjson::SUCCESS)
    return fallback;
  return result;
}

/// An object of our version, in the parser's memory.
outcome<element> read_object(simdjson::dom::parser& parser, std::string_view json,
                             error_code code) {
  if (auto valid = check_json(json); !valid)
    return fail(code, valid.error().text);
  element root;
  if (parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS || !root.is_object())
    return fail(code, "not a JSON object");
  if (number_of(root, "v") != version)
    return fail(error_code::version_mismatch, "speaks another version than 1 ('v')");
  return root;
}

error_code code_of(std::string_view name) {
  for (int i = 1; i <= static_cast<int>(error_code::consumer_taken); ++i)
    if (const auto x = static_cast<error_code>(i); to_string(x) == name)
      return x;
  return error_code::remote_request;
}

instance_state read_instance(const element& x) {
  return {text_of(x, "service"),
          text_of(x, "kind"),
          static_cast<std::uint32_t>(number_of(x, "instance")),
          text_of(x, "phase"),
          text_of(x, "token"),
          number_of(x, "restarts"),
          text_of(x, "text")};
}

control_event read_event(const element& x) {
  control_event result{
    number_of(x, "number"), {}, text_of(x, "who"), text_of(x, "event"), text_of(x, "text")};
  if (const auto time = parse_time(text_of(x, "time")))
    result.time = time->at;
  return result;
}

void write(json_writer& out, const control_services& x) {
  out.key("services").begin_array();
  for (const auto& i : x.instances) {
    out.begin_object().key("service").text(i.service).key("kind").text(i.kind);
    out.key("instance").unsigned_number(i.instance).key("phase").text(i.phase);
    out.key("token").text(i.token).key("restarts").unsigned_number(i.restarts);
    out.key("text").text(i.text).end_object();
  }
  out.end_array();
}

void write(json_writer& out, const control_events& x) {
  out.key("events").begin_array();
  for (const auto& i : x.events) {
    out.begin_object().key("number").unsigned_number(i.number).key("time").text(time_text(i.time));
    out.key("who").text(i.who).key("event").text(i.what).key("text").text(i.text).end_object();
  }
  out.end_array().key("next").unsigned_number(x.next);
  out.key("forgotten").unsigned_number(x.forgotten);
}

void write(json_writer& out, const control_done& x) { out.key("done").text(to_string(x.op)); }

} // namespace

std::string to_string(control_op x) {
  switch (x) {
  case control_op::ls: return "ls";
  case control_op::show: return "show";
  case control_op::restart: return "restart";
  case control_op::stop: return "stop";
  case control_op::events: return "events";
  }
  return "unknown";
}

std::string write_request(const control_request& x) {
  json_writer out;
  out.begin_object().key("v").unsigned_number(version).key("op").text(to_string(x.op));
  if (names_service(x.op))
    out.key("service").text(x.service);
  if (x.op == control_op::events)
    out.key("after").unsigned_number(x.after).key("at_most").unsigned_number(x.at_most);
  return out.end_object().str();
}

outcome<control_request> read_request(std::string_view json) {
  simdjson::dom::parser parser;
  const auto root = read_object(parser, json, error_code::invalid_argument);
  if (!root)
    return tl::unexpected{root.error()};
  const auto op = op_of(text_of(*root, "op"));
  if (!op)
    return fail(error_code::invalid_argument,
                "'op' must be one of ls, show, restart, stop and events");
  control_request result{*op, text_of(*root, "service"), number_of(*root, "after"),
                         static_cast<std::uint32_t>(std::min<std::uint64_t>(
                           number_of(*root, "at_most", most_control_events), most_control_events))};
  if (names_service(*op) && result.service.empty())
    return fail(error_code::invalid_argument, "'" + to_string(*op) + "' needs a 'service'");
  return result;
}

std::string write_answer(const control_answer& x) {
  json_writer out;
  out.begin_object().key("v").unsigned_number(version).key("site").text(x.site);
  std::visit([&](const auto& what) { write(out, what); }, x.what);
  return out.end_object().str();
}

std::string write_refusal(const failure& x) {
  json_writer out;
  out.begin_object().key("v").unsigned_number(version).key("error").begin_object();
  out.key("code").text(to_string(x.code)).key("message").text(x.text);
  out.key("subject").text(x.subject);
  return out.end_object().end_object().str();
}

outcome<control_answer> read_answer(std::string_view json) {
  simdjson::dom::parser parser;
  const auto read = read_object(parser, json, error_code::backend_protocol);
  if (!read)
    return tl::unexpected{read.error()};
  const auto& root = *read;
  if (element error; root["error"].get(error) == simdjson::SUCCESS)
    return fail(code_of(text_of(error, "code")), text_of(error, "message"),
                text_of(error, "subject"));
  control_answer result{text_of(root, "site"), {}};
  simdjson::dom::array list;
  if (root["services"].get(list) == simdjson::SUCCESS) {
    control_services services;
    for (const auto x : list)
      services.instances.push_back(read_instance(x));
    result.what = std::move(services);
    return result;
  }
  if (root["events"].get(list) == simdjson::SUCCESS) {
    control_events events{{}, number_of(root, "next"), number_of(root, "forgotten")};
    for (const auto x : list)
      events.events.push_back(read_event(x));
    result.what = std::move(events);
    return result;
  }
  if (const auto done = op_of(text_of(root, "done"))) {
    result.what = control_done{*done};
    return result;
  }
  return fail(error_code::backend_protocol, "not the answer of a site");
}

} // namespace trunnion
