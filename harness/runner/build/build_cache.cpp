// Content-addressed folders: the hash finds the place, the stored key proves it is the right one.
#include "harness/runner/build/build_cache.h"

#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "harness/runner/content_hash.h"
#include "harness/runner/descriptor.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKeyFile = "key";
constexpr std::uintmax_t kLargestKey = 64 << 20;
constexpr const char* kWorkshopPrefix = ".making-";
constexpr int kMostCollisions = 16;
constexpr std::chrono::hours kKept(30 * 24);

bool holds(const fs::path& folder, const std::string& key) {
  const auto stored = read_file(folder / kKeyFile, kLargestKey);
  return stored && *stored == key;
}

bool is_usable(const fs::path& folder, const std::string& key, const BuildCache::Accept& accept) {
  return holds(folder, key) && (!accept || accept(folder));
}

// The key's time tells when an entry was last asked for; that of the results stays when they were made.
void mark_used(const fs::path& place) {
  std::error_code ignored;
  fs::last_write_time(place / kKeyFile, fs::file_time_type::clock::now(), ignored);
}

Descriptor open_folder(const fs::path& folder) {
  return Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// A folder to work in, under a name of its own and gone with this object. It is locked as long as it is used: the lock
// ends with the process, on whichever side of a container's border that is, where a process id could mean another.
class Workshop {
 public:
  explicit Workshop(const fs::path& parent) {
    std::error_code error;
    do {
      std::string name = (parent / fmt::format("{}XXXXXX", kWorkshopPrefix)).string();
      if (!mkdtemp(name.data())) return;
      folder_ = name;
      lock_ = open_folder(folder_);
      if (lock_) flock(lock_.get(), LOCK_EX);
      // Until it was locked, a sweep could have taken it for abandoned.
    } while (!fs::exists(folder_, error));
    fs::create_directory(entry(), error);  // mkdtemp's own folder is for nobody else to read
  }
  ~Workshop() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  bool is_open() const { return static_cast<bool>(lock_); }
  fs::path entry() const { return folder_ / "entry"; }

  /// Takes a folder out of the cache in one step, to be removed at leisure.
  void take_away(const fs::path& folder) const {
    std::error_code ignored;
    fs::rename(folder, folder_ / folder.filename(), ignored);
  }

 private:
  fs::path folder_;
  Descriptor lock_;
};

// Removes what processes that were killed in the middle of their work left behind, and what nobody has use for.
void sweep(const fs::path& parent, const Workshop& workshop) {
  std::error_code error;
  std::vector<fs::path> abandoned;
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    if (entry.path().filename().string().rfind(kWorkshopPrefix, 0) == 0) {
      abandoned.push_back(entry.path());
    } else {
      const auto used = fs::last_write_time(entry.path() / kKeyFile, error);
      if (!error && fs::file_time_type::clock::now() - used > kKept) old.push_back(entry.path());
    }
  }
  for (const fs::path& folder : old) workshop.take_away(folder);
  for (const fs::path& folder : abandoned) {
    const Descriptor lock = open_folder(folder);
    if (lock && flock(lock.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(folder, error);
  }
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
  mark_used(place);
  return place;
}

Expected<fs::path> BuildCache::find_or_make(const std::string& kind, const std::string& key, const Make& make,
                                            const Accept& accept) const {
  const fs::path parent = root_ / kind;
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) return Failure{fmt::format("{}: the folder cannot be created ({})", parent.string(), error.message())};
  const fs::path place = place_of(parent, key);
  if (is_usable(place, key, accept)) {
    mark_used(place);
    return place;
  }

  const Workshop workshop(parent);
  if (!workshop.is_open())
    return Failure{fmt::format("{}: no folder can be created there ({})", parent.string(), std::strerror(errno))};
  sweep(parent, workshop);
  if (auto failure = make(workshop.entry())) return *failure;
  std::ofstream stream(workshop.entry() / kKeyFile, std::ios::binary);
  stream << key;
  stream.close();
  if (!stream) return Failure{fmt::format("{}: nothing can be written there; is the disk full?", parent.string())};
  // Another process may have been faster; its entry is as good.
  if (is_usable(place, key, accept)) return place;
  if (holds(place, key)) workshop.take_away(place);
  fs::rename(workshop.entry(), place, error);
  if (error && !holds(place, key))
    return Failure{fmt::format("{}: the folder cannot be moved into place ({})", place.string(), error.message())};
  return place;
}

}  // namespace lanewise
