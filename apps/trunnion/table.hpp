// Rows of text as a person or a program reads them.
//
// On a terminal columns are aligned, under a line of titles; elsewhere they are separated by tabs,
// uncut and without titles. Either way text from others is escaped: a tab or a line break in a
// value would shift what follows it.
//
// Threads: plain values.

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace trunnion {

struct text_table {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows; ///< Each as long as `titles`.
};

void print(std::ostream& out, const text_table& table, bool for_terminal);

} // namespace trunnion
