// File descriptors that close themselves, and copies that never exceed their limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "harness/lab/failure.h"

namespace lanewise {

class OpenFile {
 public:
  explicit OpenFile(int descriptor = -1) : descriptor_(descriptor) {}
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// Releases ownership.
  int release();

 private:
  int descriptor_;
};

/// One of our files while it is being written, readable and writable only by its owner. It is removed unless finish()
/// was called.
class NewFile {
 public:
  /// Fails if something of that name exists.
  static Expected<NewFile> create(const std::filesystem::path& path);

  ~NewFile();
  NewFile(NewFile&&) noexcept = default;
  NewFile& operator=(NewFile&&) = delete;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  std::optional<Failure> write(std::string_view bytes);
  /// `time`: modification time, seconds since 1970.
  void finish(std::int64_t time);

 private:
  NewFile(OpenFile file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}

  OpenFile file_;  // closed: nothing to remove
  std::filesystem::path path_;
};

}  // namespace lanewise
