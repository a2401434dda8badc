// Text from others, made safe to show.
//
// A name, a record or an error message may come from anybody. Printed as it is, it could recolour a
// terminal, overwrite earlier lines, or turn the reading direction so that a line reads as its
// opposite. So what would do such things is shown as an escape instead, for logs and terminals.
//
// Threads: any.

#pragma once

#include <string>
#include <string_view>

namespace trunnion {

/// `text` with control characters (C0, DEL, C1), line and paragraph separators, and all that turns
/// the reading direction, as `\n`, `\r`, `\t`, `\xHH` or `\u{HHHH}`, and each byte that is not part
/// of valid UTF-8 as `\xHH`.
/// All else, backslashes too, stays as it is.
[[nodiscard]] std::string escape_text(std::string_view text);

} // namespace trunnion
