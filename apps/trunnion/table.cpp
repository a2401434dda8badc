#include "trunnion/tool/table.hpp"

#include "trunnion/runtime/escape.hpp"

#include <algorithm>
#include <ostream>

namespace trunnion {
namespace {

/// Code points, which is what columns are aligned by.
std::size_t width_of(const std::string& utf8) {
  return static_cast<std::size_t>(
    std::ranges::count_if(utf8, [](char x) { return (static_cast<unsigned char>(x) >> 6U) != 2; }));
}

std::vector<std::string> escaped(const std::vector<std::string>& row) {
  std::vector<std::string> result;
  for (const auto& cell : row)
    result.push_back(escape_text(cell));
  return result;
}

} // namespace

void print(std::ostream& out, const text_table& table, bool for_terminal) {
  std::vector<std::vector<std::string>> rows;
  if (for_terminal)
    rows.push_back(table.titles);
  for (const auto& row : table.rows)
    rows.push_back(escaped(row));
  std::vector<std::size_t> widths(table.titles.size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row[i]));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out << (i == 0 ? "" : for_terminal ? "  " : "\t") << row[i];
      if (for_terminal && i + 1 < row.size())
        out << std::string(widths[i] - width_of(row[i]), ' ');
    }
    out << '\n';
  }
}

} // namespace trunnion
