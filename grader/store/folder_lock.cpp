// flock(2), and the owner's process id in the locked file.
#include "grader/store/folder_lock.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace lanewise {
namespace {

// " (process 1234)"; empty if the file does not say.
std::string owner(int file) {
  char text[24] = {};
  const ssize_t bytes = pread(file, text, sizeof text - 1, 0);
  const std::size_t digits = bytes > 0 ? std::strspn(text, "0123456789") : 0;
  return digits == 0 ? "" : fmt::format(" (process {})", std::string(text, digits));
}

}  // namespace

Expected<FolderLock> FolderLock::take(const std::filesystem::path& file, const std::string& guarded) {
  // O_NONBLOCK: a pipe of that name must not hold us.
  Descriptor lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  if (!lock)
    return Failure{
        fmt::format("{} cannot be written ({}): check the permissions of the folder, or choose another output folder",
                    file.string(), std::strerror(errno))};
  struct stat status {};
  if (fstat(lock.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return Failure{fmt::format("{} is not a regular file: remove it", file.string())};
  int result = 0;
  do result = flock(lock.get(), LOCK_EX | LOCK_NB);
  while (result != 0 && errno == EINTR);
  if (result != 0 && errno == EWOULDBLOCK)
    return Failure{
        fmt::format("{} is in use by another lanewise{}: wait for it to finish, or choose another output folder",
                    guarded, owner(lock.get()))};
  if (result != 0)
    return Failure{fmt::format("{} cannot be locked ({}): choose an output folder on a local disk", file.string(),
                               std::strerror(errno))};
  // Only for the message above, which says less on a full disk.
  const std::string id = fmt::format("{}\n", getpid());
  if (ftruncate(lock.get(), 0) == 0) static_cast<void>(!pwrite(lock.get(), id.data(), id.size(), 0));
  return FolderLock(std::move(lock));
}

}  // namespace lanewise
