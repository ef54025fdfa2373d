// Thin wrappers around system calls.
#include "grader/class/open_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace lanewise {

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

OpenFile::OpenFile(OpenFile&& other) noexcept : descriptor_(other.release()) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  if (this != &other) {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = other.release();
  }
  return *this;
}

int OpenFile::release() { return std::exchange(descriptor_, -1); }

Expected<NewFile> NewFile::create(const std::filesystem::path& path) {
  OpenFile file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file) return Failure{fmt::format("{}: the copy cannot be created ({})", path.string(), std::strerror(errno))};
  return NewFile(std::move(file), path);
}

NewFile::~NewFile() {
  if (file_) unlink(path_.c_str());
}

std::optional<Failure> NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.descriptor(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      return Failure{fmt::format("{}: the copy cannot be written ({}); free some space on that disk and start again",
                                 path_.string(), std::strerror(errno))};
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return std::nullopt;
}

void NewFile::finish(std::int64_t time) {
  const timespec moment = {static_cast<time_t>(time), 0};
  const timespec times[2] = {moment, moment};
  futimens(file_.descriptor(), times);  // a file system without such times is no reason to fail
  file_ = OpenFile();
}

}  // namespace lanewise
