// The contents of a folder or an archive, as plain data, and a way to take files out of either.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "grader/class/hand_ins.h"
#include "harness/lab/failure.h"

namespace lanewise {

enum class EntryKind : std::uint8_t { kFile, kFolder, kSymbolicLink, kHardLink, kPipe, kSocket, kDevice };

struct Entry {
  std::string path;  ///< relative, with '/' between parts, none of them empty, "." or ".."; any other bytes but 0
  EntryKind kind = EntryKind::kFile;
  std::uint64_t bytes = 0;  ///< as claimed
  std::int64_t time = 0;    ///< of its last change, seconds since 1970 in UTC; 0: unknown
  std::size_t place = 0;    ///< identifies it for take()
};

struct Listing {
  std::vector<Entry> entries;  ///< by path
  std::vector<SetAside> set_aside;
};

/// Limits on what is read.
struct ListLimits {
  std::uint64_t entries = 0;       ///< in total
  std::uint64_t entries_each = 0;  ///< of each item in the outermost folder that contains more than one folder
  std::uint64_t bytes = 0;         ///< unpacked, including what must be read before the wanted files
};

/// A file to be copied. Those with the same purse share `purse_bytes` of take().
struct Wanted {
  std::size_t place = 0;     ///< Entry::place
  std::filesystem::path to;  ///< a new file in an existing folder
  std::uint64_t most_bytes = 0;
  std::size_t purse = 0;
};

enum class Taken : std::uint8_t {
  kYes,
  kTooLarge,  ///< than its most_bytes
  kTooMuch,   ///< the purse is empty
  kNoFile,    ///< it is gone, is not a regular file or cannot be read
  kDamaged,   ///< the archive is damaged
};

/// A source of files. It neither follows links nor opens anything but regular files.
class Source {
 public:
  virtual ~Source() = default;
  /// Fails if it cannot be read at all; the message follows its name: "is encrypted; ...".
  virtual Expected<Listing> list(const ListLimits& limits) = 0;
  /// The outcome for each file. An incomplete copy is removed. Fails if nothing more can be written.
  virtual Expected<std::vector<Taken>> take(const std::vector<Wanted>& wanted, std::uint64_t purse_bytes) = 0;
};

/// Fails with a sentence if it is not a folder that can be opened.
Expected<std::unique_ptr<Source>> open_folder(const std::filesystem::path& folder);
/// The archive is a regular file; its format is detected from its first bytes.
Expected<std::unique_ptr<Source>> open_archive(const std::filesystem::path& file);

}  // namespace lanewise
