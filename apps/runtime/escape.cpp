#include "trunnion/runtime/escape.hpp"

#include <cstddef>
#include <cstdint>

namespace trunnion {
namespace {

struct character {
  char32_t code = 0;
  std::size_t size = 0; // In bytes; zero if they are not valid UTF-8.
};

/// The first character of `text`, which is not empty.
character first(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto head = byte(0);
  if (head < 0x80)
    return {head, 1};
  const std::size_t size = head >= 0xF0 ? 4 : head >= 0xE0 ? 3 : 2;
  if (head < 0xC2 || head > 0xF4 || text.size() < size)
    return {};
  char32_t code = head & (0x7F >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (too_long || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF)
    return {};
  return {code, size};
}

bool harmful(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
  const bool separator = c == 0x2028 || c == 0x2029;
  const bool direction = c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E)
                         || (c >= 0x2066 && c <= 0x2069);
  return control || separator || direction;
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int i = digits - 1; i >= 0; --i)
    out += "0123456789abcdef"[value >> (4 * i) & 0xF];
}

void append_byte(std::string& out, std::uint8_t byte) {
  out += "\\x";
  append_hex(out, byte, 2);
}

void append_escape(std::string& out, char32_t c) {
  switch (c) {
  case '\n': out += "\\n"; return;
  case '\r': out += "\\r"; return;
  case '\t': out += "\\t"; return;
  default: break;
  }
  if (c < 0x100)
    return append_byte(out, static_cast<std::uint8_t>(c));
  out += "\\u{";
  append_hex(out, c, 4);
  out += '}';
}

} // namespace

std::string escape_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, size] = first(text);
    if (size == 0)
      append_byte(out, static_cast<std::uint8_t>(text.front()));
    else if (harmful(code))
      append_escape(out, code);
    else
      out.append(text.substr(0, size));
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

} // namespace trunnion
