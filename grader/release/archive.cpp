// Through libarchive, into memory.
#include "grader/release/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>

namespace lanewise {
namespace {

// Zips hold local time.
class UtcMeanwhile {
 public:
  UtcMeanwhile() {
    if (const char* zone = std::getenv("TZ")) before_ = zone;
    setenv("TZ", "UTC0", 1);
    tzset();
  }
  ~UtcMeanwhile() {
    if (before_)
      setenv("TZ", before_->c_str(), 1);
    else
      unsetenv("TZ");
    tzset();
  }
  UtcMeanwhile(const UtcMeanwhile&) = delete;
  UtcMeanwhile& operator=(const UtcMeanwhile&) = delete;

 private:
  std::optional<std::string> before_;
};

struct FreeWriter {
  void operator()(archive* writer) const { archive_write_free(writer); }
};
using Writer = std::unique_ptr<archive, FreeWriter>;

struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

la_ssize_t append(archive* /*writer*/, void* bytes, const void* block, std::size_t size) {
  static_cast<std::string*>(bytes)->append(static_cast<const char*>(block), size);
  return static_cast<la_ssize_t>(size);
}

bool set_up(archive* writer, ArchiveFormat format) {
  if (format == ArchiveFormat::kZip) return archive_write_set_format_zip(writer) == ARCHIVE_OK;
  return archive_write_set_format_pax_restricted(writer) == ARCHIVE_OK &&
         archive_write_add_filter_gzip(writer) == ARCHIVE_OK &&
         archive_write_set_options(writer, "gzip:!timestamp") == ARCHIVE_OK;
}

bool add(archive* writer, const ArchiveFile& file, std::int64_t time) {
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), file.path.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), file.is_executable ? 0755 : 0644);
  archive_entry_set_uid(entry.get(), 0);
  archive_entry_set_gid(entry.get(), 0);
  archive_entry_set_mtime(entry.get(), time, 0);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.content.size()));
  return archive_write_header(writer, entry.get()) == ARCHIVE_OK &&
         archive_write_data(writer, file.content.data(), file.content.size()) ==
             static_cast<la_ssize_t>(file.content.size());
}

}  // namespace

Expected<std::string> archive_of(std::vector<ArchiveFile> files, ArchiveFormat format, std::int64_t time) {
  const UtcMeanwhile utc;
  std::sort(files.begin(), files.end(), [](const ArchiveFile& a, const ArchiveFile& b) { return a.path < b.path; });
  std::string bytes;
  const Writer writer(archive_write_new());
  // The end of the last block would be zeros.
  bool is_written = writer && set_up(writer.get(), format) &&
                    archive_write_set_bytes_in_last_block(writer.get(), 1) == ARCHIVE_OK &&
                    archive_write_open(writer.get(), &bytes, nullptr, append, nullptr) == ARCHIVE_OK;
  for (const ArchiveFile& file : files) is_written = is_written && add(writer.get(), file, time);
  is_written = is_written && archive_write_close(writer.get()) == ARCHIVE_OK;
  if (is_written) return bytes;
  const char* const reason = writer ? archive_error_string(writer.get()) : nullptr;
  return Failure{fmt::format("the archive could not be created ({})", reason ? reason : "out of memory")};
}

}  // namespace lanewise
