// Content-addressed folders: the hash finds the place, the stored key proves it is the right one.
#include "harness/runner/build_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <vector>

#include "harness/runner/content_hash.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKeyFile = "key";
constexpr std::uintmax_t kLargestKey = 64 << 20;
constexpr int kMostCollisions = 16;

bool holds(const fs::path& folder, const std::string& key) {
  const auto stored = read_file(folder / kKeyFile, kLargestKey);
  return stored && *stored == key;
}

// A folder that goes with this object unless it was released.
class Workshop {
 public:
  explicit Workshop(fs::path folder) : folder_(std::move(folder)) {}
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

constexpr const char* kWorkshopPrefix = ".making-";

fs::path unique_name(const fs::path& parent) {
  static std::atomic<unsigned> counter{0};
  return parent / fmt::format("{}{}-{}", kWorkshopPrefix, getpid(), ++counter);
}

// Removes what processes that were killed in the middle of their work left behind.
void sweep(const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(kWorkshopPrefix, 0) != 0) continue;
    const long maker = std::strtol(name.c_str() + std::string_view(kWorkshopPrefix).size(), nullptr, 10);
    if (maker > 0 && kill(static_cast<pid_t>(maker), 0) != 0 && errno == ESRCH) abandoned.push_back(entry.path());
  }
  for (const fs::path& folder : abandoned) fs::remove_all(folder, error);
}

// Where `key` lies, or where it is to be put: the first place that is free.
fs::path place_of(const fs::path& parent, const std::string& key) {
  std::error_code error;
  fs::path place = parent / content_hash(key);
  for (int collision = 1; fs::exists(place, error) && !holds(place, key) && collision <= kMostCollisions; ++collision)
    place = parent / fmt::format("{}-{}", content_hash(key), collision);
  return place;
}

}  // namespace

std::optional<fs::path> BuildCache::find(const std::string& kind, const std::string& key) const {
  const fs::path place = place_of(root_ / kind, key);
  if (!holds(place, key)) return std::nullopt;
  return place;
}

Expected<fs::path> BuildCache::find_or_make(const std::string& kind, const std::string& key, const Make& make) const {
  const fs::path parent = root_ / kind;
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) return Failure{fmt::format("{}: the folder cannot be made ({})", parent.string(), error.message())};
  const fs::path place = place_of(parent, key);
  if (holds(place, key)) return place;

  sweep(parent);
  const Workshop workshop(unique_name(parent));
  fs::create_directory(workshop.folder(), error);
  if (error)
    return Failure{fmt::format("{}: the folder cannot be made ({})", workshop.folder().string(), error.message())};
  if (auto failure = make(workshop.folder())) return *failure;
  std::ofstream stream(workshop.folder() / kKeyFile, std::ios::binary);
  stream << key;
  stream.close();
  if (!stream) return Failure{fmt::format("{}: nothing can be written there; is the disk full?", parent.string())};
  fs::rename(workshop.folder(), place, error);
  // Another process may have been quicker; what it made is as good.
  if (error && !holds(place, key))
    return Failure{fmt::format("{}: the folder cannot be put in place ({})", place.string(), error.message())};
  return place;
}

}  // namespace lanewise
