// Files from an untrusted archive, through libarchive. It writes nothing: names and kinds of entries are checked here,
// and only the bytes of regular files are requested.
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>

#include "grader/class/abbreviated_list.h"
#include "grader/class/copy_blocks.h"
#include "grader/class/entries.h"
#include "grader/class/file_names.h"
#include "grader/class/open_file.h"
#include "harness/lab/number_text.h"

namespace lanewise {
namespace {

constexpr std::size_t kBlock = 64 << 10;

// libarchive converts names to the thread's character set; with any but UTF-8, some would be lost.
class Utf8Names {
 public:
  Utf8Names() : utf8_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (utf8_ != nullptr) before_ = uselocale(utf8_);
  }
  ~Utf8Names() {
    if (utf8_ == nullptr) return;
    uselocale(before_);
    freelocale(utf8_);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  locale_t utf8_;
  locale_t before_ = nullptr;
};

struct FreeArchive {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, FreeArchive>;

// Zips only by their central directory at the end, which is what every other program shows of them.
Reader open_reader(int descriptor) {
  Reader reader(archive_read_new());
  if (!reader || lseek(descriptor, 0, SEEK_SET) != 0) return nullptr;
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_zip_seekable(reader.get());
  archive_read_support_format_tar(reader.get());
  return archive_read_open_fd(reader.get(), descriptor, kBlock) == ARCHIVE_OK ? std::move(reader) : nullptr;
}

bool is_zip(archive* reader) { return (archive_format(reader) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP; }

EntryKind kind_of(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return EntryKind::kHardLink;
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      return EntryKind::kFile;
    case AE_IFDIR:
      return EntryKind::kFolder;
    case AE_IFLNK:
      return EntryKind::kSymbolicLink;
    case AE_IFIFO:
      return EntryKind::kPipe;
    case AE_IFSOCK:
      return EntryKind::kSocket;
    default:
      return EntryKind::kDevice;
  }
}

std::optional<std::string> name_of(archive_entry* entry) {
  if (const char* name = archive_entry_pathname(entry)) return std::string(name);
  if (const char* name = archive_entry_pathname_utf8(entry)) return std::string(name);
  return std::nullopt;
}

// The path without "." and empty parts; nothing if it leads out of the archive. Windows writes backslashes.
std::optional<std::string> inner_path(std::string name) {
  std::replace(name.begin(), name.end(), '\\', '/');
  const bool has_drive = name.size() > 1 && name[1] == ':';
  if (name.empty() || name.front() == '/' || has_drive) return std::nullopt;
  std::string path;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('/', at), name.size());
    const std::string part = name.substr(at, end - at);
    if (part == "..") return std::nullopt;
    if (!part.empty() && part != ".") path += (path.empty() ? "" : "/") + part;
    at = end + 1;
  }
  return path.empty() ? std::nullopt : std::optional(path);
}

bool is_of_the_file_manager(const std::string& path) {
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (work_kind(path.substr(at, end - at)) == WorkKind::kOfTheFileManager) return true;
    at = end + 1;
  }
  return false;
}

class ArchiveSource : public Source {
 public:
  explicit ArchiveSource(OpenFile file) : file_(std::move(file)) {}

  Expected<Listing> list(const ListLimits& limits) override {
    const Utf8Names names;
    limits_ = limits;
    const Reader reader = open_reader(file_.descriptor());
    if (!reader) return damaged();
    Listing listing;
    AbbreviatedList outside;
    archive_entry* header = nullptr;
    for (std::size_t place = 0;; ++place) {
      const int result = archive_read_next_header(reader.get(), &header);
      if (result == ARCHIVE_EOF) break;
      if (archive_read_has_encrypted_entries(reader.get()) == 1) return encrypted();
      if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return damaged();
      if (place == limits.entries)
        return Failure{fmt::format("it contains more than {} files and folders; nothing in it is accepted",
                                   with_commas(limits.entries))};
      if (archive_entry_is_encrypted(header) != 0) return encrypted();
      if (is_beyond(reader.get(), header))
        return Failure{
            fmt::format("it unpacks to more than {} bytes; nothing in it is accepted", with_commas(limits.bytes))};
      add(header, place, listing, outside);
    }
    if (!outside.is_empty()) {
      listing.set_aside.push_back(
          {"", fmt::format("{} would be unpacked outside it and {} not accepted: {}",
                           outside.count() == 1 ? "1 entry" : with_commas(outside.count()) + " entries",
                           outside.count() == 1 ? "is" : "are", outside.text())});
    }
    std::sort(listing.entries.begin(), listing.entries.end(),
              [](const Entry& a, const Entry& b) { return a.path != b.path ? a.path < b.path : a.place < b.place; });
    return listing;
  }

  Expected<std::vector<Taken>> take(const std::vector<Wanted>& wanted, std::uint64_t purse_bytes) override {
    const Utf8Names names;
    std::vector<Taken> taken(wanted.size(), Taken::kDamaged);
    std::map<std::size_t, std::size_t> by_place;
    for (std::size_t i = 0; i < wanted.size(); ++i) by_place[wanted[i].place] = i;
    const Reader reader = open_reader(file_.descriptor());
    if (!reader) return taken;
    std::map<std::size_t, std::uint64_t> purses;
    archive_entry* header = nullptr;
    for (std::size_t place = 0; !by_place.empty() && place <= by_place.rbegin()->first; ++place) {
      const int result = archive_read_next_header(reader.get(), &header);
      if ((result != ARCHIVE_OK && result != ARCHIVE_WARN) || is_beyond(reader.get(), header)) break;
      const auto found = by_place.find(place);
      if (found == by_place.end()) continue;
      const Wanted& each = wanted[found->second];
      std::uint64_t& purse = purses.emplace(each.purse, purse_bytes).first->second;
      const auto read_block = [&](char* block, std::size_t room) {
        const la_ssize_t bytes = archive_read_data(reader.get(), block, room);
        return static_cast<ssize_t>(bytes);
      };
      auto one = kind_of(header) == EntryKind::kFile
                     ? copy_blocks(each, time_of(header), Taken::kDamaged, purse, read_block)
                     : Expected<Taken>(Taken::kNoFile);
      if (!one) return one.failure();
      taken[found->second] = *one;
    }
    return taken;
  }

 private:
  static Failure damaged() {
    return Failure{"it is damaged, incomplete, or not a .zip, .tar or .tar.gz; ask for it again"};
  }
  static Failure encrypted() { return Failure{"it is encrypted; ask for it without a password"}; }

  static std::int64_t time_of(archive_entry* header) {
    return archive_entry_mtime_is_set(header) != 0 ? std::max<std::int64_t>(0, archive_entry_mtime(header)) : 0;
  }

  // A tar's contents must be read to get to the next entry; a zip's entries can be skipped.
  bool is_beyond(archive* reader, archive_entry* header) const {
    if (is_zip(reader)) return false;
    const auto read = static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_filter_bytes(reader, 0)));
    const auto next = static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(header)));
    return read > limits_.bytes || next > limits_.bytes - read;
  }

  static void add(archive_entry* header, std::size_t place, Listing& listing, AbbreviatedList& outside) {
    const auto name = name_of(header);
    const auto path = name ? inner_path(*name) : std::nullopt;
    if (!path) {
      const bool is_the_archive_itself = name && (*name == "." || *name == "./");
      if (!is_the_archive_itself) outside.add(name.value_or("a name that cannot be read"));
      return;
    }
    if (is_of_the_file_manager(*path)) return;
    const auto bytes = static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(header)));
    listing.entries.push_back({*path, kind_of(header), bytes, time_of(header), place});
  }

  OpenFile file_;
  ListLimits limits_;
};

}  // namespace

Expected<std::unique_ptr<Source>> open_archive(const std::filesystem::path& file) {
  OpenFile opened(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat about = {};
  if (!opened || fstat(opened.descriptor(), &about) != 0)
    return Failure{fmt::format("{}: the archive cannot be opened ({})", file.string(), std::strerror(errno))};
  if (!S_ISREG(about.st_mode)) return Failure{fmt::format("{}: this is neither a folder nor a file", file.string())};
  return std::unique_ptr<Source>(std::make_unique<ArchiveSource>(std::move(opened)));
}

}  // namespace lanewise
