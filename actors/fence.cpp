#include "trunnion/actors/fence.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace trunnion {
namespace {

constexpr std::string_view heading = "trunnion-fence 1 ";
constexpr std::size_t longest_memory = 128; ///< Bytes; more is no fence's memory.

/// Closes what it holds.
class descriptor {
public:
  descriptor(const std::filesystem::path& path, int flags)
    : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~descriptor() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] int get() const { return fd_; }

private:
  int fd_;
};

tl::unexpected<failure> fail_by_errno(const char* what, const std::filesystem::path& file) {
  const auto number = errno;
  auto code = error_code::internal;
  if (number == ENOSPC || number == EDQUOT)
    code = error_code::storage_full;
  else if (number == EACCES || number == EPERM || number == EROFS)
    code = error_code::permission_denied;
  return fail(code, std::string{"cannot "} + what + " the fence's file " + file.string() + ": "
                      + std::strerror(number));
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(done < 0 ? 0 : static_cast<std::size_t>(done));
  }
  return true;
}

/// Replaces the file by one with this token: at any moment one of both is there, whole.
outcome<void> remember(const std::filesystem::path& file, const fencing_token& token) {
  auto draft = file;
  draft += ".new";
  {
    ::unlink(draft.c_str()); // Left by a crash, perhaps with another mode.
    const descriptor out{draft, O_WRONLY | O_CREAT | O_EXCL};
    const auto text = std::string{heading} + wire_text(token) + "\n";
    if (!out.is_open() || !write_all(out.get(), text) || ::fsync(out.get()) != 0)
      return fail_by_errno("write", file);
  }
  if (::rename(draft.c_str(), file.c_str()) != 0)
    return fail_by_errno("replace", file);
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
  const descriptor dir{folder, O_RDONLY | O_DIRECTORY};
  if (!dir.is_open() || ::fsync(dir.get()) != 0)
    return fail_by_errno("keep", file);
  return {};
}

} // namespace

outcome<fence> fence::open(const std::filesystem::path& file) {
  fence result;
  result.file_ = file;
  const descriptor in{file, O_RDONLY};
  if (!in.is_open() && errno == ENOENT)
    return result;
  std::array<char, longest_memory> buffer{};
  const auto size = in.is_open() ? ::read(in.get(), buffer.data(), buffer.size()) : -1;
  if (size < 0)
    return fail_by_errno("read", file);
  std::string_view text{buffer.data(), static_cast<std::size_t>(size)};
  if (text.starts_with(heading) && text.ends_with('\n')) {
    text.remove_prefix(heading.size());
    text.remove_suffix(1);
    result.newest_ = parse_fencing_token(text);
  }
  if (!result.newest_)
    return fail(error_code::storage_damaged, "not the memory of a fence: " + file.string());
  return result;
}

outcome<void> fence::admit(const fencing_token& token) {
  if (newest_ && token < *newest_)
    return fail(error_code::stale_token,
                "token " + wire_text(token) + " is older than " + wire_text(*newest_));
  if (newest_ && token == *newest_)
    return {};
  if (!file_.empty())
    if (auto done = remember(file_, token); !done)
      return done;
  newest_ = token;
  return {};
}

} // namespace trunnion
