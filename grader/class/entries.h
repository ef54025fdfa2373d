// What lies in a folder or an archive, as plain data, and the way to take files out of either.
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
  std::string path;  ///< relative, its parts apart by '/', none of them empty, "." or ".."; any other bytes but 0
  EntryKind kind = EntryKind::kFile;
  std::uint64_t bytes = 0;  ///< as claimed
  std::int64_t time = 0;    ///< of its last change, seconds since 1970 in UTC; 0: not known
  std::size_t place = 0;    ///< by which take() finds it
};

struct Listing {
  std::vector<Entry> entries;  ///< by path
  std::vector<SetAside> set_aside;
};

/// How much is looked at.
struct ListLimits {
  std::uint64_t entries = 0;       ///< in all
  std::uint64_t entries_each = 0;  ///< of each thing that lies in the outermost folder which holds more than one folder
  std::uint64_t bytes = 0;  ///< unpacked, also on the way to what is wanted: of archives that must be read through
};

/// A file to be copied. Those with the same purse share `purse_bytes` of take().
struct Wanted {
  std::size_t place = 0;     ///< Entry::place
  std::filesystem::path to;  ///< a new file in a folder that is there
  std::uint64_t most_bytes = 0;
  std::size_t purse = 0;
};

enum class Taken : std::uint8_t {
  kYes,
  kTooLarge,  ///< than its most_bytes
  kTooMuch,   ///< the purse is empty
  kNoFile,    ///< it is not there any more, no regular file or cannot be read
  kDamaged,   ///< the archive is
};

/// Where files come from. Neither follows links nor opens anything but regular files.
class Source {
 public:
  virtual ~Source() = default;
  /// Fails if it cannot be read at all, with what is said after its name: "is encrypted; ...".
  virtual Expected<Listing> list(const ListLimits& limits) = 0;
  /// What became of each. A copy that is not complete is removed again. Fails if nothing can be written any more.
  virtual Expected<std::vector<Taken>> take(const std::vector<Wanted>& wanted, std::uint64_t purse_bytes) = 0;
};

/// Fails with a sentence if it is no folder that can be opened.
Expected<std::unique_ptr<Source>> open_folder(const std::filesystem::path& folder);
/// The archive is a regular file; how it is packed is found from its first bytes.
Expected<std::unique_ptr<Source>> open_archive(const std::filesystem::path& file);

}  // namespace lanewise
