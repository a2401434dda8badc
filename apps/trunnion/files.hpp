// Reading a file that a user has named.
//
// Threads: any; it blocks as long as the file system does.

#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

namespace trunnion {

/// The text of a file, or one sentence that says why not. Of a file larger than `most` bytes, one
/// byte more than that is read, so that whoever reads it sees that it is too large.
[[nodiscard]] tl::expected<std::string, std::string> read_text_file(const std::string& path,
                                                                    std::size_t most);

} // namespace trunnion
