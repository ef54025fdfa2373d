// A SQLite VFS (https://www.sqlite.org/vfs.html) over the one there is.
#include "grader/store/testing/faulty_files.h"

#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <map>
#include <new>
#include <optional>
#include <sstream>
#include <vector>

namespace lanewise {
namespace {

// Something done to a file that has not reached the disk.
struct Step {
  sqlite3_int64 place = 0;
  std::optional<std::string> bytes;  // nothing: the file was cut off at `place`
};

// What is on the disk of one file, and what is not yet.
struct Disk {
  std::optional<std::string> content;  // nothing: its name is not there
  bool is_removed = false;             // though that has not reached the disk
  std::vector<Step> pending;
};

struct Faults {
  sqlite3_vfs* real = nullptr;
  sqlite3_vfs vfs{};
  sqlite3_io_methods methods{};
  Fault fault = Fault::kNone;
  int at = 0;
  int steps = 0;
  std::map<std::string, Disk> disk;  // by path; only kept for power cuts
};

// SQLite takes functions without a context.
Faults& faults() {
  static Faults the_faults;
  return the_faults;
}

// The real file lies behind it in the same memory.
struct File {
  sqlite3_file base;
  Disk* disk;
};
sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1); }
Disk* disk_of(sqlite3_file* file) { return reinterpret_cast<File*>(file)->disk; }

bool cuts_power() { return faults().fault == Fault::kPowerCut || faults().fault == Fault::kTornPowerCut; }

void redo(std::string& content, const Step& step) {
  const auto place = static_cast<std::size_t>(step.place);
  if (!step.bytes) return content.resize(place);
  if (content.size() < place + step.bytes->size()) content.resize(place + step.bytes->size());
  content.replace(place, step.bytes->size(), *step.bytes);
}

// Every other step survives, and half of the last: disks write in any order what was not synced.
void redo_some(std::string& content, std::vector<Step> pending) {
  if (!pending.empty() && pending.back().bytes) pending.back().bytes->resize(pending.back().bytes->size() / 2);
  for (std::size_t i = 0; i < pending.size(); ++i)
    if (i % 2 == static_cast<std::size_t>(faults().at % 2) || i + 1 == pending.size()) redo(content, pending[i]);
}

[[noreturn]] void cut_power() {
  const bool is_torn = faults().fault == Fault::kTornPowerCut;
  for (auto& [path, disk] : faults().disk) {
    if (is_torn && !disk.content) disk.content = "";
    if (!disk.content || (is_torn && disk.is_removed)) {
      unlink(path.c_str());
      continue;
    }
    if (is_torn) redo_some(*disk.content, disk.pending);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << *disk.content;
  }
  raise(SIGKILL);
  for (;;) pause();
}

// Names are synced by folder: SQLite syncs that with the first sync of a journal or log it made.
void sync_names() {
  for (auto& [path, disk] : faults().disk) {
    if (disk.is_removed)
      disk = Disk{};
    else if (!disk.content)
      disk.content = "";
  }
}

// Counts a step; whether it is to fail. `half` does half of it, for those that can be done by half.
template <class Half>
bool fails(const Half& half) {
  Faults& all = faults();
  const int step = ++all.steps;
  const bool for_good = all.fault == Fault::kFullForGood || all.fault == Fault::kBrokenForGood;
  if (all.fault == Fault::kNone || (for_good ? step < all.at : step != all.at)) return false;
  if (cuts_power()) cut_power();
  half();
  if (all.fault == Fault::kKill) {
    raise(SIGKILL);
    for (;;) pause();
  }
  return true;
}
bool fails() {
  return fails([] {});
}
int failure(int otherwise) {
  const bool is_full = faults().fault == Fault::kFullOnce || faults().fault == Fault::kFullForGood;
  return is_full ? SQLITE_FULL : otherwise;
}

int write_file(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 place) {
  if (disk_of(file))
    disk_of(file)->pending.push_back(
        {place, std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(count))});
  if (fails([&] { real(file)->pMethods->xWrite(real(file), bytes, count / 2, place); }))
    return failure(SQLITE_IOERR_WRITE);
  return real(file)->pMethods->xWrite(real(file), bytes, count, place);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 length) {
  if (disk_of(file)) disk_of(file)->pending.push_back({length, std::nullopt});
  if (fails()) return SQLITE_IOERR_TRUNCATE;
  return real(file)->pMethods->xTruncate(real(file), length);
}

int sync_file(sqlite3_file* file, int /*flags*/) {
  if (fails()) return SQLITE_IOERR_FSYNC;
  if (Disk* const disk = disk_of(file)) {
    const bool is_new = !disk->content;
    if (is_new) disk->content = "";
    for (const Step& step : disk->pending) redo(*disk->content, step);
    disk->pending.clear();
    if (is_new) sync_names();
  }
  return SQLITE_OK;
}

int close_file(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }
int read_file(sqlite3_file* file, void* bytes, int count, sqlite3_int64 place) {
  return real(file)->pMethods->xRead(real(file), bytes, count, place);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) { return real(file)->pMethods->xFileSize(real(file), size); }
int lock_file(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
int unlock_file(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
int check_lock(sqlite3_file* file, int* is_locked) {
  return real(file)->pMethods->xCheckReservedLock(real(file), is_locked);
}
int control_file(sqlite3_file* file, int what, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), what, argument);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int characteristics(sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
int map_shared(sqlite3_file* file, int region, int size, int extend, void volatile** memory) {
  return real(file)->pMethods->xShmMap(real(file), region, size, extend, memory);
}
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
void order_shared(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int unmap_shared(sqlite3_file* file, int is_last) { return real(file)->pMethods->xShmUnmap(real(file), is_last); }

std::optional<std::string> content_of(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

int open_file(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* flags_given) {
  file->pMethods = nullptr;
  const bool is_made = path && (flags & SQLITE_OPEN_CREATE) && access(path, F_OK) != 0;
  if (path && cuts_power() && faults().disk.find(path) == faults().disk.end())
    faults().disk[path].content = content_of(path);
  if (is_made && fails()) return failure(SQLITE_CANTOPEN);
  auto* const ours = new (file) File{};
  if (path && cuts_power()) {
    ours->disk = &faults().disk[path];
    if (ours->disk->is_removed) *ours->disk = Disk{};  // the name is taken anew: the worse of the two is supposed
  }
  const int result = faults().real->xOpen(faults().real, path, real(file), flags, flags_given);
  if (result == SQLITE_OK) file->pMethods = &faults().methods;
  return result;
}

int delete_file(sqlite3_vfs*, const char* path, int sync_folder) {
  if (fails()) return SQLITE_IOERR_DELETE;
  const int result = faults().real->xDelete(faults().real, path, sync_folder);
  if (result == SQLITE_OK && cuts_power()) {
    faults().disk[path].is_removed = true;
    if (sync_folder) sync_names();
  }
  return result;
}

}  // namespace

const char* fault_name(Fault fault) {
  static constexpr std::array<const char*, 9> kNames = {"none",          "kill",           "full once",
                                                        "full for good", "broken once",    "broken for good",
                                                        "power cut",     "torn power cut", nullptr};
  return kNames.at(static_cast<std::size_t>(fault));
}

void use_faulty_files(Fault fault, int at) {
  Faults& all = faults();
  all.fault = fault;
  all.at = at;
  all.real = sqlite3_vfs_find(nullptr);
  all.vfs = *all.real;
  all.vfs.zName = "faulty";
  all.vfs.szOsFile = static_cast<int>(sizeof(File)) + all.real->szOsFile;
  all.vfs.pNext = nullptr;
  all.vfs.xOpen = open_file;
  all.vfs.xDelete = delete_file;
  all.methods = {2,           close_file,   read_file,    write_file,   truncate_file, sync_file,       file_size,
                 lock_file,   unlock_file,  check_lock,   control_file, sector_size,   characteristics, map_shared,
                 lock_shared, order_shared, unmap_shared, nullptr,      nullptr};
  sqlite3_vfs_register(&all.vfs, 1);
}

int steps_of_faulty_files() { return faults().steps; }

}  // namespace lanewise
