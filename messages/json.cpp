#include "trunnion/messages/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <simdjson.h>

namespace trunnion {
namespace {

namespace dom = simdjson::dom;

tl::unexpected<failure> refuse(std::string_view why) {
  return fail(error_code::invalid_argument, std::string{"invalid JSON: "}.append(why));
}

// -- UTF-8 --------------------------------------------------------------------

/// The beginning of a text: one well-formed sequence, or a part that is replaced as one.
struct utf8_step {
  std::size_t length;
  bool well_formed;
};

/// `rest` is not empty.
utf8_step next_step(std::string_view rest) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const auto lead = at(0);
  if (lead < 0x80)
    return {1, true};
  if (lead < 0xc2 || lead > 0xf4)
    return {1, false};
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // Which second byte may follow tells overlong forms, surrogates, and what is beyond Unicode.
  unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= rest.size() || at(i) < least || at(i) > most)
      return {i, false};
    least = 0x80;
    most = 0xbf;
  }
  return {length, true};
}

/// Where the first byte is that belongs to no well-formed sequence; the size if there is none.
std::size_t first_ill_formed(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto step = next_step(text.substr(at));
    if (!step.well_formed)
      break;
    at += step.length;
  }
  return at;
}

// -- rules beyond the grammar -------------------------------------------------

/// A place in a document, as a list that ends at the document itself. Becomes a text only for an
/// error.
struct place {
  const place* outer = nullptr;
  std::string_view name; // Of a member.
  std::size_t index = 0; // Of an array's value.
  bool in_object = false;
};

/// As a JSON pointer, such as `/axes/0/name`; the document itself is nothing.
std::string pointer(const place& x) {
  if (!x.outer)
    return {};
  auto result = pointer(*x.outer) + '/';
  if (!x.in_object)
    return result + std::to_string(x.index);
  for (const char c : x.name)
    if (c == '~' || c == '/')
      result += c == '~' ? "~0" : "~1";
    else
      result += c;
  return result;
}

outcome<void> check_names(dom::object object, const place& at) {
  std::vector<std::string_view> names;
  for (const dom::key_value_pair member : object)
    names.push_back(member.key);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    return refuse(pointer({&at, *twice, 0, true}).append(" occurs twice"));
  return {};
}

/// `room` is how many objects and arrays may still open.
outcome<void> check_value(dom::element value, std::size_t room, const place& at) {
  dom::object object;
  dom::array array;
  const bool is_object = value.get(object) == simdjson::SUCCESS;
  const bool is_array = !is_object && value.get(array) == simdjson::SUCCESS;
  if (!is_object && !is_array)
    return {};
  if (room == 0)
    return refuse(pointer(at).append(" is nested too deeply"));
  if (is_object) {
    if (auto checked = check_names(object, at); !checked)
      return checked;
    for (const dom::key_value_pair member : object)
      if (auto checked = check_value(member.value, room - 1, {&at, member.key, 0, true}); !checked)
        return checked;
  }
  if (is_array) {
    std::size_t index = 0;
    for (const dom::element x : array)
      if (auto checked = check_value(x, room - 1, {&at, {}, index++, false}); !checked)
        return checked;
  }
  return {};
}

// -- writing ------------------------------------------------------------------

void append_quoted(std::string& out, std::string_view value) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += '"';
  for (const char c : mend_utf8(value)) {
    switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default:
      if (const auto byte = static_cast<unsigned char>(c); byte < 0x20)
        out.append("\\u00").append({digits[byte >> 4U], digits[byte & 15U]});
      else
        out += c;
    }
  }
  out += '"';
}

template <class Number> std::string number_text(Number value) {
  std::array<char, 32> buffer; // Enough for the shortest form of any double, and any integer.
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

} // namespace

// -- check --------------------------------------------------------------------

outcome<void> check_json(std::string_view text, std::size_t max_depth) {
  if (const auto bad = first_ill_formed(text); bad < text.size())
    return refuse("not UTF-8 at byte " + std::to_string(bad + 1));
  if (text.starts_with("\xEF\xBB\xBF")) // Some versions of simdjson skip it.
    return refuse("a byte order mark at byte 1");
  dom::parser parser;
  dom::element document;
  const auto error = parser.parse(text.data(), text.size(), true).get(document);
  if (error == simdjson::DEPTH_ERROR)
    return refuse("nested too deeply");
  if (error == simdjson::NUMBER_ERROR)
    return refuse("a number is ill-formed, or does not fit 64 bits or a double");
  if (error != simdjson::SUCCESS)
    return refuse(simdjson::error_message(error));
  return check_value(document, max_depth, {});
}

std::string mend_utf8(std::string_view value) {
  std::string result;
  result.reserve(value.size());
  while (!value.empty()) {
    const auto step = next_step(value);
    result += step.well_formed ? value.substr(0, step.length) : "\xEF\xBF\xBD";
    value.remove_prefix(step.length);
  }
  return result;
}

// -- json_writer --------------------------------------------------------------

void json_writer::separate() {
  if (needs_comma_)
    out_ += ',';
  needs_comma_ = true;
}

json_writer& json_writer::begin_object() {
  raw("{");
  needs_comma_ = false;
  return *this;
}

json_writer& json_writer::end_object() {
  out_ += '}';
  needs_comma_ = true;
  return *this;
}

json_writer& json_writer::begin_array() {
  raw("[");
  needs_comma_ = false;
  return *this;
}

json_writer& json_writer::end_array() {
  out_ += ']';
  needs_comma_ = true;
  return *this;
}

json_writer& json_writer::key(std::string_view name) {
  text(name);
  out_ += ':';
  needs_comma_ = false;
  return *this;
}

json_writer& json_writer::text(std::string_view value) {
  separate();
  append_quoted(out_, value);
  return *this;
}

json_writer& json_writer::number(std::int64_t value) { return raw(number_text(value)); }

json_writer& json_writer::unsigned_number(std::uint64_t value) { return raw(number_text(value)); }

json_writer& json_writer::real(double value) {
  if (!std::isfinite(value))
    return null();
  auto text = number_text(value);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0"; // Readers take a long row of digits for an integer, which would not fit.
  return raw(text);
}

json_writer& json_writer::boolean(bool value) { return raw(value ? "true" : "false"); }

json_writer& json_writer::null() { return raw("null"); }

json_writer& json_writer::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

} // namespace trunnion
