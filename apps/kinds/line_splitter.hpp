// Cuts what a program prints into lines, with a bound on each.
//
// A line that is too long is counted and passed over; never more than the bound of it is kept.
// Empty lines are left out. What comes after the last line break is no line: the rest may be
// missing.
//
// Threads: one user at a time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunnion {

class line_splitter {
public:
  /// Lines of at most `longest` bytes, the line break not counted.
  explicit line_splitter(std::size_t longest) : longest_(longest) {}

  /// Appends the lines that end in `bytes` to `out`.
  void feed(std::string_view bytes, std::vector<std::string>& out) {
    while (!bytes.empty()) {
      const auto end = bytes.find('\n');
      keep(bytes.substr(0, end));
      if (end == std::string_view::npos)
        return;
      bytes.remove_prefix(end + 1);
      finish(out);
    }
  }

  /// Lines that were too long so far, the present one included.
  [[nodiscard]] std::uint64_t overlong() const { return overlong_; }

private:
  void keep(std::string_view part) {
    if (is_overlong_)
      return;
    if (part.size() > longest_ - line_.size()) {
      is_overlong_ = true;
      ++overlong_;
      std::string{}.swap(line_);
      return;
    }
    line_ += part;
  }

  void finish(std::vector<std::string>& out) {
    if (!line_.empty())
      out.push_back(std::exchange(line_, {}));
    is_overlong_ = false;
  }

  std::size_t longest_;
  std::string line_;
  bool is_overlong_ = false;
  std::uint64_t overlong_ = 0;
};

} // namespace trunnion
