// Reads YAML strictly into a tree with places.
//
// YAML has features that surprise: a repeated key silently loses, `0123` is 83, an alias turns a
// small file into a huge one. They are refused here: anchors, aliases, merge keys, tags, duplicate
// and nameless keys, numbers that look octal, control characters, a second document, more than
// `max_yaml_depth` levels, more than `max_yaml_size` bytes. All problems are collected; only a
// mistake of syntax ends the reading.
//
// Threads: plain functions.

#pragma once

#include "trunnion/site/config_value.hpp"

#include <cstddef>
#include <string_view>

namespace trunnion {

inline constexpr std::size_t max_yaml_depth = 32;
inline constexpr std::size_t max_yaml_size = 1 << 20; ///< Bytes.

struct yaml_tree {
  config_value root;      ///< Null for an empty file.
  site_problems problems; ///< Sorted by place.
  bool complete = false;  ///< Read to the end: the tree is worth a further look.
};

[[nodiscard]] yaml_tree read_yaml(std::string_view text);

/// Whether the text is written like a number with a leading zero, such as `0123` or `-07.5`.
[[nodiscard]] bool looks_octal(std::string_view text);

} // namespace trunnion
