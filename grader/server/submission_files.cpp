// Write, fsync, rename, fsync: the folder has its final name only once its content is on the disk.
#include "grader/server/submission_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "harness/runner/descriptor.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSubmissions = "submissions";
constexpr const char* kArriving = ".arriving-";

Failure not_kept(const fs::path& path) {
  return {fmt::format("{}: cannot be written ({})", path.string(), std::strerror(errno))};
}

std::optional<Failure> write_and_sync(const fs::path& file, const std::string& content) {
  const Descriptor out(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out) return not_kept(file);
  for (std::size_t written = 0; written < content.size();) {
    const ssize_t count = write(out.get(), content.data() + written, content.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return not_kept(file);
    written += static_cast<std::size_t>(count);
  }
  if (fsync(out.get()) != 0) return not_kept(file);
  return std::nullopt;
}

std::optional<Failure> sync_names(const fs::path& folder) {
  const Descriptor handle(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle || fsync(handle.get()) != 0) return not_kept(folder);
  return std::nullopt;
}

std::optional<Failure> fill(const fs::path& folder, const std::map<std::string, std::string>& files) {
  if (mkdir(folder.c_str(), 0700) != 0) return not_kept(folder);
  for (const auto& [name, content] : files)
    if (auto failure = write_and_sync(folder / name, content)) return failure;
  return sync_names(folder);
}

}  // namespace

fs::path folder_of_ticket(const fs::path& course, const std::string& ticket) { return course / kSubmissions / ticket; }

std::optional<Failure> keep_submission(const fs::path& course, const std::string& ticket,
                                       const std::map<std::string, std::string>& files) {
  const fs::path final_name = folder_of_ticket(course, ticket);
  const fs::path arriving = folder_of_ticket(course, kArriving + ticket);
  auto failure = fill(arriving, files);
  if (!failure && rename(arriving.c_str(), final_name.c_str()) != 0) failure = not_kept(final_name);
  if (!failure) return sync_names(final_name.parent_path());
  std::error_code ignored;
  fs::remove_all(arriving, ignored);
  return failure;
}

std::optional<Failure> remove_interrupted(const fs::path& course) {
  const fs::path folder = course / kSubmissions;
  std::error_code error;
  fs::create_directories(folder, error);
  std::vector<fs::path> left;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().rfind(kArriving, 0) == 0) left.push_back(it->path());
  for (const fs::path& each : left)
    if (!error) fs::remove_all(each, error);
  if (error) return Failure{fmt::format("{}: cannot be used ({})", folder.string(), error.message())};
  return std::nullopt;
}

std::string random_name(unsigned bits) {
  std::string bytes(bits / 8, '\0');
  if (getentropy(bytes.data(), bytes.size()) != 0) std::abort();  // the kernel has no random numbers
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

}  // namespace lanewise
