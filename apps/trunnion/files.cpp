#include "trunnion/tool/files.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace trunnion {

tl::expected<std::string, std::string> read_text_file(const std::string& path, std::size_t most) {
  const auto failed = [&path](int error) {
    return tl::unexpected{std::string{"cannot read "}.append(path).append(": ").append(
      std::generic_category().message(error))};
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "re"),
                                                             &std::fclose};
  if (!file)
    return failed(errno);
  std::string text;
  std::array<char, 16'384> block{};
  while (text.size() <= most) {
    const auto n = std::fread(block.data(), 1, block.size(), file.get());
    text.append(block.data(), n);
    if (n < block.size())
      break;
  }
  if (std::ferror(file.get()) != 0)
    return failed(errno);
  if (text.size() > most)
    text.resize(most + 1);
  return text;
}

} // namespace trunnion
