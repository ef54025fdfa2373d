// Archives that are the same, byte for byte, whenever and wherever they are made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

struct ArchiveFile {
  std::string path;  ///< inside the archive, with '/' between parts
  std::string content;
  bool is_executable = false;
};

enum class ArchiveFormat : std::uint8_t { kTarGz, kZip };

/// The archive's bytes: files in the order of their paths, all owned by root and last changed at `time` (seconds since
/// 1970 in UTC). The same files give the same bytes, with the same versions of libarchive and zlib. Not thread-safe:
/// zips hold local time, so the process's time zone is temporarily set to UTC.
Expected<std::string> archive_of(std::vector<ArchiveFile> files, ArchiveFormat format, std::int64_t time);

}  // namespace lanewise
