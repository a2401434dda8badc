// Reads what the peers were seen to do: the files of `tests/data`, whose README tells their origin.

#pragma once

#include <boost/test/unit_test.hpp>

#include <simdjson.h>
#include <string>
#include <string_view>

namespace trunnion::test {

namespace dom = simdjson::dom;

/// One file of `tests/data`; throws, and so fails the test, if it cannot be read.
class vector_file {
public:
  explicit vector_file(std::string_view name)
    : root_(parser_.load(std::string{TRUNNION_TEST_DATA}.append("/").append(name))) {}

  [[nodiscard]] dom::element operator[](std::string_view member) const { return root_[member]; }

private:
  dom::parser parser_;
  dom::element root_;
};

inline std::string from_base64(std::string_view text) {
  constexpr std::string_view alphabet
    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  unsigned bits = 0, count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    const auto value = alphabet.find(c);
    BOOST_REQUIRE(value != std::string_view::npos);
    bits = (bits << 6U) | static_cast<unsigned>(value);
    count += 6;
    if (count >= 8)
      result += static_cast<char>((bits >> (count -= 8)) & 0xffU);
  }
  return result;
}

inline std::string text_of(dom::element x) { return std::string{x.get_string().value()}; }

/// Undoes the cut of a long text: what lies between repeats the one character of `suffix`.
inline std::string rebuilt(const std::string& prefix, const std::string& suffix,
                           std::size_t length) {
  auto result = prefix;
  while (result.size() + suffix.size() < length) { // From the end, so that characters stay whole.
    const auto from_end = (length - result.size() - 1) % suffix.size();
    result += suffix[suffix.size() - 1 - from_end];
  }
  return result + suffix;
}

/// Bytes given as `b64`, or cut.
inline std::string bytes_of(dom::element x) {
  std::string_view whole;
  if (x["b64"].get(whole) == simdjson::SUCCESS)
    return from_base64(whole);
  return rebuilt(from_base64(x["prefix_b64"]), from_base64(x["suffix_b64"]),
                 x["length"].get_uint64());
}

/// A text, or one that was cut, whose length is told in characters.
inline std::string maybe_cut_text(dom::element x) {
  if (x.is_string())
    return text_of(x);
  const auto prefix = text_of(x["prefix"]), suffix = text_of(x["suffix"]);
  const auto characters = [](const std::string& text) {
    return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & '\xc0') != '\x80'; }));
  };
  const auto missing
    = x["length_codepoints"].get_uint64() - characters(prefix) - characters(suffix);
  return rebuilt(prefix, suffix,
                 prefix.size() + suffix.size() + missing * (suffix.size() / characters(suffix)));
}

} // namespace trunnion::test
